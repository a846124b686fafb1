import ArgumentParser
import JSONText
import Reminders
import Testing

@testable import Client

@Suite struct ReminderOptionsTests {
  /// The document of a command line behind `add`.
  private func document(_ arguments: [String]) throws -> String {
    let command = try #require(
      try GeoremindCommand.parseAsRoot(["add"] + arguments) as? AddCommand)
    return JSONValue.object(try command.document(in: Run.context())).line
  }

  @Test(arguments: [
    (
      ["Milk", "--at", "Rewe"],
      #"{"title":"Milk","kind":"location","place":"Rewe"}"#
    ),
    (
      ["Milk", "--at", "Rewe Ost", "--radius", "0.3km", "--on", "depart", "--every-visit"],
      #"{"title":"Milk","kind":"location","place":"Rewe Ost","radius_m":300,"on":"depart","#
        + #""every_visit":true}"#
    ),
    (
      ["x", "--at", "-33.87,-151.21", "--radius=200ft"],
      #"{"title":"x","kind":"location","place":{"lat":-33.87,"lon":-151.21,"radius_m":60.96}}"#
    ),
    (
      ["x", "--at", "geo:52.52,13.405;u=35", "--dwell", "5min", "--if-inside", "fire"],
      #"{"title":"x","kind":"location","place":{"lat":52.52,"lon":13.405},"on":"dwell","#
        + #""dwell_s":300,"if_inside":"fire"}"#
    ),
    (
      ["Mum", "--id", "mum", "--due", "2026-06-13 09:30", "--lead", "15min", "--lead", "1h"],
      #"{"id":"mum","title":"Mum","due":"2026-06-13T09:30:00","lead_s":[900,3600]}"#
    ),
    (
      ["Pills", "--id", "p", "--due", "2026-06-13 09:30", "--nag", "10min"],
      #"{"id":"p","title":"Pills","due":"2026-06-13T09:30:00","nag_s":600}"#
    ),
    (
      ["x", "--at", "School", "--who", "Ben", "--not-by", "18:30"],
      #"{"title":"x","kind":"location","place":"School","on":"absent","#
        + #""due":"2026-06-12T18:30:00","who":"ben"}"#
    ),
    (
      ["x", "--silent-for", "2h", "--who", "van"],
      #"{"title":"x","kind":"location","on":"silent","dwell_s":7200,"who":"van"}"#
    ),
    // 18:00 in Berlin at the time of the test: a time of day alone is the next one.
    (["x", "--due", "18:30"], #"{"title":"x","due":"2026-06-12T18:30:00"}"#),
    (["x", "--due", "17:30"], #"{"title":"x","due":"2026-06-13T17:30:00"}"#),
    (["x", "--due", "+20min"], #"{"title":"x","due":"2026-06-12T16:20:00Z"}"#),
    (
      ["x", "--due", "2026-06-13 09:00 Asia/Tokyo", "--repeat", "weekly"],
      #"{"title":"x","due":"2026-06-13T00:00:00Z","repeat":"FREQ=WEEKLY","zone":"Asia/Tokyo"}"#
    ),
    (
      [
        "Ferry", "--leave-for", "53.54,9.97", "--due", "18:18", "--by", "cycling", "--lead", "5min",
      ],
      #"{"title":"Ferry","kind":"preemptive","place":{"lat":53.54,"lon":9.97},"#
        + #""due":"2026-06-12T18:18:00","lead_s":300,"transport":"cycling"}"#
    ),
    (
      [
        "x", "--at", "Home", "--cooldown", "1h", "--from", "2026-07-01", "--until", "2026-08-01",
        "--hours", "08:00-18:00", "--days", "mon..fri", "--max-speed", "36km/h", "--category",
        "work", "--priority", "1", "--notes", "-5 degrees",
      ],
      #"{"title":"x","kind":"location","place":"Home","cooldown_s":3600,"#
        + #""from":"2026-07-01T00:00:00","until":"2026-08-01T23:59:59","hours":"08:00-18:00","#
        + #""days":"mon..fri","max_speed_mps":10,"category":"work","priority":1,"#
        + #""notes":"-5 degrees"}"#
    ),
    (
      ["Milk", "-a", "Rewe", "--on", "exit", "--days", "weekdays", "--hours", "8-18"],
      #"{"title":"Milk","kind":"location","place":"Rewe","on":"depart","hours":"08:00-18:00","#
        + #""days":"mon..fri"}"#
    ),
    (
      ["Tea", "-d", "18:30", "-r", "weekdays", "--priority", "high", "--days", "mon-fri"],
      #"{"title":"Tea","due":"2026-06-12T18:30:00","repeat":"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR","#
        + #""days":"mon..fri","priority":1}"#
    ),
  ])
  func optionsBecomeMembers(arguments: [String], expected: String) throws {
    #expect(try document(arguments) == expected)
  }

  /// Friday, 12 June 2026, 18:00 in Berlin.
  @Test(arguments: [
    (["--due", "monday", "--repeat", "every monday and thursday at 18:30"], "2026-06-15T18:30:00"),
    (["--due", "monday 10:00", "--repeat", "every monday at 18:30"], "2026-06-15T10:00:00"),
    (["--due", "today", "--repeat", "every day at 7"], "2026-06-12T07:00:00"),
    (["--due", "2026-07-01", "--repeat", "FREQ=DAILY;BYHOUR=6,18"], "2026-07-01T06:00:00"),
    (["--due", "monday", "--repeat", "every monday"], "2026-06-15T09:00:00"),
    // Without --due.
    (["--repeat", "every monday at 9:15"], "2026-06-15T09:15:00"),
    (["--repeat", "every friday at 18:30"], "2026-06-12T18:30:00"),
    (["--repeat", "every friday at 17:30"], "2026-06-19T17:30:00"),
    (["--repeat", "weekdays"], "2026-06-15T09:00:00"),
    (["--leave-for", "1,1", "--repeat", "weekdays at 8"], "2026-06-15T08:00:00"),
    (["--at", "Rewe", "--repeat", "every saturday at 10"], "2026-06-13T10:00:00"),
  ])
  func aRepeatGivesTheTimeAndTheDay(arguments: [String], due: String) throws {
    #expect(try document(["x"] + arguments).contains(#""due":"\#(due)""#))
  }

  /// A rule that begins at any day, or at no day any more.
  @Test(arguments: [
    (["--repeat", "every 2 weeks"], Int32(64), "--repeat needs --due to start from, unless"),
    (["--repeat", "every month at 9"], 64, "--repeat needs --due to start from, unless"),
    (["--at", "Rewe", "--repeat", "daily"], 64, "--repeat needs --due to start from, unless"),
    (["--repeat", "FREQ=DAILY;UNTIL=20260101"], 65, "--repeat: the rule has no time left"),
    (["--repeat", "sometimes"], 65, "--repeat: 'sometimes'"),
  ])
  func aRepeatThatNamesNoDayNeedsADue(arguments: [String], status: Int32, words: String) {
    let run = Run(["add", "x"] + arguments)
    #expect(run.status == status, "\(run.notes)")
    #expect(run.notes.contains(words), "\(run.notes)")
  }

  /// What `edit` sends of these options.
  private func changes(_ arguments: [String], of old: JSONObject) throws -> JSONObject {
    let command = try #require(
      try GeoremindCommand.parseAsRoot(["edit", "x"] + arguments) as? EditCommand)
    return try command.changes(of: old, in: Run.context())
  }

  @Test func anEditTakesTheTimeOfTheRepeat() throws {
    let old: JSONObject = [
      "due": "2026-06-11T18:30:00", "repeat": "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=18;BYMINUTE=30",
    ]
    #expect(try changes(["--due", "tuesday"], of: old)["due"] == "2026-06-16T18:30:00")
    let other = ["--due", "tuesday", "--repeat", "every tuesday at 7"]
    #expect(try changes(other, of: old)["due"] == "2026-06-16T07:00:00")
    let without = ["--due", "tuesday", "--repeat", ""]
    #expect(try changes(without, of: old)["due"] == "2026-06-16T09:00:00")
    // The rule has a zone of its own, in which the day is not typed.
    var abroad = old
    abroad["zone"] = "Asia/Tokyo"
    #expect(try changes(["--due", "tuesday"], of: abroad)["due"] == "2026-06-16T09:00:00")
    // A repeat gives no other due time where there is one.
    #expect(try changes(["--repeat", "every monday at 9"], of: old)["due"] == nil)
    #expect(
      try changes(["--repeat", "every monday at 9"], of: ["kind": "location"])["due"]
        == "2026-06-15T09:00:00")
  }

  @Test(arguments: [
    ("--on", "enter", #""on":"arrive""#), ("--on", "Leave", #""on":"depart""#),
    ("--on", "exit", #""on":"depart""#), ("--priority", "medium", #""priority":5"#),
    ("--priority", "LOW", #""priority":9"#), ("--days", "mon-fri", #""days":"mon..fri""#),
    ("--days", "weekends", #""days":"sat,sun""#), ("--hours", "8am-6pm", #""hours":"08:00-18:00""#),
    ("--hours", "22-6", #""hours":"22:00-06:00""#),
  ])
  func peoplesWordsAreTaken(option: String, word: String, member: String) throws {
    #expect(try document(["x", "--at", "Rewe", option, word]).contains(member))
  }

  @Test(arguments: [
    ("car", "driving"), ("bike", "cycling"), ("foot", "walking"), ("Bicycle", "cycling"),
    ("boat", "boat"), ("sailing", "boat"),
  ])
  func peoplesWordsForATransportAreTaken(word: String, transport: String) throws {
    let document = try document(["x", "--leave-for", "1,1", "--due", "18:00", "--by", word])
    #expect(document.contains(#""transport":"\#(transport)""#))
  }

  @Test func anEventInOtherWordsExcludesADwell() {
    #expect(throws: (any Error).self) {
      try document(["x", "--at", "Rewe", "--on", "enter", "--dwell", "5min"])
    }
  }

  @Test(arguments: [
    ["x"], ["x", "--at", "Rewe", "--leave-for", "Rewe", "--due", "18:00"],
    ["x", "--leave-for", "Rewe"], ["x", "--due", "18:00", "--by", "walking"],
    ["x", "--due", "18:00", "--on", "arrive"], ["x", "--at", "Rewe", "--on", "sometimes"],
    ["x", "--at", "Rewe", "--dwell", "5min", "--on", "arrive"],
    ["x", "--due", "18:00", "--radius", "5"],
    ["x", "--at", "Rewe", "--repeat", "daily"], ["x", "--at", "Rewe", "--region", "x.geojson"],
    ["x", "--at", "Rewe", "--priority", "highest"], ["--at", "Rewe"],
  ])
  func contradictoryOptionsAreAUsageError(arguments: [String]) {
    let run = Run(["add"] + arguments)
    #expect(run.status == 64, "\(run.notes)")
    #expect(run.notes.hasPrefix("georemind: "))
    #expect(run.notes.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: [
    ["--at", "95,200"], ["--at", "52.52"], ["--at", "N 52 31 E"], ["--at", "geo:1"], ["--at", " "],
    ["--at", "https://example.org/x"], ["--at", "Rewe", "--radius", "3parsec"],
    ["--at", "Rewe", "--radius", "0"], ["--at", "Rewe", "--radius", "6000km"],
    ["--at", "Rewe", "--dwell", "soon"], ["--due", "noonish"], ["--due", "2026-02-30"],
    ["--due", "18:00", "--lead", "-5min"], ["--due", "18:00", "--repeat", "sometimes"],
    ["--at", "Rewe", "--hours", "8-25"], ["--at", "Rewe", "--days", "someday"],
    ["--at", "Rewe", "--max-speed", "fast"], ["--at", "Rewe", "--priority", "12"],
  ])
  func wrongValuesAreBadData(arguments: [String]) {
    let run = Run(["add", "x"] + arguments)
    #expect(run.status == 65, "\(run.notes)")
    #expect(run.notes.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: [
    ("Rewe", PlaceArgument.name("Rewe")), ("Platform 9¾", .name("Platform 9¾")),
    ("Bäckerei 2", .name("Bäckerei 2")), ("N", .name("N")),
  ])
  func namesAreNoCoordinates(text: String, expected: PlaceArgument) throws {
    #expect(try PlaceArgument(text, option: "--at") == expected)
  }

  @Test(arguments: [
    ("5", 5), ("36 km/h", 10), ("10kn", 5.1444), ("30mph", 13.4112), ("2.5m/s", 2.5),
  ])
  func speedsHaveUnits(text: String, expected: Double) throws {
    #expect(try Speed.parse(text) == expected)
  }
}
