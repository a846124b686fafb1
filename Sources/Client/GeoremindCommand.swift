import ArgumentParser

/// The command line as a whole.
struct GeoremindCommand: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "georemind",
    abstract: "Reminders that fire at places and times: the client of georemindd.",
    version: "georemind \(version)",
    groupedSubcommands: [
      CommandGroup(
        name: "Without the daemon:",
        subcommands: [
          ReplayCommand.self, DecodeCommand.self,
        ])
    ])
}
