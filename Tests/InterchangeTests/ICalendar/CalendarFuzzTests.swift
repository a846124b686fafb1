import CivilTime
import Glibc
import Reminders
import TestSupport
import Testing

@testable import Interchange

/// One detail of a good calendar is broken at random. The other items are read as before, and a
/// detail that counts is named with its line.
///
/// `GEOREMIND_LONG_TESTS=1` breaks 10 000 calendars.
@Suite struct CalendarFuzzTests {
  private static let count = getenv("GEOREMIND_LONG_TESTS") == nil ? 600 : 10_000
  private static let seed: UInt64 = 48

  // MARK: - Good calendars

  private static let alarms = [
    ["ACTION:DISPLAY", "DESCRIPTION:D", "TRIGGER:-PT15M"],
    ["ACTION:AUDIO", "TRIGGER;RELATED=END:-P1D", "REPEAT:2", "DURATION:PT5M"],
    ["ACTION:DISPLAY", "UID:al", "TRIGGER;VALUE=DATE-TIME:20270301T080000Z"],
    ["ACTION:DISPLAY", "TRIGGER:PT0S", "ACKNOWLEDGED:20260101T080000Z"],
    [
      "ACTION:DISPLAY", "TRIGGER;VALUE=DATE-TIME:19760401T005545Z", "PROXIMITY:DEPART",
      "BEGIN:VLOCATION", "UID:v", "NAME:Home", "URL:geo:53.5,10;u=80", "END:VLOCATION",
    ],
  ]

  private static let times = [
    ["DTSTART;TZID=Europe/Berlin:20270310T090000", "DTEND;TZID=Europe/Berlin:20270310T100000"],
    ["DTSTART:20270310T090000Z", "DURATION:PT1H30M"],
    ["DTSTART;VALUE=DATE:20270310", "DTEND;VALUE=DATE:20270312"],
    ["DTSTART;TZID=Own:20270310T090000", "RRULE:FREQ=WEEKLY;BYDAY=WE,FR;COUNT=20"],
    [
      "DTSTART;TZID=Europe/Berlin:20270310T090000", "RRULE:FREQ=DAILY;UNTIL=20270901T070000Z",
      "EXDATE;TZID=Europe/Berlin:20270312T090000,20270313T090000",
      "RDATE;TZID=Europe/Berlin:20270320T120000",
    ],
  ]

  private static let zone = [
    "BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:DAYLIGHT", "DTSTART:19700329T020000",
    "TZOFFSETFROM:+0200", "TZOFFSETTO:+0330", "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=-1SU",
    "END:DAYLIGHT", "BEGIN:STANDARD", "DTSTART:19701025T030000", "TZOFFSETFROM:+0330",
    "TZOFFSETTO:+0200", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "END:STANDARD", "END:VTIMEZONE",
  ]

