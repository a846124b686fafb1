import Control
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Client

/// The first time of what people type: now is a Friday, 18:00.
@Suite struct FirstTimesTests {
  private func added(_ arguments: [String]) throws -> (JSONObject?, Run) {
    let run = Run(["add", "--dry-run", "--json"] + arguments)
    return (try? JSONParser.parse(Array(run.output.utf8)).object, run)
  }

  @Test(arguments: [
    (["Not there", "--at", "52,13", "--not-by", "08:10", "--repeat", "weekdays"], "15T08:10:00"),
    (["Stand up", "--due", "08:10", "--repeat", "weekdays"], "15T08:10:00"),
    (["Stand up", "--due", "19:00", "--repeat", "weekdays"], "12T19:00:00"),
    (["Stand up", "--due", "8:00", "--repeat", "weekdays at 8:00"], "15T08:00:00"),
    (["Not there", "--at", "52,13", "--not-by", "8:00", "--days", "weekdays"], "15T08:00:00"),
    (["Pay", "--due", "9:00", "--days", "tue"], "16T09:00:00"),
    // Who names a day means it.
    (["Stand up", "--due", "tomorrow 8:00", "--repeat", "weekdays"], "13T08:00:00"),
    (["Every other", "--due", "8:00", "--repeat", "every 2 weeks"], "13T08:00:00"),
  ])
  func aTimeOfDayAloneIsOnTheFirstOfItsDays(arguments: [String], due: String) throws {
    let (reminder, run) = try added(arguments)
    #expect(reminder?["due"]?.string == "2026-06-\(due)", "\(run.notes)")
  }

  /// A series goes on by the clocks that its time names.
  @Test(arguments: [
    (["Call", "every", "monday", "at", "10:00", "America/New_York"], "2026-06-15T14:00:00Z"),
    // The Tuesday of here.
    (["Call", "every", "monday", "at", "22:00", "America/New_York"], "2026-06-16T02:00:00Z"),
    (
      ["Call", "--due", "10:00 America/New_York", "--repeat", "every monday"],
      "2026-06-15T14:00:00Z"
    ),
    (
      ["Call", "--due", "2026-06-16 10:00 America/New_York", "--repeat", "weekly"],
      "2026-06-16T14:00:00Z"
    ),
  ])
  func aRepeatKeepsTheZoneOfItsTime(arguments: [String], due: String) throws {
    let (reminder, run) = try added(arguments)
    #expect(reminder?["due"]?.string == due, "\(run.notes)")
    #expect(reminder?["zone"]?.string == "America/New_York")
  }

  @Test(arguments: [
    (["Meds", "every", "day", "--due", "tomorrow 8:00"], "--repeat 'every day'"),
    (["Coffee", "tomorrow", "at", "6pm", "--repeat", "daily"], "--due 'tomorrow at 6pm'"),
    (["Lunch", "every", "monday", "at", "12:00", "--at", "52,13"], "--repeat"),
  ])
  func wordsThatTheTitleKeepsAreNamed(arguments: [String], option: String) throws {
    let (_, run) = try added(arguments)
    #expect(run.notes.contains("did you mean \(option)"), "\(run.notes)")
    let (_, quiet) = try added(["Buy", "milk", "--due", "tomorrow 8:00"])
    #expect(!quiet.notes.contains("did you mean"))
  }

  /// What can never ring is refused, and not taken and reported as over.
  @Test(arguments: [
    ["--due", "16:00", "--repeat", "weekdays", "--days", "sat,sun"],
    ["--due", "22:00", "--hours", "8-20", "--until", "today 23:00"],
    ["--due", "tomorrow 8:00", "--repeat", "daily", "--until", "today"],
  ])
  func whatCanNeverRingIsRefused(arguments: [String]) throws {
    let (_, run) = try added(["X"] + arguments)
    #expect(run.status == 65 && run.notes.contains("could never ring"), "\(run.notes)")
  }

  @Test func aLeadOfMonthsIsRefused() throws {
    let (_, run) = try added(["Tax", "--due", "2026-08-31 10:00", "--lead", "1 month"])
    #expect(run.status == 65 && run.notes.contains("give days such as 30d"), "\(run.notes)")
  }

  @Test func anAbsenceOnADayThatIsLeftOutIsRefused() throws {
    let (_, run) = try added([
      "Not there", "--at", "52,13", "--not-by", "saturday 8:00", "--days", "weekdays",
    ])
    #expect(run.status == 65 && run.notes.contains("excludes the saturday"), "\(run.notes)")
  }

