import ArgumentParser
import Departure
import JSONText
import Reminders

/// Shows the travel times that the daemon has learnt.
struct TravelCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "travel",
    abstract: "Show what the daemon has learnt from your trips, or have it forget that.",
    discussion: """
      A trip counts that a 'time to leave' has set off and that has ended at its place. After \
      three of them by one mode of transport, travel times by that mode follow them.
      """)

  @Flag(help: "Forget it.")
  var forget = false

  @Option(help: "Only this mode of transport.")
  var by: Reminder.Transport?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if by != nil, !forget { throw ValidationError("--by goes with --forget") }
  }

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    if forget {
      _ = try daemon.call("ForgetTrips", ["transport": by.map { .string($0.rawValue) }])
      if !options.json { try context.note("forgotten: \(by?.rawValue ?? "all modes")") }
    }
    let answer = try daemon.call("Status")
    let status = answer["status"]?.object ?? JSONObject()
    guard !options.json else { return try context.output.line(status["travel"]?.object ?? [:]) }
    guard !forget else { return }
    let lines = StatusCommand.travelLines(status)
    if lines.isEmpty { try context.note("no trips yet") }
    for line in lines { try context.output.line(line) }
  }
}
