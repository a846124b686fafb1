import CivilTime
import Control
import Geodesy
import Glibc
import JSONText
import Positioning
import TestSupport
import Testing

@testable import Client

@Suite struct ReplayTests {
  private static func sentence(_ body: String) -> String {
    let sum = body.utf8.reduce(0) { $0 ^ $1 }
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
  }

  /// Ten minutes northwards at 10 m/s from 53.5° N; RMC with a date, or GGA without one.
  static func drive(dated: Bool = true) -> String {
    var text = ""
    for second in 0..<600 {
      let minutes = 30 + Double(second) * 10 / 1852
      let whole = Int(minutes)
      let fraction = Int((minutes - Double(whole)) * 100_000)
      let padding = String(repeating: "0", count: 5 - String(fraction).count)
      let time = "16\(second / 600)\(second / 60 % 10)\(second % 60 / 10)\(second % 10).00"
      let position = "53\(whole).\(padding)\(fraction),N,00959.00000,E"
      text += sentence(
        dated
          ? "GPRMC,\(time),A,\(position),19.4,0.0,120626,,,A"
          : "GPGGA,\(time),\(position),1,08,1.0,10.0,M,45.0,M,,")
    }
    return text
  }

  private static let reminders = """
    {"id":"gate","title":"Gate","place":{"name":"Gate","lat":53.52,"lon":9.9833333,"radius_m":100},
     "every_visit":true}
    {"id":"tea","title":"Tea","due":"2026-06-12T16:05:30Z","lead_s":60}
    {"id":"old","title":"Old","due":"2026-06-12T15:00:00Z"}
    {"id":"boat","title":"Boat","transport":"driving","due":"2026-06-12T16:20:00Z",
     "place":{"name":"Pier","lat":53.5,"lon":9.9833333}}
    """

