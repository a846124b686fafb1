package import CivilTime
package import Geofencing

/// How far a reminder has come: all that must survive a restart beside the reminder itself.
package struct Progress: Equatable, Sendable {
  package var state: Reminder.State = .armed
  /// Where the device was, relative to the region, when last looked.
  package var presence: Presence = .unknown
  /// Since when the device has been inside.
  package var insideSince: Instant?
  /// For a reminder of any place of a category: those that the device is inside of, by their number
  /// in the store, in rising order.
  package var placesInside: [Int64] = []
  /// This visit has been dealt with: fired, or not meant to fire.
  package var visitSettled = false
  /// The occurrence it is armed for; nil where the reminder has no due time.
  package var occurrence: Instant?
  /// How many of the leads of this occurrence have fired, longest first.
  package var leadsFired = 0
  package var lastFired: Instant?
  /// It has fired, and the user has not said "done" since.
  package var isUnacknowledged = false
  /// For `snoozed`: when it fires again.
  package var snoozedUntil: Instant?

  /// What nagging has come to; nil where nothing is to be told again.
  package var nagging: Nagging?

  /// A reminder that is told again until it is done.
  package struct Nagging: Equatable, Sendable {
    /// When it is told the next time.
    package var next: Instant
    /// How often it was told again.
    package var count: Int

    package init(next: Instant, count: Int) {
      self.next = next
      self.count = count
    }
  }

  /// Seconds east of UTC by which `occurrence` was worked out from a floating time, so that it can
  /// be worked out anew in another zone. Filled in whenever the progress is to be kept.
  package var occurrenceOffset: Int?
}

extension Progress {
  package init(state: Reminder.State = .armed) { self.init(state: state, presence: .unknown) }
}
