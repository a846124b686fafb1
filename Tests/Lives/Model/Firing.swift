/// A firing, as the model and the engine both report it.
package struct Firing: Hashable, Sendable {
  package enum Event: String, Sendable {
    case arrive, depart, dwell, pass, due, leave, late
  }

  package let time: Moment
  package let id: String
  package let event: Event

  package init(time: Moment, id: String, event: Event) {
    self.time = time
    self.id = id
    self.event = event
  }
}

extension Model {
  /// The limit of repetitions in one round, where the user gives none.
  static let defaultLimit = 24

  /// Fires now, unless a firing less than the cooldown ago forbids it, to the seconds that a firing
  /// may come after its moment and is not late. A firing that is forbidden is dropped: the visit or
  /// the lead is used up all the same. Returns whether it fired.
  @discardableResult
  mutating func fire(_ record: inout Record, _ event: Firing.Event) -> Bool {
    if let cooldown = record.spec.cooldown, let last = record.lastFired,
      now < last + cooldown - Self.lateAfter
    {
      return false
    }
    ring(&record, event)
    return true
  }

  /// Fires now, and starts a round of repetitions.
  mutating func ring(_ record: inout Record, _ event: Firing.Event) {
    firings.append(Firing(time: now, id: record.spec.id, event: event))
    record.lastFired = now
    record.isUnacknowledged = true
    record.nag = record.spec.nag.map { Record.Nag(next: now + $0, count: 0) }
    note(record.nag?.next)
  }

  /// Repeats a firing that nobody has acknowledged; in the permitted hours, on permitted days, not
  /// before `from`, and not after `until`.
  mutating func repeatUntilAcknowledged(_ record: inout Record) {
    guard let nag = record.nag, nag.next <= now, let span = record.spec.nag else { return }
    guard record.spec.isBeforeEnd(now, in: zone) else {
      record.nag = nil
      return
    }
    guard record.spec.isAfterFrom(now, in: zone), record.spec.isInHours(now, in: zone),
      record.spec.isOnDays(now, in: zone)
    else { return }
    let event: Firing.Event =
      switch record.spec.kind {
      case .date: .due
      case .leave: .leave
      case .location(.arrive): .arrive
      case .location(.depart): .depart
      case .location(.dwell): .dwell
      }
    firings.append(Firing(time: now, id: record.spec.id, event: event))
    let count = nag.count + 1
    let limit = record.spec.nagLimit ?? Self.defaultLimit
    record.nag = limit == 0 || count < limit ? Record.Nag(next: now + span, count: count) : nil
    note(record.nag?.next)
  }
}
