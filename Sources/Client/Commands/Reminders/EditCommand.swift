import ArgumentParser
import CivilTime
import Control
import JSONText
import Reminders

/// Another text, place or time for a reminder.
struct EditCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a reminder.",
    discussion: """
      georemind edit mum --due +1h
      georemind edit mum --due 'in 1 hour'
      georemind edit milk --until -2d --radius 300m

      Changes the given settings only; an empty text ('') removes a setting. A span with a sign \
      counts from the time that the reminder has: +1h is an hour later than it was due. Any other \
      span counts from now. Without options it opens the reminder in your editor ($VISUAL, \
      $EDITOR).
      """)

  @Argument(
    help: "The id of the reminder, its beginning, or words of its title.",
    completion: Completions.reminders)
  var id: String

  @Option("title") var title: TypedField?

  @OptionGroup(title: "The reminder") var reminder: ReminderOptions
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let display = try context.display()
    let daemon = try DaemonConnection(options, context)
    let old = try daemon.call("Show", ["id": .string(id)])["reminder"]?.object ?? JSONObject()
    let changes = try changes(of: old, in: context, daemon)
    let answer: JSONObject?
    if changes.isEmpty {
      guard let editor = Editor(context) else {
        throw ValidationError("say what to change, for example --due or --title")
      }
      let form = ReminderForm(try ListedReminder(old, zone: display.zone).reminder)
      answer = try FormSession(form: form, editor: editor, context: context).run { arguments in
        guard
          let command = try GeoremindCommand.parseAsRoot(["edit", id] + arguments) as? EditCommand
        else { return JSONObject() }
        return try command.apply(
          command.changes(of: old, in: context, daemon), daemon, context)
      }
    } else {
      answer = try apply(changes, daemon, context)
    }
    guard let answer else { return try context.note("nothing was changed") }
    try ReminderPrinter(context: context, display: display, json: options.json).print(answer)
    try context.noteUndo(options)
  }

  func changes(
    of old: JSONObject, in context: Context, _ daemon: DaemonConnection? = nil
  ) throws -> JSONObject {
    var reminder = reminder
    try reminder.locateHere(options, context)
    var changes = try reminder.members(in: context, changing: old, daemon: daemon)
    changes["title"] = title.map { .string($0.text) }
    return changes
  }

  private func apply(
    _ changes: JSONObject, _ daemon: DaemonConnection, _ context: Context
  ) throws -> JSONObject {
    try reminder.namingPlace(daemon) {
      try daemon.call(
        "Edit",
        [
          "id": .string(id), "changes": .object(changes), "clocks": context.clocks(of: changes),
        ])
    }
  }
}
