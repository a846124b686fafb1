import ArgumentParser
import JSONText
import TestSupport
import Testing

@testable import Client

@Suite struct ProgramTests {
  @Test(
    arguments: [
      ([], 0), (["--help"], 0), (["--version"], 0), (["add", "--help"], 0),
      (["help", "replay"], 0),
      (["frobnicate"], 64), (["--frobnicate"], 64), (["distance", "1,1", "2,2"], 64),
      (["replay", "x", "--speed", "-1"], 64), (["log", "--limit", "0"], 64), (["peek"], 64),
      (["when", "daily", "--count", "0"], 64), (["when", "daily", "--from", "now"], 64),
      (["export", "--format", "kmz"], 64),
      (["convert", "95,200"], 65), (["convert", "0,0", "--to", "9,9,9"], 65),
      (["convert", "0,0", "--to", "nowhere"], 69),
      (["when", "sometimes", "--count", "1"], 65), (["when", "tomorrow", "--count", "1"], 65),
      (["snooze", "x", "0"], 65), (["snooze", "x", "soonish"], 65),
      (["category", "add", "x", "reddish"], 65), (["category", "edit", "x", "#12345"], 65),
      (["rm"], 64), (["done", "--yes"], 64), (["edit", "--due", "19:00"], 64),
      (["snooze", "x"], 64),
      (["place", "add", "x", "95,200"], 65),
      (["decode", "/nonexistent"], 66), (["decode", "/"], 66), (["decode", "/dev/null"], 65),
      (["replay", "/nonexistent", "--reminders", "/dev/null"], 66),
      (["import", "/nonexistent"], 66),
      (["list"], 69), (["status"], 69), (["watch"], 69), (["add", "x", "--at", "Rewe"], 69),
    ] as [([String], Int32)])
  func exitCodesAreThoseOfSysexits(arguments: [String], expected: Int32) {
    let run = Run(arguments)
    #expect(run.status == expected, "\(run.notes)")
    guard expected != 0 else { return }
    #expect(run.output.isEmpty)
    #expect(run.notes.hasPrefix("georemind: "))
    #expect(run.notes.filter { $0 == "\n" }.count == 1)
  }

  /// A command that the list lacks would be a verb that nobody can type.
  @Test func everyCommandOfTheSourcesIsInTheListOfVerbs() throws {
    let listed = Self.commands(below: GeoremindCommand.self)
    var count = 0
    for path in swiftFiles(below: "\(packageRoot)/Sources/Client") {
      for part in try contents(path).split(separator: "commandName: \"").dropFirst() {
        count += 1
        let name = String(part.prefix { $0 != "\"" })
        #expect(listed.contains(name), "\(path): \(name)")
      }
    }
    #expect(count >= listed.count)
  }

  private static func commands(below command: any ParsableCommand.Type) -> Set<String> {
    let configuration = command.configuration
    let inner = configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
    return inner.reduce(into: [configuration.commandName ?? "\(command)".lowercased()]) {
      $0.formUnion(commands(below: $1))
    }
  }

  @Test(arguments: [[], ["-h"], ["--help"]])
  func theFirstHelpFitsAScreenAndHasTheUsualVerbs(arguments: [String]) {
    let run = Run(arguments)
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(run.status == 0 && lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
    #expect(lines.count { $0.hasPrefix("  georemind ") } == 3)
    let words = Set(run.output.split { !$0.isLetter }.map(String.init))
    let all = Set(Run(["help"]).output.split { !$0.isLetter }.map(String.init))
    for group in GeoremindCommand.configuration.groupedSubcommands {
      for command in group.subcommands {
        let verb = command.configuration.commandName ?? ""
        #expect(words.contains(verb) == (group.name != GeoremindCommand.more), "\(verb)")
        #expect(all.contains(verb), "\(verb)")
      }
    }
  }

  @Test func noUsageLineIsWiderThanATerminal() {
    func check(_ path: [String], _ command: any ParsableCommand.Type) {
      let help = Run(path + ["--help"]).output
      let usage = help.split(separator: "\n").first { $0.hasPrefix("USAGE: ") } ?? "none"
      #expect(usage.count <= 80 && usage.hasPrefix("USAGE: georemind"), "\(usage)")
      for inner in command.configuration.subcommands {
        check(path + [inner.configuration.commandName ?? "\(inner)".lowercased()], inner)
      }
    }
    for verb in GeoremindCommand.configuration.groupedSubcommands.flatMap(\.subcommands) {
      check([verb.configuration.commandName ?? ""], verb)
    }
  }

  @Test func aZoneThatIsNotThereIsAWrongConfiguration() {
    #expect(Run(["list"], environment: ["TZ": "Mars/Olympus"]).status == 78)
  }

  @Test func errorsHoldNoControlCharacters() {
    let run = Run(["decode", "/no\u{1B}[31m\n\u{9B}\u{202E}where"])
    #expect(run.status == 66)
    #expect(run.notes.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
    #expect(!run.notes.unicodeScalars.contains("\u{202E}"))
  }

  @Test(
    arguments: [
      (["--json", "list"], ["list", "--json"]),
      (
        ["--socket", "x", "--json", "add", "--", "-y"],
        ["add", "--socket", "x", "--json", "--", "-y"]
      ),
      (["convert", "-33.8,151"], ["convert", " -33.8,151"]),
      (["convert", "-.5,1", "--json"], ["convert", " -.5,1", "--json"]),
      (["add", "-5"], ["add", "-5"]),
    ] as [([String], [String])])
  func commonOptionsMayStandFirst(arguments: [String], expected: [String]) {
    #expect(Program.prepared(arguments) == expected)
  }

  @Test func coordinatesAreConverted() throws {
    let run = Run(["--json", "convert", "-33.87,151.21"])
    let object = try #require(try JSONParser.parse(run.output).object)
    #expect(
      object.members.map(\.key)
        == ["lat", "lon", "dd", "dm", "dms", "geo", "plus_code", "utm", "mgrs"])
    #expect(object["lat"]?.double == -33.87)
    #expect(object["geo"]?.string == "geo:-33.87,151.21")
    let words = Run(["convert", "52", "31", "12", "N,", "13", "24", "18", "E"])
    #expect(words.lines.first == "dd         52.520000, 13.405000")
  }

  @Test func distancesAreGeodesics() throws {
    let run = Run(["convert", "0,0", "--to", "0,1", "--json"])
    let object = try #require(try JSONParser.parse(run.output).object)
    // One degree of the equator of WGS 84.
    #expect(object["distance_m"]?.double == 111_319.490793)
    #expect(object["initial_bearing_deg"]?.double == 90)
  }

  @Test func rulesGiveTheirTimes() {
    let run = Run([
      "when", "FREQ=DAILY;COUNT=2", "--from", "2026-10-24 09:00", "--count", "9",
    ])
    #expect(run.lines == ["2026-10-24T09:00:00+02:00", "2026-10-25T09:00:00+01:00"])
  }
}