  /// The anchor lies elsewhere than it did in the recording.
  @Test func thePresentAnchorWatchIsLeftOut() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let gate: JSONObject = [
      "name": "Gate", "lat": .double(53.52), "lon": .double(9.9833333), "radius_m": 100,
    ]
    let daemon = try FakeDaemon { call in
      guard call.methodName == "PageReminders" else { return [] }
      return [
        VarlinkReply(parameters: [
          "reminders": [
            [
              "id": "anchor", "title": "Anchor", "kind": "location", "on": "depart",
              "anchor_watch": true, "dwell_s": 30, "every_visit": true, "place": .object(gate),
            ],
            ["id": "gate", "title": "Gate", "kind": "location", "place": .object(gate)],
          ]
        ])
      ]
    }
    defer { daemon.stop() }
    let run = Run(["replay", drive], environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 0)
    #expect(run.lines.count == 1 && run.output.contains("Gate"))
    #expect(run.notes.contains("the anchor watch of now is left out"))
  }

  /// A calendar has years of old dates.
  @Test func anOldDateOfACalendarDoesNotFire() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let items = [("old", "20250612T160000Z"), ("new", "20260612T160500Z")].map {
      "BEGIN:VTODO\nUID:\($0)\nSUMMARY:\($0)\nDUE:\($1)\nEND:VTODO\n"
    }
    let list = try folder.file(
      "list.ics", "BEGIN:VCALENDAR\n\(items.joined())END:VCALENDAR\n")
    let run = Run(["replay", drive, "--reminders", list])
    #expect(run.status == 0 && run.output.contains("new") && !run.output.contains("old"))
  }

  @Test func replayIsDeterministic() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let list = try folder.file("list.json", Self.reminders)
    let first = Run(["replay", drive, "--reminders", list, "--json"])
    let second = Run(["replay", drive, "--reminders", list, "--json"])
    #expect(first.status == 0)
    #expect(first.notes.isEmpty)
    #expect(first.output == second.output)
    // Slowly, every deadline is waited for on the way; the decisions are the same.
    let paced = Run(["replay", drive, "--reminders", list, "--json", "--speed", "100000"])
    #expect(paced.output == first.output)
    let firings = try first.lines.map { try JSONParser.parse($0) }
    #expect(
      firings.map { "\($0["reminder_id"]?.string ?? "") \($0["event"]?.string ?? "")" } == [
        "old late", "gate arrive", "boat leave", "tea due",
      ])
    #expect(firings.first?["time"]?.string == "2026-06-12T16:00:00Z")
    #expect(firings[3]["time"]?.string == "2026-06-12T16:04:30Z")
  }

  @Test func startingLaterPassesOverWhatWasBefore() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let list = try folder.file("list.json", Self.reminders)
    let run = Run([
      "replay", drive, "--reminders", list, "--from", "2026-06-12 16:05:00Z", "--json",
    ])
    let ids = try run.lines.map { try JSONParser.parse($0)["reminder_id"]?.string ?? "" }
    #expect(ids.prefix(3) == ["old", "boat", "tea"])
    #expect(!ids.contains("gate"))
    let after = Run(["replay", drive, "--reminders", list, "--from", "2026-07-01"])
    #expect(after.status == 65)
    #expect(after.notes.contains("before --from"))
  }

  @Test(arguments: [
    (["--to", "2026-06-01"], "begins at 2026-06-12T18:00:00+02:00, which is after --to"),
    (
      ["--from", "2026-06-12 16:05:00.2Z", "--to", "2026-06-12 16:05:00.8Z"],
      "no fix is between --from and --to"
    ),
  ])
  func aSpanWithoutAFixNamesTheOptionAtFault(options: [String], words: String) throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let run = Run(["replay", drive, "--reminders", "/dev/null"] + options)
    #expect(run.status == 65)
    #expect(run.notes.contains(words), "\(run.notes)")
  }

  @Test func aTrackWithoutTimesIsRefusedWithAReasonThatHelps() throws {
    let folder = try TemporaryFolder()
    let track = try folder.file(
      "track.gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>")
    let run = Run(["replay", track, "--reminders", "/dev/null"])
    #expect(run.status == 65)
    #expect(run.notes.contains("its track points have no <time>"))
    #expect(!run.notes.contains("--from"))
  }

  /// Two devices of one gpsd make no zigzag: the second one counts when the first has fallen
  /// silent.
  @Test func oneDeviceOfARecordingIsFollowed() throws {
    var text = ""
    for second in 0..<180 {
      for (device, latitude, last) in [("a", "53.5", 9), ("b", "53.52", 180)] where second <= last {
        let (minute, rest) = second.quotientAndRemainder(dividingBy: 60)
        let time = "2026-06-12T16:0\(minute):\(rest < 10 ? "0" : "")\(rest).000Z"
        text += #"{"class":"TPV","device":"/dev/\#(device)","mode":3,"time":"\#(time)","#
        text += #""lat":\#(latitude),"lon":9.9833333,"eph":5}"# + "\n"
      }
    }
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.json", text)
    let list = try folder.file("list.json", Self.reminders)
    let run = Run(["replay", drive, "--reminders", list, "--json"])
    let gate = try run.lines.map { try JSONParser.parse($0) }
      .filter { $0["reminder_id"]?.string == "gate" }
    #expect(gate.map { $0["event"]?.string } == ["arrive"])
    #expect(gate.allSatisfy { ($0["time"]?.string ?? "") >= "2026-06-12T16:00:14" })
  }

  @Test func fixesWithoutADateTakeTheDayFromTheOption() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive(dated: false))
    let list = try folder.file("list.json", Self.reminders)
    let run = Run([
      "replay", drive, "--reminders", list, "--from", "2026-06-12 16:00:00Z", "--json",
    ])
    #expect(run.lines.count == 4)
    #expect(run.output.contains("2026-06-12T16:04:30Z"))
  }

  /// A receiver's first burst has no date where the recording begins in its middle.
  @Test func aHeadWithoutADateIsOfTheDayOfTheFirstDatedSentence() throws {
    let folder = try TemporaryFolder()
    let undated = Self.drive(dated: false).split(whereSeparator: \.isNewline)
    let dated = Self.drive().split(whereSeparator: \.isNewline)
    let list = try folder.file("list.json", Self.reminders)
    for head in [1, 300] {
      let text = (undated[..<head] + dated[head...]).joined(separator: "\r\n")
      let run = Run(["replay", try folder.file("drive.nmea", text), "--reminders", list])
      #expect(run.lines.count == 4)
      #expect(
        run.notes.hasPrefix(
          "georemind: 600 fixes from 2026-06-12T18:00:00+02:00 to 2026-06-12T18:09:59+02:00"))
    }
  }

  @Test func aRecordingWithoutAnyDateSaysWhichDayIsTaken() throws {
    let folder = try TemporaryFolder()
    let list = try folder.file("list.json", Self.reminders)
    let run = Run([
      "replay", try folder.file("drive.nmea", Self.drive(dated: false)), "--reminders", list,
    ])
    #expect(run.notes.hasPrefix("georemind: the recording has no date; it is played from "))
  }

  @Test func twoDatesInOneRecordingAreSaid() throws {
    let folder = try TemporaryFolder()
    let list = try folder.file("list.json", Self.reminders)
    let later = Self.sentence("GPRMC,160000.00,A,5330.000,N,00959.000,E,,,200626,,,A")
    let drive = try folder.file("drive.nmea", Self.drive() + later + Self.drive())
    let run = Run(["replay", drive, "--reminders", list])
    #expect(
      run.notes.hasPrefix(
        "georemind: the date jumps from 2026-06-12T18:09:59+02:00 to 2026-06-20T18:00:00+02:00, "
          + "the first of 2 jumps"), "\(run.notes)")
  }

  @Test func aTrackOfAForeignZoneIsPlayedInItsOwn() throws {
    let folder = try TemporaryFolder()
    let track = try folder.file(
      "track.gpx",
      "<gpx><trk><trkseg><trkpt lat='53.5' lon='9.98'><time>2026-06-12T18:00:00</time></trkpt>"
        + "</trkseg></trk></gpx>")
    let list = try folder.file("list.json", Self.reminders)
    let run = Run(["replay", track, "--reminders", list, "--zone", "Europe/Berlin"])
    #expect(run.notes.contains("1 fix from 2026-06-12T18:00:00+02:00"), "\(run.notes)")
    #expect(Run(["decode", track, "--zone", "Asia/Tokyo"]).output.contains("2026-06-12T09:00:00"))
    #expect(Run(["decode", track]).output.contains("2026-06-12T18:00:00"))
  }

  @Test func peopleGetASummary() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive() + "$GPRMC,160000.00,V*00\r\n")
    let list = try folder.file("list.json", Self.reminders)
    let run = Run(["replay", drive, "--reminders", list])
    #expect(run.lines.count == 4)
    #expect(run.lines[3].hasPrefix("2026-06-12T18:04:30+02:00  due     Tea: due in 1min"))
    #expect(
      run.notes.hasPrefix(
        "georemind: 600 fixes from 2026-06-12T18:00:00+02:00 to 2026-06-12T18:09:59+02:00"))
    #expect(run.notes.contains("1 with a wrong checksum"))
  }

  @Test(arguments: [
    ("empty.nmea", "", "is empty"), ("text.nmea", "Dear diary,\n", "no NMEA sentence"),
    ("damaged.nmea", "$GPRMC,160000.00,A*00\r\n", "none has a right checksum"),
    ("nofix.nmea", sentence("GPRMC,160000.00,V,,,,,,,120626,,,N"), "no fix among them"),
  ])
  func recordingsWithoutAFixSayWhy(name: String, text: String, reason: String) throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file(name, text)
    let list = try folder.file("list.json", Self.reminders)
    let run = Run(["replay", drive, "--reminders", list])
    #expect(run.status == 65)
    #expect(run.notes.contains(reason), "\(run.notes)")
  }

  @Test func wrongRemindersAreNamedByFileAndLine() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let list = try folder.file("list.json", "[\n{\"title\":\"x\"}\n]")
    let run = Run(["replay", drive, "--reminders", list])
    #expect(run.status == 65)
    #expect(run.notes.contains("\(list):2: due"))
    let twice = try folder.file("twice.json", #"{"id":"a","title":"x","due":"2026-01-01"}"#)
    #expect(Run(["replay", drive, "--reminders", twice, "--reminders", twice]).status == 65)
  }

  @Test func decodingGivesOneReportAnEpoch() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive(dated: false))
    let run = Run(["decode", drive])
    #expect(run.status == 0)
    #expect(run.lines.count == 600)
    let first = try JSONParser.parse(try #require(run.lines.first))
    #expect(first["class"]?.string == "TPV")
    #expect(first["lat"]?.double == 53.5)
    #expect(first["time"] == nil)
  }

  @Test func aPackedRecordingIsTheRecording() throws {
    let folder = try TemporaryFolder()
    let plain = try folder.file("drive.nmea", Self.drive())
    // Told by its content, not by its name.
    let packed = try folder.file("packed.nmea", storedGzip(Self.drive()))
    let list = try folder.file("list.json", Self.reminders)
    for verb in [["replay", "--reminders", list, "--json"], ["decode"]] {
      let wanted = Run(verb + [plain])
      let run = Run(verb + [packed])
      #expect(wanted.status == 0 && run.status == 0, "\(run.notes)")
      #expect(run.output == wanted.output)
    }
  }

  @Test func theReadablePartOfADamagedGzipIsReplayed() throws {
    let folder = try TemporaryFolder()
    let whole = storedGzip(Self.drive())
    let cut = try folder.file("cut.nmea.gz", Array(whole[..<(whole.count / 2)]))
    let list = try folder.file("list.json", Self.reminders)
    let run = Run(["replay", cut, "--reminders", list])
    #expect(run.status == 65)
    #expect(run.lines.contains { $0.contains("Gate") })
    #expect(
      run.notes.hasSuffix(
        "georemind: \(cut): its gzip data are cut off at byte \(whole.count / 2); "
          + "what came before was used, copy it again for the rest\n"))
    #expect(run.notes.contains("fixes from 2026-06-12T18:00:00+02:00"))
    let decoded = Run(["decode", cut])
    #expect(decoded.status == 65)
    #expect((250...350).contains(decoded.lines.count))
    #expect(decoded.notes.contains("\(cut): its gzip data are cut off at byte"))
    let nothing = Run(["replay", try folder.file("x", [0x1F, 0x8B]), "--reminders", list])
    #expect(nothing.notes.contains("cut off at byte 2"))
  }

  /// As editors on Windows write it.
  @Test func aByteOrderMarkIsPassedOver() throws {
    let folder = try TemporaryFolder()
    let report =
      #"{"class":"TPV","mode":3,"time":"2026-06-12T16:00:00.000Z","lat":53.5,"lon":9.98}"# + "\r\n"
    for text in [Self.sentence("GPRMC,160000.00,A,5330.000,N,00959.000,E,,,120626,,,A"), report] {
      let plain = Run(["decode", try folder.file("plain", text)])
      let marked = Run(["decode", try folder.file("marked", "\u{FEFF}" + text)])
      #expect(plain.lines.count == 1)
      #expect(marked.output == plain.output)
    }
  }

  @Test func placesOfACategoryComeFromAFile() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let list = try folder.file(
      "list.json", #"{"id":"milk","title":"Milk","near_category":"Shop"}"#)
    let places = try folder.file(
      "places.json",
      """
      {"name":"Far","latitude":53.54,"longitude":9.9833333,"radius_m":100,"category":"shop"}
      {"name":"Near","lat":53.52,"lon":9.9833333,"radius_m":100,"category":"SHOP"}
      {"name":"Other","lat":53.51,"lon":9.9833333,"radius_m":100,"category":"bank"}
      """)
    let run = Run(["replay", drive, "--reminders", list, "--places", places, "--json"])
    #expect(run.status == 0)
    let firings = try run.lines.map { try JSONParser.parse($0) }
    #expect(firings.map { $0["place"]?.string } == ["Near"])
    #expect(firings.first?["why"]?.string?.hasPrefix("Arrived at Near, ") == true)
    let without = Run(["replay", drive, "--reminders", list])
    #expect(without.lines.isEmpty)
    #expect(without.notes.contains("no places of category shop are known"))
    let wrong = try folder.file("wrong.json", "{\"name\":\"x\"}")
    let refused = Run(["replay", drive, "--reminders", list, "--places", wrong])
    #expect(refused.status == 65)
    #expect(refused.notes.contains("wrong.json:1: no place"))
  }

  @Test func aPlaceWithAShapeIsTheShape() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let list = try folder.file(
      "list.json", #"{"id":"milk","title":"Milk","near_category":"Shop"}"#)
    // The drive passes through the circle around the polygon, and never through the polygon.
    let beside = #"[[9.99,53.51],[10.0,53.51],[10.0,53.53],[9.99,53.53],[9.99,53.51]]"#
    let across = #"[[9.98,53.51],[9.99,53.51],[9.99,53.53],[9.98,53.53],[9.98,53.51]]"#
    for (ring, count) in [(beside, 0), (across, 1)] {
      let places = try folder.file(
        "places.json",
        #"{"name":"Mall","lat":53.52,"lon":9.995,"radius_m":1200,"category":"shop","#
          + #""region":{"type":"Polygon","coordinates":[\#(ring)]}}"#)
      let run = Run(["replay", drive, "--reminders", list, "--places", places, "--json"])
      #expect(run.lines.count == count, "\(run.notes)")
      #expect(run.output.contains("from its edge") == (count == 1), "\(run.output)")
    }
  }

  @Test func whyExplainsTheEndOrAMomentOfIt() throws {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", Self.drive())
    let list = try folder.file(
      "list.json",
      #"{"id":"gate","title":"Gate","place":{"name":"Gate","lat":53.52,"lon":9.9833333,"radius_m":100}}"#
    )
    func gates(_ more: [String]) throws -> [String] {
      let run = Run(["replay", drive, "--reminders", list, "--why", "ga", "--json"] + more)
      let last = try JSONParser.parse(try #require(run.lines.last))
      return (last["gates"]?.array ?? []).filter { $0["passed"]?.bool == false }
        .compactMap { $0["gate"]?.string }
    }
    #expect(try gates([]) == ["state"])
    #expect(try gates(["--to", "2026-06-12 16:01:00Z"]) == ["place", "presence"])
    let people = Run([
      "replay", drive, "--reminders", list, "--why", "gate", "--to", "2026-06-12 16:01:00Z",
    ])
    #expect(people.lines.first == "Gate")
    #expect(
      people.output.contains("FAILED  place     Outside Gate, where you are with 0.0 %: 1.5 km"))
    #expect(people.lines.last?.hasPrefix("It fires when you come 1.5 km nearer to Gate") == true)
    let unknown = Run(["replay", drive, "--reminders", list, "--why", "x"])
    #expect(unknown.status == 65)
    #expect(unknown.notes.contains("no reminder here has the id or title 'x'"))
  }
}

/// The text as gzip packs what cannot be made smaller: stored blocks (RFC 1951, 3.2.4; RFC 1952).
private func storedGzip(_ text: String) -> [UInt8] {
  let bytes = Array(text.utf8)
  var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(65535)
    rest = rest.dropFirst(block.count)
    let count = UInt16(block.count)
    packed.append(rest.isEmpty ? 1 : 0)
    for number in [count, ~count] { packed += [UInt8(number & 0xFF), UInt8(number >> 8)] }
    packed += block
  } while !rest.isEmpty
  var sum = UInt32.max
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
  }
  for number in [~sum, UInt32(truncatingIfNeeded: bytes.count)] {
    packed += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }
  return packed
}
