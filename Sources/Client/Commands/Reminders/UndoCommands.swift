import ArgumentParser
import CivilTime
import Companion
import Control
import JSONText

/// Takes back a change of reminders.
struct UndoCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Take back your last change of reminders.",
    discussion: """
      Takes back one add, edit, rm, done, snooze, pop, reopen or import: the reminders are as \
      before. Given again, it takes back the change before that, up to 20 changes. It refuses a \
      change whose reminder was changed or has fired since. Imports of over 10 000 \
      reminders and changes of places cannot be taken back.
      """)

  @Argument(help: "The number of the change in the list; 1 is the last change.")
  var number = 1

  @Flag(help: "List the changes that can be taken back, the last one first.")
  var list = false

  @OptionGroup var options: CommonOptions

  func validate() throws {
    if number < 1 { throw ValidationError("the number is at least 1") }
  }

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    if list { return try printList(daemon, context) }
    guard let change = try daemon.call("Undo", ["number": .int(number)])["change"]?.object else {
      if options.json { try context.output.line("null") }
      throw Failure(.noAnswer, "there is no change to take back; see 'georemind undo --list'")
    }
    if options.json { return try context.output.line(change) }
    try context.output.line("Took back: \(Self.words(of: change))".printable)
  }

  private func printList(_ daemon: DaemonConnection, _ context: Context) throws {
    let display = try context.display()
    let changes = (try daemon.call("ListUndo")["changes"]?.array ?? []).compactMap(\.object)
    guard !options.json else { return try changes.forEach { try context.output.line($0) } }
    guard !changes.isEmpty else { return try context.note("there is no change to take back") }
    var table = Table()
    for (index, change) in changes.enumerated() {
      table.add([
        "\(index + 1)", Answer.time(change["time"], display.entry), Self.words(of: change),
      ])
    }
    try context.output.lines(table)
  }

  /// `done Buy milk`; `import of 12 reminders`.
  private static func words(of change: JSONObject) -> String {
    let method = change["method"]?.string ?? ""
    let verb = method == GeoremindMethod.remove.rawValue ? "rm" : method.lowercased()
    let count = change["count"]?.int ?? 1
    return count == 1
      ? "\(verb) \(change["title"]?.string ?? "")"
      : "\(verb) of \(counted(count, "reminder", "reminders"))"
  }
}

/// Arms a reminder again.
struct ReopenCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "reopen", abstract: "Arm a reminder again that is done or has fired.",
    discussion: "A date that has passed rings at once; 'georemind edit' gives it another one.")

  @OptionGroup var named: NamedReminder
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    try OneReminder.run("Reopen", ["id": named.name], options, context, isChange: true)
  }
}

extension Context {
  /// Ends an answer on a terminal with how to take the change back.
  func noteUndo(_ options: CommonOptions) throws(Failure) {
    guard output.isTerminal, !options.json else { return }
    try output.line("(undo: georemind undo)")
  }

  /// Notes why a reminder has rung at once.
  func noteFiring(
    of id: String, _ display: Display, _ daemon: DaemonConnection
  ) throws {
    let answer = try daemon.call("Log", ["reminder": .string(id), "limit": 1])
    guard let why = answer["firings"]?.array?.last?["why"]?.string else { return }
    try note("note: it rang at once. \(display.sentence(why).printable)")
  }
}
