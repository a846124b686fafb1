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
          RemoveCommand.self, DoneCommand.self, SnoozeCommand.self, UndoCommand.self,
          ImportCommand.self, ExportCommand.self,
        ]),
      CommandGroup(
        name: "Places",
        subcommands: [
          PlaceCommand.self, WhereCommand.self, AnchorCommand.self,
        ]),
      CommandGroup(
        name: "Daemon",
        subcommands: [
          StatusCommand.self, NextCommand.self, WhyCommand.self, LogCommand.self,
          MuteCommand.self, WebCommand.self, PhoneCommand.self,
        ]),
      CommandGroup(name: "Offline", subcommands: offline),
      CommandGroup(
        name: more,
        subcommands: [
          WatchCommand.self, ReportCommand.self, TripsCommand.self, TravelCommand.self,
          HookCommand.self, PeekCommand.self, PopCommand.self, ReopenCommand.self,
          CategoryCommand.self, TrackerCommand.self, CalendarsCommand.self, DeliveryCommand.self,
          TestCommand.self, BackupCommand.self, DecodeCommand.self,
        ]),
    ])

  /// The group of the verbs that are seldom needed: the first page of the help leaves them out.
  static let more = "More"

  private static let offline: [any ParsableCommand.Type] = [
    ReplayCommand.self, ConvertCommand.self, WhenCommand.self,
  ]

  /// Whether the machine's clock counts for a verb: it talks to no daemon.
  static func hasOwnClock(_ command: any ParsableCommand) -> Bool {
    command is BackupCommand || command is DecodeCommand
      || offline.contains { $0 == type(of: command) }
  }
}
