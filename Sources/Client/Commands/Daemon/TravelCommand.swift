import ArgumentParser
import Departure
import JSONText
import Reminders

/// Shows the travel times that the daemon has learnt.
struct TravelCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "travel",
    abstract: "Show or forget the travel times learnt from your trips.",
    discussion: """
      A trip counts if it ended at the place of a 'time to leave', at most three hours before its \
      due time and two hours after it. The daemon weighs the trips by their likeness to the way \
      ahead: place, distance, hour, and weekday or weekend.
      """)

  @Flag(help: "Forget the trips.")
  var forget = false

  @Option(help: "Forget trips by this mode of transport only.")
  var by: Reminder.Transport?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if by != nil, !forget { throw ValidationError("--by goes with --forget") }
  }

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    if forget {
      _ = try daemon.call("ForgetTrips", ["transport": by.map { .string($0.rawValue) }])
      if !options.json { try context.note("forgot the trips by \(by?.rawValue ?? "all modes")") }
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