  private static func item(_ number: Int, _ random: inout SeededGenerator) -> [String] {
    let isTask = number % 2 == 0
    let kind = isTask ? "VTODO" : "VEVENT"
    var times = Self.times.randomElement(using: &random) ?? []
    if isTask { times = times.map { $0.replacing("DTEND", with: "DUE") } }
    var lines = ["BEGIN:\(kind)", "UID:item\(number)", "SUMMARY:Item\\, the \(number)"] + times
    lines += ["DESCRIPTION:One line that is long enough to be folded by a program", "PRIORITY:3"]
    for alarm in Self.alarms.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random))
    {
      lines += ["BEGIN:VALARM"] + alarm + ["END:VALARM"]
    }
    return lines + ["END:\(kind)"]
  }

  // MARK: - Damage

  /// Changes one line; `nil` removes it.
  private enum Damage: CaseIterable {
    case cut, blank, odd, noColon, control, unfolded, noParameter, parameter, openQuote, misspelled
    case removed, doubled, noName, invalidText, lowerCase, blanks, otherName

    func apply(to line: String, _ random: inout SeededGenerator) -> [String] {
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      let (head, value) = (String(line[..<colon]), String(line[colon...].dropFirst()))
      let name = String(head.prefix { $0 != ";" })
      switch self {
      case .cut: return ["\(head):\(value.prefix(Int.random(in: 0...value.count, using: &random)))"]
      case .blank: return ["\(head):"]
      case .odd: return ["\(head):\(Self.oddValues.randomElement(using: &random) ?? "")"]
      case .noColon: return [head + value]
      case .control: return ["\(head):\(value.prefix(3))\u{1}\u{0}\u{7F}\(value.dropFirst(3))"]
      case .unfolded: return ["\(head):\(value.prefix(4))", String(value.dropFirst(4))]
      case .noParameter: return ["\(name):\(value)"]
      case .parameter: return ["\(name);TZID=Nowhere/Town;VALUE=PERIOD;=;X:\(value)"]
      case .openQuote: return ["\(name);X=\"open:\(value)"]
      case .misspelled:
        let at = name.index(name.startIndex, offsetBy: name.count / 2)
        return [String(name[..<at]) + String(name[at...].dropFirst()) + line.dropFirst(name.count)]
      case .removed: return []
      case .doubled: return [line, line]
      case .noName: return [":\(value)"]
      case .invalidText: return ["\(head):\(value)\u{FFFD}\u{202E}"]
      case .lowerCase: return [line.lowercased()]
      case .blanks: return [" \(head) : \(value) "]
      case .otherName: return ["X-\(line)"]
      }
    }

    private static let oddValues = [
      "None", "null", "undefined", "0", "-1", "99999999999999999999", "20269999T999999Z", "P", "PT",
      "T", ";", ":", ",,,", "\\", "%s", "=", "+9999", "FREQ=", "FREQ=DAILY;INTERVAL=0",
      "geo:91,181",
      "00010101T000000Z", "99991231T235959Z", "P99999999W", "-P1Y", "💥",
    ]
  }

  // MARK: - The property

  @Test func theOtherItemsAreTaken() throws {
    var random = SeededGenerator(seed: Self.seed)
    for run in 0..<Self.count {
      var parts = [["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//EN"], Self.zone]
      for number in 0..<5 { parts.append(Self.item(number, &random)) }
      parts.append(["END:VCALENDAR"])
      let good = try reading(parts)
      try #require(good.leftOut == [] && Set(good.reminders.map(\.item.uid)).count == 5)
      let victim = Int.random(in: 1..<parts.count - 1, using: &random)
      let line = Int.random(in: 0..<parts[victim].count, using: &random)
      let damage = try #require(Damage.allCases.randomElement(using: &random))
      let old = parts[victim][line]
      let new = damage.apply(to: old, &random)
      let before = line == 0 ? "" : parts[victim][line - 1]
      parts[victim].replaceSubrange(line...line, with: new)
      let found = try reading(parts)
      let label = "run \(run): \(damage) of '\(old)': \(new), \(found.leftOut)"
      let lineCount = parts.joined().count
      #expect(found.leftOut.allSatisfy { (1...lineCount).contains($0.line) }, "\(label)")
      // An item that names a broken VTIMEZONE is its victim, too.
      let others = (0..<5).filter { number in
        victim != number + 2 && !(victim == 1 && parts[number + 2].joined().contains("TZID=Own"))
      }.map { "item\($0)" }
      #expect(times(found, others) == times(good, others), "\(label)")
      let all = Set((good.reminders + found.reminders).map(\.item.uid))
      if times(found, all) != times(good, all),
        !(try Self.isOtherMeaning(old, new, damage, after: before))
      {
        #expect(found.leftOut != [], "\(label)")
      }
    }
  }

  /// Whether the broken line says something else, and says it well: no reader can notice that.
  private static func isOtherMeaning(
    _ old: String, _ new: [String], _ damage: Damage, after before: String
  ) throws -> Bool {
    switch damage {
    case .removed, .doubled, .noParameter, .otherName: return true
    // A blank before it makes it a part of the text before it.
    case .blanks: return before.hasPrefix("SUMMARY:") || before.hasPrefix("DESCRIPTION:")
    case .cut, .blank, .odd:
      let name = String(old.prefix { $0 != ";" && $0 != ":" })
      let value = String(new.joined().drop { $0 != ":" }.dropFirst())
      return try forms[name].map { try Regex($0).wholeMatch(in: value) != nil } ?? false
    default: return false
    }
  }

  private static let time = "[0-9]{8}(T([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]Z?)?"
  private static let span = "[-+]?P([0-9]{1,5}W|([0-9]{1,5}D)?(T([0-9]+H)?([0-9]+M)?([0-9]+S)?)?)"
  /// The values that the grammar of RFC 5545 allows, and `P`, which Outlook writes.
  private static let forms = [
    "DTSTART": time, "DTEND": time, "DUE": time, "DURATION": span, "ACKNOWLEDGED": time,
    "RDATE": "\(time)(,\(time))*", "EXDATE": "\(time)(,\(time))*",
    "TRIGGER": "\(time)|\(span)", "REPEAT": "[-+]?[0-9]{1,18}",
    "RRULE": "FREQ=(DAILY|WEEKLY|YEARLY)(;(BYDAY=(-?[1-5])?(WE|FR|SU)(,(WE|FR))*|COUNT=[0-9]+|"
      + "UNTIL=\(time)|BYMONTH=[0-9]+))*;?",
    "TZOFFSETFROM": "[-+][0-9]{4}([0-9]{2})?", "TZOFFSETTO": "[-+][0-9]{4}([0-9]{2})?",
    "URL": "geo:[0-9.]+,[0-9.]+(;(u=[0-9]*)?)?",
    // Any text.
    "UID": ".*", "TZID": ".*", "ACTION": ".*", "SUMMARY": ".*",
  ]

  private func reading(_ parts: [[String]]) throws -> CalendarReading {
    let text = parts.joined().map { "\($0)\r\n" }.joined()
    return CalendarReading(try CalendarDocument(Array(text.utf8), name: "f"))
  }

  /// When and where the reminders of these items ring.
  private func times(_ reading: CalendarReading, _ items: some Collection<String>) -> [String] {
    reading.reminders.filter { items.contains($0.item.uid) }.map { found in
      var reminder = found.reminder
      (reminder.id, reminder.title, reminder.notes, reminder.priority) = ("", "", nil, 0)
      reminder.place?.name = nil
      return "\(reminder) \(String(describing: found.snoozedUntil)) \(found.leadsAcknowledged)"
    }.sorted()
  }
}
