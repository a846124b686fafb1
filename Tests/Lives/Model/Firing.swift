/// A firing, as the model and the engine both report it.
package struct Firing: Hashable, Sendable {
  package enum Event: String, Sendable {
    case arrive, depart, dwell, pass, absent, silent, due, leave, late
  }

  package let time: Moment
  package let id: String
  package let event: Event
  /// The due time that it rings for; nil where there is none, or where the pages do not say it: for
  /// repetitions and ends of snoozes.
  package var due: Moment?
  /// By how many seconds it comes late, where the event says so.
  package var late: Int?
  /// The spot of the last fix, where that decided it: not for a date, a repetition, or the end of a
  /// snooze. A pass is between two spots.
  package var spot: String?
  /// The tracker that it is about: of several, the last to come or leave; nil for the machine itself.
  package var who: String?

  package init(
    time: Moment, id: String, event: Event, due: Moment? = nil, late: Int? = nil,
    spot: String? = nil, who: String? = nil
  ) {
    self.time = time
    self.id = id
    self.event = event
    self.due = due
    self.late = late
    self.spot = spot
    self.who = who
  }
}
