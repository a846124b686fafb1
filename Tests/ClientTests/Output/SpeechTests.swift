import CivilTime
import Control
import Geodesy
import JSONText
import Reminders
import Testing

@testable import Client

/// What `add` says of what it understood, and how it takes a slip.
@Suite struct SpeechTests {
  private static let position: JSONObject = [
    "fix": [
      "lat": .double(52.52), "lon": .double(13.405), "mode": 3, "eph": .double(35),
    ]
  ]

  private static let rewe: JSONValue = [
    "name": "Rewe", "latitude": .double(52.54), "longitude": .double(13.405), "radius_m": 150,
  ]

  /// What the daemon would add.
  private static func checked(_ given: JSONValue?, _ name: String?) -> JSONValue {
    var object = given?.object ?? JSONObject()
    if let name {
      object["place"] = ["name": .string(name), "lat": .double(52.54), "lon": .double(13.405)]
    }
    object["id"] = object["id"] ?? "new"
    return .object(object)
  }

  private func run(_ arguments: [String]) throws -> Run {
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "ShowPlace" where call.parameters["name"]?.string == "Rewe":
        [VarlinkReply(parameters: ["place": Self.rewe, "reminders": []])]
      case "ShowPlace":
        [
          VarlinkReply(
            GeoremindError.notFound(id: call.parameters["name"]?.string ?? "").varlink)
        ]
      case "Check":
        switch call.parameters["reminder"]?["place"]?.string {
        case let name? where name != "Rewe":
          [VarlinkReply(GeoremindError.notFound(id: name).varlink)]
        case let name:
          [
            VarlinkReply(parameters: [
              "reminder": Self.checked(call.parameters["reminder"], name),
              "fix": Self.position["fix"],
            ])
          ]
        }
      case "FindPlaces": [VarlinkReply(parameters: ["places": [Self.rewe]])]
      case "ListCategories":
        [
          VarlinkReply(parameters: [
            "categories": [["name": "Shopping", "color": "#112233"]]
          ])
        ]
      default: [VarlinkReply(VarlinkServiceError.methodNotFound(method: call.method).varlink)]
      }
    }
    defer { daemon.stop() }
    return Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
  }

  @Test func aDryRunSaysWhatWasUnderstoodAndAddsNothing() throws {
    let run = try run(["add", "Buy", "milk", "--at", "Rewe", "--dry-run"])
    #expect(run.status == 0, "\(run.notes)")
    #expect(
      run.lines == [
        "Buy milk: will ring once when you come within 150 m of Rewe (52.540000, 13.405000), "
          + "2.2 km from here"
      ])
    #expect(run.notes.contains("nothing was added"))
  }

  @Test func aDryRunPrintsTheReminderAsJSON() throws {
    let run = try run(["add", "Buy", "milk", "--at", "Rewe", "--dry-run", "--json"])
    let reminder = try JSONParser.parse(run.output)
    #expect(reminder["title"]?.string == "Buy milk")
    #expect(reminder["place"]?["name"]?.string == "Rewe")
  }

  @Test func aSeriesThatBeganInThePastIsSaidFromItsNextTime() throws {
    let run = Run(["add", "x", "--due", "2020-01-01 08:00", "--repeat", "daily", "--dry-run"])
    #expect(run.lines.first?.hasPrefix("x: will ring at 2026-06-13T08:00:00+02:00") == true)
  }

  /// A coordinate and a date need no daemon.
  @Test func aDryRunWithoutADaemonLeavesTheDistanceOut() {
    let place = Run(["add", "x", "--at", "52.52,13.405", "--radius", "80m", "--dry-run"])
    #expect(place.status == 0, "\(place.notes)")
    #expect(
      place.lines == ["x: will ring once when you come within 80 m of 52.520000, 13.405000"])
    let date = Run(["add", "Tea", "--due", "in 4min", "--dry-run"])
    #expect(
      date.lines == [
        "Tea: will ring at 2026-06-12T18:04:00+02:00 (Fri 12 Jun 2026 18:04, in 4 minutes)"
      ])
  }

  @Test(arguments: [
    (["--at", "52.52,13.405"], "you are at the place now"),
    (["--at", "52.6,13.405", "--radius", "20m"], "less than the position's error now (35 m)"),
    (["--due", "2026-06-12 10:00"], "is past: it rings at once"),
    (["--at", "52.6,13.4", "--category", "Shoping"], "did you mean 'Shopping'?"),
    (["--near-category", "shoping"], "did you mean 'Shopping'? Else add it with"),
  ])
  func aProbableMistakeIsNoted(options: [String], words: String) throws {
    let run = try run(["add", "x"] + options + ["--dry-run"])
    #expect(run.status == 0)
    #expect(run.notes.contains(words), "\(run.notes)")
  }

  @Test(arguments: ["yesterday at 5", "2 hours ago"])
  func wordsOfThePastAreNoDueTime(_ text: String) throws {
    let once = try run(["add", "x", "--due", text, "--dry-run"])
    #expect(once.status == 65)
    #expect(once.notes.contains("--due: '\(text)' is in the past"))
    let series = try run(["add", "x", "--due", text, "--repeat", "daily", "--dry-run"])
    #expect(series.status == 0, "\(series.notes)")
  }

  @Test func hoursThatAreOverAtEachDueTimeAreRefused() throws {
    let options = ["--at", "52.6,13.4", "--due", "18:00", "--repeat", "daily", "--hours", "8-17"]
    let run = try run(["add", "x"] + options + ["--dry-run"])
    #expect(run.status == 65)
    #expect(run.notes.contains("hours: are over when it is due: it could never ring"))
  }

  @Test func plausibleOptionsCauseNoNote() throws {
    let run = try run(["add", "x", "--at", "Rewe", "--category", "shopping", "--dry-run"])
    #expect(run.notes == "georemind: nothing was added: this was a dry run\n")
  }

  @Test(arguments: [["edit", "Car", "#000000"], ["rm", "Car"]])
  func anUnknownCategoryIsReportedAsACategory(arguments: [String]) throws {
    let daemon = try FakeDaemon { call in
      let name = call.parameters["name"]?.string ?? ""
      return [VarlinkReply(GeoremindError.notFound(id: name).varlink)]
    }
    defer { daemon.stop() }
    let run = Run(["category"] + arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 65)
    #expect(run.notes.contains("there is no category 'Car'; 'georemind category list' shows all"))
  }

  @Test func aMisspeltPlaceIsSuggested() throws {
    let run = try run(["add", "x", "--at", "Rwee", "--dry-run"])
    #expect(run.status == 65)
    #expect(run.notes.contains("there is no place 'Rwee'; did you mean 'Rewe'?"))
  }

  /// The kind of name that a verb takes decides where to look it up.
  @Test(arguments: [
    (["place", "show", "X"], "there is no place 'X'; 'georemind place list' shows all"),
    (["place", "rm", "X"], "there is no place 'X'; 'georemind place list' shows all"),
    (["place", "merge", "Rewe", "X"], "there is no place 'X'; 'georemind place list' shows all"),
    (
      ["place", "list", "--category", "X"],
      "there is no category 'X'; 'georemind category list' shows all"
    ),
    (["phone", "revoke", "X"], "there is no phone 'X'; 'georemind phone list' shows all"),
    (["web", "revoke", "X"], "there is no link 'X'; 'georemind web links' shows all"),
    (["where", "X"], "there is no tracker 'X'; 'georemind tracker list' shows all"),
    (["tracker", "forget", "X"], "there is no tracker 'X'; 'georemind tracker list' shows all"),
    (["trips", "export", "X"], "there is no trip 'X'; 'georemind trips' shows all"),
    (["delivery", "forget", "X"], "there is no destination 'X'; 'georemind delivery' shows all"),
    (["show", "X"], "there is no reminder 'X'; 'georemind list' shows all"),
    (["log", "--reminder", "X"], "there is no reminder 'X'; 'georemind list' shows all"),
  ])
  func anUnknownNameIsReportedWithTheListToSee(arguments: [String], words: String) throws {
    let daemon = try FakeDaemon { _ in [VarlinkReply(GeoremindError.notFound(id: "X").varlink)] }
    defer { daemon.stop() }
    let run = Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 65)
    #expect(run.notes == "georemind: \(words)\n")
  }

  /// The subject of a method is the noun of what is wrong with its parameters.
  @Test(arguments: [
    (["phone", "add", "X"], "the phone's 'name' is not valid: too long"),
    (["mute", "X"], "the mute's 'name' is not valid"),
    (["place", "edit", "A", "--radius", "1"], "the place's 'name' is not valid"),
    (["web", "link", "--expires", "X"], "the link's 'name' is not valid"),
    (["show", "X"], "the reminder's 'name' is not valid"),
  ])
  func aWrongParameterIsSaidOfItsSubject(arguments: [String], words: String) throws {
    let daemon = try FakeDaemon { _ in
      [VarlinkReply(GeoremindError.invalidReminder(field: "name", reason: "too long").varlink)]
    }
    defer { daemon.stop() }
    let run = Run(arguments, environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 65)
    #expect(run.notes.contains(words), "\(run.notes)")
  }

  @Test func aMisspeltReminderIsSuggested() throws {
    let daemon = try FakeDaemon { call in
      guard call.methodName == "PageReminders" else {
        return [VarlinkReply(GeoremindError.notFound(id: "mlik").varlink)]
      }
      return [VarlinkReply(parameters: ["reminders": [["id": "a", "title": "Buy milk"]]])]
    }
    defer { daemon.stop() }
    for verb in ["show", "done", "log", "why", "rm"] {
      let run = Run([verb, "mlik"], environment: ["GEOREMIND_SOCKET": daemon.path])
      #expect(run.status == 65)
      #expect(
        run.notes == "georemind: there is no reminder 'mlik'; did you mean 'milk'? "
          + "'georemind list' shows all\n")
    }
  }

  /// Ids of random digits say little.
  @Test func aPlaceInUseIsRefusedWithTheTitles() throws {
    let daemon = try FakeDaemon { call in
      call.methodName == "Show"
        ? [VarlinkReply(parameters: ["reminder": ["id": "d613", "title": "Buy milk"]])]
        : [VarlinkReply(GeoremindError.inUse(name: "Rewe", reminders: ["d613"]).varlink)]
    }
    defer { daemon.stop() }
    let run = Run(["place", "rm", "Rewe"], environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 65)
    #expect(
      run.notes == "georemind: 'Rewe' is named by d613 'Buy milk'; change or remove those first, "
        + "or give --force: they keep its position\n")
  }

  @Test(arguments: [
    (["--at", "52.6,13.4", "--until", "yesterday"], "until: is past: it would never ring"),
    (
      ["--at", "52.6,13.4", "--max-speed", "20km/h", "--min-speed", "50km/h"],
      "is below the minimum speed: it could never ring"
    ),
  ])
  func aReminderThatCouldNeverRingIsRefused(options: [String], words: String) throws {
    let run = try run(["add", "x"] + options)
    #expect(run.status == 65)
    #expect(run.notes.contains(words), "\(run.notes)")
  }

  @Test func aPlaceInATitleIsSaid() throws {
    let bare = try run(["add", "buy", "milk", "at", "Rewe"])
    #expect(bare.status == 64)
    #expect(bare.notes.contains("'Rewe' is a place; did you mean --at 'Rewe'?"), "\(bare.notes)")
    let timed = try run(["add", "buy milk", "at", "Rewe", "tomorrow", "--dry-run"])
    #expect(timed.status == 0)
    #expect(timed.notes.contains("note: 'Rewe' is a place, but"), "\(timed.notes)")
    let other = try run(["add", "look", "at", "this", "tomorrow", "--dry-run"])
    #expect(!other.notes.contains("is a place"))
  }

  @Test(arguments: ["--lead", "--cooldown"]) func aBareNumberIsNoSpan(option: String) {
    let run = Run(["add", "tea", "tomorrow", option, "10", "--dry-run"])
    #expect(run.status == 65)
    #expect(run.notes.contains("give a unit: 10s, 10min or 10h"), "\(run.notes)")
  }

  @Test func anUnknownOptionOfAPlaceIsNamed() {
    let run = Run(["place", "edit", "Harbour", "--at", "54,9"])
    #expect(run.status == 64 && run.notes.contains("unknown option '--at'"), "\(run.notes)")
  }

  @Test(arguments: [
    (["add", "x", "--near", "Rewe"], "unknown option '--near'; did you mean '--near-category'?"),
    (["add", "x", "--in", "5min"], "unknown option '--in'; did you mean '--due'?"),
    (["add", "x", "--att", "Rewe"], "unknown option '--att'; did you mean '--at'?"),
    (["add", "x"], "say where (--at"),
    (["add", "x"], "; see 'georemind add --help'"),
    (["add", "x", "--due", "18:00", "--priority", "-1"], "a whole number from 0 to 9"),
    (["add", "--help"], "--priority <0-9>"), (["add", "--help"], "-d, --due <time>"),
    (
      ["add", "x", "--leave-for", "1,1", "--due", "18:00", "--by", "bus"],
      "georemind: the value 'bus' is invalid for '--by <mode>': it goes by a timetable, which "
        + "georemind does not know; give the travel time: --travel 25min; see 'georemind add --help'"
    ),
    (
      ["add", "x", "--at", "1,1", "--on", "entre"],
      "it must be one of arrive, depart, dwell, absent, silent; did you mean 'enter'?"
    ),
    (["add", "x", "--due", "18:00", "--priority", "hihg"], "did you mean 'high'?"),
  ])
  func aMisspeltOptionIsNamed(arguments: [String], words: String) {
    let run = Run(arguments)
    #expect((run.notes + run.output).contains(words), "\(run.notes)")
  }

  @Test(arguments: [
    ("lits", "did you mean 'list'?"), ("stauts", "did you mean 'status'?"),
    ("erase", "there is no verb 'erase'; See"), ("remvoe", "did you mean 'remove'?"),
    ("delte", "did you mean 'delete'?"), ("complte", "did you mean 'complete'?"),
  ])
  func aMisspeltVerbIsSuggested(verb: String, words: String) {
    let run = Run([verb])
    #expect(run.status == 64)
    #expect(run.notes.contains(words), "\(run.notes)")
  }
}
