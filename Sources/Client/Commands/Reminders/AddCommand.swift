import ArgumentParser
import Bytes
import CivilTime
import Companion
import Control
import Geodesy
import JSONText
import Reminders

/// A new reminder.
struct AddCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a reminder.",
    discussion: """
      georemind add Buy milk --at Rewe
      georemind add Call Mum tomorrow at 6pm
      georemind add Check the gas weekly sunday evening
      georemind add 'Lock up' --at 52.52,13.405 --radius 80m --on depart --every-visit
      georemind add 'Call Mum' --due 'tomorrow 18:00' --lead 15min
      georemind add Tea -d 4 min
      georemind add 'Buy milk' --near-category Shopping
      georemind add Milk --at Rewe --calendar Tasks
      georemind add Ferry --leave-for Landungsbrücken --due 18:18 --by cycling
      georemind add 'Anna is home' --at Home --who anna --every-visit
      georemind add 'Not at school' --at School --who ben --not-by 08:00 --repeat weekdays
      """)

  @Argument(help: "The title of the reminder; several words need no quotes.")
  var title: [String]

  @Option(help: "The id of the reminder; without this option it gets a new one.")
  var id: String?

  @Flag(help: "Show the reminder without adding it.")
  var dryRun = false

  @Option(
    "Write it into this list of a followed calendar folder, as a task.", "list",
    completion: Completions.calendarLists)
  var calendar: String?

  @OptionGroup(title: "The reminder") var reminder: ReminderOptions
  @OptionGroup(title: "Absence") var absence: AbsenceOptions
  @OptionGroup var options: CommonOptions

  /// The reminder as the daemon takes it.
  func document(in context: Context) throws -> JSONObject {
    var (title, reminder) = (title, reminder)
    try absence.set(in: &reminder)
    if !reminder.saysWhen || reminder.lacksTimeToLeave, let words = context.titleTime(title) {
      title = words.title
      if let doubt = words.doubt { try context.note("note: \(doubt)") }
      func field(_ text: String?, _ name: String) throws -> TypedField? {
        try text.map { try TypedField($0, .named(name), as: "'\($0)'") }
      }
      reminder.repeat = try field(words.repeat, "repeat")
      reminder.due = try field(words.time, "due")
    } else if let words = context.titleTime(title) {
      try context.note(
        "note: the title keeps these words; did you mean \(Self.options(words))?")
    }
    if !reminder.saysWhen,
      let place = try? Self.place(in: title, DaemonConnection(options, context))
    {
      throw ValidationError("'\(place)' is a place; did you mean --at '\(place)'?")
    }
    if !reminder.saysWhen, title.count == 1,
      let words = context.titleTime(title[0].split(separator: " ").map(String.init))
    {
      throw ValidationError(
        "a title in quotes is taken as it is; did you mean \(Self.options(words))? Without quotes "
          + "its end is read")
    }
    if !reminder.saysWhen, let slip = TitleTime.slip(in: title) {
      throw ValidationError("\(slip) Otherwise say where (--at) or when (--due)")
    }
    // Not in `validate`, which the parser calls before it reports an unknown option.
    try reminder.checkCompleteness()
    if let sun = reminder.due?.text, Sun.Event(rawValue: sun.lowercased()) != nil,
      reminder.repeat != nil
    {
      try context.note("note: it repeats at the clock time of the next \(sun), not at each \(sun)")
    }
    try reminder.locateHere(options, context)
    var document = JSONObject([
      "id": id.map { .string($0) }, "title": .string(title.joined(separator: " ")),
    ])
    for (key, value) in try reminder.members(in: context).members where value != .null {
      document[key] = value
    }
    // Checks that need no daemon come before the first call.
    var probe = document
    if probe["place"]?.string != nil {
      probe["place"] = ["lat": 0, "lon": 0, "radius_m": probe["radius_m"]]
      probe["radius_m"] = nil
    }
    // Of a time that can never ring, another one was meant.
    guard try !Plan.isNever(Self.read(probe, in: context), in: context.zone(), at: context.now)
    else {
      throw Failure(
        .badData,
        "it could never ring: its days, hours, --from and --until leave no time of it; change one "
          + "of them")
    }
    return document
  }

  /// The options for the time and the repeat that a title ends in.
  private static func options(_ words: TitleTime) -> String {
    [words.repeat.map { "--repeat '\($0)'" }, words.time.map { "--due '\($0)'" }]
      .compactMap { $0 }.joined(separator: " ")
  }

  /// The known place behind the last `at` of a title; nil where none stands there.
  private static func place(in title: [String], _ daemon: DaemonConnection) -> String? {
    let words = title.flatMap { $0.split(separator: " ") }
    guard let at = words.lastIndex(where: { $0.lowercased() == "at" }), at > 0,
      at + 1 < words.count
    else { return nil }
    let name = words[(at + 1)...].joined(separator: " ")
    return try? daemon.call("ShowPlace", ["name": .string(name)])["place"]?["name"]?.string
  }

  private static func read(_ document: JSONObject, in context: Context) throws(Failure) -> Reminder
  {
    let zone = try context.zone()
    do throws(ReminderError) {
      let reminder = try Reminder(json: document, newID: "new")
      try reminder.checkConditions(in: zone)
      if let until = reminder.until?.instant(in: zone), until < context.now {
        throw ReminderError(field: "until", reason: "is past: it would never ring")
      }
      return reminder
    } catch {
      throw Failure(.badData, "the reminder is not valid: \(error)")
    }
  }

  func run(in context: Context) throws {
    let document = try document(in: context)
    if dryRun { return try preview(document, in: context) }
    let daemon = try DaemonConnection(options, context)
    let answer = try call("Add", document, daemon, context)
    let id = answer["id"]?.string ?? ""
    guard !options.json else { return try context.output.line(["id": .string(id)]) }
    let kept = answer["reminder"]?.object ?? JSONObject()
    let added = try ListedReminder(kept, zone: context.zone())
    let here = CurrentPosition(answer)
    try say(added, here: here, with: daemon, in: context) {
      try sayWhenToLeave(added, isLocated: here != nil, daemon, context)
      try context.output.line(id.printable)
      try context.noteUndo(options)
    }
  }

  /// Shows the reminder without adding it, or what `add` would be refused. Without a daemon names
  /// are not known, and there is no distance.
  private func preview(_ document: JSONObject, in context: Context) throws {
    let daemon =
      document["place"]?.string != nil || calendar != nil
      ? try DaemonConnection(options, context) : try? DaemonConnection(options, context)
    let answer = try daemon.map { try call("Check", document, $0, context) }
    let planned = answer.map { $0["reminder"]?.object ?? JSONObject() } ?? document
    let reminder = try Self.read(planned, in: context)
    guard !options.json else { return try context.output.line(reminder.json) }
    var shown = answer == nil ? reminder.json : planned
    if answer == nil {
      let plan = try Plan(adding: reminder, in: context.zone(), at: context.now)
      plan.add(to: &shown, of: reminder)
    }
    let entry = try ListedReminder(shown, zone: context.zone())
    try say(entry, here: answer.flatMap(CurrentPosition.init), with: daemon, in: context) {
      try context.note("nothing was added: this was a dry run")
    }
  }

  private func call(
    _ method: String, _ document: JSONObject, _ daemon: DaemonConnection, _ context: Context
  ) throws -> JSONObject {
    try reminder.namingPlace(daemon) {
      try daemon.call(
        method,
        [
          "reminder": .object(document), "clocks": context.clocks(of: document),
          "calendar": calendar.map { .string($0) },
        ])
    }
  }

  /// Prints the understood reminder, then the caller's notes, then warnings.
  private func say(
    _ entry: ListedReminder, here: CurrentPosition?, with daemon: DaemonConnection?,
    in context: Context, then next: () throws -> Void
  ) throws {
    let display = try context.display()
    let reminder = entry.reminder
    let text = ReminderSentence.text(
      entry, display, detail: .position(here: here?.position))
    let later = ReminderSentence.later(entry, display)
    try context.output.line("\(reminder.title.printable): \(text.lowercasedFirst)\(later)")
    try next()
    for warning in ReminderAdvice.warnings(on: reminder, display, here: here) {
      try context.note("note: \(warning)")
    }
    guard let daemon else { return }
    if reminder.kind == .date, let place = Self.place(in: [reminder.title], daemon) {
      try context.note("note: '\(place)' is a place, but the time alone counts; --at rings there")
    }
    try adviseOnCategories(of: reminder, daemon, context)
  }

  /// When a time to leave rings by the present estimate, or why it has rung at once.
  private func sayWhenToLeave(
    _ entry: ListedReminder, isLocated: Bool, _ daemon: DaemonConnection, _ context: Context
  ) throws {
    guard entry.reminder.kind == .preemptive else { return }
    let display = try context.display()
    if let rings = entry.json["rings"]?.instant, rings > display.time.now {
      let lead = entry.reminder.leads.first ?? .zero
      // Without a position no way is known.
      if !isLocated, entry.reminder.travel == nil, let due = entry.due,
        rings >= lead.before(due, in: display.zone)
      {
        return try context.note(
          "note: there is no position yet; without one it rings at \(display.answer(rings))")
      }
      return try context.output.line("By the present estimate, that is \(display.answer(rings))")
    }
    guard entry.json["last_fired"] != nil else { return }
    try context.noteFiring(of: entry.reminder.id, display, daemon)
  }

  private func adviseOnCategories(
    of reminder: Reminder, _ daemon: DaemonConnection, _ context: Context
  ) throws {
    guard reminder.nearCategory != nil || reminder.category != nil else { return }
    let known = try Suggestions.categories(daemon)
    if let category = reminder.nearCategory,
      !known.contains(where: { $0.nameKey == category.nameKey })
    {
      let hint = Suggestions.category(like: category, among: known)
        .map { "did you mean '\($0)'? Else " }
      try context.note(
        "there is no category \(category) yet; \(hint ?? "")add it with "
          + "'georemind category add', and its places with 'georemind place add'")
    }
    if let category = reminder.category,
      let near = Suggestions.category(like: category, among: known)
    {
      try context.note("note: there is no category '\(category)'; did you mean '\(near)'?")
    }
  }
}
