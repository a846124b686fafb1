import CivilTime
import Companion
import Geodesy
import JSONText
import Reminders

/// One reminder of the daemon's answer.
struct ReminderPrinter {
  let context: Context
  let display: Display
  let json: Bool

  /// - Parameter answer: the reply, with its member `reminder`.
  func print(_ answer: JSONObject) throws {
    let object = answer["reminder"]?.object ?? JSONObject()
    guard !json else { return try context.output.line(object) }
    let entry = try ListedReminder(object, zone: display.zone)
    let reminder = entry.reminder
    try context.output.line(context.output.bold(reminder.title.printable))
    try context.output.line(state(entry))
    var table = Table()
    table.add(["id", reminder.id])
    table.add(["kind", reminder.kind.rawValue])
    table.add("category", reminder.category)
    if reminder.priority > 0 { table.add(["priority", "\(reminder.priority)"]) }
    if let place = reminder.place {
      let name = place.name.map { "\($0), " } ?? ""
      table.add(["place", name + place.position.formatted(.decimalDegrees)])
    }
    if let area = reminder.area {
      let name = area.name.map { "\($0), " } ?? ""
      table.add([
        "region",
        "\(name)\(area.type) of \(area.positionCount) positions, "
          + "within \(display.length(area.reach)) of "
          + area.middle.formatted(.decimalDegrees),
      ])
      table.add("width", area.width.map(display.length))
    }
    table.add("last fired", object["last_fired"]?.instant.map(display.entry))
    table.add("owner", reminder.owner.map { "user \($0)" })
    table.add("notes", reminder.notes)
    try context.output.lines(table, indent: 2, isCut: false)
  }

  private func state(_ entry: ListedReminder) -> String {
    let sentence = ReminderSentence.text(entry, display)
    switch entry.reminder.state {
    case .armed:
      guard let moment = entry.moment else {
        return entry.reminder.kind == .location
          ? sentence : "No time is left at which it may ring"
      }
      let isAtDue = entry.due.map { abs((moment - $0).seconds) < 0.001 } ?? false
      return sentence + (isAtDue ? "" : "; next at \(display.answer(moment))")
    case .snoozed:
      let isLeave = entry.json["snoozed_until_leave"]?.bool == true
      let words = isLeave ? "you leave" : "the next visit"
      return "Snoozed until \(entry.moment.map(display.answer) ?? words)"
    case .fired: return "Has fired"
    case .done: return "Done"
    case .expired:
      return entry.json["last_fired"] == nil ? "Expired without a firing" : "Its time is over"
    }
  }
}
