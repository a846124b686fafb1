import Control
import JSONText
import Testing

@testable import Client

@Suite struct DeliveryVerbTests {
  private static let answer: JSONObject = [
    "ledger": "l", "first": 3, "head": 9,
    "consumers": [
      ["name": "hook-blink", "upto": 9, "waiting": 0, "tries": 0],
      [
        "name": "hook-ntfy", "upto": 1, "waiting": 7, "tries": 4,
        "failing_since": "2026-06-12T15:00:00Z", "next_try": "2026-06-12T16:15:00Z",
        "text": "it exited with 22\u{1B}[2J",
      ],
    ],
  ]

  private func run(_ arguments: [String], _ handler: @escaping FakeDaemon.Handler) throws -> Run {
    let daemon = try FakeDaemon(handler)
    defer { daemon.stop() }
    return Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  @Test(arguments: [["delivery"], ["delivery", "list"]])
  func listsWhatIsDoneWaitsAndFails(arguments: [String]) throws {
    let run = try run(arguments) { call in
      call.methodName == "ListConsumers" ? [VarlinkReply(parameters: Self.answer)] : []
    }
    #expect(
      run.output == """
        hook-blink  up to 9  none waiting
        hook-ntfy   up to 1  7 waiting     failing since 2026-06-12T17:00:00+02:00  \
        next try 2026-06-12T18:15:00+02:00  it exited with 22 [2J

        """)
    #expect(run.status == 0)
  }

  @Test func asJSONEachIsALine() throws {
    let run = try run(["delivery", "--json"]) { _ in [VarlinkReply(parameters: Self.answer)] }
    let rows = try run.lines.map { try JSONParser.parse(Array($0.utf8)) }
    #expect(rows.map { $0["waiting"]?.int } == [0, 7])
    #expect(rows.map { $0["ledger"]?.string } == ["l", "l"])
    #expect(rows[1]["text"]?.string == "it exited with 22\u{1B}[2J")
  }

  @Test func skipsAndForgets() throws {
    let skipped = try run(["delivery", "skip", "hook-ntfy"]) { call in
      guard call.methodName == "SkipFiring", call.parameters["name"] == "hook-ntfy" else {
        return []
      }
      return [VarlinkReply(parameters: ["firing": ["title": "Milk", "seq": 2]])]
    }
    #expect(skipped.status == 0)
    #expect(skipped.notes.contains("skipped Milk for hook-ntfy"))
    let nothing = try run(["delivery", "skip", "hook-blink"]) { _ in [VarlinkReply()] }
    #expect(nothing.status == 1)
    let forgotten = try run(["delivery", "forget", "hook-ntfy"]) { call in
      call.methodName == "ForgetConsumer" ? [VarlinkReply()] : []
    }
    #expect(forgotten.status == 0)
  }

  @Test func anUnknownDestinationIsNamed() throws {
    for verb in ["skip", "forget"] {
      let run = try run(["delivery", verb, "x"]) { _ in
        [VarlinkReply(GeoremindError.notFound(id: "x").varlink)]
      }
      #expect(run.status == 65)
      #expect(run.notes.contains("no destination 'x'; 'georemind delivery' shows all"))
    }
  }

  /// - Parameter tests: member `test` of each destination.
  private func test(_ tests: [JSONObject], _ arguments: [String] = []) throws -> Run {
    try run(["test"] + arguments) { call in
      switch call.methodName {
      case "TestConsumers":
        [VarlinkReply(parameters: ["test": "t", "names": ["hook-say", "mqtt"]])]
      case "ListConsumers":
        [
          VarlinkReply(parameters: [
            "consumers": .array(
              zip(["hook-say", "mqtt"], tests).map {
                ["name": .string($0.0), "test": .object($0.1)]
              })
          ])
        ]
      default: []
      }
    }
  }

  @Test func aTestSaysWhatCameOfIt() throws {
    let good = try test([
      ["id": "t", "after_s": .double(1.25)], ["id": "t", "after_s": .double(0.004)],
    ])
    #expect(good.output == "hook-say  delivered  (1.250s)\nmqtt  delivered  (4ms)\n")
    #expect(good.status == 0)
    let bad = try test([
      ["id": "t", "after_s": 1], ["id": "t", "after_s": 2, "text": "it exited with 7"],
    ])
    #expect(bad.output == "hook-say  delivered  (1s)\nmqtt  failed: it exited with 7  (2s)\n")
    #expect(bad.status == 1)
    #expect(bad.notes.contains("1 of the destinations did not take the test firing"))
  }

  @Test(arguments: [
    (["2h"], #"{"until":"2h"}"#), (["until", "tomorrow", "8:00"], #"{"until":"tomorrow 8:00"}"#),
    (["for", "30", "min"], #"{"until":"30 min"}"#), (["till", "8:00"], #"{"until":"8:00"}"#),
    (["off"], #"{"off":true}"#), ([], "{}"),
  ]) func aMuteIsReadByTheDaemon(words: [String], parameters: String) throws {
    let run = try run(["mute"] + words) { call in
      guard JSONValue.object(call.parameters).line == parameters else { return [] }
      guard call.parameters["off"] == nil else { return [VarlinkReply()] }
      return [
        VarlinkReply(parameters: [
          "quiet": ["now": true, "until": "2026-06-12T18:00:00Z", "held": 2]
        ])
      ]
    }
    let end = "2026-06-12T20:00:00+02:00, 2 waiting; 'georemind mute off' ends it"
    #expect(run.output == "quiet: \(words == ["off"] ? "no more" : "now until \(end)")\n")
  }

  @Test func aTestOfAnUnknownDestinationNamesIt() throws {
    let run = try run(["test", "x"]) { _ in
      [VarlinkReply(GeoremindError.notFound(id: "x").varlink)]
    }
    #expect(run.status == 65)
    #expect(run.notes.contains("no destination 'x'; 'georemind delivery' shows all"))
  }

  @Test func aTestWithoutAnAnswerFails() throws {
    // An outcome of an earlier test, and none.
    let run = try test([["id": "s", "after_s": 1], ["id": "t"]], ["--timeout", "0.3s", "--json"])
    let rows = try run.lines.map { try JSONParser.parse(Array($0.utf8)) }
    #expect(rows.map { $0["delivered"] } == [false, false])
    #expect(rows[0]["text"]?.string?.hasPrefix("no answer") == true)
    #expect(run.notes.contains("waiting for hook-say, mqtt, up to 300ms; is its program running?"))
    #expect(run.status == 1)
  }

  @Test func theStatusNamesWhatFailsForAnHour() throws {
    let run = try run(["status"]) { _ in
      [
        VarlinkReply(parameters: [
          "status": [
            "delivery": [
              [
                "name": "hook-ntfy", "waiting": 7, "failing_since": "2026-06-12T15:00:00Z",
                "text": "it exited with 22",
              ]
            ]
          ]
        ])
      ]
    }
    #expect(
      run.lines.contains {
        $0.hasSuffix(
          "hook-ntfy failing since 2026-06-12T17:00:00+02:00, 7 waiting: it exited with 22")
      })
  }
}
