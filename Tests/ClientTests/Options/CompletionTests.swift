import Control
import JSONText
import Testing

@testable import Client

/// Completions as the shells' scripts ask for them.
@Suite struct CompletionTests {
  /// The candidates for the last word.
  private func candidates(_ verb: [String], _ argument: String, typed: String) throws -> [String] {
    let reminders = [
      ("aaa1", "Buy milk", "armed"), ("aaa2", "Milk", "armed"), ("bbb3", "Call Mum", "armed"),
      ("ccc4", "Buy bread", "done"),
    ]
    let daemon = try FakeDaemon { call in
      switch call.methodName {
      case "PageReminders":
        let all = reminders.map { id, title, state -> JSONValue in
          ["id": .string(id), "title": .string(title), "state": .string(state)]
        }
        return [VarlinkReply(parameters: ["reminders": .array(all)])]
      case "FindPlaces": return [VarlinkReply(parameters: ["places": [["name": "Rewe Ost"]]])]
      case "Status":
        let folders: JSONValue = [["lists": ["Home", "Work"]], ["lists": ["Boat"]]]
        return [VarlinkReply(parameters: ["status": ["calendars": folders]])]
      default: return [VarlinkReply(parameters: ["categories": [["name": "Errands"]]])]
      }
    }
    defer { daemon.stop() }
    let words = ["georemind"] + verb + ["--socket", daemon.path, typed]
    let run = Run(
      ["---completion"] + verb
        + ["--", argument, "\(words.count - 1)", "\(typed.count)"] + words)
    #expect(run.status == 0, "\(run.notes)")
    // The parser adds a space once a script for zsh was made in this process, as another test does.
    return run.lines.filter { $0 != " " }
  }

  @Test(arguments: [
    ("", ["Buy milk", "aaa2", "Call Mum"]), ("bu", ["Buy milk"]), ("Call\\ M", ["Call Mum"]),
    ("'Call M", ["Call Mum"]), ("bbb", ["bbb3"]), ("zzz", []),
  ])
  func remindersAreOfferedByTheirTitles(typed: String, expected: [String]) throws {
    #expect(try candidates(["done"], "positional@0", typed: typed) == expected)
  }

  @Test func placesAndCategoriesAreOffered() throws {
    #expect(try candidates(["add"], "--at", typed: "re") == ["Rewe Ost"])
    #expect(try candidates(["add"], "--category", typed: "") == ["Errands"])
    #expect(try candidates(["add"], "--calendar", typed: "") == ["Home", "Work", "Boat"])
    #expect(try candidates(["place", "show"], "positional@0", typed: "") == ["Rewe Ost"])
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func theScriptsHaveTimes(shell: String) {
    let script = Run(["--generate-completion-script", shell]).output
    for phrase in ["in half an hour", "tomorrow 18:00", "every last friday of the month"] {
      let escaped = phrase.replacing(":", with: "\\\\:")
      #expect(script.contains(phrase) || script.contains(escaped), "\(phrase)")
    }
  }

  @Test func everyTimeThatIsOfferedIsRead() {
    for phrase in Completions.phrases { #expect(Run(["when", phrase]).status == 0, "\(phrase)") }
  }
}
