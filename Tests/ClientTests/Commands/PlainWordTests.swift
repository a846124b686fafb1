import Control
import JSONText
import Synchronization
import Testing

@testable import Client

/// Words as people type them, without quotes, and answers that name things.
@Suite struct PlainWordTests {
  private func run(
    _ arguments: [String], _ answer: @escaping @Sendable (VarlinkCall) -> JSONObject
  ) throws -> (run: Run, calls: [VarlinkCall]) {
    let calls = Mutex<[VarlinkCall]>([])
    let daemon = try FakeDaemon { call in
      if call.methodName != "Status" { calls.withLock { $0.append(call) } }
      return [VarlinkReply(parameters: answer(call))]
    }
    defer { daemon.stop() }
    let run = Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
    return (run, calls.withLock { $0 })
  }

  private static let haircut: JSONValue = [
    "id": "h", "kind": "date", "title": "Cut hair", "due": "2026-06-14T08:00:00Z",
  ]

  @Test(arguments: [
    (["show"], []), (["why"], []), (["done"], []), (["rm"], []), (["reopen"], []),
    (["snooze"], ["20min"]), (["edit"], ["--priority", "2"]), (["log"], []),
  ])
  func aTitleNeedsNoQuotes(verb: [String], more: [String]) throws {
    let (run, calls) = try run(verb + ["cut", "hair"] + more) { _ in
      ["reminder": Self.haircut, "why": [:], "firings": [], "consumers": []]
    }
    #expect(run.status == 0, "\(run.notes)")
    let first = calls.first?.parameters
    #expect((first?["id"] ?? first?["reminder"]) == "cut hair")
  }

  @Test(arguments: [
    ("hair half an hour", "hair", "30min"), ("cut hair half an hour", "cut hair", "30min"),
    ("hair an hour and a half", "hair", "1h 30min"), ("hair in 20 minutes", "hair", "20min"),
    ("cut hair 18:30", "cut hair", "2026-06-12T16:30:00Z"),
    ("cut hair tomorrow 9:00", "cut hair", "2026-06-13T07:00:00Z"),
    ("cut hair next visit", "cut hair", "next-visit"),
    ("milk until I leave", "milk", "until-leave"),
    ("buy milk until-leave", "buy milk", "until-leave"), ("1111 1h 30min", "1111", "1h 30min"),
    ("buy milk for 10 minutes", "buy milk", "10min"), ("tea until next-visit", "tea", "next-visit"),
  ])
  func theLastWordsOfASnoozeAreItsTime(words: String, name: String, until: String) throws {
    let (run, calls) = try run(["snooze"] + words.split(separator: " ").map(String.init)) { _ in
      ["reminder": Self.haircut]
    }
    #expect(calls.first?.parameters == ["id": .string(name), "until": .string(until)])
    #expect(run.status == 0, "\(run.notes)")
  }

  @Test(arguments: [
    ["tea", "10"], ["tea", "1.5"], ["--ringing", "-y", "10"],
  ])
  func aNumberAloneIsNoSpanOfASnooze(words: [String]) throws {
    let (run, calls) = try run(["snooze"] + words) { _ in [:] }
    #expect(run.status == 65 && calls.isEmpty, "\(run.notes)")
    guard words.last == "10" else { return }
    #expect(run.notes.contains("stands alone; write at 10 for an hour, 10min for a span"))
  }

  /// 18:30 and friday have passed: the log looks back.
  @Test(arguments: [
    (["log", "--since", "18:30"], "2026-06-11T16:30:00Z"),
    (["log", "--since", "17:30"], "2026-06-12T15:30:00Z"),
    (["report", "-", "--since", "thursday"], "2026-06-10T22:00:00Z"),
  ])
  func aBareTimeOfTheLogIsTheLastOne(arguments: [String], since: String) throws {
    let (_, calls) = try run(arguments) { _ in ["firings": []] }
    #expect(calls.first { $0.methodName == "Log" }?.parameters["since"] == .string(since))
  }

  @Test(arguments: [
    ("armed", "Completed Milk; it waits for the next time"), ("done", "Completed Milk"),
  ])
  func aVisitThatIsCompletedMayComeAgain(state: String, line: String) throws {
    let (run, _) = try run(["done", "milk"]) { _ in
      ["reminder": ["id": "m", "kind": "location", "title": "Milk", "state": .string(state)]]
    }
    #expect(run.lines == [line])
  }

