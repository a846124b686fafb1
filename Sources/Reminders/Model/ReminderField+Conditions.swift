import CivilTime

extension ReminderField {
  /// Fields that limit when, and how often, a reminder may fire.
  static let conditions: [ReminderField] = [
    ReminderField(
      "every_visit", \.everyVisit, .flag,
      Option("every-visit", "On each visit, not on the first alone.", for: .location)),
    ReminderField(
      "cooldown_s", \.cooldown, .span,
      Option(
        "cooldown", "Least time between two firings.", "span", example: "1h", for: .location),
      clause: { cooldown, _ in "at most once in \(cooldown)" }),
    ReminderField(
      "from", \.from, .stamp,
      Option("from", "Not before this time.", "time", example: "tomorrow"),
      clause: { from, zone in "not before \(text(from, zone))" },
      condition: FieldCondition(
        words: { from, situation in
          "It may fire from \(situation.text(from.instant(in: situation.zone)))"
        },
        check: { from, situation in
          let from = from.instant(in: situation.zone)
          return situation.now < from ? .failsUntil(from) : .holds
        })),
    ReminderField(
      "until", \.until, .stamp,
      Option("until", "Not after this time.", "time", example: "2026-12-31"),
      clause: { until, zone in "not after \(text(until, zone))" }),
    ReminderField(
      "hours", \.hours, .parsed { try HourRange(parsing: $0) },
      Option(
        "hours", "Only at these hours: 08:00-18:00.", "hours", example: "08:00-18:00",
        for: .location),
      clause: { hours, _ in "between \(hours)" },
      condition: FieldCondition { hours, situation in
        let local = situation.zone.localDateTime(at: situation.now)
        return hours.contains(local.time)
          ? .holds : .failsUntil(situation.later(hours.nextOpening(from: local)))
      }),
    ReminderField(
      "days", \.days, .parsed { try WeekdaySet(parsing: $0) },
      Option(
        "days", "Only on these days: mon..fri, sat,sun.", "days", example: "mon..fri",
        for: .location),
      clause: { days, _ in "on \(days)" },
      condition: FieldCondition { days, situation in
        let date = situation.zone.localDateTime(at: situation.now).date
        return days.contains(date.weekday)
          ? .holds : .failsUntil(situation.later(LocalDateTime(date: date.adding(days: 1))))
      }),
    ReminderField(
      "max_speed_mps", \.maximumSpeed, .speed,
      Option(
        "max-speed", "Not while faster: 5 (m/s), 20km/h, 10kn, 30mph.", "speed", example: "20km/h",
        for: .location),
      clause: { limit, _ in "not while faster than \(Speed.text(limit, digits: 0))" },
      condition: FieldCondition(
        name: "max_speed", needsClock: false, remedy: "you go slower",
        words: { limit, situation in
          "It may fire up to \(Speed.text(limit)), and \(situation.speedText)"
        },
        check: { limit, situation in
          situation.speed ?? 0 > limit ? .failsUntil(nil) : .holds
        })),
    ReminderField(
      "if_inside", \.ifInside, .choice,
      Option("if-inside", "The action if you are inside already.", "action", for: .location)),
  ]
}
