import CivilTime
import Departure
import Geodesy
import JSONText
import Positioning
import Reminders

@testable import Storage

/// Values that set, together, every property of the model to something else than its default. No
/// reminder can have all: a place excludes a region.
enum FullSample {
  /// Values of the types that have defaults; their properties have them.
  static var blanks: [Any] {
    [
      Reminder(id: "", kind: .date, title: ""), History(), Consumer(name: "", owner: 0, upto: 0),
      RepeatChanges(), Stay.Visit(since: Instant(microseconds: 0)),
      Reminder.Place(position: origin),
    ]
  }

  private static let origin = Coordinate(
    clampingLatitude: 0, wrappingLongitude: 0)

  static func reminders() throws -> [Reminder] {
    [try series(), try line(), nearCategory, leaving]
  }

  static var histories: [History] { [inside, outside] }

  // MARK: - Reminders

  /// A place that repeats, with all conditions.
  private static func series() throws -> Reminder {
    var reminder = Reminder(
      id: "series", kind: .location, title: "Milk & \"bread\"", notes: "two\nlines",
      category: "Errands", priority: 3,
      place: .init(name: "Rewe", position: berlin, radius: 75.5),
      due: .floating(.noon), leads: [CalendarSpan(days: 1), .minutes(10)], everyVisit: true,
      state: .snoozed)
    reminder.trigger = .dwell
    reminder.dwell = .seconds(90)
    reminder.nag = .minutes(10)
    reminder.nagLimit = 7
    reminder.repeatRule = try RepeatRule(parsing: "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU")
    reminder.repeatChanges = repeatChanges
    reminder.cooldown = .minutes(10)
    reminder.from = .absolute(.start)
    reminder.until = .floating(.forever)
    reminder.hours = try HourRange(parsing: "08:15-18:45")
    reminder.days = try WeekdaySet(parsing: "mon..fri")
    reminder.maximumSpeed = 12.5
    reminder.minimumSpeed = 2.5
    reminder.heading = try HeadingCondition(parsing: "350-20")
    reminder.ifInside = .fire
    reminder.source = Reminder.Source(file: "/home/a/tasks/milk.ics", standing: "NEEDS-ACTION 5")
    reminder.owner = 1000
    reminder.unknown["x_deep"] = .array([1, .null, .object(JSONObject(["z": "ü\u{1F600}"]))])
    return reminder
  }

  private static var repeatChanges: RepeatChanges {
    var changes = RepeatChanges()
    changes.additions = [.absolute(.start + .hours(5)), .floating(.noon)]
    changes.additionRules = [RepeatRule(.monthly)]
    changes.exceptions = [.floating(.noon)]
    changes.exceptionRules = [RepeatRule(.yearly)]
    changes.exceptionDays = [LocalDateTime.noon.date]
    changes.zone = NamedZone.find("EST5EDT,M3.2.0,M11.1.0")
    changes.start = .floating(LocalDateTime(date: LocalDateTime.noon.date, time: .midnight))
    changes.isWholeDay = true
    changes.dueAfter = CalendarSpan(days: 2, microseconds: 7_200_500_000)
    return changes
  }

  /// A corridor, watched as an anchor.
  private static func line() throws -> Reminder {
    let geometry = try JSONParser.parse(
      """
      {"type":"LineString","coordinates":[[13.405,52.52],[13.41,52.53]],"name":"Canal"}
      """)
    var reminder = Reminder(id: "line", kind: .location, title: "Canal")
    reminder.area = try Reminder.Area(geoJSON: geometry, width: 40)
    reminder.trigger = .depart
    reminder.dwell = .minutes(3)
    reminder.isAnchorWatch = true
    return reminder
  }

  private static var nearCategory: Reminder {
    var reminder = Reminder(id: "near", kind: .location, title: "Bread", state: .fired)
    reminder.nearCategory = "Bakery"
    reminder.who = .tracker("anna")
    reminder.recipient = "ben"
    reminder.nearRadius = 80.5
    return reminder
  }

  private static var leaving: Reminder {
    var reminder = Reminder(
      id: "leaving", kind: .preemptive, title: "Train",
      place: .init(name: "Station", position: berlin, radius: 300),
      due: .absolute(.start + .hours(9)), leads: [.minutes(30), .minutes(5)], transport: .boat,
      state: .done)
    reminder.travel = .minutes(25)
    return reminder
  }

  static let berlin = Coordinate(
    clampingLatitude: 52.52000000000001, wrappingLongitude: -13.405)

  // MARK: - Histories

  /// A snoozed reminder within a visit.
  private static var inside: History {
    var history = History()
    history.usedUpTo = .noon
    history.leadsUsed = [.forever: 2]
    history.stay = .inside(
      Stay.Visit(since: .start, settledUpTo: .noon, places: [3, 7, 1 << 40]))
    history.silence = .until(Instant(microseconds: 1_795_230_999_999_999))
    history.lastRung = Instant(microseconds: 1_795_230_000_000_001)
    history.lastRepeated = Instant(microseconds: 1_795_230_060_000_001)
    history.isUnacknowledged = true
    history.repetition = History.Repetition(next: .start + .minutes(7), count: 3)
    history.isDone = true
    history.hasExpired = true
    history.isUnread = true
    history.there = .start + .minutes(2)
    history.members = ["anna": true, "ben": false]
    history.mover = "anna"
    history.early = History.Early(
      from: LocalDateTime(microseconds: 1_795_262_400_000_001), upTo: .noon, leads: 1,
      rung: .start + .seconds(3))
    return history
  }

  /// A departure that waits for its hold.
  private static var outside: History {
    var history = History()
    history.stay = .outside(since: .start + .minutes(1))
    history.silence = .nextVisit
    history.early = History.Early(from: .noon, upTo: .forever, rung: .start)
    return history
  }

  // MARK: - The ledger

  static var consumer: Consumer {
    var consumer = Consumer(name: "hook", owner: 1000, upto: 17)
    consumer.tries = 4
    consumer.failingSince = .start
    consumer.nextTry = .start + .minutes(8)
    consumer.text = "The command ended with status 3"
    return consumer
  }

  static var firing: Firing {
    Firing(
      id: "f1", reminderID: "series", kind: .location, title: "Title", category: "Errands",
      priority: 5, time: .start, event: .pass, who: "anna", recipient: "ben", position: berlin,
      eph: 4.2,
      source: .deadReckoning, fixTime: Instant(microseconds: 3), place: "Rewe", distance: 33.3,
      due: Instant(microseconds: -5), travel: TimeSpan(microseconds: 1_000_001),
      late: TimeSpan(microseconds: 1), repeated: .clock, why: "Passed Rewe")
  }
}
