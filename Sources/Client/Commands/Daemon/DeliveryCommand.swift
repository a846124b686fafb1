import ArgumentParser
import CivilTime
import Companion
import JSONText

/// The destinations of firings: how far each has come, and why it fails.
struct DeliveryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delivery",
    abstract: "Show what hooks and notifications have received, what waits, and what fails.",
    discussion: """
      Each destination receives the firings in order. A firing that fails is tried again after \
      1, 2, 4 seconds and so on, up to 15 minutes, and the others wait behind it. One of \
      priority 1 to 3 overtakes the others, and is tried again every 1.5 seconds.
      """,
    subcommands: [List.self, Skip.self, Forget.self], defaultSubcommand: List.self)

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the destinations.")

    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let display = try context.display()
      let answer = try DaemonConnection(options, context).call("ListConsumers")
      let consumers = answer["consumers"]?.array?.compactMap(\.object) ?? []
      guard !options.json else {
        for var consumer in consumers {
          consumer["ledger"] = answer["ledger"]
          try context.output.line(consumer)
        }
        return
      }
      guard !consumers.isEmpty else { return try context.note(DeliveryCommand.absence) }
      var table = Table()
      for consumer in consumers {
        table.add(DeliveryCommand.cells(consumer, display))
      }
      try context.output.lines(table)
    }
  }

  static let absence =
    "there is no destination yet; start georemind-notify, georemind-hook or georemind-mqtt"

  /// Name, number reached, firings that wait, failures, and the last text.
  private static func cells(_ consumer: JSONObject, _ display: Display) -> [String] {
    let waiting = consumer["waiting"]?.int ?? 0
    func time(_ member: String, _ words: String) -> String {
      guard consumer[member]?.string != nil else { return "" }
      return "\(words) \(Answer.time(consumer[member], display.entry))"
    }
    let marks = ["upto", "urgent_upto"].compactMap { consumer[$0]?.int }
    return [
      consumer["name"]?.string ?? "?", "up to \(marks.min() ?? 0)",
      waiting > 0 ? "\(waiting) waiting" : "none waiting", time("failing_since", "failing since"),
      time("next_try", "next try"), consumer["text"]?.string ?? "",
    ]
  }

  struct Skip: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "skip", abstract: "Give up the next firing of a destination.",
      discussion: "The destination goes on with the next firing within half a minute.")

    @Argument(help: ArgumentHelp("The destination.", valueName: "dest"))
    var destination: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "SkipFiring", ["name": .string(destination)])
      guard let firing = answer["firing"]?.object else {
        throw Failure(.noAnswer, "nothing waits for '\(destination)'")
      }
      guard !options.json else { return try context.output.line(firing) }
      try context.note("skipped \(firing["title"]?.string ?? "?") for \(destination)")
    }
  }

  struct Forget: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget", abstract: "Remove a destination that is no more.",
      discussion: "A hook that is still configured begins again with the next firing.")

    @Argument(help: ArgumentHelp("The destination.", valueName: "dest"))
    var destination: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      _ = try DaemonConnection(options, context).call(
        "ForgetConsumer", ["name": .string(destination)])
      if !options.json { try context.note("forgot \(destination)") }
    }
  }
}
