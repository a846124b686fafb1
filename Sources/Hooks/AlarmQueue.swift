package import CivilTime
package import Companion

/// Alarms on their way to the program. They wait for no firing and are not stored: what fails now
/// is of no use tomorrow. Urgent alarms run side by side, the others one at a time.
package struct AlarmQueue: Sendable {
  package struct Alarm: Sendable {
    package let notice: FiringNotice
    fileprivate let begun: Int64
    fileprivate var due: Int64
    fileprivate var tries = 0
    fileprivate var isRunning = false
    fileprivate var order: (Int, Int64, String) { (notice.isUrgent ? 1 : 0, begun, notice.id) }
  }

  /// Limit of alarms; the oldest give way, urgent ones last.
  package static let maximumCount = 16

  /// By the id of the notice.
  private var alarms: [String: Alarm] = [:]

  package init() {}

  package var count: Int { alarms.count }

  /// - Parameter now: microseconds of a clock that never steps.
  package mutating func add(_ notice: FiringNotice, at now: Int64) {
    if alarms.count >= Self.maximumCount,
      let oldest = alarms.min(by: { $0.value.order < $1.value.order })?.key
    {
      alarms[oldest] = nil
    }
    alarms[notice.id] = Alarm(notice: notice, begun: now, due: now)
  }

  /// The alarms to run now, which count as running.
  package mutating func next(at now: Int64) -> [FiringNotice] {
    var isFree = canRunAnother
    var ready = alarms.values.filter { !$0.isRunning && $0.due <= now }
    ready.sort { ($0.begun, $0.notice.id) < ($1.begun, $1.notice.id) }
    return ready.map(\.notice).filter { notice in
      guard notice.isUrgent || isFree else { return false }
      if !notice.isUrgent { isFree = false }
      alarms[notice.id]?.isRunning = true
      return true
    }
  }

  /// When `next` has another one; nil if none waits.
  package var nextDue: Int64? {
    let isFree = canRunAnother
    return alarms.values.filter { !$0.isRunning && ($0.notice.isUrgent || isFree) }
      .map(\.due).min()
  }

  private var canRunAnother: Bool {
    !alarms.values.contains { $0.isRunning && !$0.notice.isUrgent }
  }

  /// - Returns: why the alarm is given up, if it is.
  package mutating func ended(
    _ id: String, _ outcome: Delivery.Outcome, at now: Int64, giveUpAfter: TimeSpan,
    random: Double
  ) -> String? {
    guard var alarm = alarms[id] else { return nil }
    alarms[id] = nil
    switch outcome {
    case .delivered, .passed: return nil
    case .refused(let reason): return reason
    case .failed(let reason):
      guard now - alarm.begun < giveUpAfter.microseconds else { return reason }
      alarm.tries += 1
      alarm.isRunning = false
      let isUrgent = alarm.notice.isUrgent
      alarm.due = now + Delivery.delay(tries: alarm.tries, random: random, isUrgent: isUrgent)
      alarms[id] = alarm
      return nil
    }
  }
}
