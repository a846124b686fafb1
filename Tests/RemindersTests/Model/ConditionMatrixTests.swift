import CivilTime
import JSONText
import Testing

@testable import Reminders

/// Each condition for each kind of reminder: honoured, or refused with a reason.
@Suite struct ConditionMatrixTests {
  /// A reminder of a kind that fires on several days.
  enum Subject: String, CaseIterable {
    case arrive, depart, dwell, date, preemptive

    var members: String {
      let place = EngineHarness.place()
      return switch self {
      case .arrive: #""on":"arrive",\#(place)"#
      case .depart: #""on":"depart",\#(place)"#
      case .dwell: #""on":"dwell",\#(place)"#
      case .date: #""kind":"date","due":"2026-06-12T17:00:00Z","repeat":"daily""#
      case .preemptive:
        #""kind":"preemptive","due":"2026-06-12T17:30:00Z","repeat":"daily","travel_s":3600,"place":{"lat":54,"lon":9}"#
      }
    }

    /// The days and hours of its firings without a further condition.
    var plain: String {
      switch self {
      case .arrive, .dwell: "fri16 sat10"
      case .depart: "fri17 sat11"
      case .date: "fri17 sat17 sun17"
      case .preemptive: "fri16 sat16 sun16"
      }
    }
  }

  enum Cell {
    /// The condition, and the days and hours of the firings with it.
    case honoured(String, String)
    case refused(String, because: String)
  }

  private static let noVisit = "it waits for a time, not for a visit"
  private static let anySpeed = "it rings at its time, whatever your speed"
  private static let anyCourse = "it rings at its time, whatever your course"

  private static func placesOnly(
    _ key: String, _ value: String, _ reason: String, _ arrive: String, _ depart: String,
    departValue: String? = nil
  ) -> [Subject: Cell] {
    let condition = "\"\(key)\":\(value)"
    return [
      .arrive: .honoured(condition, arrive), .dwell: .honoured(condition, arrive),
      .depart: .honoured("\"\(key)\":\(departValue ?? value)", depart),
      .date: .refused(condition, because: reason),
      .preemptive: .refused(condition, because: reason),
    ]
  }

  private static func all(_ condition: String, _ cells: [Subject: String]) -> [Subject: Cell] {
    cells.mapValues { .honoured(condition, $0) }
  }

