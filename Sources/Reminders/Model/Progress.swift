package import CivilTime
package import Geofencing

/// State of a reminder that must survive a restart, apart from the reminder itself.
package struct Progress: Equatable, Sendable {
  package var state: Reminder.State = .armed
  /// Position of the device relative to the region at the last evaluation.
  package var presence: Presence = .unknown
  /// Since when the device has been inside; while a departure is held, since when outside.
  package var presenceSince: Instant?
  /// Store numbers, rising, of the category's places that contain the device.
  package var placesInside: [Int64] = []
  /// This visit has fired, or must not fire.
  package var visitSettled = false
  /// The occurrence it is armed for; nil where the reminder has no due time.
  package var occurrence: Instant?
  /// Number of leads of this occurrence that have fired, longest first.
  package var leadsFired = 0
  package var lastFired: Instant?
  /// It has fired and was not completed since.
  package var isUnacknowledged = false
  /// The times for which a clock that was wrong has fired it, from the first due time on; nil once
  /// the true ones have passed.
  package var early: ClosedRange<Instant>?
  /// For `snoozed`: when it fires again.
  package var snoozedUntil: Instant?

  /// Repetition until acknowledged; nil while nothing is to be repeated.
  package var nagging: Nagging?

  /// State of a reminder that repeats until acknowledged.
  package struct Nagging: Equatable, Sendable {
    /// Time of the next repetition.
    package var next: Instant
    /// Number of repetitions so far.
    package var count: Int

    package init(next: Instant, count: Int) {
      self.next = next
      self.count = count
    }
  }

  /// Seconds east of UTC with which `occurrence` was computed from a floating time; another zone
  /// needs it to recompute. Set only when the progress is stored.
  package var occurrenceOffset: Int?
}

extension Progress {
  package init(state: Reminder.State = .armed) { self.init(state: state, presence: .unknown) }

  /// Ends the present visit: neither it nor a held departure fires.
  mutating func endVisit() {
    visitSettled = true
    if presence == .outside { presenceSince = nil }
  }
}
