package import CivilTime
package import JSONText

extension Plan {
  /// The plan of a reminder that is added now, without a travel time.
  package init(adding reminder: Reminder, in zone: TimeZoneRules, at now: Instant) {
    var schedule = Schedule(reminder, in: zone)
    var history = History()
    schedule.begin(reminder.state, &history, at: now, missed: .zero)
    self = schedule.plan(history, Surroundings(), at: now)
  }

  /// Adds to a reminder's document when it is due next, when it rings by time, and how many of its
  /// leads have passed.
  package func add(to document: inout JSONObject, of reminder: Reminder) {
    // A date that conditions keep from ringing has no next time.
    let isLeft = rings != nil || reminder.kind != .date || state != .armed
    if reminder.repeats, isLeft, let due { document["next_due"] = .string(due.json) }
    guard state == .armed else { return }
    document["rings"] = rings.map { .string($0.json) }
    if leadsPassed > 0 { document["leads_passed"] = .int(leadsPassed) }
  }
}
