package import Companion

/// Running and waiting hooks, as a state machine: events in, effects out.
package struct HookQueue: Sendable {
  package struct Start: Equatable, Sendable {
    package let unit: String
    package let call: HookCall
  }

  /// A message for the journal.
  package enum Word: Equatable, Sendable {
    /// The queue is full: this many firings had no hook.
    case dropped(title: String)
    case failed(HookCall, unit: String, result: String)
  }

  /// Limit of waiting calls, since a hanging program must not fill the memory.
  package static let maximumWaiting = 256

  private struct Running: Sendable {
    let call: HookCall
    /// Microseconds of a clock that never goes back.
    let begun: Int64
  }

  private var waiting: [Start] = []
  private var running: [String: Running] = [:]
  package var maximumParallel: Int

  package init(maximumParallel: Int) { self.maximumParallel = maximumParallel }

  package var runningCount: Int { running.count }

  /// When a unit was started; nil for unknown units.
  package func begin(of unit: String) -> Int64? { running[unit]?.begun }

  /// A firing for these programs.
  package mutating func add(
    _ firing: FiringNotice, programs: [String], at now: Int64
  ) -> (starts: [Start], words: [Word]) {
    guard waiting.count + programs.count <= Self.maximumWaiting else {
      return ([], [.dropped(title: firing.title)])
    }
    for (index, program) in programs.enumerated() {
      let call = HookCall(program: program, firing: firing)
      waiting.append(Start(unit: call.unitName(number: index + 1), call: call))
    }
    return (next(at: now), [])
  }

  /// Takes the end of a unit's start from systemd's `JobRemoved`: `done`, `failed`, `timeout` …;
  /// ignores unknown units.
  package mutating func ended(
    _ unit: String, result: String, at now: Int64
  ) -> (starts: [Start], words: [Word]) {
    guard let call = running.removeValue(forKey: unit)?.call else { return ([], []) }
    let words: [Word] = result == "done" ? [] : [.failed(call, unit: unit, result: result)]
    return (next(at: now), words)
  }

  /// Result of a hook without news from systemd for too long.
  package static let lost = "lost"

  /// Deadline of the oldest running hook; nil if none runs.
  /// - Parameter limit: microseconds.
  package func giveUp(after limit: Int64) -> Int64? {
    running.values.map(\.begun).min().map { $0 + limit }
  }

  /// Removes hooks without a reported end: their signal may be lost with the bus.
  package mutating func giveUp(
    at now: Int64, after limit: Int64
  ) -> (starts: [Start], words: [Word]) {
    let lost = running.filter { now - $0.value.begun >= limit }.sorted { $0.key < $1.key }
    var words: [Word] = []
    for (unit, entry) in lost {
      running[unit] = nil
      words.append(.failed(entry.call, unit: unit, result: Self.lost))
    }
    return (next(at: now), words)
  }

  private mutating func next(at now: Int64) -> [Start] {
    var starts: [Start] = []
    while running.count < maximumParallel, let start = waiting.first {
      waiting.removeFirst()
      guard running[start.unit] == nil else { continue }
      running[start.unit] = Running(call: start.call, begun: now)
      starts.append(start)
    }
    return starts
  }
}
