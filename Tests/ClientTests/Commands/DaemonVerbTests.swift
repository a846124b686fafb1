import CivilTime
import Control
import Glibc
import JSONText
import Reminders
import Synchronization
import TestSupport
import Testing

@testable import Client

@Suite struct DaemonVerbTests {
  private static let reminders: [JSONValue] = [
    [
      "id": "1111aaaa22223333", "kind": "date", "title": "Later", "due": "2026-06-14T08:00:00",
      "state": "armed",
    ],
    [
      "id": "1111bbbb22223333", "kind": "date", "title": "Sooner", "due": "2026-06-13T08:00:00Z",
      "category": "home", "state": "armed",
    ],
    [
      "id": "2222aaaa", "kind": "location", "title": "Milk\u{1B}[2J", "state": "armed",
      "place": ["name": "Rewe", "lat": .double(52.5), "lon": .double(13.4), "radius_m": 150],
      "on": "arrive",
    ],
    [
      "id": "1111bbbb00000000", "kind": "date", "title": "Over", "due": "2026-06-01T08:00:00Z",
      "state": "done",
    ],
  ]

  private func run(_ arguments: [String], _ handler: @escaping FakeDaemon.Handler) throws -> Run {
    let daemon = try FakeDaemon(handler)
    defer { daemon.stop() }
    return Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  /// The same verbs for people, on a terminal 60 columns wide.
  private func onTerminal(
    _ arguments: [String], columns: Int = 60, units: String = "metric",
    _ handler: @escaping FakeDaemon.Handler
  ) throws -> Run {
    let folder = try TemporaryFolder()
    let file = try folder.file("georemind.conf", "[Display]\nUnits=\(units)\n")
    let daemon = try FakeDaemon(handler)
    defer { daemon.stop() }
    return Run(
      arguments, environment: ["GEOREMIND_SOCKET": daemon.path], columns: columns,
      configurationFiles: [file])
  }

  /// A time to leave says when it rings by what is known, and why it has rung at once.
  @Test func addSaysWhenItIsTimeToLeave() throws {
    func added(_ progress: JSONObject) throws -> Run {
      try run(["add", "Ferry", "--leave-for", "Pier", "--due", "18:18", "--by", "bike"]) { call in
        if call.methodName == "Log" {
          return [
            VarlinkReply(parameters: ["firings": [["why": "Should have left 3min ago"]]])
          ]
        }
        var reminder: JSONObject = [
          "id": "0123456789abcdef", "kind": "preemptive", "title": "Ferry", "transport": "cycling",
          "due": "2026-06-12T16:18:00Z", "state": "armed",
          "place": ["name": "Pier", "lat": .double(53.5), "lon": .double(9.9), "radius_m": 150],
        ]
        for (key, value) in progress.members { reminder[key] = value }
        return [
          VarlinkReply(
            parameters: ["id": "0123456789abcdef", "reminder": .object(reminder)])
        ]
      }
    }
    let early = try added(["rings": "2026-06-12T16:06:00Z"])
    #expect(
      early.output.contains("\nBy the present estimate, that is 2026-06-12T18:06:00+02:00 "),
      "\(early.output)")
    let blind = try added(["rings": "2026-06-12T16:18:00Z"])
    #expect(!blind.output.contains("By the present estimate"), "\(blind.output)")
    #expect(
      blind.notes.contains("there is no position yet; without one it rings at"), "\(blind.notes)")
    let late = try added(["state": "fired", "last_fired": "2026-06-12T16:00:00Z"])
    #expect(
      late.notes.contains("note: it rang at once. Should have left 3min ago\n"), "\(late.notes)")
  }

  /// The next sunset where the device is, and none in the polar night.
  @Test(arguments: [52.5, 80])
  func sunsetIsATimeHere(latitude: Double) throws {
    let run = try run(["add", "Lights", "--at", "1,1", "--until", "sunset", "--dry-run", "--json"])
    {
      call in
      guard call.methodName == "Where" else {
        return [VarlinkReply(parameters: ["reminder": call.parameters["reminder"]])]
      }
      return [
        VarlinkReply(
          parameters: ["fix": ["lat": .double(latitude), "lon": .double(13.4)], "age_s": 1])
      ]
    }
    guard latitude < 66 else {
      #expect(run.status == 65 && run.notes.contains("there is none here in these days"))
      return
    }
    // 2026-06-12, Berlin: 21:28 by its almanac.
    #expect(run.output.contains(#""until":"2026-06-12T19:2"#), "\(run.output) \(run.notes)")
  }

  @Test func onTheWaterTravelIsByBoat() throws {
    var position = Self.position
    position["nearest"] = [
      [
        "name": "Pier", "distance_m": 5_000, "bearing_deg": 90,
        "travel_s": ["walking": 3_600, "driving": 600, "boat": 1_800],
      ]
    ]
    let answer = position
    let run = try onTerminal(["where"], columns: 80, units: "nautical") { _ in
      [VarlinkReply(parameters: answer)]
    }
    #expect(run.output.contains("30min sailing") && !run.output.contains("driving"))
  }

  @Test func aListingOnATerminalSaysTimesAsPeopleDo() throws {
    let late: JSONValue = [
      "id": "3", "kind": "date", "title": "A title that is longer than the terminal is wide",
      "due": "2026-01-10T08:00:00Z", "state": "fired",
    ]
    let run = try onTerminal(["list"]) { _ in
      [VarlinkReply(parameters: ["reminders": .array(Self.reminders + [late])])]
    }
    #expect(
      run.output == """
        location
          2222aaaa  Milk [2J  arrive Rewe

        date
          1111bbbb2  Tomorrow 10:00           Sooner
          1111a      Sun 14 Jun 08:00         Later
          3          5 months late     fired  A title that is longe…

        """)
    #expect(run.lines.allSatisfy { $0.count <= 60 })
  }

  @Test(arguments: [("Add", []), ("Check", ["--dry-run"])])
  func aReminderGoesIntoACalendarList(_ method: String, _ more: [String]) throws {
    let run = try run(["add", "Tea", "--due", "19:00", "--calendar", "Tasks"] + more) { call in
      let isAsked = call.methodName == method && call.parameters["calendar"]?.string == "Tasks"
      return [
        VarlinkReply(parameters: [
          "id": "1",
          "reminder": [
            "id": "1", "kind": "date", "title": isAsked ? "Asked" : "Not asked",
            "due": "2026-06-12T19:00:00", "state": "armed",
          ],
        ])
      ]
    }
    #expect(run.output.hasPrefix("Asked: "))
  }

  @Test func aZoneThatTheSystemDoesNotKnowIsMarked() throws {
    let handler: FakeDaemon.Handler = { call in
      let zone = "Old/Town, of 1 reminder, is not known here"
      let reminder: JSONValue = [
        "id": "1", "kind": "date", "title": "Tea", "due": "2026-06-13T08:00:00Z", "state": "armed",
        "repeat": "FREQ=DAILY", "zone": "Old/Town", "zone_offset_s": 7200,
        "next_due": "2026-06-13T08:00:00Z", "rings": "2026-06-13T08:00:00Z",
      ]
      return [
        VarlinkReply(parameters: [
          "reminders": [reminder], "reminder": reminder,
          "status": ["unknown_zones": [.string(zone)]],
        ])
      ]
    }
    #expect(
      try run(["list"], handler).output.contains(
        "every day, by the last known offset of Old/Town\n"))
    #expect(
      try run(["show", "1"], handler).output.contains("Old/Town, which is unknown here"))
    #expect(
      try run(["status"], handler).output.contains("zone       Old/Town, of 1 reminder, is not"))
  }

  @Test(arguments: [
    ("metric", "in 1.5 km"), ("imperial", "in 0.9 mi"), ("nautical", "in 0.8 nmi"),
  ])
  func distancesHaveTheUnitsThatAreSet(units: String, distance: String) throws {
    let run = try onTerminal(["next"], units: units) { _ in
      [
        VarlinkReply(parameters: [
          "timers": [["id": "1111", "time": "2026-06-13T08:00:00Z", "title": "Tea"]],
          "places": [["id": "3333", "distance_m": 1500, "title": "Post", "on": "arrive"]],
        ])
      ]
    }
    #expect(
      run.output == """
        by time
          1111  Tomorrow 10:00  Tea

        by distance
          3333  \(distance)  Post  arrive

        """)
  }

  @Test func pastFiringsFitTheTerminal() throws {
    let run = try onTerminal(["log"], columns: 40) { _ in
      [VarlinkReply(parameters: ["firings": .array(Self.firings)])]
    }
    #expect(
      run.output == """
        Tomorrow 00:30  due     Tea: due now
        Today 11:00     arrive  Milk: entered R…
        Tomorrow 11:00  due     Tea: due now

        """)
  }

  @Test func sentencesOfTheDaemonHaveLocalTimesOnATerminal() throws {
    let why: JSONValue = [
      "title": "Tea", "summary": "It fires when it is 2026-06-14T08:00:00Z, or earlier",
      "gates": [
        ["gate": "due", "passed": false, "says": "It fires at 2026-06-12T18:30:00Z, when due"]
      ],
    ]
    let handler: FakeDaemon.Handler = { _ in [VarlinkReply(parameters: ["why": why])] }
    let run = try onTerminal(["why", "1"], handler)
    #expect(
      run.output == """
        Tea
          FAILED  due  It fires at 20:30, when due
        It fires when it is Sun 14 Jun 10:00, or earlier

        """)
    let pipe = try self.run(["why", "1"], handler)
    #expect(pipe.output.contains("It fires at 2026-06-12T18:30:00Z, when due"))
  }

  /// A daemon that does not start leaves its clients to systemd, which closes their connections.
  @Test(arguments: [0, 1, 2])
  func aCallThatNobodyHasReadIsSentOnceMore(flushed: Int) throws {
    let daemon = try FakeDaemon(flushed: flushed) { _ in
      [VarlinkReply(parameters: ["status": ["version": "1"]])]
    }
    defer { daemon.stop() }
    let run = Run(["status", "--json", "--socket", daemon.path])
    guard flushed == 2 else { return #expect(run.output == "{\"version\":\"1\"}\n") }
    #expect(run.status == 69)
    #expect(
      run.notes == "georemind: georemindd does not start; see 'systemctl --user status georemindd' "
        + "and 'journalctl --user -t georemindd'\n")
    var context = Run.context(["GEOREMIND_SOCKET": daemon.path])
    context.isWrongConfiguration = { $0.hasSuffix("/georemind/georemind.conf") }
    context.retryDelay = 0
    let other = try FakeDaemon(flushed: 2) { _ in [] }
    defer { other.stop() }
    #expect(Program.run(["status", "--socket", other.path], in: context) == 69)
    #expect(
      context.notes.contents == "georemind: georemindd does not start: its configuration is wrong; "
        + "see 'georemindd --check-config'\n")
  }

  /// The daemon may have done what it has read, so nothing is sent again.
  @Test func aCallThatWasReadIsNotSentAgain() throws {
    let calls = Mutex(0)
    let run = try run(["status"]) { _ in
      calls.withLock { $0 += 1 }
      return []
    }
    #expect(calls.withLock { $0 } == 1)
    #expect(
      run.notes == "georemind: the daemon disconnected; see 'journalctl -t georemindd' and try "
        + "again\n")
  }

  @Test func statusShowsWrongLinesOfTheConfiguration() throws {
    let run = try run(["status"]) { _ in
      [
        VarlinkReply(parameters: [
          "status": ["configuration_errors": ["/etc/g.conf:2: 'x' has no '='"]]
        ])
      ]
    }
    #expect(run.lines.contains("wrong line  /etc/g.conf:2: 'x' has no '='"))
  }

  /// A daemon with two reminders of milk and one of tea, and what it was asked to change.
  private func withMilkAndTea(_ arguments: [String]) throws -> (run: Run, changes: [String]) {
    let titles = ["aaa1": "Buy milk", "aaa2": "Milk the cow", "ttt3": "Tea"]
    let changes = Mutex<[String]>([])
    let run = try run(arguments) { call in
      let text = call.parameters["id"]?.string ?? ""
      let words = Set(text.lowercased().split(separator: " "))
      let found = titles.keys.sorted().filter { id in
        id.hasPrefix(text)
          || words.isSubset(of: (titles[id] ?? "").lowercased().split(separator: " "))
      }
      guard let id = found.first else {
        return [VarlinkReply(GeoremindError.notFound(id: text).varlink)]
      }
      guard found.count == 1 else {
        return [VarlinkReply(GeoremindError.ambiguous(id: text, candidates: found).varlink)]
      }
      let also = (call.parameters["also"]?.array ?? []).compactMap(\.string)
      if call.methodName != "Show" {
        let ids = ([id] + also).joined(separator: " ")
        changes.withLock { $0.append("\(call.methodName) \(ids)") }
      }
      func reminder(_ id: String) -> JSONValue {
        ["id": .string(id), "title": .string(titles[id] ?? "")]
      }
      let answer: JSONObject = ["reminder": reminder(id), "also": .array(also.map(reminder))]
      return [VarlinkReply(parameters: answer)]
    }
    return (run, changes.withLock { $0 })
  }

  @Test(arguments: [
    (["done", "milk"], "'milk' may be aaa1 'Buy milk', aaa2 'Milk the cow'"),
    (["rm", "aaa"], "'aaa' may be aaa1 'Buy milk', aaa2 'Milk the cow'"),
    (["remove", "tea", "milk"], "'milk' may be aaa1 'Buy milk', aaa2 'Milk the cow'"),
  ])
  func severalMatchesAreListedAndNothingIsChanged(arguments: [String], list: String) throws {
    let (run, changes) = try withMilkAndTea(arguments)
    #expect(run.status == 65)
    #expect(
      run.notes == "georemind: \(list); give more letters of the id, or of the title\n")
    #expect(changes.isEmpty)
  }

  @Test(arguments: [
    (["complete", "tea"], ["Done ttt3"], "Completed Tea\n"),
    (["done", "buy", "milk"], ["Done aaa1"], "Completed Buy milk\n"),
    (
      ["delete", "aaa2", "cow", "tea"], ["Remove aaa2 ttt3"],
      "Removed Milk the cow\nRemoved Tea\n"
    ),
  ])
  func wordsOfATitleAreOneReminder(
    arguments: [String], expected: [String], output: String
  ) throws {
    let (run, changes) = try withMilkAndTea(arguments)
    #expect(changes == expected)
    #expect(run.output == output, "\(run.notes)")
  }

  @Test func anIdIsNotTooShortWhereSeveralAreChanged() throws {
    let (run, changes) = try withMilkAndTea(["rm", "aaa1", "tt"])
    #expect(run.status == 65)
    #expect(run.notes.contains("'tt' is too short for the beginning of an id; give 3 letters"))
    #expect(changes.isEmpty)
  }

  @Test(arguments: [
    (["ls", "mil"], ["2222aaaa"]), (["list", "--category", "Home"], ["1111bbbb22223333"]),
    (["list", "rewe"], ["2222aaaa"]), (["list", "milk", "rewe"], ["2222aaaa"]),
    (["list", "ilk"], []),
    (
      ["list", "--all", "--kind", "date", "--sort", "title"],
      ["1111aaaa22223333", "1111bbbb00000000", "1111bbbb22223333"]
    ),
    (
      ["list", "--all", "--kind", "date", "--sort", "due"],
      ["1111bbbb00000000", "1111bbbb22223333", "1111aaaa22223333"]
    ),
    (
      ["list", "--all", "--kind", "date"],
      ["1111bbbb22223333", "1111aaaa22223333", "1111bbbb00000000"]
    ),
  ])
  func aListHasThePartsAndTheOrderThatAreAskedFor(arguments: [String], ids: [String]) throws {
    let run = try run(arguments + ["--json"]) { call in
      call.methodName == "Next"
        ? [VarlinkReply(parameters: [:])]
        : [VarlinkReply(parameters: ["reminders": .array(Self.reminders)])]
    }
    #expect(try run.lines.map { try JSONParser.parse($0)["id"]?.string ?? "" } == ids)
  }

  @Test func anEmptyPartOfAListSaysSo() throws {
    let run = try run(["list", "bread"]) { call in
      call.methodName == "Next"
        ? [VarlinkReply(parameters: [:])]
        : [VarlinkReply(parameters: ["reminders": .array(Self.reminders)])]
    }
    #expect(run.notes == "georemind: no reminder is like that; 'georemind list' shows all\n")
  }

  @Test func anEmptyQueueHasNoAnswer() throws {
    for verb in ["peek", "pop"] {
      let run = try run([verb, "--kind", "date"]) { _ in [VarlinkReply(parameters: [:])] }
      #expect(run.status == 1)
      #expect(run.output.isEmpty)
      #expect(run.notes == "georemind: no date reminder waits; 'georemind list' shows all\n")
      let json = try self.run([verb, "--kind", "date", "--json"]) { _ in
        [VarlinkReply(parameters: [:])]
      }
      #expect(json.status == 1)
      #expect(json.output == "null\n")
    }
  }

  @Test func popPrintsTheReminderThatItCompleted() throws {
    let run = try run(["pop", "--kind", "date"]) { _ in
      [VarlinkReply(parameters: ["reminder": Self.reminders[3]])]
    }
    #expect(run.status == 0)
    #expect(run.lines == ["Over", "Done", "  id    1111bbbb00000000", "  kind  date"])
  }

  private func list(_ arguments: [String]) throws -> Run {
    try run(["list"] + arguments) { call in
      [VarlinkReply(parameters: ["reminders": .array(Self.reminders)])]
    }
  }

  @Test func listingsAreGroupedAndTheNextComesFirst() throws {
    let run = try list([])
    #expect(
      run.output == """
        location
          2222aaaa  Milk [2J  arrive Rewe

        date
          1111bbbb2  2026-06-13T10:00:00+02:00  Sooner
          1111a      2026-06-14T08:00:00+02:00  Later

        """)
  }

  /// Conditions and travel times are the daemon's to know.
  @Test func aListingIsInTheOrderThatTheDaemonKnows() throws {
    let run = try run(["list"]) { call in
      let next: JSONObject = [
        "timers": [["id": "1111aaaa22223333", "time": "2026-06-12T17:00:00Z"]],
        "places": [["id": "2222aaaa", "distance_m": 5]],
      ]
      return [
        VarlinkReply(
          parameters: call.methodName == "Next"
            ? next : ["reminders": .array(Self.reminders)])
      ]
    }
    let later = run.output.split(separator: "\n").firstIndex { $0.contains("Later") }
    let sooner = run.output.split(separator: "\n").firstIndex { $0.contains("Sooner") }
    #expect(later.map { a in sooner.map { a < $0 } } == true, "\(run.output)")
    #expect(run.output.contains("2026-06-12T19:00:00+02:00"))
  }

  @Test func aCategoryStandsForItsPlaces() throws {
    let milk: JSONValue = [
      "id": "1", "kind": "location", "title": "Milk", "near_category": "Food", "on": "depart",
      "state": "armed",
    ]
    let run = try run(["list", "--by", "place"]) { _ in
      [VarlinkReply(parameters: ["reminders": .array([milk])])]
    }
    #expect(
      run.output == """
        any place of category Food
          1  Milk  depart any place of category Food

        """)
  }

  @Test(arguments: [
    ("category", ["home", "no category"]), ("place", ["Rewe", "no place"]),
    ("day", ["Saturday 2026-06-13", "Sunday 2026-06-14", "no date"]),
  ])
  func headingsAreSorted(grouping: String, expected: [String]) throws {
    let run = try list(["--by", grouping])
    #expect(run.lines.filter { !$0.hasPrefix(" ") } == expected)
  }

  /// Of equal titles, their places, due times and states tell which is which.
  @Test func remindersOfOneTitleAreToldApart() throws {
    let rows: [String: JSONObject] = [
      "a1": ["title": "Tea", "rings": "2026-06-12T16:18:00Z", "state": "armed"],
      "a2": ["title": "Tea", "place": ["name": "Rewe"], "state": "fired"],
    ]
    let run = try run(["rm", "tea"]) { call in
      let id = call.parameters["id"]?.string ?? ""
      guard let row = rows[id] else {
        let error = GeoremindError.ambiguous(id: id, candidates: rows.keys.sorted())
        return [VarlinkReply(error.varlink)]
      }
      return [VarlinkReply(parameters: ["reminder": .object(row)])]
    }
    #expect(run.notes.contains("a1 'Tea' (at 2026-06-12T18:18:00+02:00"), "\(run.notes)")
    #expect(run.notes.contains("a2 'Tea' (at Rewe, fired);"), "\(run.notes)")
  }

  /// The error names what has named the socket, and not the system's service.
  @Test func aNamedSocketIsNotTheSystems() throws {
    let context = Context(
      output: Output(descriptor: 1, noColor: "1"), notes: Output(descriptor: 2, noColor: "1"),
      environment: ["GEOREMIND_SOCKET": "/nowhere/s"], now: Run.now)
    for (socket, origin) in [(nil, "GEOREMIND_SOCKET"), ("/nowhere/o", "--socket")]
      as [(String?, String)]
    {
      let failure = #expect(throws: Failure.self) {
        try DaemonConnection(socket: socket, context)
      }
      let text = try "\(#require(failure))"
      #expect(text.contains("; \(origin) names it: start 'georemindd"), "\(text)")
      #expect(!text.contains("systemctl"))
    }
  }

  @Test func jsonListsOneObjectALine() throws {
    let run = try list(["--all", "--kind", "date", "--json"])
    #expect(run.lines.count == 3)
    #expect(
      try run.lines.map { try JSONParser.parse($0)["title"]?.string } == [
        "Sooner", "Later", "Over",
      ])
  }

  @Test(arguments: [
    (["armed": 2] as JSONObject, "no date waits, and without a fix no place has a distance"),
    (["armed": 0] as JSONObject, "nothing waits to fire"),
    (["armed": 2, "fix": ["mode": 3]] as JSONObject, "nothing waits to fire"),
  ])
  func withoutAFixNextSaysSo(status: JSONObject, says: String) throws {
    let run = try run(["next"]) { call in
      call.method.hasSuffix(".Status")
        ? [VarlinkReply(parameters: ["status": .object(status)])]
        : [VarlinkReply(parameters: ["timers": [], "places": []])]
    }
    #expect(run.status == 0)
    #expect(run.notes.hasPrefix("georemind: \(says)"))
  }

  @Test func besideDatesNextSaysThatPlacesHaveNoDistance() throws {
    let timers: JSONValue = [["id": "aaa1", "title": "Tea", "time": "2026-06-12T17:00:00Z"]]
    for (armed, fix, isSaid) in [(2, nil, true), (1, nil, false), (2, ["mode": 3], false)]
      as [(Int, JSONValue?, Bool)]
    {
      let run = try run(["next"]) { call in
        call.method.hasSuffix(".Status")
          ? [
            VarlinkReply(parameters: [
              "status": .object(JSONObject(["armed": .int(armed), "fix": fix]))
            ])
          ]
          : [VarlinkReply(parameters: ["timers": timers, "places": []])]
      }
      #expect(run.output.contains("Tea"))
      #expect(run.notes.hasPrefix("georemind: without a fix") == isSaid, "\(run.notes)")
    }
  }

  @Test func nextIsGroupedByTimeAndByDistance() throws {
    let run = try run(["next"]) { _ in
      [
        VarlinkReply(parameters: [
          "timers": [["id": "1111aaaa", "time": "2026-06-13T08:00:00Z", "title": "Tea"]],
          "places": [
            ["id": "2222", "distance_m": 0, "title": "Milk", "on": "depart", "place": "Rewe"],
            ["id": "3333", "distance_m": 1500, "title": "Post", "on": "arrive"],
          ],
        ])
      ]
    }
    #expect(
      run.output == """
        by time
          1111aaaa  2026-06-13T10:00:00+02:00  Tea

        by distance
          2222  here       Milk  depart Rewe
          3333  in 1.5 km  Post  arrive

        """)
  }

  private static let firings: [JSONValue] = [
    [
      "time": "2026-06-12T22:30:00Z", "event": "due", "kind": "date", "title": "Tea",
      "why": "Due now",
    ],
    [
      "time": "2026-06-12T09:00:00.7Z", "event": "arrive", "kind": "location", "title": "Milk",
      "place": "Rewe", "category": "food", "why": "Entered Rewe",
    ],
    [
      "time": "2026-06-13T09:00:00Z", "event": "due", "kind": "date", "title": "Tea",
      "why": "Due now",
    ],
  ]

  @Test func pastFiringsAreGroupedInTheirOrder() throws {
    let run = try run(["log", "--by", "day"]) { _ in
      [VarlinkReply(parameters: ["firings": .array(Self.firings)])]
    }
    #expect(
      run.output == """
        Friday 2026-06-12
          2026-06-12T11:00:00+02:00  arrive  Milk: entered Rewe

        Saturday 2026-06-13
          2026-06-13T00:30:00+02:00  due  Tea: due now
          2026-06-13T11:00:00+02:00  due  Tea: due now

        """)
  }

  @Test(arguments: [
    ("kind", ["date", "location"]), ("category", ["food", "no category"]),
    ("place", ["Rewe", "no place"]), ("reminder", ["Milk", "Tea"]),
  ])
  func pastFiringsHaveSortedHeadings(grouping: String, expected: [String]) throws {
    let run = try run(["log", "--by", grouping]) { _ in
      [VarlinkReply(parameters: ["firings": .array(Self.firings)])]
    }
    #expect(run.lines.filter { !$0.hasPrefix(" ") } == expected)
  }

  /// Over all pages, each sorted within its group; two spellings of a name are one group.
  @Test(arguments: [false, true])
  func placesAreGroupedByCategory(json: Bool) throws {
    let pages: [String: [JSONValue]] = [
      "": [
        ["name": "aldi", "latitude": 1, "longitude": 2, "category": "food", "color": "#FF0000"],
        ["name": "Aral", "latitude": 1, "longitude": 2, "category": "Fuel", "color": "#00FF00"],
        ["name": "Home", "latitude": 1, "longitude": 2, "radius_m": 100],
      ],
      "Home": [["name": "Rewe", "latitude": 1, "longitude": 2, "category": "FOOD"]],
    ]
    let run = try run(["place", "list", "--by", "category"] + (json ? ["--json"] : [])) { call in
      let page = pages[call.parameters["after"]?.string ?? ""] ?? []
      return [VarlinkReply(parameters: ["places": .array(page)])]
    }
    guard !json else {
      let names = try run.lines.map { try JSONParser.parse($0)["name"]?.string }
      #expect(names == ["aldi", "Rewe", "Aral", "Home"])
      return
    }
    #expect(
      run.lines.map { $0.split(separator: " ").first } == [
        "food", "aldi", "Rewe", "Fuel", "Aral", "no", "Home",
      ])
  }

  @Test func addingSaysWhatWasUnderstood() throws {
    let handler: FakeDaemon.Handler = { call in
      switch call.methodName {
      case "Add":
        let place = call.parameters["reminder"]?["place"]?.string
        let id: JSONValue = place == "Rewe" ? "2222aaaa" : "?"
        return [VarlinkReply(parameters: ["id": id, "reminder": Self.reminders[2]])]
      default:
        return [VarlinkReply(VarlinkServiceError.methodNotFound(method: call.method).varlink)]
      }
    }
    let words = try run(["add", "Milk", "--at", "Rewe"], handler)
    #expect(
      words.lines == [
        "Milk [2J: will ring once when you come within 150 m of Rewe (52.500000, 13.400000)",
        "2222aaaa",
      ])
    let json = try run(["add", "Milk", "--at", "Rewe", "--json"], handler)
    #expect(json.output == "{\"id\":\"2222aaaa\"}\n")
  }

  private static let position: JSONObject = [
    "fix": ["lat": .double(52.52), "lon": .double(13.405), "eph": .double(4.2)], "age_s": 1,
    "nearest": [
      [
        "name": "Rewe", "distance_m": 640, "bearing_deg": 91,
        "travel_s": ["driving": 404, "cycling": 320, "walking": 599],
      ],
      ["name": "Home", "distance_m": 9000, "bearing_deg": 180, "travel_s": ["walking": 8424]],
      ["name": "Here", "distance_m": 3, "bearing_deg": 0, "travel_s": ["walking": 0]],
    ],
  ]

  @Test func whereItIsAndHowFarItIsToPlaces() throws {
    let run = try run(["where"]) { _ in [VarlinkReply(parameters: Self.position)] }
    #expect(
      run.output == """
        52.520000, 13.405000  ±4 m  1s old
          640 m   E  Rewe  10min walking, 7min driving
          9.0 km  S  Home
          3 m     N  Here

        """)
  }

  @Test func aPositionToShare() throws {
    let run = try run(["where", "--share"]) { _ in [VarlinkReply(parameters: Self.position)] }
    let link =
      "https://www.openstreetmap.org/?mlat=52.520000&mlon=13.405000#map=17/52.520000/13.405000"
    #expect(run.output == "geo:52.52,13.405;u=5 \(link)\n")
  }

  @Test func anUnknownPlaceIsReportedAsAPlace() throws {
    let run = try run(["add", "x", "--at", "Nowhere"]) { _ in
      [VarlinkReply(GeoremindError.notFound(id: "Nowhere").varlink)]
    }
    #expect(run.status == 65)
    #expect(run.notes.contains("there is no place 'Nowhere'"))
  }

  @Test func anEditSendsWhatWasGiven() throws {
    let run = try run(["edit", "2222", "--radius", "90", "--notes", ""]) { call in
      guard call.methodName == "Edit" else {
        return [VarlinkReply(parameters: ["reminder": Self.reminders[2]])]
      }
      let changes = call.parameters["changes"]?.object ?? JSONObject()
      let isRight =
        changes.members.map(\.key) == ["place", "notes"] && changes["notes"] == .null
        && changes["place"]?["radius_m"]?.int == 90 && changes["place"]?["name"]?.string == "Rewe"
      return isRight
        ? [VarlinkReply(parameters: ["reminder": Self.reminders[2]])]
        : [VarlinkReply(GeoremindError.invalidReminder(field: "x", reason: "wrong").varlink)]
    }
    #expect(run.status == 0, "\(run.notes)")
  }

  @Test(
    arguments: [
      (GeoremindError.notFound(id: "x").varlink, 65),
      (GeoremindError.ambiguous(id: "x", candidates: ["xa", "xb"]).varlink, 65),
      (GeoremindError.wrongState(id: "x", state: "done").varlink, 65),
      (GeoremindError.storeFailure(reason: "disk full").varlink, 74),
      (GeoremindError.refusedByPolicy(reason: "read-only").varlink, 77),
      (VarlinkServiceError.permissionDenied.varlink, 77),
      (VarlinkServiceError.methodNotFound(method: "x").varlink, 70),
    ] as [(VarlinkError, Int32)])
  func refusalsHaveTheirCodes(error: VarlinkError, status: Int32) throws {
    let run = try run(["show", "x"]) { _ in [VarlinkReply(error)] }
    #expect(run.status == status)
    #expect(run.notes.filter { $0 == "\n" }.count == 1)
  }

  /// Firings come from the ledger, so that none is missed without a connection.
  @Test func watchingPrintsEachFiringFromNowOn() throws {
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[1]) }
    let printed = Mutex("")
    let daemon = try FakeDaemon { [reader = ends[0]] call in
      switch call.methodName {
      case "Status": return [VarlinkReply(parameters: ["status": ["version": "1"]])]
      case "WatchFirings": return []
      case "ReadLedger": break
      default: return [VarlinkReply(VarlinkServiceError.methodNotFound(method: "x").varlink)]
      }
      let after = call.parameters["after"]?.int ?? 0
      var rows: [JSONValue] = []
      if after < .max {
        rows = [
          [
            "firing_id": "f", "reminder_id": "r", "kind": "date", "title": "Tea", "event": "due",
            "time": "2026-06-12T16:00:00Z", "why": "Due now, at 18:00", "seq": .int(after + 1),
          ]
        ]
      }
      if after == 42 {
        // The reader of the output has seen enough.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &bytes, bytes.count)
        printed.withLock { $0 = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) }
        close(reader)
      }
      return [
        VarlinkReply(parameters: [
          "ledger": "l", "first": 1, "head": after < .max ? 43 : 40, "rows": .array(rows),
        ])
      ]
    }
    defer { daemon.stop() }
    var context = Run.context(["GEOREMIND_SOCKET": daemon.path])
    context.output = Output(descriptor: ends[1], noColor: nil)
    #expect(Program.run(["watch"], in: context) == 74)
    let line = "2026-06-12T18:00:00+02:00  due     Tea: due now, at 18:00\n"
    #expect(printed.withLock { $0 } == line + line)
    #expect(context.notes.contents.contains("Broken pipe"))
  }

  @Test func watchingWithoutADaemonEndsAtOnce() throws {
    #expect(Run(["watch", "--lines"]).status == 69)
  }

  @Test func statusIsAShortBlock() throws {
    let status: JSONValue = [
      "version": "0.1.0", "time": "2026-06-12T16:00:00Z", "clock": "system", "reminders": 3,
      "armed": 2, "position": "known", "next_due": "2026-06-12T17:00:00Z",
      "fix": ["mode": 3, "eph_m": .double(4.4), "age_s": .double(1.2)],
      "feeds": [
        ["url": "gpsd://localhost", "state": "open", "last_error": "x", "fixes": 7],
        [
          "url": "udp://0.0.0.0:10110", "state": "open", "condition": "open", "bytes": 900,
          "sentences": ["gga": 5, "rmc": 6], "wrong_checksums": 2, "malformed": 0, "fixes": 6,
          "followed": true, "fix_age_s": .double(2.4), "decoder_error": "y",
          "receivers": [
            ["sender": "1", "fixes": 4, "fix_age_s": .double(2.4), "followed": true],
            [
              "sender": "2", "fixes": 2, "fix_age_s": .double(75), "followed": false,
              "talker": "AI", "reason": "another receiver is followed",
            ],
            ["name": "anna", "fixes": 3, "fix_age_s": .double(10), "followed": false],
          ],
          "talkers_without_position": ["EC", "II"],
        ],
        ["url": "unix:///x", "state": "waiting", "retry_in_s": .double(12), "fixes": 0],
      ],
    ]
    let run = try run(["status"]) { _ in [VarlinkReply(parameters: ["status": status])] }
    #expect(
      run.output == """
        daemon     georemindd 0.1.0
        time       2026-06-12T18:00:00+02:00
        reminders  3, 2 of them armed
        next due   2026-06-12T19:00:00+02:00
        position   known, 3D, ±4 m, 1s old
        feed       gpsd://localhost: open
                   7 fixes
                   last error: x
        feed       udp://0.0.0.0:10110: open, followed, last fix 2s ago
                   900 bytes, 2 wrong checksums, 6 fixes
                   sentences: 5 gga, 6 rmc
                   receiver 1: 4 fixes, last 2s ago, followed
                   receiver 2 (AI): 2 fixes, last 1min 15s ago, not used: another receiver is followed
                   anna: 3 fixes, last 10s ago
                   without a position: EC, II
                   last error: y
        feed       unix:///x: waiting, trying again in 12s
                   0 fixes

        """)
  }

  @Test func timesTypedAreResolvedHere() throws {
    let context = Run.context()
    #expect(try SnoozeCommand.until("20min", in: context) == "20min")
    #expect(try SnoozeCommand.until("next-visit", in: context) == "next-visit")
    #expect(try SnoozeCommand.until("18:30", in: context) == "2026-06-12T16:30:00Z")
  }

  @Test func importsAreCutIntoCallsThatTheDaemonTakes() throws {
    let reminders = (0..<100).map { number in
      Reminder(
        id: "r\(number)", kind: .date, title: "x", notes: String(repeating: "n", count: 16_000),
        due: .absolute(Run.now))
    }
    let batches = try ImportCommand.batches(reminders.map(\.json))
    #expect(batches.count > 1)
    #expect(batches.joined().compactMap { $0["id"]?.string } == reminders.map(\.id))
    #expect(
      batches.allSatisfy { JSONValue.array($0).line.utf8.count <= VarlinkFramer.defaultLimit / 16 })
    #expect(try ImportCommand.batches([]).isEmpty)
  }

  @Test func shortIDsAreUnique() {
    let ids = ShortIDs(["abcdefghij", "abcdeXghij", "zzzzzzzzzzz", "office"])
    #expect(ids["abcdefghij"] == "abcdef")
    #expect(ids["abcdeXghij"] == "abcdeX")
    #expect(ids["zzzzzzzzzzz"] == "zzzz")
    #expect(ids["office"] == "office")
  }
}
