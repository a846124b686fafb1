import Control
import JSONText
import Reminders
import Storage

/// Changes of reminders.
extension ControlService {
  func edit(_ given: JSONObject) throws -> JSONObject {
    let first = try edited(changed(given["id"]?.string), byOwnClocks(given, "changes"))
    let also = try (given["also"]?.array ?? []).compactMap(\.object).map {
      try edited(stored(id: $0["id"]?.string ?? ""), byOwnClocks($0, "changes"))
    }
    let entries = [first] + also
    guard Set(entries.map(\.reminder.id)).count == entries.count else {
      throw GeoremindError.invalidReminder(field: "also", reason: "it names a reminder twice")
    }
    try daemon.save(new: [], changed: entries, by: origin(.edit))
    return shown(try entries.map { try stored(id: $0.reminder.id) })
  }

  /// A reminder with changes that the caller may make, and its progress so far.
  private func edited(
    _ entry: ReminderStore.Entry, _ changes: JSONObject
  ) throws -> ReminderStore.Entry {
    try mayChange(entry.reminder, by: GeoremindMethod.edit.rawValue)
    try daemon.refuseChange(of: entry.reminder)
    var reminder = entry.reminder
    reminder.state = entry.standing.state
    let document = try daemon.document(of: reminder, with: changes)
    guard document["id"]?.string == reminder.id else {
      throw GeoremindError.invalidReminder(field: "id", reason: "an id cannot be changed")
    }
    let changed = try read(document)
    if changed.who != reminder.who { try daemon.checkTracker(of: changed, caller) }
    if changed.recipient != reminder.recipient { try daemon.checkRecipient(of: changed) }
    try changed.checkConditions(in: daemon.host.engine.zone, changing: reminder)
    guard caller.mayGive(entry.reminder, to: changed.owner) else {
      throw GeoremindError.invalidReminder(
        field: "owner", reason: "only root may give a reminder to another user")
    }
    return (changed, entry.history, entry.standing)
  }

  func remove(_ entries: [ReminderStore.Entry]) throws -> JSONObject {
    for entry in entries { try daemon.refuseChange(of: entry.reminder) }
    try daemon.remove(entries.map(\.reminder.id), by: origin(.remove))
    return shown(entries)
  }

  /// With `rung`, as the button of a firing, what has not rung since stays.
  func done(_ given: JSONObject) throws -> JSONObject {
    let entries = try changed(given, by: .done)
    if given["rung"]?.bool == true, !entries.contains(where: \.history.isUnacknowledged) {
      return shown(entries)
    }
    if let done = entries.first(where: { $0.standing.state == .done }) {
      throw GeoremindError.wrongState(id: done.reminder.id, state: "done already")
    }
    try daemon.complete(entries, by: origin(.done))
    return shown(try entries.map { try stored(id: $0.reminder.id) })
  }

  func pop(_ kind: Reminder.Kind) throws -> JSONObject {
    guard let entry = try daemon.store.reminders.peek(kind: kind) else { return JSONObject() }
    try mayChange(entry.reminder, by: "Pop")
    try daemon.complete([entry], isPop: true, by: origin(.pop))
    return shown(try stored(id: entry.reminder.id))
  }

  func snooze(
    _ entries: [ReminderStore.Entry], until text: String
  ) throws -> JSONObject {
    if let ended = entries.first(where: { [.done, .expired].contains($0.standing.state) }) {
      throw GeoremindError.wrongState(
        id: ended.reminder.id, state: ended.standing.state.rawValue)
    }
    try daemon.snooze(entries.map(\.reminder), until: text, by: origin(.snooze))
    return shown(try entries.map { try stored(id: $0.reminder.id) })
  }
}