  private static let hours = #""hours":"08:00-12:00""#
  private static let table: [String: [Subject: Cell]] = [
    "every_visit": placesOnly("every_visit", "true", noVisit, "fri16 sat10", "fri17 sat11"),
    "cooldown_s": all(
      #""cooldown_s":108000"#,
      [
        .arrive: "fri16", .depart: "fri17", .dwell: "fri16", .date: "fri17 sun17",
        .preemptive: "fri16 sun16",
      ]),
    "from": all(
      #""from":"2026-06-13T00:00:00Z""#,
      [
        .arrive: "sat10", .depart: "sat11", .dwell: "sat10", .date: "sat17 sun17",
        .preemptive: "sat16 sun16",
      ]),
    "until": all(
      #""until":"2026-06-12T17:30:00Z""#,
      [.arrive: "fri16", .depart: "", .dwell: "fri16", .date: "fri17", .preemptive: "fri16"]),
    "hours": [
      .arrive: .honoured(hours, "sat10"), .depart: .honoured(hours, "sat11"),
      .dwell: .honoured(hours, "sat10"), .date: .honoured(hours, "sat08 sun08"),
      .preemptive: .refused(hours, because: "to wait for the hours would make you late"),
    ],
    "days": all(
      #""days":"sat""#,
      [.arrive: "sat10", .depart: "sat11", .dwell: "sat10", .date: "sat17", .preemptive: "sat16"]),
    "max_speed_mps": placesOnly("max_speed_mps", "5", anySpeed, "sat10", "sat11"),
    "min_speed_mps": placesOnly("min_speed_mps", "5", anySpeed, "fri16", "fri17"),
    "heading": placesOnly(
      "heading", #""200-300""#, anyCourse, "fri16", "fri17", departValue: #""45-135""#),
    "if_inside": placesOnly("if_inside", #""fire""#, noVisit, "fri16 sat10", "fri17 sat11"),
    "on": placesOnly(
      "on", #""dwell""#, noVisit, "fri16 sat10", "fri17 sat11", departValue: #""depart""#),
    "dwell_s": placesOnly("dwell_s", "4000", noVisit, "", "fri18 sat12", departValue: "3600")
      .merging([
        .arrive: .refused(#""dwell_s":4000"#, because: #"goes with "on" dwell, depart or silent"#)
      ]) { $1 },
  ]

  /// Two visits: on Friday from 16:30 to 17:30 in a fast car from and to the east, on Saturday from
  /// 10:00 to 11:00 on foot from and to the north.
  private func firings(_ subject: Subject, _ condition: String) throws -> String {
    var harness = EngineHarness()
    let isDate = subject == .date || subject == .preemptive
    let visits = isDate || condition.contains("every_visit") ? "" : #""every_visit":true,"#
    var members = subject.members
    if condition.contains(#""on""#) {
      members = members.replacing(#""on":"\#(subject.rawValue)","#, with: "")
    }
    harness.fix(600, speed: 15)
    if !condition.contains("if_inside") {
      try harness.add(#"{"id":"t","title":"T",\#(visits)\#(members)\#(condition)}"#)
    }
    for (start, bearing, speed) in [
      ("2026-06-12T16:30:00Z", 90.0, 15.0), ("2026-06-13T10:00:00Z", 0, 1),
    ] {
      harness.wait(until: try Instant(rfc3339: start))
      for distance in stride(from: 600.0, through: 0, by: -15) {
        harness.fix(distance, bearing: bearing, speed: speed, track: bearing + 180)
      }
      if condition.contains("if_inside"), bearing == 90 {
        try harness.add(#"{"id":"t","title":"T",\#(visits)\#(members)\#(condition)}"#)
      }
      for _ in 0..<10 { harness.fix(0, after: 60, speed: speed, track: bearing + 180) }
      harness.wait(until: try Instant(rfc3339: start) + .hours(1))
      for distance in stride(from: 0.0, through: 600, by: 15) {
        harness.fix(distance, bearing: bearing, speed: speed, track: bearing)
      }
    }
    harness.wait(until: try Instant(rfc3339: "2026-06-14T20:00:00Z"))
    return harness.firings.map { firing in
      let local = TimeZoneRules.utc.localDateTime(at: firing.time)
      let hour = local.time.hour
      return "\(local.date.weekday.shortName)\(hour < 10 ? "0" : "")\(hour)"
    }.joined(separator: " ")
  }

  @Test func everyConditionHasARow() {
    #expect(Set(ReminderField.conditions.map(\.key)).isSubset(of: Self.table.keys))
    #expect(Self.table.values.allSatisfy { $0.count == Subject.allCases.count })
  }

  @Test(arguments: Subject.allCases)
  func theLifeFiresWithoutAFurtherCondition(subject: Subject) throws {
    #expect(try firings(subject, "") == subject.plain)
  }

  @Test(arguments: Array(Self.table.keys), Subject.allCases)
  func eachCellIsHonouredOrRefused(key: String, subject: Subject) throws {
    switch try #require(Self.table[key]?[subject]) {
    case .honoured(let condition, let expected):
      #expect(try firings(subject, ",\(condition)") == expected)
    case .refused(let condition, let reason):
      let text = #"{"id":"t","title":"T",\#(subject.members),\#(condition)}"#
      let reminder = try Reminder(json: try #require(try JSONParser.parse(text).object))
      let error = #expect(throws: ReminderError.self) { try reminder.checkConditions(in: .utc) }
      #expect(error?.field == key)
      #expect(error?.reason.hasSuffix(reason) == true)
      // A stored one stays, and fires as its other conditions say.
      #expect(reminder.ignoredFields == [key])
      #expect(try firings(subject, ",\(condition)") == subject.plain)
    }
  }

  @Test(arguments: [
    (#""due":"2026-06-12T17:00:00Z","until":"2026-06-12T16:59:59Z""#, "until"),
    (#""due":"2026-06-12T17:00:00Z","until":"2026-06-12T17:00:00Z""#, ""),
    (
      #""due":"2026-06-14T17:00:00Z","from":"2026-06-13T17:00","until":"2026-06-13T16:00""#, "until"
    ),
    (#""due":"2026-06-12T17:00:00Z","days":"sat""#, "days"),
    (#""due":"2026-06-12T17:00:00Z","days":"sat","repeat":"daily""#, ""),
    (#""due":"2026-06-12T17:00:00Z","nag_limit":3"#, "nag_limit"),
    (#""near_category":"shop","dwell_s":60"#, "dwell_s"),
    (
      #""near_category":"a","due":"2026-06-12T17:00:00Z","repeat":"daily","hours":"8-17""#, "hours"
    ),
    (#""near_category":"a","due":"2026-06-12T16:59:59Z","repeat":"daily","hours":"8-17""#, ""),
    (#""near_category":"a","due":"2026-06-12T17:00","repeat":"weekly","hours":"8-9""#, "hours"),
    (#""near_category":"a","due":"2026-06-12T17:00","repeat":"daily","hours":"22-6""#, ""),
    (#""near_category":"a","due":"2026-06-12T17:00","repeat":"hourly","hours":"8-17""#, ""),
    (
      #""near_category":"a","due":"2026-06-12T17:00","repeat":"FREQ=DAILY;BYHOUR=7,17","hours":"8-17""#,
      ""
    ),
    (#""near_category":"a","due":"2026-06-12T17:00","hours":"8-17""#, ""),
    (#""due":"2026-06-12T17:00","repeat":"daily","hours":"8-17""#, ""),
  ])
  func impossibleCombinationsAreRefused(members: String, field: String) throws {
    let document = try #require(try JSONParser.parse(#"{"id":"t","title":"T",\#(members)}"#).object)
    let reminder = try Reminder(json: document)
    if field.isEmpty {
      try reminder.checkConditions(in: .utc)
    } else {
      let error = #expect(throws: ReminderError.self) { try reminder.checkConditions(in: .utc) }
      #expect(error?.field == field)
      // A change elsewhere is accepted.
      var changed = reminder
      changed.title = "U"
      try changed.checkConditions(in: .utc, changing: reminder)
    }
  }
}
