import CivilTime
import Companion
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Client

/// What the daemon answers on the pages of these tests: a walk through Berlin on a Friday evening.
enum WatchScene {
  static let status: JSONObject = [
    "time": "2026-06-12T16:00:07Z", "position": "known",
    "feeds": [
      [
        "url": "tcp://plotter:10110", "condition": "waiting, trying again in 12 s",
        "state": "waiting",
      ],
      [
        "url": "gpsd://localhost:2947", "condition": "open", "followed": true,
        "fix_age_s": .double(0.6),
      ],
    ],
  ]

  static let position: JSONObject = [
    "fix": [
      "lat": .double(52.52), "lon": .double(13.405), "mode": 3, "eph": .double(4.2),
      "speed": .double(1.4), "track": .double(44),
    ],
    "age_s": .double(0.8),
    "nearest": [
      ["name": "Rewe", "distance_m": .double(230), "bearing_deg": .double(12)],
      ["name": "東京ラーメン横丁", "distance_m": 1_240, "bearing_deg": .double(181)],
    ],
  ]

  static let next: JSONObject = [
    "timers": [
      ["id": "a", "title": "Ferry", "time": "2026-06-12T16:18:00Z"],
      ["id": "b", "title": "Call Mum", "time": "2026-06-13T16:00:00Z"],
      ["id": "c", "title": "Pay the harbour dues", "time": "2026-08-01T08:00:00Z"],
    ],
    "places": [
      ["id": "d", "title": "Lock up", "on": "depart", "place": "Home", "distance_m": -20],
      [
        "id": "e", "title": "Buy milk\u{1B}[2J\u{202E}", "on": "arrive", "place": "Rewe",
        "distance_m": .double(230), "bearing_deg": .double(12),
      ],
      [
        "id": "f", "title": .string("餃子と" + String(repeating: "とても長い題名", count: 12)), "on": "dwell",
        "place": "東京ラーメン横丁", "distance_m": 1_240, "bearing_deg": .double(181),
      ],
    ],
  ]

  static let firings: [JSONObject] = [
    [
      "firing_id": "1", "reminder_id": "x", "title": "Water the plants", "event": "late",
      "time": "2026-06-11T05:00:00Z", "why": "Due at 07:00, late by 2h",
    ],
    [
      "firing_id": "2", "reminder_id": "y", "title": "Return the bottles", "event": "arrive",
      "time": "2026-06-12T15:52:10Z", "why": "Arrived at Rewe, 34 m from its centre",
    ],
  ]

  /// The next firing of a ledger of these.
  static func ledger(after seq: Int) -> JSONObject {
    let rows = firings.enumerated().map { number, firing -> JSONValue in
      var firing = firing
      firing["seq"] = .int(number + 1)
      return .object(firing)
    }
    return [
      "ledger": "l", "first": 1, "head": .int(rows.count),
      "rows": .array(Array(rows.dropFirst(seq).prefix(1))),
    ]
  }

  /// Where the screen of that size is kept, as a terminal shows it.
  static func path(_ columns: Int, _ rows: Int) -> String {
    "\(packageRoot)/Tests/ClientTests/Screens/watch-\(columns)x\(rows).txt"
  }

  static func screen(_ columns: Int, _ rows: Int) throws -> String {
    let path = path(columns, rows)
    let file = try #require(fopen(path, "r"), "there is no \(path)")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func state() -> WatchPage.State {
    WatchPage.State(
      status: status, position: position, next: next, firings: firings, failure: nil)
  }
}

@Suite struct WatchPageTests {
  private func page(_ state: WatchPage.State = WatchScene.state()) throws -> WatchPage {
    let zone = try TimeZoneRules(named: "Europe/Berlin")
    return WatchPage(state: state, display: Run.display(zone))
  }

  private func text(_ page: WatchPage, _ columns: Int, _ rows: Int) -> [String] {
    page.lines(columns: columns, rows: rows).map { line in
      var text = line.text
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// A narrow page stacks times, fences and firings; a wide one has two columns and places as well.
  @Test(arguments: [(80, 24), (200, 60)])
  func aPageHasTheRecordedText(columns: Int, rows: Int) throws {
    let lines = text(try page(), columns, rows).map { "\($0)\n" }
    #expect(lines.joined() == (try WatchScene.screen(columns, rows)))
  }

  /// Promise: watch-columns.
  @Test(arguments: [(119, false), (120, true)])
  func aPageHasTwoColumnsFrom120On(columns: Int, isWide: Bool) throws {
    let lines = text(try page(), columns, 30)
    let hasTwo = lines.contains { $0.hasPrefix("Next times ") && $0.hasSuffix(" Last firings") }
    #expect(hasTwo == isWide)
  }

  /// Any terminal, any answer: so many lines, none too wide, no control character.
  @Test(arguments: [(80, 24), (200, 60), (1, 1), (10, 3), (40, 10), (119, 5), (120, 7), (1000, 2)])
  func everyPageFits(columns: Int, rows: Int) throws {
    var crowded = WatchScene.state()
    for _ in 0..<300 { crowded.add(WatchScene.firings[1]) }
    crowded.failure = String(repeating: "no way ", count: 40)
    for state in [WatchScene.state(), WatchPage.State(), crowded] {
      let lines = try page(state).lines(columns: columns, rows: rows)
      #expect(lines.count == rows)
      for line in lines {
        #expect(line.columns <= columns, "\(line.text)")
        #expect(!line.text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!line.text.unicodeScalars.contains("\u{202E}"))
      }
    }
  }

  @Test func hiddenRowsAreCounted() throws {
    var state = WatchScene.state()
    for _ in 0..<50 { state.add(WatchScene.firings[1]) }
    let lines = text(try page(state), 80, 24)
    let shown = lines.filter { $0.contains("Return the bottles") }.count
    #expect(shown > 3)
    #expect(lines.contains("Last firings  +\(52 - shown)"))
  }

  @Test func aMissingDaemonIsShown() throws {
    var state = WatchScene.state()
    state.failure = "cannot connect"
    #expect(text(try page(state), 80, 24)[1] == "no daemon, trying again: cannot connect")
  }

  @Test func colourIsUsedOnlyWhenEnabled() {
    var line = PageLine("Title", .strong)
    line.append(" text")
    #expect(line.rendered(color: false) == "Title text")
    #expect(line.rendered(color: true) == "\u{1B}[1mTitle\u{1B}[0m text")
  }

  @Test func wideCharactersAreNotCutInHalf() {
    #expect(PageLine("東京駅").clipped(to: 6).text == "東京駅")
    #expect(PageLine("東京駅").clipped(to: 5).text == "東京…")
    #expect(PageLine("東京駅").clipped(to: 4).text == "東…")
    #expect(PageLine("東京駅").filled(to: 4).columns == 4)
    #expect(PageLine("e\u{301}e\u{301}e\u{301}").clipped(to: 2).text == "e\u{301}…")
    #expect(PageLine("x").clipped(to: 0).text == "")
  }
}
