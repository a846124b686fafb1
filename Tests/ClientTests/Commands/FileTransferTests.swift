import Control
import Glibc
import JSONText
import Synchronization
import TestSupport
import Testing

@testable import Client

/// `import`, `place import` and the exports, against a daemon that notes its calls.
@Suite struct FileTransferTests {
  /// What a daemon was asked, in order.
  private final class Calls: Sendable {
    private let list = Mutex<[VarlinkCall]>([])

    /// The question for the daemon's clock does not count.
    func note(_ call: VarlinkCall) {
      if call.methodName != "Status" { list.withLock { $0.append(call) } }
    }

    var names: [String] { list.withLock { $0.map(\.methodName) } }
    var all: [VarlinkCall] { list.withLock { $0 } }
  }

  private func run(
    _ arguments: [String], _ files: [String] = [], calls: Calls = Calls(),
    answer: @escaping @Sendable (VarlinkCall) -> JSONObject? = { _ in nil }
  ) throws -> Run {
    let daemon = try FakeDaemon { call in
      calls.note(call)
      if let own = answer(call) { return [VarlinkReply(parameters: own)] }
      let reply: JSONObject =
        switch call.methodName {
        case "BeginPlaceImport": ["import": 7]
        case "ImportPlaces":
          ["added": .int(call.parameters["places"]?.array?.count ?? 0), "known": 0]
        case "FinishPlaceImport": ["added": 0, "known": 0]
        case "Import": ["ids": ["r1"]]
        default: [:]
        }
      return [VarlinkReply(parameters: reply)]
    }
    defer { daemon.stop() }
    let folder = try TemporaryFolder()
    let paths = try files.enumerated().map { try folder.file("\($0.offset)", $0.element) }
    return Run(arguments + paths, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  private let gpx = "<gpx><wpt lat='1' lon='2'><name>A</name></wpt><trk/></gpx>"
  private let reminder = #"{"title":"x","due":"2026-12-01T00:00:00Z"}"#

  @Test func takesPlacesAndRemindersByContent() throws {
    let calls = Calls()
    let run = try run(["import"], [gpx, reminder], calls: calls)
    #expect(run.status == 0)
    #expect(run.output == "Imported 1 reminder\nImported 1 place, 1 left out\n")
    #expect(run.notes.contains(":1: left out: a track is a recording"))
    #expect(
      calls.names == [
        "BeginPlaceImport", "ImportPlaces", "PageReminders", "Import", "FinishPlaceImport",
      ])
    let place = calls.all[1].parameters["places"]?.array?.first
    #expect(place?["name"]?.string == "A" && place?["lat"]?.double == 1)
  }

  @Test func anEventWithoutAnAlarmIsLeftOutWithAReason() throws {
    let run = try run(
      ["import"],
      [
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:e\r\nSUMMARY:S\r\nDTSTART:20991201T000000Z\r\n"
          + "END:VEVENT\r\nEND:VCALENDAR\r\n"
      ])
    #expect(run.status == 0)
    #expect(run.output == "Imported 0 reminders, 1 left out\n")
    #expect(run.notes.contains(":2: left out: an event without an alarm; add an alarm in the"))
  }

  @Test func aCalendarReadTwiceIsNoDuplicate() throws {
    let tasks = ["a", "b"].map {
      "BEGIN:VTODO\r\nUID:\($0)\r\nSUMMARY:S\r\nDUE:20991201T000000Z\r\nEND:VTODO\r\n"
    }.joined()
    let calls = Calls()
    let run = try run(
      ["import"], ["BEGIN:VCALENDAR\r\n\(tasks)END:VCALENDAR\r\n"], calls: calls
    ) { call in
      call.methodName == "PageReminders" ? ["reminders": [["id": "a"]]] : nil
    }
    #expect(run.status == 0)
    #expect(run.output == "Imported 1 reminder, 1 known already\n")
    #expect(calls.names == ["PageReminders", "Import"])
    let taken = calls.all[1].parameters["reminders"]?.array ?? []
    #expect(taken.map { $0["id"]?.string } == ["b"])
  }

  /// All or none, in as many calls as it takes.
  @Test(arguments: [true, false]) func aFailedImportTakesBackItsEarlierCalls(isLast: Bool) throws {
    let calls = Calls()
    let daemon = try FakeDaemon { call in
      calls.note(call)
      let taken = call.parameters["reminders"]?.array ?? []
      let reply: JSONObject
      switch call.methodName {
      case "Import" where call.parameters["continues"]?.bool == true:
        return [VarlinkReply(GeoremindError.alreadyExists(name: "r").varlink)]
      case "Import": reply = ["ids": .array(taken.compactMap { $0["id"] })]
      case "ListUndo":
        let count = calls.all.first { $0.methodName == "Import" }?.parameters["reminders"]?.array
        reply = [
          "changes": [["method": "Import", "count": .int(isLast ? count?.count ?? 0 : 1)]]
        ]
      default: reply = [:]
      }
      return [VarlinkReply(parameters: reply)]
    }
    defer { daemon.stop() }
    let folder = try TemporaryFolder()
    let notes = String(repeating: "n", count: 10_000)
    let text = (0..<20).map {
      #"{"id":"r\#($0)","title":"x","notes":"\#(notes)","due":"2099-12-01T00:00:00Z"}"#
    }
    let file = try folder.file("many", text.joined(separator: "\n"))
    let run = Run(["import", file], environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status != 0 && run.output.isEmpty)
    #expect(calls.names.prefix(4) == ["PageReminders", "Import", "Import", "ListUndo"])
    #expect(calls.names.contains("Undo") == isLast)
    #expect(run.notes.contains("reminders were imported") != isLast)
  }

  @Test func ownRemindersReadTwiceAreNoDuplicates() throws {
    let run = try run(["import"], [#"{"id":"a","title":"x","due":"2099-12-01T00:00:00Z"}"#]) {
      $0.methodName == "PageReminders" ? ["reminders": [["id": "a"]]] : nil
    }
    #expect(run.status == 0)
    #expect(run.output == "Imported 0 reminders, 1 known already\n")
  }

  @Test(arguments: ["json", "ics"]) func aSnoozeIsExportedAndImported(_ format: String) throws {
    let export = try run(["export", "--format", format]) { call in
      guard call.methodName == "PageReminders" else { return nil }
      return [
        "reminders": [
          [
            "id": "r", "kind": "date", "title": "T", "due": "2026-06-12T00:00:00Z",
            "state": "snoozed", "snoozed_until": "2099-12-01T07:00:00Z",
          ]
        ]
      ]
    }
    let calls = Calls()
    #expect(try run(["import"], [export.output], calls: calls).status == 0)
    let taken = calls.all.last?.parameters["reminders"]?.array?.first
    #expect(taken?["state"]?.string == "snoozed")
    #expect(taken?["snoozed_until"]?.string == "2099-12-01T07:00:00Z")
    #expect(taken?["due"]?.string == "2026-06-12T00:00:00Z")
  }

  @Test func anExportSaysWhatItsFormatCannotHold() throws {
    let answer: @Sendable (VarlinkCall) -> JSONObject? = { call in
      switch (call.methodName, call.parameters["after"]?.string ?? "") {
      case ("PageReminders", _):
        [
          "reminders": [
            ["id": "a", "kind": "date", "title": "T", "due": "2026-06-12T00:00:00Z"],
            [
              "id": "b", "kind": "location", "title": "Lane", "width_m": 50,
              "region": [
                "type": "LineString", "coordinates": [[2, 1], [3, 1]],
              ],
            ],
          ]
        ]
      case ("PagePlaces", ""):
        [
          "places": [
            [
              "name": "Park", "latitude": 1, "longitude": 2, "radius_m": 90, "notes": "n",
              "region": [
                "type": "Polygon", "coordinates": [[[2, 1], [3, 1], [3, 2], [2, 1]]],
              ],
            ]
          ]
        ]
      case ("PagePlaces", _): ["places": []]
      default: nil
      }
    }
    let reminders = try run(["export", "--format", "gpx"], answer: answer)
    #expect(reminders.output.contains("<rte><name>Lane</name>"))
    #expect(reminders.notes.contains("left out: 1 reminder without a place"))
    #expect(reminders.notes.contains("times and conditions are left out"))
    let otrw = try run(["place", "export", "--format", "otrw"], answer: answer)
    #expect(otrw.notes.contains("otrw holds no such shape: 1 place is written as the circle"))
    #expect(otrw.notes.contains("of 1 place the category, colour or notes are left out"))
    #expect(try run(["place", "export", "--format", "kml"], answer: answer).notes.isEmpty)
  }

  @Test func exportsACalendar() throws {
    let run = try run(["export", "--format", "ics"]) { call in
      guard call.methodName == "PageReminders" else { return nil }
      return [
        "reminders": [
          [
            "id": "r", "kind": "date", "title": "T", "due": "2026-12-01T00:00:00Z",
            "state": "armed",
          ]
        ]
      ]
    }
    #expect(run.status == 0)
    #expect(run.output.contains("BEGIN:VTODO\r\nUID:r\r\n"))
    #expect(run.output.contains("\r\nDUE:20261201T000000Z\r\n"))
  }

  @Test func anErrorUndoesAll() throws {
    let calls = Calls()
    let run = try run(["import"], [gpx, "<gpx>\n<wpt lat='91' lon='2'/></gpx>"], calls: calls)
    #expect(run.status == 65)
    #expect(run.notes.contains(":2: the latitude 91.0 is beyond 90°"))
    #expect(calls.names.last == "AbandonPlaceImport")
    #expect(!calls.names.contains("FinishPlaceImport"))
  }

  @Test func unknownFieldsOfRemindersAreNamed() throws {
    let kept = try run(
      ["import"], [#"{"title":"x","due":"2026-12-01T00:00:00Z","min_altitude_m":9,"x_a":1}"#])
    #expect(kept.status == 0)
    #expect(kept.notes.contains("'min_altitude_m', which resembles 'min_speed_mps', is no field"))
    let refused = try run(
      ["import"], ["\n" + #"{"title":"x","due":"2026-12-01T00:00:00Z","evry_visit":true}"#])
    #expect(refused.status == 65)
    #expect(refused.notes.contains(":2: evry_visit: is no field; did you mean 'every_visit'?"))
  }

  @Test(arguments: [
    ("BEGIN:VCALENDAR\r\n", ":1: BEGIN:VCALENDAR of line 1 is not closed"),
    ("$GPRMC,1\r\n", "is a recording"),
    ("", "is empty"), ("hello", "is of no kind"), ("<gpx/>", "holds no place"),
  ]) func saysWhatAFileIs(_ text: String, _ expected: String) throws {
    let run = try run(["import"], [text])
    #expect(run.status == 65)
    #expect(run.notes.contains(expected), "\(run.notes)")
  }

  @Test func placeImportTakesPlacesOnly() throws {
    let wrong = try run(["place", "import"], [reminder])
    #expect(wrong.status == 65 && wrong.notes.contains("holds reminders"))
    let calls = Calls()
    let run = try run(["place", "import", "--category", "Boat", "--json"], [gpx], calls: calls)
    let place = calls.all[1].parameters["places"]?.array?.first
    #expect(place?["category"]?.string == "Boat")
    let report = try JSONParser.parse(run.output)
    #expect(report["format"]?.string == "gpx")
    #expect(report["added"]?.int == 1 && report["refused"]?.int == 1)
  }

  @Test func manyPlacesGoInSeveralCalls() throws {
    let table = "name,lat,lon\n" + (0..<5000).map { "Place \($0),1,2\n" }.joined()
    let calls = Calls()
    let run = try run(["place", "import"], [table], calls: calls)
    #expect(run.output == "Imported 5000 places\n")
    #expect(calls.names.count { $0 == "ImportPlaces" } > 1)
  }

  @Test(arguments: [
    ("gpx", "<wpt lat=\"1.0\" lon=\"2.0\"><name>A</name>"), ("csv", "A,1.0,2.0,50.0,,,"),
    ("geojson", #""geometry":{"type":"Point","coordinates":[2,1]}"#), ("otrw", #""rad":50"#),
    ("kml", "<coordinates>2.0,1.0</coordinates>"), ("json", #"{"name":"A","lat":1,"lon":2"#),
  ]) func exportsPlacesPageByPage(_ format: String, _ expected: String) throws {
    let run = try run(["place", "export", "--format", format]) { call in
      guard call.methodName == "PagePlaces" else { return nil }
      let isFirst = call.parameters["after"]?.string == ""
      return [
        "places": .array(
          isFirst ? [["name": "A", "latitude": 1, "longitude": 2, "radius_m": 50]] : [])
      ]
    }
    #expect(run.status == 0)
    #expect(run.output.contains(expected), "\(run.output)")
  }

  @Test func exportsTheirPlacesForReminders() throws {
    let run = try run(["export", "--format", "gpx"]) { call in
      guard call.methodName == "PageReminders" else { return nil }
      return [
        "reminders": [
          ["id": "a", "title": "Milk", "place": ["lat": 1, "lon": 2, "radius_m": 60]],
          ["id": "b", "title": "Call", "due": "2026-12-01T00:00:00Z"],
        ]
      ]
    }
    #expect(run.output.contains("<name>Milk</name>") && !run.output.contains("Call"))
    #expect(run.output.contains("<wptx1:Proximity>60.0</wptx1:Proximity>"))
  }
}
