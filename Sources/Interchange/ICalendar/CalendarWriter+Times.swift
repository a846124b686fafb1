import CivilTime
import Reminders

/// DTSTART, DUE and the series: the start of the first occurrence, and what lies between.
extension CalendarWriter {
  mutating func addTimes(
    _ reminder: Reminder, _ due: TimeStamp, _ task: inout CalendarComponent
  ) {
    let isDays = timeOfWholeDay(reminder) != nil
    var parameters: [ContentLine.Parameter] = isDays ? Self.isDate : []
    var clock: TimeZoneRules?
    // Repeating and days of an alarm go by a clock.
    let hasClock = !isDays && (reminder.repeats || reminder.leads.contains { $0.days != 0 })
    if hasClock, case .absolute(let instant) = due {
      let name = reminder.repeatChanges.zone?.name ?? zone.name
      if let rules = try? TimeZoneRules(named: name), !rules.isUTC {
        clock = rules
        parameters = [.init("TZID", name)]
        addZone(rules, name, from: instant)
      }
    }
    let names = reminder.calendarZone(zone)
    func text(_ stamp: TimeStamp) -> String {
      switch (stamp, due) {
      case _ where isDays: reading(stamp, names).date.compact
      case (.absolute(let instant), _):
        clock?.localDateTime(at: instant).compact ?? instant.compact
      // A name of the series, in its zone.
      case (.floating(let local), .absolute) where clock == nil: names.instant(of: local).compact
      case (.floating(let local), _): local.compact
      }
    }
    /// UNTIL in the form of the start: beside a time with a zone in UTC (section 3.3.10).
    func text(_ rule: RepeatRule) -> String {
      switch (rule.until, due) {
      case (.local(let local)?, _) where isDays: "\(rule.ending(until: .date(local.date)))"
      case (.absolute(let instant)?, _) where isDays:
        "\(rule.ending(until: .date(reading(.absolute(instant), names).date)))"
      case (.local(let local)?, .absolute):
        "\(rule.ending(until: .absolute(names.instant(of: local))))"
      default: "\(rule)"
      }
    }
    func list(_ name: String, _ values: [String], _ parameters: [ContentLine.Parameter]) {
      if !values.isEmpty { task.add(name, values.joined(separator: ","), parameters) }
    }
    let changes = reminder.repeatChanges
    // A rule needs a beginning (RFC 5545 section 3.8.5.3).
    if reminder.repeats { task.add("DTSTART", text(changes.start ?? due), parameters) }
    task.add("DUE", text(due), parameters)
    for rule in [reminder.repeatRule].compactMap({ $0 }) + changes.additionRules {
      task.add("RRULE", text(rule))
    }
    for rule in changes.exceptionRules { task.add("EXRULE", text(rule)) }
    list("RDATE", changes.additions.map(text), parameters)
    list("EXDATE", changes.exceptions.map(text), parameters)
    list("EXDATE", changes.exceptionDays.map(\.compact), Self.isDate)
  }

  private static let isDate: [ContentLine.Parameter] = [.init("VALUE", "DATE")]

  /// The time of day at which a whole-day series is due; nil for another reminder. DUE is the day,
  /// and the alarms say the time.
  func timeOfWholeDay(_ reminder: Reminder) -> TimeOfDay? {
    guard reminder.repeats, reminder.repeatChanges.isWholeDay,
      case .floating? = reminder.repeatChanges.start, let due = reminder.due
    else { return nil }
    return reading(due, reminder.calendarZone(zone)).time
  }

  private func reading(_ stamp: TimeStamp, _ names: TimeZoneRules) -> LocalDateTime {
    switch stamp {
    case .floating(let local): local
    case .absolute(let instant): names.localDateTime(at: instant)
    }
  }
}
