import Companion

/// Running hooks, and hooks that wait for a place, as a state machine.
///
/// A destination has one firing of each queue under way, and `AlarmQueue` limits the alarms. Urgent
/// ones wait for no place; of the others, firings go first.
package struct HookQueue: Sendable {
  private struct Running: Sendable {
    let call: HookCall
    /// Microseconds of a clock that never goes back.
    let begun: Int64
  }

  private enum Rank: Int {
    case urgent
    case firing
    case alarm
  }

  /// By rank.
  private var waiting: [(call: HookCall, rank: Rank)] = []
  /// By the name of the unit.
  private var running: [String: Running] = [:]
  package var maximumParallel: Int

  package init(maximumParallel: Int) { self.maximumParallel = maximumParallel }

  package var runningCount: Int { running.count }

  /// When a unit was started; nil for unknown units.
  package func begin(of unit: String) -> Int64? { running[unit]?.begun }

  package mutating func add(_ call: HookCall, isAlarm: Bool = false) {
    let rank: Rank = call.firing.isUrgent ? .urgent : isAlarm ? .alarm : .firing
    let place = waiting.firstIndex { $0.rank.rawValue > rank.rawValue } ?? waiting.count
    waiting.insert((call, rank), at: place)
  }

  /// Removes an alarm that waits; false if none does.
  package mutating func dropAlarm(_ unit: String) -> Bool {
    guard let place = waiting.firstIndex(where: { $0.rank == .alarm && $0.call.unit == unit })
    else { return false }
    waiting.remove(at: place)
    return true
  }

  /// The calls to start now: as many as there are places, and all urgent ones.
  package mutating func next(at now: Int64) -> [HookCall] {
    var starts: [HookCall] = []
    while let next = waiting.first, next.rank == .urgent || running.count < maximumParallel {
      let call = waiting.removeFirst().call
      running[call.unit] = Running(call: call, begun: now)
      starts.append(call)
    }
    return starts
  }

  /// Frees the place of a unit; nil for unknown units.
  package mutating func end(_ unit: String) -> HookCall? {
    running.removeValue(forKey: unit)?.call
  }

  /// Deadline of the oldest running hook; nil if none runs.
  /// - Parameter limit: microseconds.
  package func giveUp(after limit: Int64) -> Int64? {
    running.values.map(\.begun).min().map { $0 + limit }
  }

  /// Frees the places of hooks without a reported end: their signal may be lost with the bus.
  package mutating func giveUp(at now: Int64, after limit: Int64) -> [HookCall] {
    let lost = running.filter { now - $0.value.begun >= limit }.sorted { $0.key < $1.key }
    return lost.compactMap { end($0.key) }
  }
}
