import ArgumentParser
import Companion
import JSONText

/// The trackers of the configuration.
struct TrackerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracker", abstract: "Show who is where, or forget a tracker's positions.",
    subcommands: [List.self, Forget.self], defaultSubcommand: List.self)

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the trackers that you may follow, with the places where they are.")

    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call("ListTrackers")
      let trackers = answer["trackers"]?.array ?? []
      guard !options.json else {
        for tracker in trackers { try context.output.line(tracker.object ?? JSONObject()) }
        return
      }
      if trackers.isEmpty {
        try context.note("no trackers; a section [Tracker NAME] of the configuration makes one")
      }
      let display = try context.display()
      var table = Table()
      for tracker in trackers {
        let inside = WhereCommand.inside(tracker, display)
        let age = tracker["age_s"]?.double.map { "last fix \(Answer.age($0)) ago" } ?? "no fix yet"
        table.add([tracker["name"]?.string ?? "", inside, age])
      }
      try context.output.lines(table, indent: 0, isCut: false)
    }
  }

  struct Forget: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Erase a tracker's position and trips; its reminders and firings stay.")

    @Argument(help: "The name of the tracker.")
    var name: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context)
        .call("ForgetTracker", ["name": .string(name)])
      guard !options.json else { return try context.output.line(answer) }
      let count = answer["reminders"]?.int ?? 0
      try context.note(
        "the position and the trips of \(name) are erased; past firings stay in 'georemind log', "
          + "and \(count) reminder\(count == 1 ? "" : "s") about \(name) in 'georemind list'")
    }
  }
}
