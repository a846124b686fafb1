package import CivilTime
package import JSONText

extension Plan {
  /// The plan of a reminder that is added now, without a travel time.
  package init(adding reminder: Reminder, in zone: TimeZoneRules, at now: Instant) {
    var schedule = Schedule(reminder, in: zone)
    self.init(adding: &schedule, at: now)
  }

  private init(adding schedule: inout Schedule, at now: Instant) {
    var history = History()
    schedule.begin(schedule.reminder.state, &history, at: now, missed: .zero)
    self = schedule.plan(history, Surroundings(), at: now)
  }

  /// Whether the conditions of a reminder that is added now leave no time at which it rings. false
  /// where that takes longer to count than a new reminder may take.
  package static func isNever(
    _ reminder: Reminder, in zone: TimeZoneRules, at now: Instant
  ) -> Bool {
    guard reminder.state == .armed, reminder.kind != .location else { return false }
    var schedule = Schedule(reminder, in: zone)
    let plan = Plan(adding: &schedule, at: now)
    return schedule.work < Schedule.maximumWork / 10
      && (plan.state == .expired || plan.isHeldForGood(reminder))
  }

  /// Whether conditions keep a date from ringing: it has no next time.
  private func isHeldForGood(_ reminder: Reminder) -> Bool {
    reminder.kind == .date && state == .armed && rings == nil
  }

  /// Adds to a reminder's document when it is due next, when it rings by time, and how many of its
  /// leads have passed.
  package func add(to document: inout JSONObject, of reminder: Reminder) {
    if reminder.repeats, !isHeldForGood(reminder), let due {
      document["next_due"] = .string(due.json)
    }
    guard state == .armed else { return }
    document["rings"] = rings.map { .string($0.json) }
    if leadsPassed > 0 { document["leads_passed"] = .int(leadsPassed) }
  }
}
