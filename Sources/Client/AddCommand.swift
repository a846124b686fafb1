import ArgumentParser
import CivilTime
import Companion
import JSONText
import Reminders

/// A new reminder.
struct AddCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a reminder.",
    discussion: """
      georemind add 'Buy milk' --at Rewe
      georemind add 'Lock up' --at 52.52,13.405 --radius 80m --on depart --every-visit
      georemind add 'Call Mum' --due 'tomorrow 18:00' --lead 15min
      georemind add 'Buy milk' --near-category supermarket
      georemind add Ferry --leave-for Landungsbrücken --due 18:18 --by cycling
      """)

  @Argument(help: "What to be reminded of.")
  var title: String

  @Option(help: "An id of your own; without, it is given one.")
  var id: String?

  @OptionGroup(title: "The reminder") var reminder: ReminderOptions
  @OptionGroup var options: CommonOptions

  func validate() throws { try reminder.checkCompleteness() }

  /// The reminder as the daemon takes it.
  func document(in context: Context) throws -> JSONObject {
    var document = JSONObject(["id": id.map { .string($0) }, "title": .string(title)])
    for (key, value) in try reminder.members(in: context).members where value != .null {
      document[key] = value
    }
    // What can be said without the daemon is said before it is asked.
    var probe = document
    if probe["place"]?.string != nil {
      probe["place"] = ["lat": 0, "lon": 0, "radius_m": probe["radius_m"]]
      probe["radius_m"] = nil
    }
    do throws(ReminderError) {
      _ = try Reminder(json: probe, newID: "new")
    } catch {
      throw Failure(.badData, "the reminder cannot be: \(error)")
    }
    return document
  }

  func run(in context: Context) throws {
    let zone = try context.zone()
    let document = try document(in: context)
    let daemon = try DaemonConnection(options, context)
    let answer = try reminder.namingPlace {
      try daemon.call("Add", ["reminder": .object(document)])
    }
    let id = answer["id"]?.string ?? ""
    guard !options.json else { return try context.output.line(["id": .string(id)]) }
    let kept = try daemon.call("Show", ["id": .string(id)])["reminder"]?.object ?? JSONObject()
    let reminder = try ListedReminder(kept, zone: zone).reminder
    try context.output.line(ReminderSentence.text(reminder, zone: zone))
    try context.output.line(id.printable)
    guard let category = reminder.nearCategory else { return }
    let known = try daemon.call("ListCategories")["categories"]?.array ?? []
    let isKnown = known.contains { $0["name"]?.string?.lowercased() == category.lowercased() }
    if !isKnown {
      try context.note(
        "there is no category \(category.printable) yet; make it with 'georemind category add', "
          + "and places of it with 'georemind place add'")
    }
  }
}

/// Another text, place or time for a reminder.
struct EditCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a reminder.",
    discussion: "Only what is given changes; an empty text ('') takes it away.")

  @Argument(help: "Its id, or the beginning of it.")
  var id: String

  @Option(parsing: .unconditional, help: "What to be reminded of.")
  var title: String?

  @OptionGroup(title: "The reminder") var reminder: ReminderOptions
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let zone = try context.zone()
    let daemon = try DaemonConnection(options, context)
    let old = try daemon.call("Show", ["id": .string(id)])["reminder"]?.object ?? JSONObject()
    var changes = try reminder.members(in: context, changing: old)
    changes["title"] = title.map { .string($0) }
    guard !changes.isEmpty else {
      throw ValidationError("say what to change, for example --due or --title")
    }
    let answer = try reminder.namingPlace {
      try daemon.call("Edit", ["id": .string(id), "changes": .object(changes)])
    }
    try ReminderPrinter(context: context, zone: zone, json: options.json).print(answer)
  }
}
