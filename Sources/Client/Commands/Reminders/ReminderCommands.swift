import ArgumentParser
import CivilTime
import Companion
import JSONText
import Reminders

/// One reminder in full.
struct ShowCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a reminder.")

  @Argument(
    help: "The id of the reminder, its beginning, or words of its title.",
    completion: Completions.reminders)
  var id: [String]
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.run("Show", ["id": .string(id.joined(separator: " "))], options, context)
  }
}

/// Removes reminders.
struct RemoveCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Remove reminders.", aliases: ["remove", "delete"])

  @Argument(
    help: "The ids of the reminders, their beginnings, or words of their titles.",
    completion: Completions.reminders)
  var ids: [String]
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.runEach("Remove", ids, said: "Removed", options, context)
  }
}

/// Completes the current occurrence.
struct DoneCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Complete reminders; a repeating one advances to its next time.",
    aliases: ["complete"])

  @Argument(
    help: "The ids of the reminders, their beginnings, or words of their titles.",
    completion: Completions.reminders)
  var ids: [String]
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.runEach("Done", ids, said: "Completed", options, context)
  }
}

/// Puts a reminder off.
struct SnoozeCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Remind again later.",
    discussion: "Takes a span (20min), a time (18:00, tomorrow 9:00) or next-visit.")

  @Argument(
    help: "The id of the reminder, its beginning, or words of its title.",
    completion: Completions.reminders)
  var id: String

  @Argument(
    help: ArgumentHelp("The span, the time or next-visit.", valueName: "until"),
    completion: Completions.times)
  var until: [String]

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let text = try Self.until(until.joined(separator: " "), in: context)
    try OneReminder.run(
      "Snooze", ["id": .string(id), "until": .string(text)], options, context, isChange: true)
  }

  /// A span and `next-visit` as they are, a time as an instant.
  static func until(_ text: String, in context: Context) throws(Failure) -> String {
    if text == "next-visit" { return text }
    if let span = try? TimeSpan(parsing: text) {
      guard span > .zero else {
        throw Failure(.badData, "the span is zero; give a longer one such as 20min")
      }
      return span.description
    }
    let stamp = try context.stamp(text, option: "give a span (20min), a time or next-visit")
    return stamp.instant(in: try context.zone()).json
  }
}

/// Shows the next reminder by date.
struct PeekCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "peek", abstract: "Show the reminder of a kind that is due first.")

  @Option(help: "The kind of reminder.")
  var kind: Reminder.Kind
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.run("Peek", ["kind": .string(kind.rawValue)], options, context)
  }
}

/// Completes the next reminder by date.
struct PopCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "pop",
    abstract: "Complete the reminder of a kind that is due first, and show it.")

  @Option(help: "The kind of reminder.")
  var kind: Reminder.Kind
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.run(
      "Pop", ["kind": .string(kind.rawValue)], options, context, isChange: true)
  }
}

/// Calls that answer one reminder.
enum OneReminder {
  /// - Parameter isChange: the answer ends with how to take it back.
  static func run(
    _ method: String, _ parameters: JSONObject, _ options: CommonOptions, _ context: Context,
    isChange: Bool = false
  ) throws {
    let display = try context.display()
    let answer = try DaemonConnection(options, context).call(method, parameters)
    guard answer["reminder"]?.object != nil else {
      if options.json { try context.output.line("null") }
      let kind = parameters["kind"]?.string.map { "\($0) " } ?? ""
      throw Failure(.noAnswer, "no \(kind)reminder waits; 'georemind list' shows all")
    }
    try ReminderPrinter(context: context, display: display, json: options.json).print(answer)
    if isChange { try context.noteUndo(options) }
  }

  /// The ids of several reminders, or words of the title of one. A text alone is left to the
  /// daemon, which wants more letters for a change.
  private static func meant(_ texts: [String], _ daemon: DaemonConnection) throws -> [String] {
    guard texts.count > 1 else { return texts }
    func id(_ text: String) throws -> String {
      let found = try daemon.call("Show", ["id": .string(text)])["reminder"]?["id"]?.string ?? text
      guard text.count > 2 || found == text || !found.hasPrefix(text) else {
        throw Failure(.badData, "'\(text)' is too short for the beginning of an id; give 3 letters")
      }
      return found
    }
    if let one = try? id(texts.joined(separator: " ")) { return [one] }
    var seen: Set<String> = []
    return try texts.map(id).filter { seen.insert($0).inserted }
  }

  /// Changes reminders with one call, which one `undo` takes back.
  static func runEach(
    _ method: String, _ ids: [String], said: String, _ options: CommonOptions, _ context: Context
  ) throws {
    let display = try context.display()
    let daemon = try DaemonConnection(options, context)
    let ids = try meant(ids, daemon)
    var parameters: JSONObject = ["id": .string(ids[0])]
    if ids.count > 1 { parameters["also"] = .array(ids.dropFirst().map { .string($0) }) }
    let answer = try daemon.call(method, parameters)
    let changed = [answer["reminder"]].compactMap { $0 } + (answer["also"]?.array ?? [])
    for object in changed.compactMap(\.object) {
      if options.json {
        try context.output.line(object)
      } else {
        let title = object["title"]?.string ?? ""
        let next = object["next_due"]?.string.flatMap { try? Instant(rfc3339: $0) }
        let again =
          method == "Done" ? next.map { "; next at \(display.answer($0))" } ?? "" : ""
        try context.output.line("\(said) \(title.printable)\(again)")
      }
    }
    try context.noteUndo(options)
  }
}
