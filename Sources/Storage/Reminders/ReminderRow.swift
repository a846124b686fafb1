import CivilTime
import Departure
import Geodesy
import Geofencing
import JSONText
import Reminders

/// The columns of a reminder, its history and what follows from that.
///
/// Fields with a column are not in the JSON document. All other
/// members of the document are restored unchanged. The column of the transport has the modes of the
/// first schema; a later mode is in the document.
enum ReminderRow {
  static let columns = "seq, \(written), \(RowChecksum.result("reminder"))"

  /// All but the position, in the order of both `values`.
  static let written = "\(reminderColumns), \(historyColumns)"

  static let reminderColumns = """
    id, kind, title, category, priority, place_name, latitude, longitude, radius_m, due, \
    transport, document
    """

  static let reminderColumnCount = Int32(reminderColumns.split(separator: ",").count)

  /// Columns of the history and the standing.
  static let historyColumns = "history, state, due_us, nearest_us"

  // MARK: - Writing

  /// Values of `reminderColumns`.
  static func values(_ reminder: Reminder) -> [SQLValue] {
    var details = reminder.details
    let hasColumn = [.driving, .cycling, .walking].contains(reminder.transport)
    if reminder.kind == .preemptive, !hasColumn {
      details["transport"] = .string(reminder.transport.rawValue)
    }
    // Another version of the tz database may not know the name.
    if let zone = reminder.repeatChanges.zone, case .absolute(let due)? = reminder.due {
      details["zone_offset_s"] = .int(zone.rules.offset(at: due))
    }
    return [
      .text(reminder.id), .text(reminder.kind.rawValue), .text(reminder.title),
      SQLValue(reminder.category), SQLValue(reminder.priority), SQLValue(reminder.place?.name),
      SQLValue(reminder.place?.position.latitude), SQLValue(reminder.place?.position.longitude),
      SQLValue(reminder.place?.radius), SQLValue(reminder.due?.description),
      SQLValue(reminder.kind == .preemptive && hasColumn ? reminder.transport.rawValue : nil),
      .text(JSONValue.object(details).line),
    ]
  }

  /// Values of `historyColumns`.
  static func values(_ history: History, _ standing: Standing) -> [SQLValue] {
    var nearest = standing.due
    if case .until(let end) = history.silence, standing.state == .snoozed { nearest = end }
    return [
      SQLValue(history.text), .text(standing.state.rawValue), SQLValue(standing.due),
      SQLValue(nearest ?? Instant(microseconds: .max)),
    ]
  }

  // MARK: - Reading

  static func read(_ row: Row) throws(RowFault) -> ReminderStore.Entry {
    let state = try row.word("state", as: Reminder.State.self)
    var reminder = Reminder(
      id: try row.text("id"), kind: try row.word("kind", as: Reminder.Kind.self),
      title: try row.text("title"), category: try row.textIfAny("category"),
      priority: Int(try row.integer("priority")), place: try place(row), due: try due(row),
      transport: try transport(row), state: state)
    guard (0...9).contains(reminder.priority) else {
      throw RowFault(reason: "its priority is not 0 to 9")
    }
    var details = try document(row)
    // Rows of before the offset was stored.
    if details["zone"] != nil, details["zone_offset_s"] == nil { details["zone_offset_s"] = 0 }
    let text = try row.textIfAny("history")
    let history: History
    do throws(ReminderError) {
      try reminder.take(details: details)
      try reminder.checkCompleteness()
      history = try History(text: text)
    } catch {
      throw RowFault(reason: error.description)
    }
    let standing = Standing(state: state, due: try row.instantIfAny("due_us"))
    try RowChecksum.check(row)
    return (reminder, history, standing)
  }

  private static func transport(_ row: Row) throws(RowFault) -> Reminder.Transport {
    guard try row.textIfAny("transport") != nil else { return .driving }
    return try row.word("transport", as: Reminder.Transport.self)
  }

  private static func due(_ row: Row) throws(RowFault) -> TimeStamp? {
    guard let text = try row.textIfAny("due") else { return nil }
    do {
      return try TimeStamp(parsing: text)
    } catch {
      throw RowFault(reason: "due: \(error)")
    }
  }

  private static func document(_ row: Row) throws(RowFault) -> JSONObject {
    let bytes = try row.textBytesIfAny("document") ?? []
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONParser.parse(bytes)
    } catch {
      throw RowFault(reason: "its document is not JSON: \(error)")
    }
    guard let object = value.object else {
      throw RowFault(reason: "its document is \(value.kind), not an object")
    }
    return object
  }

  private static func place(_ row: Row) throws(RowFault) -> Reminder.Place? {
    guard let latitude = try row.realIfAny("latitude"),
      let longitude = try row.realIfAny("longitude")
    else { return nil }
    let radius = try row.realIfAny("radius_m") ?? Reminder.Place.defaultRadius
    guard let position = Coordinate(latitude: latitude, longitude: longitude),
      Reminder.Place.radii.contains(radius)
    else { throw RowFault(reason: "its place is no circle on the Earth") }
    return Reminder.Place(
      name: try row.textIfAny("place_name"), position: position, radius: radius)
  }
}
