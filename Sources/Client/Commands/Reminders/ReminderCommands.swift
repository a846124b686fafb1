import ArgumentParser
import CivilTime
import Companion
import JSONText
import Reminders

/// The reminder of a verb.
struct NamedReminder: ParsableArguments {
  @Argument(
    help: "The id of the reminder, its beginning, or words of its title.",
    completion: Completions.reminders)
  var id: [String]

  var name: JSONValue { .string(id.joined(separator: " ")) }
}

/// One reminder in full.
struct ShowCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a reminder.")

  @OptionGroup var named: NamedReminder
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.run("Show", ["id": named.name], options, context)
  }
}

/// Removes reminders.
struct RemoveCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Remove reminders.",
    discussion: """
      georemind rm buy milk
      georemind rm --category Errands

      With a filter it removes all reminders of it, after a question with their number.
      """, aliases: ["remove", "delete"])

  @OptionGroup var chosen: ChosenOptions
  @Flag(help: "Of a filter, done and expired reminders, too.")
  var all = false
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    let ids = try chosen.ids(to: "remove", all: all, daemon, in: context)
    try OneReminder.change("Remove", ids, said: "Removed", daemon, options, context)
  }
}

/// Completes the current occurrence.
struct DoneCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Complete reminders; a repeating one advances to its next time.",
    discussion: """
      georemind done buy milk
      georemind done --due overdue

      With a filter it completes all reminders of it, after a question with their number.
      """, aliases: ["complete"])

  @OptionGroup var chosen: ChosenOptions
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    let ids = try chosen.ids(to: "complete", daemon, in: context)
    try OneReminder.change("Done", ids, said: "Completed", daemon, options, context)
  }
}

/// Puts reminders off.
struct SnoozeCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Remind again later.",
    discussion: """
      georemind snooze plants 20min
      georemind snooze hair half an hour
      georemind snooze --ringing tomorrow 9:00

      The last words are a span (20min), a time (18:00), next-visit or until-leave. The words \
      before them are the id of the reminder, its beginning, or words of its title. With a filter \
      it snoozes all reminders of it, after a question with their number.
      """)

  @Argument(
    help: "The reminder, then the span, the time, next-visit or until-leave.",
    completion: Completions.reminders)
  var words: [String]

  @OptionGroup(title: "Filter") var filters: FilterOptions
  @OptionGroup var consent: Consent
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let (name, text) = try Self.split(words, canBeUnnamed: filters.isGiven, in: context)
    let daemon = try DaemonConnection(options, context)
    guard filters.isGiven else {
      return try OneReminder.run(
        "Snooze", ["id": .string(name.joined(separator: " ")), "until": .string(text)], options,
        context, isChange: true)
    }
    let filter = try filters.filter(name, in: context)
    let ids = try consent.rows(to: "snooze", filter, daemon, context)
      .compactMap { $0["id"]?.string }
    try OneReminder.change(
      "Snooze", ids, ["until": .string(text)], said: "Snoozed", daemon, options, context)
  }

  /// Words before a span or an end: tea until tomorrow, tea for 10 minutes.
  static let joints: Set = ["until", "till", "for"]

  /// The words of the reminder, and the span or time that most of the last words are.
  /// - Parameter canBeUnnamed: a filter chooses the reminders.
  static func split(
    _ words: [String], canBeUnnamed: Bool = false, in context: Context
  ) throws(Failure) -> (name: [String], until: String) {
    let shortest = canBeUnnamed ? 0 : 1
    guard words.count > shortest else {
      throw Failure(
        .usage, "say until when: a span (20min), a time (18:00), next-visit or until-leave")
    }
    for count in shortest..<words.count {
      let text = words[count...].joined(separator: " ")
      guard (try? until(text, in: context.silent)) != nil else { continue }
      var name = words[..<count]
      if name.count > shortest, let last = name.last, Self.joints.contains(last) {
        name.removeLast()
      }
      return (Array(name), try until(text, in: context))
    }
    return (words, try until(words[shortest...].joined(separator: " "), in: context))
  }

  /// A span, `next-visit` and `until-leave` as they are, a time as an instant. A number alone is
  /// neither.
  static func until(_ text: String, in context: Context) throws(Failure) -> String {
    let word = text.split(separator: " ").joined(separator: "-")
    if ["next-visit", "until-leave"].contains(word) { return word }
    if word == "until-I-leave" { return "until-leave" }
    // Months go by the calendar, from now.
    let months = (try? CalendarSpan(parsing: text, behindHours: "min", hasMonths: true))?.months
    if months ?? 0 == 0, let span = TimeSpan(typed: text) {
      guard span > .zero else {
        throw Failure(.badData, "the span is zero; give a longer one such as 20min")
      }
      return span.description
    }
    let time = try context.time(
      text, option: "give a span (20min), a time, next-visit or until-leave")
    return time.stamp.instant(in: try context.zone()).json
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
  static func meant(_ texts: [String], _ daemon: DaemonConnection) throws -> [String] {
    guard texts.count > 1 else { return texts }
    func id(_ text: String, suggests: Bool = true) throws -> String {
      let shown = try daemon.call("Show", ["id": .string(text)], suggests: suggests)
      let found = shown["reminder"]?["id"]?.string ?? text
      guard text.count > 2 || found == text || !found.hasPrefix(text) else {
        throw Failure(.badData, "'\(text)' is too short for the beginning of an id; give 3 letters")
      }
      return found
    }
    if let one = try? id(texts.joined(separator: " "), suggests: false) { return [one] }
    var seen: Set<String> = []
    return try texts.map { try id($0) }.filter { seen.insert($0).inserted }
  }

  /// Changes reminders with one call, which one `undo` takes back.
  static func change(
    _ method: String, _ ids: [String], _ parameters: JSONObject = JSONObject(), said: String,
    _ daemon: DaemonConnection, _ options: CommonOptions, _ context: Context
  ) throws {
    var parameters = parameters
    parameters["id"] = .string(ids[0])
    if ids.count > 1 { parameters["also"] = .array(ids.dropFirst().map { .string($0) }) }
    try print(try daemon.call(method, parameters), said: said, options, context)
  }

  /// Prints the reminders that a call has changed, one a line.
  static func print(
    _ answer: JSONObject, said: String, _ options: CommonOptions, _ context: Context
  ) throws {
    let display = try context.display()
    let changed = [answer["reminder"]].compactMap { $0 } + (answer["also"]?.array ?? [])
    for object in changed.compactMap(\.object) {
      if options.json {
        try context.output.line(object)
      } else {
        let title = object["title"]?.string ?? ""
        let isOver = ["done", "expired"].contains(object["state"]?.string)
        let next =
          (object["snoozed_until"]
          ?? (isOver ? nil : object["rings"] ?? object["next_due"]))?.instant
        let again = said == "Removed" ? nil : next.map { "; next at \(display.answer($0))" }
        // A drift goes on in silence.
        let drift = object["anchor"]?["place"]?.string == "outside"
        let wait =
          drift ? "is silent until the boat is back in the circle" : "waits for the next time"
        // A date that names no further time has none.
        let waits =
          said == "Completed" && object["state"]?.string == "armed"
          && object["kind"]?.string != Reminder.Kind.date.rawValue
        try context.output.line(
          "\(said) \(title.printable)\(again ?? (waits ? "; it \(wait)" : ""))")
      }
    }
    try context.noteUndo(options)
  }
}
