import CivilTime
import Control
import JSONText
import Reminders
import Storage

/// Reading reminders from documents, and adding them.
extension ControlService {
  /// A place may be given by the name of a known one; a known category has its own spelling.
  /// - Parameter newID: the id of a document without one.
  func read(
    _ document: JSONObject, newID: @autoclosure () -> String = ReminderID.random()
  ) throws -> Reminder {
    var document = document
    var known: SavedPlace?
    var radius: Double?
    if let name = document["place"]?.string {
      guard let place = try daemon.store.places.place(named: name) else {
        throw GeoremindError.notFound(id: name)
      }
      known = place
      radius = document["radius_m"]?.double
      document["radius_m"] = nil
      document["place"] = .object(
        Reminder.Place(
          name: place.name, position: place.position, radius: radius ?? place.radius
        ).json)
    }
    for member in ["category", "near_category"] {
      guard let name = document[member]?.string,
        let known = try daemon.store.categories.category(named: name)
      else { continue }
      document[member] = .string(known.name)
    }
    document.remove(GeoremindInterface.addedMembers + ["source"])
    var reminder = try Reminder(json: document, newID: newID())
    if let known { reminder.put(at: known, radius: radius) }
    reminder.fixZone(daemon.host.engine.zone)
    return reminder
  }

  /// A reminder that is added, with its owner.
  /// - Parameter isTyped: a person adds it now, and means no time that has passed.
  private func readNew(
    _ document: JSONObject, isTyped: Bool = false
  ) throws -> ReminderStore.Entry {
    let reminder = caller.owning(try read(document))
    try daemon.checkTracker(of: reminder, caller)
    try reminder.checkConditions(in: daemon.host.engine.zone)
    var history = History.unread
    if reminder.state == .snoozed, let until = document["snoozed_until"]?.string {
      history.silence = (try? Instant(rfc3339: until)).map { .until($0) }
    }
    if isTyped, let now = daemon.clock.now {
      var schedule = Schedule(reminder, in: daemon.host.engine.zone)
      schedule.begin(reminder.state, &history, at: now, missed: .zero)
    }
    return (reminder, history, Standing(state: reminder.state))
  }

  /// Adds a reminder and answers it as it is now, without reading it from the store again.
  /// - Parameter list: the calendar list that it is written into.
  func add(_ document: JSONObject, to list: String? = nil) throws -> JSONObject {
    if let list { return try add(document, toCalendar: daemon.calendarList(named: list)) }
    var entry = try readNew(document, isTyped: true)
    try daemon.checkRecipient(of: entry.reminder)
    let id = entry.reminder.id
    try mustBeNew([id])
    try daemon.addAll([entry], by: origin(.add))
    entry.history = daemon.host.history(id) ?? entry.history
    entry.standing = daemon.host.standing(id) ?? entry.standing
    var answer = shown(entry)
    answer["id"] = .string(id)
    answer["fix"] = currentFix
    return answer
  }

  private func add(_ document: JSONObject, toCalendar list: CalendarList) throws -> JSONObject {
    let reminder = try readNew(document, isTyped: true).reminder
    try daemon.checkRecipient(of: reminder)
    try mustBeNew([reminder.id])
    guard let now = daemon.clock.now else {
      throw GeoremindError.refusedByPolicy(reason: "the recording has not begun yet")
    }
    try list.folder.add(reminder, to: list, at: now, by: origin(.add))
    var answer = shown(try stored(id: reminder.id))
    answer["id"] = .string(reminder.id)
    answer["fix"] = currentFix
    return answer
  }

  /// A document of a call in which times without a zone mean by the daemon's clocks what they mean
  /// by the caller's. Where both agree they stay without one, and follow the daemon's zone.
  func byOwnClocks(_ given: JSONObject, _ name: String) throws(GeoremindError) -> JSONObject {
    var document = given[name]?.object ?? JSONObject()
    let own = daemon.host.engine.zone
    guard let clocks = given["clocks"]?.object, let zone = clocks["zone"]?.string, zone != own.name
    else { return document }
    for name in GeoremindInterface.clockMembers {
      guard let text = clocks[name]?.string,
        case .floating(let local)? = document[name]?.string.flatMap({ try? TimeStamp(parsing: $0) })
      else { continue }
      guard let instant = try? Instant(rfc3339: text) else {
        throw .invalidReminder(
          field: name, reason: "the clocks of the caller have no instant for it: \"\(text)\"")
      }
      guard own.instant(of: local) != instant else { continue }
      document[name] = .string(instant.json)
      // A series goes on by the clocks that it was typed by.
      if name == "due", document["repeat"]?.string != nil, document["zone"] == nil,
        NamedZone.find(zone) != nil
      {
        document["zone"] = .string(zone)
      }
    }
    return document
  }

  /// Answers the reminder that `add` would add; throws the same errors.
  func check(_ document: JSONObject, for list: String? = nil) throws -> JSONObject {
    let reminder = caller.owning(try read(document, newID: "new"))
    try daemon.checkTracker(of: reminder, caller)
    try daemon.checkRecipient(of: reminder)
    try reminder.checkConditions(in: daemon.host.engine.zone)
    if document["id"] != nil { try mustBeNew([reminder.id]) }
    if let list {
      _ = try daemon.calendarList(named: list)
      try CalendarFolder.checkForm(of: reminder)
    }
    try daemon.checkLimits(of: [reminder])
    var object = reminder.json
    if let now = daemon.clock.now {
      Plan(adding: reminder, in: daemon.host.engine.zone, at: now).add(to: &object, of: reminder)
    }
    return ["reminder": .object(object), "fix": currentFix]
  }

  private func mustBeNew(_ ids: [String]) throws {
    if let known = try daemon.store.reminders.firstKnown(of: ids) {
      throw GeoremindError.alreadyExists(name: known)
    }
  }

  /// Adds the reminders of a call of `Import` and answers their ids.
  func addAll(_ given: JSONObject) throws -> [String] {
    var entries: [ReminderStore.Entry] = []
    for (index, value) in (given["reminders"]?.array ?? []).enumerated() {
      do {
        entries.append(try readNew(value.object ?? JSONObject()))
      } catch let error as ReminderError {
        throw ReminderError(field: "[\(index)].\(error.field)", reason: error.reason)
      }
    }
    let ids = entries.map(\.reminder.id)
    var seen: Set<String> = []
    if let twice = ids.first(where: { !seen.insert($0).inserted }) {
      throw GeoremindError.alreadyExists(name: twice)
    }
    try mustBeNew(ids)
    var origin = origin(.importReminders)
    origin?.continues = given["continues"]?.bool == true
    try daemon.addAll(entries, by: origin)
    return ids
  }
}
