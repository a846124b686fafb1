package import CivilTime

/// The circumstances of a plan.
package struct Surroundings: Sendable {
  var isClockTrusted = true
  /// Metres a second; nil if unknown.
  var speed: Double?
  /// Degrees from true north; nil if unknown or at rest.
  var course: Double?
  /// Degrees from true north to the place of a heading that is relative to it.
  var bearing: Double?
  /// Travel time to the place of a time to leave; nil where no position is known.
  var travel: TimeSpan?
  /// Until when a time to leave stays silent because the device is at the place, or on the way; nil
  /// where it rings.
  var silentUntil: Instant?
  /// Until when a time to leave waits for the first fix of a run; nil for no wait.
  var firstFixBy: Instant?
  /// When the tracker was heard last in this run; nil before.
  var heard: Instant?
  /// When this run began; nil before its first event.
  var runSince: Instant?
  /// Lateness up to which a firing counts as on time.
  var lateAfter = TimeSpan.seconds(2)

  package init() {}
}

/// The next step of a reminder: the one value behind its timer, `why`, `next` and `list`.
package struct Plan {
  enum Action: Equatable {
    /// A lead of a date has come.
    case ring(Lead)
    /// A lead of a time to leave has come.
    case leave(Lead)
    /// A due time is over, and the next one counts.
    case move
    case wake
    /// The stay is long enough, and all conditions hold.
    case stay
    /// The departure has been held for long enough.
    case depart
    case repeatFiring
    case endRepetition
    /// `until` has passed.
    case end
  }

  /// The next moment at which time alone does something; nil for never. It may have passed.
  package internal(set) var at: Instant?
  var action: Action?
  /// The same for what waits until the clock is trusted.
  var heldAt: Instant?
  package internal(set) var state: Reminder.State
  /// The due time that it waits for; nil where none is left.
  package internal(set) var occurrence: Occurrence?
  /// The lead that a date or a time to leave rings for next.
  var lead: Lead?
  /// When a firing by time alone comes next, apart from repetitions; nil for a place.
  package internal(set) var rings: Instant?

  /// When the firing that was not acknowledged is repeated; nil where something else comes before.
  var repeats: Instant? { action == .repeatFiring ? at : nil }

  private let isClockTrusted: Bool

  init(_ state: Reminder.State, _ occurrence: Occurrence?, isClockTrusted: Bool) {
    self.state = state
    self.occurrence = occurrence
    self.isClockTrusted = isClockTrusted
  }

  /// Takes in a step; of two at one moment, the first counts.
  /// - Parameter byClock: whether it waits until the clock is trusted.
  mutating func add(_ moment: Instant?, _ action: Action, byClock: Bool = true) {
    guard let moment else { return }
    if byClock, !isClockTrusted {
      heldAt = sooner(heldAt, moment)
    } else if at.map({ moment < $0 }) ?? true {
      (at, self.action) = (moment, action)
    }
  }

  /// How many leads of the next due time have rung, or had passed before they were asked for.
  package var leadsPassed: Int { lead?.number ?? 0 }

  package var standing: Standing { Standing(state: state, due: due) }

  /// nil for a reminder without a due time.
  package var due: Instant? {
    occurrence.flatMap { $0 == Schedule.always ? nil : $0.due }
  }
}

/// The lesser of two optional times.
func sooner<Time: Comparable>(_ a: Time?, _ b: Time?) -> Time? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
