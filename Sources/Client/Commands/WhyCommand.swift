import ArgumentParser
import CivilTime
import Companion
import JSONText

/// Why a reminder has not fired.
struct WhyCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "why", abstract: "Show what keeps a reminder from firing, and what would let it.",
    discussion: "The same of a recording: georemind replay FILE --why ID.")

  @Argument(help: "Its id, or the beginning of it.", completion: Completions.reminders)
  var id: String
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let zone = try context.zone()
    let answer = try DaemonConnection(options, context).call("Why", ["id": .string(id)])
    try WhyPrinter(context: context, zone: zone, json: options.json)
      .print(answer["why"]?.object ?? JSONObject())
  }
}

/// An explanation, a gate a line.
struct WhyPrinter {
  let context: Context
  let zone: TimeZoneRules
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
        passed ? "passed" : "FAILED", text(gate.object, "gate"), text(gate.object, "says"),
      ])
    }
    if let feed = why["feed"]?.string { table.add(["", "feed", "followed: \(feed.printable)"]) }
    for line in table.lines(indent: 2) { try context.output.line(line) }
    let fired = Answer.time(why["last_fired"], zone)
    if !fired.isEmpty { try context.output.line("Fired last at \(fired.printable)") }
    try context.output.line(text(why, "summary"))
  }
}
