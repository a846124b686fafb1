import ArgumentParser
import Companion

/// The command line as a whole.
struct GeoremindCommand: ParsableCommand {
  static let version = GeoremindVersion.text

  static let configuration = CommandConfiguration(
    commandName: "georemind",
    abstract: "Reminders at places and times: the client of the service (daemon) georemindd.",
    version: "georemind \(version)",
    groupedSubcommands: [
      CommandGroup(
        name: "Reminders",
        subcommands: [
          AddCommand.self, ListCommand.self, ShowCommand.self, EditCommand.self,
          RemoveCommand.self, DoneCommand.self, SnoozeCommand.self, PeekCommand.self,
          PopCommand.self, UndoCommand.self, ReopenCommand.self, ImportCommand.self,
          ExportCommand.self,
        ]),
      CommandGroup(
        name: "Places",
        subcommands: [
          PlaceCommand.self, CategoryCommand.self, WhereCommand.self, TrackerCommand.self,
          AnchorCommand.self,
        ]),
      CommandGroup(
        name: "Daemon",
        subcommands: [
          StatusCommand.self, NextCommand.self, WhyCommand.self, WatchCommand.self, LogCommand.self,
          CalendarsCommand.self, DeliveryCommand.self, TestCommand.self, MuteCommand.self,
          ReportCommand.self, TripsCommand.self, TravelCommand.self, BackupCommand.self,
          WebCommand.self, PhoneCommand.self, HookCommand.self,
        ]),
      CommandGroup(name: "Offline", subcommands: offline),
    ])

  private static let offline: [any ParsableCommand.Type] = [
    ReplayCommand.self, DecodeCommand.self, ConvertCommand.self, WhenCommand.self,
  ]

  /// Whether the machine's clock counts for a verb: it talks to no daemon.
  static func hasOwnClock(_ command: any ParsableCommand) -> Bool {
    command is BackupCommand || offline.contains { $0 == type(of: command) }
  }
}