  @Test func placesHaveADistance() throws {
    let handler: @Sendable (VarlinkCall) -> JSONObject = { call in
      switch call.methodName {
      case "Where": ["fix": ["lat": .double(52.5), "lon": .double(13.4)], "age_s": 1]
      case "Status": ["status": ["position": "known"]]
      default: ["place": ["latitude": .double(52.6), "longitude": .double(13.4)]]
      }
    }
    let (named, calls) = try run(["convert", "here", "--to", "Home"], handler)
    #expect(calls.last?.parameters["name"] == "Home")
    let (typed, _) = try run(["convert", "52.5,13.4", "--to", "52.6,13.4"], handler)
    #expect(named.output == typed.output && named.output.contains("11.1 km"))
  }

  @Test func aCategoryGetsAColour() throws {
    func color(_ arguments: [String], known: [JSONValue] = []) throws -> JSONValue? {
      let (run, calls) = try run(["category"] + arguments) { call in
        call.methodName == "ListCategories"
          ? ["categories": .array(known)] : ["category": .object(call.parameters)]
      }
      #expect(run.status == 0, "\(run.notes)")
      return calls.last?.parameters["color"]
    }
    let first = try color(["add", "Fuel"])
    let second = try color(["add", "Fuel"], known: [["name": "x", "color": first ?? .null]])
    #expect(first != nil && second != nil && first != second)
    #expect(try color(["add", "Fuel", "Orange"]) == "#FFA500")
    #expect(try color(["edit", "Fuel", "1e90ff"]) == "#1E90FF")
  }

  @Test func aPlaceNamesItsReminders() throws {
    let (run, _) = try run(["place", "show", "Home"]) { call in
      call.methodName == "ShowPlace"
        ? [
          "place": [
            "name": "Home", "latitude": .double(52.5), "longitude": .double(13.4), "radius_m": 80,
          ], "reminders": ["1234567890"],
        ]
        : [
          "reminders": [
            ["id": "1234567890", "title": "Bins", "state": "armed"],
            ["id": "1299999999", "title": "Other", "state": "armed"],
          ]
        ]
    }
    #expect(run.lines.suffix(2) == ["Used by 1 reminder:", "  1234  Bins  armed"])
  }

  @Test func aListInAPipeSaysTheRepeatInWords() throws {
    let (run, _) = try run(["list"]) { _ in
      [
        "reminders": [
          [
            "id": "1", "kind": "date", "title": "Bins", "due": "2026-06-18T07:00:00",
            "repeat": "FREQ=WEEKLY;INTERVAL=2", "state": "armed",
          ]
        ]
      ]
    }
    #expect(run.output.hasSuffix("Bins  every 2 weeks\n"))
  }

  @Test func aLogHasABeginningAndAnEnd() throws {
    let (_, calls) = try run(["log", "--since", "yesterday", "--until", "today"]) { _ in
      ["firings": []]
    }
    #expect(
      calls.first?.parameters
        == ["since": "2026-06-10T22:00:00Z", "until": "2026-06-11T22:00:00Z"])
  }

  @Test(arguments: [(59.6, "1min"), (13_415_000, "5month 3d"), (3_661, "1h 1min"), (0.2, "0s")])
  func agesHaveTwoUnitsAtMost(seconds: Double, text: String) {
    #expect(Answer.age(seconds) == text)
  }

  @Test func theLogOfAReminderSaysWhatCameOfEachFiring() throws {
    let (run, _) = try run(["log", "tea"]) { _ in
      [
        "firings": [
          [
            "title": "Tea", "event": "due", "time": "2026-06-12T15:00:00Z", "why": "Due now",
            "delivery": [
              ["name": "ntfy", "time": "2026-06-12T15:00:01Z"],
              ["name": "mail", "time": "2026-06-12T15:10:00Z", "text": "given up: no host"],
              ["name": "relay", "text": "no line"],
            ],
            "acknowledged": ["time": "2026-06-12T15:05:00Z", "user": 0, "method": "Done"],
          ],
          ["title": "Tea", "event": "due", "time": "2026-06-12T15:30:00Z", "why": "Due now"],
        ]
      ]
    }
    #expect(
      run.output == """
        2026-06-12T17:00:00+02:00  due     Tea: due now
            ntfy          2026-06-12T17:00:01+02:00  received
            mail          2026-06-12T17:10:00+02:00  given up: no host
            relay         waiting                    no line
            acknowledged  2026-06-12T17:05:00+02:00  done by root
        2026-06-12T17:30:00+02:00  due     Tea: due now
            not acknowledged

        """)
  }
}
