import CivilTime
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Interchange

/// VTIMEZONEs: lists of observances, which beat a name where the two differ.
@Suite struct CalendarZoneTests {
  private func zone(
    _ name: String, _ lines: String, _ use: String = "20261201T100000"
  ) throws
    -> NamedZone?
  {
    let text = CalendarFixtures.calendar(
      "BEGIN:VTIMEZONE\nTZID:\(name)\n\(lines)\nEND:VTIMEZONE\nBEGIN:VEVENT\nDTSTART;TZID=\(name):"
        + "\(use)\nEND:VEVENT")
    return CalendarZones(try CalendarDocument(Array(text.utf8), name: "f").calendars[0])
      .zone(named: name)
  }

  private static func part(
    _ kind: String, _ start: String, _ from: String, _ to: String, _ more: String
  )
    -> String
  {
    "BEGIN:\(kind)\nDTSTART:\(start)\nTZOFFSETFROM:\(from)\nTZOFFSETTO:\(to)\n\(more)\nEND:\(kind)\n"
  }

  private static let summer = part(
    "DAYLIGHT", "19700329T020000", "+0100", "+0200", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU")
  private static let winter = part(
    "STANDARD", "19701025T030000", "+0200", "+0100", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU")

  /// Every form of every zone of the tz database, against Python's zoneinfo.
  @Test(.enabled(if: pythonWithModules("zoneinfo") != nil, "python3 with zoneinfo is missing"))
  func offsetsAreThoseOfZoneinfo() throws {
    let step = getenv("GEOREMIND_LONG_TESTS") == nil ? 20 : 1
    let script = "\(packageRoot)/Tests/System/zone_descriptions.py"
    let python = try #require(pythonWithModules("zoneinfo"))
    let output = try #require(runCommand("\(python) '\(script)' \(step)")).output
    var count = 0
    var differences: [String] = []
    for line in output.split(separator: "\n") {
      let given = try #require(try JSONParser.parse(String(line)).object)
      let document = try CalendarDocument(
        Array(try #require(given["text"]?.string).utf8), name: "f")
      let zone = try #require(CalendarZones(document.calendars[0]).zone(named: "Made up"))
      let label = "\(given["zone"]?.string ?? "") \(given["form"]?.string ?? "")"
      #expect(NamedZone.find(zone.name)?.rules == zone.rules, "\(label)")
      for sample in given["samples"]?.array ?? [] {
        let second = try #require(sample.array?.first?.int)
        let offset = zone.rules.offset(at: Instant(microseconds: Int64(second) * 1_000_000))
        count += 1
        if offset != sample.array?.last?.int { differences.append("\(label) \(second) \(offset)") }
      }
    }
    #expect(count > 10_000)
    #expect(differences.isEmpty, "\(differences.count) of \(count): \(differences.prefix(20))")
  }

  @Test(arguments: [
    ("Europe/Berlin", summer + winter, "Europe/Berlin"),
    ("/example.org/Europe/Berlin", summer + winter, "Europe/Berlin"),
    // A list that ends says nothing about later years.
    (
      "Europe/Berlin",
      part("DAYLIGHT", "20260329T020000", "+0100", "+0200", "RDATE:20270328T020000")
        + part("STANDARD", "20261025T030000", "+0200", "+0100", "RDATE:20271031T030000"),
      "Europe/Berlin"
    ),
    // Other rules than those of the name.
    (
      "GMT", summer + winter, "<STD>-1<DST>-2,M3.5.0/2,M10.5.0/3"
    ),
    ("Eastern Standard Time", part("STANDARD", "16010101T000000", "-0500", "-0500", ""), "<STD>5"),
    // A change that is announced.
    (
      "Europe/Berlin",
      part(
        "DAYLIGHT", "20260329T020000", "+0100", "+0200",
        "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20260329T010000Z")
        + part("STANDARD", "20261025T030000", "+0200", "+0100", "")
        + part("STANDARD", "20270201T000000", "+0100", "+0200", ""),
      "<STD>-1;20270131T230000Z<STD>-2"
    ),
    ("Own", part("STANDARD", "x", "+0200", "+0100", ""), nil),
  ]) func theFileBeatsTheNameWhereTheyDiffer(
    _ name: String, _ lines: String, _ expected: String?
  ) throws {
    #expect(try zone(name, lines)?.name == expected)
  }

  @Test(arguments: [
    "", "<STD>-1;", "<STD>-1;20270328T010000Z", "<STD>-1;20270328T010000Z<DST>-2;x",
    "<STD>-1;20270328T010000Z<A>-2", "<STD>-1;20271328T010000Z<DST>-2",
    "<STD>-1;20270328T010000Z<DST>-2;20270328T010000Z<STD>-1",
    "<STD>-1;<STD>-1;20270328T010000Z<DST>-2", "<STD>-1;20270328T010000Z<DST>-2,M3.5.0,M10.5.0",
  ]) func textsThatAreNoZone(_ text: String) {
    #expect(TimeZoneRules(dated: text) == nil)
  }
}
