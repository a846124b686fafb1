import CivilTime
import Reminders

/// DTSTART, DUE and the series: the start of the first occurrence, and what lies between.
extension CalendarWriter {
  mutating func addTimes(
    _ reminder: Reminder, _ due: TimeStamp, _ task: inout CalendarComponent
  ) {
    if timeOfWholeDay(reminder) != nil { return addDays(reminder, due, &task) }
    var parameters: [ContentLine.Parameter] = []
    var clock: TimeZoneRules?
    // Repeating and days of an alarm go by a clock.
    let hasClock = reminder.repeats || reminder.leads.contains { $0.days != 0 }
    if hasClock, case .absolute(let instant) = due {
      let name = reminder.repeatChanges.zone?.name ?? zone.name
      if let rules = try? TimeZoneRules(named: name), !rules.isUTC {
        clock = rules
        parameters = [ContentLine.Parameter(name: "TZID", values: [name])]
        addZone(rules, name, from: instant)
      }
    }
    let names = reminder.calendarZone(zone)
    func text(_ stamp: TimeStamp) -> String {
      switch (stamp, due) {
      case (.absolute(let instant), _):
        clock?.localDateTime(at: instant).compact ?? instant.compact
      // A name of the series, in its zone.
      case (.floating(let local), .absolute) where clock == nil: names.instant(of: local).compact
      case (.floating(let local), _): local.compact
      }
    }
    let changes = reminder.repeatChanges
    // A rule needs a beginning (RFC 5545 section 3.8.5.3).
    if reminder.repeats { append("DTSTART", [text(changes.start ?? due)], parameters, &task) }
    append("DUE", [text(due)], parameters, &task)
    if var rule = reminder.repeatRule {
      // Beside a time with a zone, UNTIL is in UTC (section 3.3.10).
      if case .local(let local)? = rule.until, case .absolute = due {
        rule = rule.ending(until: .absolute(names.instant(of: local)))
      }
      put("RRULE", rule.description, &task)
    }
    for rule in changes.additionRules { put("RRULE", rule.description, &task) }
    for rule in changes.exceptionRules { put("EXRULE", rule.description, &task) }
    append("RDATE", changes.additions.map(text), parameters, &task)
    append("EXDATE", changes.exceptions.map(text), parameters, &task)
    append("EXDATE", changes.exceptionDays.map(\.compact), Self.isDate, &task)
  }

  private static let isDate = [ContentLine.Parameter(name: "VALUE", values: ["DATE"])]

  private func append(
    _ name: String, _ values: [String], _ parameters: [ContentLine.Parameter],
    _ task: inout CalendarComponent
  ) {
    guard !values.isEmpty else { return }
    task.append(.make(name, parameters, values.joined(separator: ","), lineEnd: lineEnd))
  }

  // MARK: - Whole days

  /// The time of day at which a whole-day series is due; nil for another reminder. DUE is the day,
  /// and the alarms say the time.
  func timeOfWholeDay(_ reminder: Reminder) -> TimeOfDay? {
    guard reminder.repeats, reminder.repeatChanges.isWholeDay,
      case .floating? = reminder.repeatChanges.start, let due = reminder.due
    else { return nil }
    return reading(due, reminder).time
  }

  private func addDays(_ reminder: Reminder, _ due: TimeStamp, _ task: inout CalendarComponent) {
    let changes = reminder.repeatChanges
    func day(_ stamp: TimeStamp) -> CivilDate { reading(stamp, reminder).date }
    append("DTSTART", changes.start.map { [day($0).compact] } ?? [], Self.isDate, &task)
    append("DUE", [day(due).compact], Self.isDate, &task)
    if var rule = reminder.repeatRule {
      switch rule.until {
      case .local(let local)?: rule = rule.ending(until: .date(local.date))
      case .absolute(let instant)?: rule = rule.ending(until: .date(day(.absolute(instant))))
      case .date?, nil: break
      }
      put("RRULE", rule.description, &task)
    }
    append("RDATE", changes.additions.map { day($0).compact }, Self.isDate, &task)
    append(
      "EXDATE", (changes.exceptions.map(day) + changes.exceptionDays).map(\.compact),
      Self.isDate, &task)
  }

  private func reading(_ stamp: TimeStamp, _ reminder: Reminder) -> LocalDateTime {
    switch stamp {
    case .floating(let local): local
    case .absolute(let instant): reminder.calendarZone(zone).localDateTime(at: instant)
    }
  }
}
