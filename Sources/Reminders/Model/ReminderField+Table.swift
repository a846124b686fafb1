package import CivilTime
import Departure
import Geodesy
import Geofencing
import JSONText

extension ReminderField {
  /// All fields, in the order of JSON members.
  package static let all = subject + location + time + conditions + origin

  /// The first row of each key.
  static let byKey = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })

  /// Keys that are long enough to distinguish a misspelling from another word.
  static let longNames = all.map(\.key).filter { $0.utf8.count > 3 }

  /// The key that begins with the same word as an unknown one, such as `min_speed_mps`.
  package static func related(to name: String) -> String? {
    let word = name.prefix { $0 != "_" } + "_"
    return all.first { $0.key.hasPrefix(word) }?.key
  }

  /// The rows that a kind of reminder may not have, with the reasons.
  static let refused = Dictionary(
    uniqueKeysWithValues: Reminder.Kind.allCases.map { kind in
      (kind, all.compactMap { field in field.refusal(of: kind).map { (field, $0) } })
    })

  /// Conditions at the moment of firing, in the order of checking.
  static let allConditions = all.compactMap(\.condition)

  /// The rows with a condition on speed or course.
  static let motionFields = all.filter { $0.condition?.asks == .motion }

  package static func text(_ stamp: TimeStamp, _ zone: TimeZoneRules) -> String {
    Instant(seconds: stamp.instant(in: zone).seconds.rounded(.down)).rfc3339(zone: zone)
  }

  // MARK: - What it is

  private static let subject: [ReminderField] = [
    ReminderField("id", { $0.id }, set: \.id, .text, where: { _ in true }),
    ReminderField("kind", { $0.kind }, set: \.kind, .choice, where: { _ in true }),
    ReminderField(
      "title", { $0.title }, set: \.title, .line,
      Option("title", "The title of the reminder.", "text"),
      where: { _ in true }),
    ReminderField(
      "notes", { $0.notes }, set: \.notes, .text,
      Option("notes", "Longer text shown with the reminder.", "text", example: "longer text")),
    ReminderField(
      "category", { $0.category }, set: \.category, .line,
      Option("category", "The category of the reminder.", "name", example: "Errands"),
      clause: { category, _ in "in the category \(category)" }),
    ReminderField(
      "priority", { $0.priority }, set: \.priority, .whole(0...9),
      Option(
        "priority", "1 is the most urgent, 9 the least, 0 none; or high, medium, low.", "0-9",
        example: "5",
        synonyms: ["high": "1", "medium": "5", "normal": "5", "low": "9", "none": "0"]),
      clause: { priority, _ in "with priority \(priority)" }),
    ReminderField(
      "who", { $0.who }, set: \.who, .parsed { try Who(parsing: $0) },
      Option(
        "who", "Follow this tracker, anyone, or all: the last to come or to leave.", "name",
        example: "anna", for: .location, .preemptive,
        because: "it waits for a time, not for somebody",
        synonyms: ["everyone": "all", "everybody": "all", "anybody": "anyone", "me": "self"])),
    ReminderField(
      "for", { $0.recipient }, set: \.recipient, .person,
      Option(
        "for", "Send its firings to this person alone.", "name", example: "anna"),
      clause: { name, _ in "for \(name) alone" }),
  ]

  // MARK: - Where

  private static let location: [ReminderField] = [
    ReminderField(
      "place", { $0.place }, set: \.place, .place,
      Option(
        "at", "The place: a coordinate in any form, the name of a known place, or here.", "place",
        example: "52.52, 13.405", for: .location, short: "a"), where: { $0.kind != .preemptive }),
    ReminderField(
      "place", { $0.place }, set: \.place, .place,
      Option(
        "leave-for", "Remind when it is time to leave for this place.", "place",
        example: "52.52, 13.405", for: .preemptive), where: { $0.kind == .preemptive }),
    ReminderField(
      "region", .raw,
      Option(
        "region", "The polygon, or with --width the line, of a GeoJSON file.", "file",
        for: .location), get: { $0.area?.json },
      read: { reminder, value, document throws(ReminderError) in
        let width = try document.member("width_m", .number(Corridor.widths), prefix: "")
        reminder.area = try Reminder.Area(geoJSON: value, width: width)
      }),
    ReminderField(
      "width_m", .metres(Corridor.widths),
      Option("width", "The width of the line, from side to side.", "length", for: .location),
      get: { $0.area?.width },
      read: { _, value, document throws(ReminderError) in
        _ = try FieldFormat.number(Corridor.widths).read(value)
        guard (document["region"] ?? .null) == .null else { return }
        throw ReminderError(field: "", reason: "needs a region that is a line")
      }),
    ReminderField(
      "near_category", { $0.nearCategory }, set: \.nearCategory, .name,
      Option(
        "near-category", "Any place of this category; the first reached counts.", "category",
        for: .location)),
    ReminderField(
      "radius_m", .metres(Reminder.Place.radii),
      Option(
        "radius", "The radius: 150m (the default), 1.5km, 200ft …", "length", example: "150m",
        for: .location), get: { $0.nearRadius },
      typed: { $0.nearRadius ?? $0.place?.radius },
      read: { reminder, value, document throws(ReminderError) in
        // Without a category it is an unknown field.
        if (document["near_category"] ?? .null) == .null {
          reminder.unknown["radius_m"] = value
        } else {
          reminder.nearRadius = try FieldFormat.number(Reminder.Place.radii).read(value)
        }
      }),
    ReminderField(
      "on", { $0.trigger }, set: \.trigger, .choice,
      Option(
        "on", "The event at the place; arrive unless set.", "event", for: .location,
        because: "it waits for a time, not for a visit",
        synonyms: [
          "enter": "arrive", "arrival": "arrive", "leave": "depart", "exit": "depart",
          "left": "depart", "leaving": "depart", "arrived": "arrive", "reached": "arrive",
          "departure": "depart", "stay": "dwell",
        ]),
      where: { $0.kind == .location }),
    ReminderField(
      "dwell_s", .span,
      Option(
        "dwell", "The time to stay (sets --on dwell); with --on depart, the time to be away first.",
        "span", example: "5min", for: .location, because: "it waits for a time, not for a visit"),
      get: { reminder in
        guard reminder.kind == .location, reminder.trigger != .arrive else { return nil }
        let isHeld = [.dwell, .silent].contains(reminder.trigger)
        return reminder.dwell ?? (isHeld ? reminder.hold : nil)
      }, isSet: { $0.dwell != nil },
      read: { reminder, value, _ throws(ReminderError) in
        reminder.dwell = try FieldFormat.span.read(value)
      }),
    ReminderField(
      "anchor_watch", { $0.isAnchorWatch }, set: \.isAnchorWatch, .flag,
      clause: { isWatch, _ in isWatch ? "and when the position is lost" : nil }),
  ]

  // MARK: - When

  private static let transports = [
    "car": "driving", "drive": "driving", "bike": "cycling", "bicycle": "cycling",
    "cycle": "cycling", "foot": "walking", "walk": "walking",
    "ship": "boat", "sailing": "boat", "sail": "boat",
  ]

  private static let timetable =
    "it goes by a timetable, which georemind does not know; give the travel time: --travel 25min"

  private static let time: [ReminderField] = [due] + leads + repeating

  private static let due =
    ReminderField(
      "due", { $0.due }, set: \.due, .stamp(),
      Option(
        "due", "When it is due: tomorrow 18:00, friday 6pm, 27 jan, in 20 minutes …", "time",
        example: "tomorrow 18:00", short: "d"),
      condition: FieldCondition(
        remedy: "it gets another due time or other days",
        words: { _, situation in
          situation.start.map { "It may fire once due, at \(situation.text($0))" }
            ?? "No due time is left on its days"
        },
        check: { _, situation in
          guard let start = situation.start else { return .failsUntil(nil) }
          return situation.now < start ? .failsUntil(start) : .holds
        }))

  private static let repeating: [ReminderField] = [
    ReminderField(
      "nag_s", { $0.nag }, set: \.nag, .span(in: .minutes(1) ... .hours(24)),
      Option(
        "nag", "Remind again after this span until it is done; \"\" for never.", "span",
        example: "10min"),
      sentence: { reminder, _ in
        let limit = reminder.nagLimit ?? Reminder.defaultNagLimit
        let end = limit == 0 ? "" : ", \(limit == 1 ? "once" : "\(limit) times") at most"
        return reminder.nag.map { "again every \($0) until it is done\(end)" }
      }),
    ReminderField(
      "nag_limit", { $0.nagLimit }, set: \.nagLimit, .limit,
      Option(
        "nag-limit", "How many times to remind again: 24 unless set, none for no limit.", "count",
        example: "none")),
    ReminderField(
      "transport", { $0.transport }, set: \.transport, .choice,
      Option(
        "by", "The mode of transport; driving unless set, boat with Units=nautical.", "mode",
        for: .preemptive,
        because: "it has no way to estimate", synonyms: transports,
        refused: ["bus": timetable, "train": timetable, "tram": timetable, "ferry": timetable]),
      where: { $0.kind == .preemptive }),
    ReminderField(
      "travel_s", { $0.travel }, set: \.travel, .span,
      Option(
        "travel", "The travel time, instead of an estimate: 25min.", "span", example: "25min",
        for: .preemptive)),
    ReminderField(
      "repeat", { $0.repeatRule }, set: \.repeatRule, .repeatRule,
      Option(
        "repeat", "Repeat: daily, weekdays, every 2 weeks, every last friday of the month …",
        "rule", example: "every 2 weeks", short: "r"),
      clause: { rule, _ in rule.words ?? "again by \(rule)" }),
    ReminderField(
      "repeat_also", .raw,
      clause: { times, _ in
        let count = times.array?.filter { !RepeatChanges.isRule($0.string ?? "") }.count ?? 0
        guard count > 0 else { return "and by another rule" }
        return count == 1 ? "and once more" : "and \(count) times more"
      }, get: { $0.repeatChanges.additionsJSON },
      read: { reminder, value, _ throws(ReminderError) in
        try reminder.repeatChanges.add(value)
      }),
    ReminderField(
      "repeat_except", .raw, get: { $0.repeatChanges.exceptionsJSON },
      read: { reminder, value, _ throws(ReminderError) in
        try reminder.repeatChanges.except(value)
      }),
    ReminderField(
      "repeat_start", .raw, get: { $0.repeatChanges.startJSON },
      read: { reminder, value, _ throws(ReminderError) in
        try reminder.repeatChanges.begin(value)
      }),
    ReminderField(
      "due_after", .raw, get: { $0.repeatChanges.dueAfterJSON },
      read: { reminder, value, document throws(ReminderError) in
        guard document["repeat_start"] ?? .null != .null else {
          throw ReminderError(field: "", reason: "goes with repeat_start")
        }
        try reminder.repeatChanges.setDueAfter(value)
      }),
    ReminderField(
      "zone_offset_s", .raw,
      get: { reminder in
        guard let zone = reminder.repeatChanges.zone, !zone.isKnown else { return nil }
        return .int(zone.rules.offset(at: Instant(microseconds: 0)))
      },
      read: { _, value, _ throws(ReminderError) in
        _ = try FieldFormat.whole(-93_600...93_600).read(value)
      }),
    ReminderField(
      "zone", FieldFormat<String>.text,
      sentence: { reminder, _ in
        guard let zone = reminder.repeatChanges.zone, reminder.repeats || !zone.isKnown else {
          return nil
        }
        return "by the clocks of \(zone.title)"
      },
      get: { $0.repeatChanges.zone?.name },
      read: { reminder, value, document throws(ReminderError) in
        let name = try FieldFormat.text.read(value)
        let offset = document["zone_offset_s"]?.int
        let zone = NamedZone.find(name) ?? offset.map { NamedZone(unknown: name, offset: $0) }
        guard let zone else {
          throw ReminderError(
            field: "", reason: "must be a time zone such as Europe/Berlin, not \"\(name)\"")
        }
        reminder.repeatChanges.zone = zone
      }),
  ]

  // MARK: - Where it comes from and how far it is

  private static let origin: [ReminderField] = [
    ReminderField("state", { $0.state }, set: \.state, .choice, where: { _ in true }),
    ReminderField(
      "source", { $0.source }, set: \.source,
      .document({ .object($0.json) }) { json throws(ReminderError) in
        try Reminder.Source(json: json)
      }),
    ReminderField(
      "owner", .raw, get: { $0.owner.map { .int(Int($0)) } },
      read: { reminder, value, _ in
        // An owner other than a uid is an unknown field.
        reminder.owner = value.int.flatMap { UInt32(exactly: $0) }
        if reminder.owner == nil { reminder.unknown["owner"] = value }
      }),
  ]
}
