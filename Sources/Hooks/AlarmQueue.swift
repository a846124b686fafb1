package import CivilTime
package import Companion

/// Alarms on their way to the hooks. They wait for no firing and are not stored: what fails now is
/// of no use tomorrow.
package struct AlarmQueue: Sendable {
  package struct Alarm: Sendable {
    package let destination: HookSettings.Destination
    package let notice: FiringNotice
    fileprivate let begun: Int64
    fileprivate var due: Int64
    fileprivate var tries = 0
    fileprivate var isRunning = false
    fileprivate var order: (Int, Int64, String) { (notice.isUrgent ? 1 : 0, begun, notice.id) }
  }

  /// Limit of alarms; the oldest give way, urgent ones last.
  package static let maximumCount = 16

  private var alarms: [String: Alarm] = [:]

  package init() {}

  package var count: Int { alarms.count }

  /// - Parameters:
  ///   - unit: names the notice for the destination.
  ///   - now: microseconds of a clock that never steps.
  /// - Returns: the unit of the alarm that gives way, if one does.
  package mutating func add(
    _ notice: FiringNotice, to destination: HookSettings.Destination, unit: String, at now: Int64
  ) -> String? {
    let oldest =
      alarms.count < Self.maximumCount
      ? nil : alarms.min { $0.value.order < $1.value.order }?.key
    if let oldest { alarms[oldest] = nil }
    alarms[unit] = Alarm(destination: destination, notice: notice, begun: now, due: now)
    return oldest
  }

  /// The alarms to run now, which count as running.
  package mutating func next(at now: Int64) -> [(unit: String, alarm: Alarm)] {
    let ready = alarms.filter { !$0.value.isRunning && $0.value.due <= now }
      .sorted { ($0.value.begun, $0.key) < ($1.value.begun, $1.key) }
    for (unit, _) in ready { alarms[unit]?.isRunning = true }
    return ready.map { ($0.key, $0.value) }
  }

  /// When `next` has another one; nil if none waits.
  package var nextDue: Int64? { alarms.values.filter { !$0.isRunning }.map(\.due).min() }

  /// - Returns: why the alarm is given up, if it is.
  package mutating func ended(
    _ unit: String, _ outcome: Delivery.Outcome, at now: Int64, giveUpAfter: TimeSpan,
    random: Double
  ) -> String? {
    guard var alarm = alarms[unit] else { return nil }
    alarms[unit] = nil
    switch outcome {
    case .delivered: return nil
    case .refused(let reason): return reason
    case .failed(let reason):
      guard now - alarm.begun < giveUpAfter.microseconds else { return reason }
      alarm.tries += 1
      alarm.isRunning = false
      let isUrgent = alarm.notice.isUrgent
      alarm.due = now + Delivery.delay(tries: alarm.tries, random: random, isUrgent: isUrgent)
      alarms[unit] = alarm
      return nil
    }
  }
}
