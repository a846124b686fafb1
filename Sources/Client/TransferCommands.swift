import ArgumentParser
import Control
import JSONText
import Reminders

/// Reminders from files into the daemon.
struct ImportCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the reminders of JSON files, all of them or none.")

  @Argument(help: "Files as 'export' writes them; - is standard input.", completion: .file())
  var files: [String]
  @OptionGroup var options: CommonOptions

  /// Of one call, in bytes: well below what the daemon takes.
  private static let batchSize = VarlinkFramer.defaultLimit * 3 / 4

  func run(in context: Context) throws {
    let reminders = try ReminderInput.read(files)
    let daemon = try DaemonConnection(options, context)
    var ids: [String] = []
    for batch in try Self.batches(reminders) {
      do {
        let answer = try daemon.call("Import", ["reminders": .array(batch)])
        ids += (answer["ids"]?.array ?? []).compactMap(\.string)
      } catch let error {
        guard !ids.isEmpty, let failure = Failure(error) else { throw error }
        throw Failure(
          failure.status, "\(failure.description); the first \(ids.count) reminders are in already")
      }
    }
    if options.json {
      for id in ids { try context.output.line(["id": .string(id)]) }
    } else {
      try context.output.line("Imported \(counted(ids.count, "reminder", "reminders"))")
    }
  }

  /// As few calls as may be; nearly always one.
  static func batches(_ reminders: [Reminder]) throws(Failure) -> [[JSONValue]] {
    var batches: [[JSONValue]] = []
    var size = Int.max
    for reminder in reminders {
      let value = JSONValue.object(reminder.json)
      let length = value.line.utf8.count + 1
      guard length <= batchSize else {
        throw Failure(.badData, "reminder \"\(reminder.id)\" is too large; shorten it")
      }
      if size > batchSize - length {
        batches.append([])
        size = 0
      }
      batches[batches.count - 1].append(value)
      size += length
    }
    return batches
  }
}

enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case json
}

/// Reminders out of the daemon.
struct ExportCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print all reminders as JSON, one object a line.")

  @Option(help: "The format.")
  var format = ExportFormat.json
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let answer = try DaemonConnection(options, context).call("List", ["all": true])
    for reminder in answer["reminders"]?.array ?? [] {
      try context.output.line(ReminderInput.withoutProgress(reminder.object ?? JSONObject()))
    }
  }
}
