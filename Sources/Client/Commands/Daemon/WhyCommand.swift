import ArgumentParser
import CivilTime
import Companion
import JSONText

/// Why a reminder has not fired.
struct WhyCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Show why a reminder has not fired, and when it will.",
    discussion: "For a recording use 'georemind replay FILE --why ID'.")

  @OptionGroup var named: NamedReminder
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let display = try context.display()
    let answer = try DaemonConnection(options, context).call("Why", ["id": named.name])
    try WhyPrinter(context: context, display: display, json: options.json)
      .print(answer["why"]?.object ?? JSONObject())
  }
}

/// An explanation, a gate a line.
struct WhyPrinter {
  let context: Context
  let display: Display
  let json: Bool

  func print(_ why: JSONObject) throws {
    guard !json else { return try context.output.line(why) }
    func text(_ object: JSONObject?, _ name: String) -> String {
      (object?[name]?.string ?? "").printable
    }
    try context.output.line(context.output.bold(text(why, "title")))
    var table = Table()
    for gate in why["gates"]?.array ?? [] {
      let passed = gate["passed"]?.bool ?? false
      table.add([
        passed ? "passed" : "FAILED", text(gate.object, "gate"),
        display.sentence(text(gate.object, "says")),
      ])
    }
    if let feed = why["feed"]?.string { table.add(["", "feed", "followed: \(feed.printable)"]) }
    try context.output.lines(table, indent: 2, isCut: false)
    let fired = Answer.time(why["last_fired"], display.entry)
    if !fired.isEmpty { try context.output.line("Last fired: \(fired.printable)") }
    try context.output.line(display.sentence(text(why, "summary")))
  }
}
