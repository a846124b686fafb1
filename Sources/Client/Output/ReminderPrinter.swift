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
    if let category = reminder.category { table.add(["category", category]) }
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
      if let width = area.width { table.add(["width", display.length(width)]) }
    }
    if let fired = object["last_fired"]?.string.flatMap({ try? Instant(rfc3339: $0) }) {
      table.add(["last fired", display.entry(fired)])
    }
    if let owner = reminder.owner { table.add(["owner", "user \(owner)"]) }
    if let notes = reminder.notes { table.add(["notes", notes]) }
    for line in table.lines(indent: 2) { try context.output.line(line) }
  }

  private func state(_ entry: ListedReminder) -> String {
    let sentence = ReminderSentence.text(entry, display)
    switch entry.reminder.state {
    case .armed:
      let next = entry.moment == entry.due ? nil : entry.moment
      return sentence + (next.map { "; next at \(display.answer($0))" } ?? "")
    case .snoozed:
      return "Snoozed until \(entry.moment.map(display.answer) ?? "the next visit")"
    case .fired: return "Has fired"
    case .done: return "Done"
    case .expired: return "Expired without a firing"
    }
  }
}
