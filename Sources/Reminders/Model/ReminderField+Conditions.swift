import CivilTime

extension ReminderField {
  /// Fields that limit when, and how often, a reminder may fire.
  static let conditions: [ReminderField] = [
    ReminderField(
      "every_visit", { $0.everyVisit }, set: \.everyVisit, .flag,
      Option(
        "every-visit", "On each visit, not on the first alone.", for: .location,
        because: "it waits for a time, not for a visit")),
    ReminderField(
      "cooldown_s", { $0.cooldown }, set: \.cooldown, .span,
      Option("cooldown", "Least time between two firings.", "span", example: "1h"),
      clause: { cooldown, _ in "at most once in \(cooldown)" }),
    ReminderField(
      "from", { $0.from }, set: \.from, .stamp(.start),
      Option("from", "Not before this time: tomorrow, sunrise …", "time", example: "tomorrow"),
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
      "until", { $0.until }, set: \.until, .stamp(.end),
      Option("until", "Not after this time: 2026-12-31, sunset …", "time", example: "2026-12-31"),
      clause: { until, zone in "not after \(text(until, zone))" }),
    ReminderField(
      "hours", { $0.hours }, set: \.hours, .parsed { try HourRange(parsing: $0) },
      Option(
        "hours", "Only at these hours: 08:00-18:00.", "hours", example: "08:00-18:00",
        for: .location, .date, because: "to wait for the hours would make you late"),
      sentence: { reminder, _ in windowWords(of: reminder) },
      condition: FieldCondition(
        words: { hours, _ in "It may fire between \(hours)" },
        check: { _, situation in
          situation.window.isOpen(at: situation.now)
            ? .holds : .failsUntil(situation.window.nextHours(after: situation.now))
        })),
    ReminderField(
      "days", { $0.days }, set: \.days, .parsed { try WeekdaySet(parsing: $0) },
      Option(
        "days", "Only on these days: mon..fri, sat,sun.", "days", example: "mon..fri"),
      sentence: { reminder, _ in
        reminder.honouredHours == nil ? windowWords(of: reminder) : nil
      },
      condition: FieldCondition(
        words: { days, situation in
          let isNight = situation.window.hours?.wraps == true
          return "It may fire \(isNight ? "in nights that begin " : "")on \(days)"
        },
        check: { _, situation in
          situation.window.admitsDay(of: situation.now)
            ? .holds : .failsUntil(situation.window.nextDay(after: situation.now))
        })),
    speedLimit(
      "max_speed", { $0.maximumSpeed }, set: \.maximumSpeed, option: "max-speed", example: "20km/h",
      excludes: "faster",
      remedy: "you go slower", range: { "up to \($0)" }, holds: { $0 <= $1 }),
    speedLimit(
      "min_speed", { $0.minimumSpeed }, set: \.minimumSpeed, option: "min-speed", example: "5km/h",
      excludes: "slower",
      remedy: "you go faster", range: { "from \($0) on" }, holds: { $0 >= $1 }),
    ReminderField(
      "heading", { $0.heading }, set: \.heading, .parsed { try HeadingCondition(parsing: $0) },
      Option(
        "heading",
        "Only toward or away from the place, or on a course in this range, clockwise: 350-20 "
          + "(degrees), n..e.", "course",
        example: "350-20", for: .location, because: "it rings at its time, whatever your course"),
      clause: { heading, _ in "only \(heading.words)" },
      condition: FieldCondition(
        asks: .motion, remedy: "you go in that direction",
        words: { heading, situation in
          let course = situation.course.map { "you go \(Int($0.rounded()) % 360)°" }
          let bearing = situation.bearing.map { ", and it bears \(Int($0.rounded()) % 360)°" } ?? ""
          return "It may fire \(heading.words), and \(course ?? "your course is not known")"
            + bearing
        },
        check: { heading, situation in
          situation.course.map { heading.contains($0, bearing: situation.bearing) } == true
            ? .holds : .failsUntil(nil)
        })),
    ReminderField(
      "if_inside", { $0.ifInside }, set: \.ifInside, .choice,
      Option(
        "if-inside",
        "If you are inside now: wait for the next visit (the default) or fire at once.",
        "action", for: .location, because: "it waits for a time, not for a visit")),
  ]

  /// A limit of the device's speed, metres a second.
  /// - Parameters:
  ///   - excludes: the comparative of a speed beyond the limit.
  ///   - range: the permitted speeds, of the text of the limit.
  ///   - holds: compares the speed with the limit.
  private static func speedLimit(
    _ name: String, _ limit: @escaping @Sendable (Reminder) -> Double?,
    set path: any WritableKeyPath<Reminder, Double?> & Sendable, option: String,
    example: String, excludes: String, remedy: String,
    range: @escaping @Sendable (String) -> String,
    holds: @escaping @Sendable (Double, Double) -> Bool
  ) -> ReminderField {
    ReminderField(
      "\(name)_mps", limit, set: path, .speed,
      Option(
        option, "Only \(range("this speed")): 5 (m/s), 20km/h, 10kn, 30mph.", "speed",
        example: example, for: .location, because: "it rings at its time, whatever your speed"),
      clause: { limit, _ in "not while \(excludes) than \(Speed.text(limit, digits: 0))" },
      condition: FieldCondition(
        name: name, asks: .motion, remedy: remedy,
        words: { limit, situation in
          "It may fire \(range(Speed.text(limit))), and \(situation.speedText)"
        },
        check: { limit, situation in
          situation.speed.map { holds($0, limit) } == true ? .holds : .failsUntil(nil)
        }))
  }

  /// `between 08:00-18:00, on mon..fri`, as they go together.
  private static func windowWords(of reminder: Reminder) -> String? {
    let hours = reminder.honouredHours
    let isNight = hours?.wraps == true
    let days = reminder.days.map { isNight ? "in nights that begin on \($0)" : "on \($0)" }
    let words = [hours.map { "between \($0)" }, days].compactMap { $0 }.joined(separator: " ")
    guard !words.isEmpty else { return nil }
    guard reminder.kind == .location, reminder.trigger == .depart else { return words }
    return "only if you leave \(words)"
  }
}

extension Reminder {
  /// `hours`, unless its kind ignores them.
  var honouredHours: HourRange? { kind == .preemptive ? nil : hours }
}
