import ArgumentParser
import CivilTime
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Client

/// `--region` and `--width`, and how regions are told.
@Suite struct RegionOptionTests {
  private static let polygon =
    #"{"type":"Polygon","coordinates":[[[9.98,53.519],[9.99,53.519],[9.99,53.521],[9.98,53.521],"#
    + #"[9.98,53.519]]]}"#
  private static let line = #"{"type":"LineString","coordinates":[[9.97,53.53],[9.99,53.53]]}"#

  private static func document(_ arguments: [String]) throws -> JSONObject {
    let command = try #require(
      try GeoremindCommand.parseAsRoot(["add", "x"] + arguments) as? AddCommand)
    return try command.document(in: Run.context())
  }

  @Test func takesTheGeometryOfAFile() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "port.geojson",
      #"{"type":"Feature","properties":{"name":"Port"},"geometry":\#(Self.polygon)}"#)
    let document = try Self.document(["--region", file, "--on", "depart", "--every-visit"])
    #expect(
      JSONValue.object(document).line
        == #"{"title":"x","kind":"location","region":\#(Self.polygon.dropLast()),"name":"Port"},"#
        + #""on":"depart","every_visit":true}"#)
    let road = try folder.file("road.geojson", Self.line)
    let corridor = try Self.document(["--region", road, "--width", "0.05km"])
    #expect(
      JSONValue.object(corridor).line
        == #"{"title":"x","kind":"location","region":\#(Self.line),"width_m":50}"#)
  }

  /// A region takes the place of a place, a place that of a region.
  @Test func editReplacesAPlaceByARegionAndBack() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("port.geojson", Self.polygon)
    func changes(_ arguments: [String]) throws -> JSONObject {
      let command = try #require(
        try GeoremindCommand.parseAsRoot(["edit", "1"] + arguments) as? EditCommand)
      return try command.reminder.members(in: Run.context())
    }
    #expect(try changes(["--region", file])["place"] == .null)
    #expect(try changes(["--at", "Home"])["region"] == .null)
    #expect(try changes(["--at", "Home"])["width_m"] == .null)
    #expect(JSONValue.object(try changes(["--width", "20m"])).line == #"{"width_m":20}"#)
  }

  @Test func refusesWithTheFileAndTheRemedy() throws {
    let folder = try TemporaryFolder()
    let open = try folder.file(
      "open.json", #"{"type":"Polygon","coordinates":[[[1,2],[2,2],[2,3]]]}"#)
    let broken = try folder.file("broken.json", "{\n \"type\": }")
    let road = try folder.file("road.json", Self.line)
    let port = try folder.file("port.json", Self.polygon)
    let cases: [([String], Int32, String)] = [
      (["--region", open], 65, "open.json: region.coordinates[0]: is not closed"),
      (["--region", broken], 65, "broken.json:2: not GeoJSON"),
      (["--region", road], 65, "say how wide with --width"),
      (["--region", road, "--width", "0.1m"], 65, "--width: the width must be 1 m"),
      (["--region", port, "--width", "9m"], 65, "--width: is for lines"),
      (["--region", "/nonexistent.json"], 66, "cannot be read"),
      (["--region", port, "--at", "Home"], 64, "exclude each other"),
      (["--region", port, "--radius", "9m"], 64, "--radius goes with --at"),
      (["--at", "Home", "--width", "9m"], 64, "--width needs --region"),
      (["--due", "18:00", "--on", "depart"], 64, "need --at, --near-category or --region"),
    ]
    for (arguments, status, part) in cases {
      let run = Run(["add", "x"] + arguments)
      #expect(run.status == status, "\(arguments)")
      #expect(run.notes.contains(part), "\(run.notes)")
    }
  }

  @Test func theSentenceNamesTheRegion() throws {
    func sentence(_ members: String) throws -> String {
      let text = #"{"id":"r","title":"x",\#(members)}"#
      let object = try #require(try JSONParser.parse(text).object)
      return ReminderSentence.text(try Reminder(json: object), Run.display())
    }
    let named = Self.polygon.dropLast() + #","name":"Port"}"#
    #expect(try sentence(#""region":\#(named)"#) == "Will ring once when you enter Port")
    #expect(
      try sentence(#""region":\#(named),"on":"depart","every_visit":true"#)
        == "Will ring each time you leave Port")
    #expect(
      try sentence(#""region":\#(Self.line),"width_m":50,"on":"dwell","dwell_s":60"#)
        .hasPrefix(
          "Will ring once when you have stayed 1min in the 50 m along the line around 53.5"))
  }

  /// Northwards through a polygon and over a line that is crossed between two fixes.
  @Test func replayUsesRegions() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", ReplayTests.drive())
    let list = try folder.file(
      "list.json",
      #"{"id":"port","title":"Port","region":\#(Self.polygon),"every_visit":true}"#
        + #"{"id":"out","title":"Out","region":\#(Self.polygon),"on":"depart"}"#
        + #"{"id":"rail","title":"Rail","region":\#(Self.line),"width_m":5}"#)
    let run = Run(["replay", drive, "--reminders", list, "--json"])
    #expect(run.status == 0, "\(run.notes)")
    let firings = try run.lines.map { try JSONParser.parse($0) }
    #expect(
      firings.map { "\($0["reminder_id"]?.string ?? "") \($0["event"]?.string ?? "")" }
        == ["port arrive", "out depart", "rail pass"])
    #expect(try #require(firings[0]["distance_m"]?.double) < 20)
    #expect(try #require(firings[2]["distance_m"]?.double) < 2.5)
  }
}