  @Test(arguments: [
    ("check the gas weekly sunday evening", "check the gas", "2026-06-14T18:00:00", "WEEKLY"),
    ("pills daily tomorrow morning", "pills", "2026-06-13T09:00:00", "DAILY"),
    ("pills tomorrow 8:00 daily", "pills", "2026-06-13T08:00:00", "DAILY"),
    ("water the plants every 3 days at 7pm", "water the plants", nil, "DAILY"),
  ])
  func aTitleMayEndInItsTimeAndItsRepeat(
    line: String, title: String, due: String?, frequency: String
  ) throws {
    let (reminder, run) = try added(line.split(separator: " ").map(String.init))
    #expect(reminder?["title"]?.string == title, "\(run.notes)")
    #expect(reminder?["repeat"]?.string?.contains("FREQ=\(frequency)") == true)
    if let due { #expect(reminder?["due"]?.string == due) }
  }

  @Test func aTitleMayEndInTheTimeToBeThere() throws {
    let (reminder, run) = try added(["Ferry", "tomorrow", "18:18", "--leave-for", "53.5,10"])
    #expect(reminder?["title"]?.string == "Ferry", "\(run.notes)")
    #expect(reminder?["due"]?.string == "2026-06-13T18:18:00")
  }

  @Test func aQuotedTitleIsTakenAsItIs() throws {
    let (_, run) = try added(["remind me of the tide at 14:20"])
    #expect(
      run.status == 64 && run.notes.contains("did you mean --due 'at 14:20'?"), "\(run.notes)")
  }

  @Test(arguments: [("--not-by", "eight"), ("--due", "eight")])
  func anErrorNamesTheOptionThatWasTyped(option: String, text: String) throws {
    let (_, run) = try added(["Not there", "--at", "52,13", option, text])
    #expect(run.status == 65 && run.notes.hasPrefix("georemind: \(option): "), "\(run.notes)")
  }

  @Test(arguments: [("everyone", "all"), ("Everybody", "all"), ("anybody", "anyone")])
  func peopleHaveOtherWordsForAll(word: String, who: String) throws {
    let (reminder, run) = try added(["Lock up", "--at", "52,13", "--on", "left", "--who", word])
    #expect(reminder?["who"]?.string == who, "\(run.notes)")
    #expect(reminder?["on"]?.string == "depart")
  }

  @Test(arguments: [("map", "web link"), ("unmute", "mute off"), ("distance", "convert")])
  func anotherWordForAVerbIsNamed(word: String, verb: String) {
    let run = Run([word, "x"])
    #expect(run.status == 64 && run.notes.contains("did you mean '\(verb)'?"), "\(run.notes)")
  }

  @Test(arguments: [["tomorrow"], ["this", "week"], ["Today"], ["--due", "tomorrow"]])
  func aListOfADayNeedsNoOption(words: [String]) throws {
    let day = words == ["Today"] ? "12" : "13"
    let daemon = try FakeDaemon { call in
      guard call.methodName == "PageReminders" else { return [VarlinkReply()] }
      let rows: JSONValue = [
        [
          "id": "aaaa", "kind": "date", "title": "Then", "state": "armed",
          "due": .string("2026-06-\(day)T20:00:00"), "rings": .string("2026-06-\(day)T18:00:00Z"),
        ],
        [
          "id": "bbbb", "kind": "date", "title": "Later", "state": "armed",
          "due": "2026-07-13T20:00:00", "rings": "2026-07-13T18:00:00Z",
        ],
      ]
      return [VarlinkReply(parameters: ["reminders": rows])]
    }
    defer { daemon.stop() }
    let run = Run(["list"] + words, environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(
      run.output.contains("Then") && !run.output.contains("Later"), "\(run.output)\(run.notes)")
  }

  @Test func aPlaceBringsItsCategory() throws {
    let run = { (category: String) throws -> Run in
      let daemon = try FakeDaemon { call in
        switch call.methodName {
        case "ListCategories":
          [VarlinkReply(parameters: ["categories": [["name": "Water", "color": "#00838F"]]])]
        case "AddPlace"
        where call.parameters["category"] != "water" && call.parameters["color"] == nil:
          [VarlinkReply(GeoremindError.notFound(id: category).varlink)]
        case "AddPlace": [VarlinkReply(parameters: ["place": ["name": "Tap"]])]
        default: []
        }
      }
      defer { daemon.stop() }
      return Run(
        ["place", "add", "Tap", "52,13", "--category", category],
        environment: ["GEOREMIND_SOCKET": daemon.path])
    }
    #expect(try run("water").notes.isEmpty)
    let new = try run("Fuel")
    #expect(
      new.status == 0 && new.notes == "georemind: note: the category Fuel is new\n", "\(new.notes)")
    let typo = try run("Watr")
    #expect(typo.status == 65 && typo.notes.contains("did you mean 'Water'?"), "\(typo.notes)")
  }

  @Test func aWordOfAPlaceIsEnoughToFindIt() throws {
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "FindPlaces":
        [VarlinkReply(parameters: ["places": [["name": "Customer Meyer"], ["name": "Depot"]]])]
      default: [VarlinkReply(GeoremindError.notFound(id: "meyer").varlink)]
      }
    }
    defer { daemon.stop() }
    let run = Run(
      ["add", "Deliver", "--at", "meyer"], environment: ["GEOREMIND_SOCKET": daemon.path])
    #expect(run.status == 65 && run.notes.contains("did you mean 'Customer Meyer'?"))
  }

  @Test func theAddressOfTheMapMayStandInADropInAlone() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/georemind.conf.d", 0o755)
    _ = try folder.file("georemind.conf.d/web.conf", "[Web]\nListen=127.0.0.1:18088\n")
    var context = Run.context()
    context.configurationFiles = ["\(folder.path)/georemind.conf"]
    #expect(WebAddress(context).text == "http://127.0.0.1:18088")
  }
}
