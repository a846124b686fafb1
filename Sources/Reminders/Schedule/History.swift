package import CivilTime
package import Containers

/// The past of a reminder: all facts that must survive a restart, apart from the reminder.
///
/// Nothing in it depends on the zone, on the conditions or on the present time. `Schedule.plan`
/// computes the next step from it.
package struct History: Equatable, Sendable {
  /// The due times up to this name have rung, were completed, or passed before they were asked for.
  package var usedUpTo: LocalDateTime?
  /// How many leads of later due times, by their names, have rung or had passed before they were
  /// asked for; longest first, from 1. All leads of a date used means that the due time is left.
  ///
  /// There are several only after a change of the zone that puts another due time before one of
  /// which a lead has rung.
  package var leadsUsed: [LocalDateTime: Int] = [:]
  /// Where the device was seen last; for a reminder of a place.
  package var stay = Stay.unknown
  package var silence: Silence?
  /// When it rang last, apart from repetitions.
  package var lastRung: Instant?
  /// When that was repeated last; nil if it was not.
  @Boxed package var lastRepeated: Instant?
  /// It has rung, and nobody has said "done" since.
  package var isUnacknowledged = false
  /// nil while nothing is to be repeated.
  @Boxed package var repetition: Repetition?
  package var isDone = false
  /// Its end came before it could ring, and was reported.
  package var hasExpired = false
  /// It is stored, and has not begun: the engine begins it when it loads it.
  package var isUnread = false
  /// The due times that a wrong clock has used; nil once the true ones have passed.
  @Boxed package var early: Early?
  /// When the device was last known to be at the place, for `absent`.
  @Boxed package var there: Instant?
  /// Which of several trackers are inside, as far as that is known.
  package var members: [String: Bool] = [:]
  /// The tracker, of several, whose move the stay comes from: a firing names it, also after a hold.
  @Boxed package var mover: String?

  package init() {}

  /// Of a reminder that the engine has yet to begin.
  package static let unread = {
    var history = History()
    history.isUnread = true
    return history
  }()

  /// Nothing rings before the end.
  package enum Silence: Equatable, Sendable {
    case until(Instant)
    case nextVisit
    case untilLeave
  }

  /// The next repetition until acknowledged, and how many there were.
  package struct Repetition: Equatable, Sendable {
    package var next: Instant
    package var count: Int

    package init(next: Instant, count: Int) {
      self.next = next
      self.count = count
    }
  }

  /// Due times that rang before their time, by their names.
  package struct Early: Equatable, Sendable {
    package var from: LocalDateTime
    package var upTo: LocalDateTime
    /// Leads of `upTo` that were used; nil for all.
    package var leads: Int?
    /// The time of the wrong clock when it rang.
    package var rung: Instant

    package init(from: LocalDateTime, upTo: LocalDateTime, leads: Int? = nil, rung: Instant) {
      self.from = from
      self.upTo = upTo
      self.leads = leads
      self.rung = rung
    }
  }
}

/// Where the device is with respect to the place of a reminder.
package enum Stay: Equatable, Sendable {
  case unknown
  /// - Parameter since: when it left, while a departure waits for its hold.
  case outside(since: Instant?)
  case inside(Visit)

  package struct Visit: Equatable, Sendable {
    package var since: Instant
    /// Store numbers, rising, of the category's places that contain the device.
    package var places: [Int64] = []
    /// The visit rings for due times with later names alone; nil for all.
    package var settledUpTo: LocalDateTime?

    package init(since: Instant, settledUpTo: LocalDateTime? = nil, places: [Int64] = []) {
      self.since = since
      self.settledUpTo = settledUpTo
      self.places = places
    }
  }
}

extension Stay {
  var isInside: Bool { if case .inside = self { true } else { false } }
}

extension History {
  /// The last firing, also a repetition.
  package var lastFired: Instant? { lastRepeated ?? lastRung }

  /// The category's places that contain the device.
  var places: [Int64] {
    if case .inside(let visit) = stay { visit.places } else { [] }
  }
}

extension LocalDateTime {
  /// The name of the one occurrence of a reminder without a due time.
  package static let always = LocalDateTime(microseconds: 0)
  /// Later than all names.
  package static let forever = LocalDateTime(microseconds: 253_402_300_799_000_000)
}

/// The state of a reminder for lists and for the store's queues. It follows from the history: the
/// engine computes it with each plan, and never reads it back.
package struct Standing: Equatable, Sendable {
  /// The due time that it waits for; nil without one.
  package var due: Instant?
  package var state: Reminder.State

  package init(state: Reminder.State, due: Instant? = nil) {
    self.state = state
    self.due = due
  }
}
