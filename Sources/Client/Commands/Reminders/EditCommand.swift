import ArgumentParser
import CivilTime
import Control
import JSONText
import Reminders

/// Another text, place or time for a reminder.
struct EditCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change reminders.",
    discussion: """
      georemind edit mum --due +1h
      georemind edit mum --due 'in 1 hour'
      georemind edit buy milk --until -2d --radius 300m
      georemind edit --of-category Errands --priority 2

      Changes the given settings only; an empty text ('') removes a setting. A span with a sign \
      counts from the time that the reminder has: +1h is an hour later than it was due. Any other \
      span counts from now. Without options it opens the reminder in your editor ($VISUAL, \
      $EDITOR). With a filter it changes all reminders of it, after a question with their number.
      """)

  @Argument(
    help: "The id of the reminder, its beginning, or words of its title.",
    completion: Completions.reminders)
  var id: [String] = []

  @Option("title") var title: TypedField?

  @OptionGroup(title: "The reminder") var reminder: ReminderOptions
  @OptionGroup(title: "Filter") var common: CommonFilter
  @Option("Only this category.", "name", completion: Completions.categories)
  var ofCategory: String?
  @Option(help: "Reminders only that fire then; a week is today and the six days after.")
  var ofDue: ReminderFilter.Due?
  @OptionGroup var consent: Consent
  @OptionGroup var options: CommonOptions

  private var hasFilter: Bool { common.isGiven || ofCategory != nil || ofDue != nil }

  func validate() throws {
    if id.isEmpty, !hasFilter { throw Consent.nothingIsNamed }
  }

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    guard hasFilter else { return try changeOne(daemon, context) }
    guard !TypedField.given(in: reminder).isEmpty || title != nil else {
      throw ValidationError("say what to change, for example --due or --priority")
    }
    let filter = try ReminderFilter(
      common, category: ofCategory, due: ofDue, words: id, in: context)
    let rows = try consent.rows(to: "change", filter, daemon, context)
    let command = try located(context)
    let calls = try rows.enumerated().map { index, row in
      // The notes of how a time was read are the same for all.
      try command.call(
        row["id"]?.string ?? "", of: row, in: index == 0 ? context : context.silent, daemon)
    }
    var call = calls[0]
    if calls.count > 1 { call["also"] = .array(calls.dropFirst().map { .object($0) }) }
    let answer = try reminder.namingPlace(daemon) { try daemon.call("Edit", call) }
    try OneReminder.print(answer, said: "Changed", options, context)
  }

  private func changeOne(_ daemon: DaemonConnection, _ context: Context) throws {
    let display = try context.display()
    let name = id.joined(separator: " ")
    let old = try daemon.call("Show", ["id": .string(name)])["reminder"]?.object ?? JSONObject()
    func apply(_ command: EditCommand) throws -> JSONObject? {
      let call = try command.located(context).call(name, of: old, in: context, daemon)
      guard call["changes"]?.object?.members.isEmpty == false else { return nil }
      return try reminder.namingPlace(daemon) { try daemon.call("Edit", call) }
    }
    var answer = try apply(self)
    if answer == nil {
      guard let editor = Editor(context) else {
        throw ValidationError("say what to change, for example --due or --title")
      }
      let form = ReminderForm(try ListedReminder(old, zone: display.zone).reminder)
      answer = try FormSession(form: form, editor: editor, context: context).run { arguments in
        let command = try GeoremindCommand.parseAsRoot(["edit", name] + arguments)
        return try (command as? EditCommand).flatMap(apply) ?? JSONObject()
      }
    }
    guard let answer else { return try context.note("nothing was changed") }
    try ReminderPrinter(context: context, display: display, json: options.json).print(answer)
    let new = answer["reminder"]
    if let id = new?["id"]?.string, let rang = new?["last_fired"], rang != old["last_fired"] {
      try context.noteFiring(of: id, display, daemon)
    }
    try context.noteUndo(options)
  }

  /// The command with the coordinate of the current fix in place of `here`.
  private func located(_ context: Context) throws -> EditCommand {
    var command = self
    try command.reminder.locateHere(options, context)
    return command
  }

  func changes(
    of old: JSONObject, in context: Context, _ daemon: DaemonConnection? = nil
  ) throws -> JSONObject {
    var changes = try reminder.members(in: context, changing: old, daemon: daemon)
    changes["title"] = title.map { .string($0.text) }
    return changes
  }

  /// The parameters of `Edit` for one reminder.
  private func call(
    _ id: String, of old: JSONObject, in context: Context, _ daemon: DaemonConnection
  ) throws -> JSONObject {
    let changes = try changes(of: old, in: context, daemon)
    return [
      "id": .string(id), "changes": .object(changes), "clocks": try context.clocks(of: changes),
    ]
  }
}
