import CivilTime

extension Schedule {
  /// Brings a history to its state after a firing that only the journal has. The journal has due
  /// times in milliseconds, and no names: all due times up to then are used.
  package mutating func follow(_ firing: Firing, _ history: inout History) {
    (history.silence, history.repetition) = (nil, nil)
    (history.lastRung, history.lastRepeated) = (firing.time, nil)
    history.isUnacknowledged = true
    guard reminder.kind != .location else {
      if firing.event != .lost {
        history.stay =
          firing.event == .depart
          ? .outside(since: nil) : .inside(Stay.Visit(since: firing.time))
      }
      return usePlace(&history, at: firing.time)
    }
    guard let due = firing.due, let last = passed(after: nil, by: due + .seconds(0.001)) else {
      return
    }
    // The time to leave is unknown: each firing was one lead.
    let count =
      reminder.kind == .date
      ? leads.indices.count { moment(of: $0, before: last.due) <= firing.time }
      : leadsUsed(of: last, history) + 1
    use(last, leads: min(leads.count, count), &history)
    if reminder.kind == .date, last.due <= firing.time { use(dueBy: firing.time, &history) }
  }
}
