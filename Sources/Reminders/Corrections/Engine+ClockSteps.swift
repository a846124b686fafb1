import CivilTime
import Departure

/// Correction of what a wrong clock has brought about; `Schedule` has the rules.
extension Engine {
  /// The times that the clock has shown since it was last set.
  struct ClockRun: Sendable {
    var start: Instant
    var latest: Instant

    init(_ start: Instant) {
      self.start = start
      latest = start
    }
  }

  /// Corrects all reminders after the clock was set to `now`, or became trusted.
  /// - Parameter run: the times before that; nil where nothing is known of them.
  /// - Complexity: a plan for each reminder.
  mutating func correctReminders(after run: ClockRun?, at now: Instant) {
    for index in slots.indices {
      if correct(index, after: run, at: now) {
        start(index, at: now)
      } else {
        // Its timer was set by the other clock.
        replan(index, at: now)
      }
    }
  }

  /// Takes back what a wrong clock has brought about; answers whether it was anything.
  @discardableResult
  mutating func correct(_ index: Int32, after run: ClockRun?, at now: Instant) -> Bool {
    guard isClockTrusted, run != nil || settings.correctsAtStart, let slot = slots.slot(index)
    else { return false }
    let mayReturn = run != nil || settings.wasClockSet
    let limit = now + Schedule.clockTolerance
    let isAhead = [slot.history.lastRung, run?.latest].contains { $0.map { $0 > limit } ?? false }
    guard isAhead || (mayReturn && slot.history.early != nil) else { return false }
    let travel = way(of: slot, at: now)?.time ?? .zero
    var schedule = Schedule(slot.$reminder, in: zone)
    var history = slot.history
    if mayReturn { schedule.clockTurned(forth: &history, at: now) }
    schedule.clockTurned(
      back: &history, from: run?.start, latest: run?.latest, travel: travel, at: now)
    turn.work += schedule.work
    guard history != slot.history else { return false }
    change(index) { $0 = history }
    return true
  }
}
