import CivilTime
import Geodesy
import Geofencing
import JSONText
import Reminders

/// How a reminder and its progress lie in their row.
///
/// Fields with a column are taken out of the JSON document when writing and put back when reading;
/// the state is the progress's. What the document holds beside them comes back as it was.
enum ReminderRow {
  static let columns = """
    seq, id, kind, title, category, priority, place_name, latitude, longitude, radius_m, due, \
    document, state, presence, inside_since_us, visit_settled, occurrence_us, leads_fired, \
    last_fired_us, snoozed_until_us
    """

  private static let columnFields: Set<String> = [
    "id", "kind", "title", "category", "priority", "place", "due", "state",
  ]

  // MARK: - Writing

  /// Values for id … document.
  static func values(_ reminder: Reminder) -> [SQLValue] {
    var document = JSONObject()
    let json = reminder.json
    for (key, value) in json.members where !columnFields.contains(key) { document[key] = value }
    return [
      .text(reminder.id), .text(reminder.kind.rawValue), .text(reminder.title),
      SQLValue(reminder.category), SQLValue(reminder.priority), SQLValue(reminder.place?.name),
      SQLValue(reminder.place?.position.latitude), SQLValue(reminder.place?.position.longitude),
      SQLValue(reminder.place?.radius), SQLValue(json["due"]?.string),
      .text(JSONValue.object(document).line),
    ]
  }

  /// Values for state … snoozed_until_us.
  static func values(_ progress: Progress) -> [SQLValue] {
    [
      .text(progress.state.rawValue), .text(word(progress.presence)),
      SQLValue(progress.insideSince), SQLValue(progress.visitSettled),
      SQLValue(progress.occurrence), SQLValue(progress.leadsFired), SQLValue(progress.lastFired),
      SQLValue(progress.snoozedUntil),
    ]
  }

  private static func word(_ presence: Presence) -> String {
    switch presence {
    case .unknown: "unknown"
    case .outside: "outside"
    case .inside: "inside"
    }
  }

  // MARK: - Reading

  static func read(_ row: Row) throws(RowFault) -> (Reminder, Progress) {
    let progress = try progress(row)
    var object = try document(row)
    object["id"] = .string(try row.text("id"))
    object["kind"] = .string(try row.text("kind"))
    object["title"] = .string(try row.text("title"))
    object["category"] = try row.textIfAny("category").map { .string($0) }
    object["priority"] = .int(Int(try row.integer("priority")))
    object["due"] = try row.textIfAny("due").map { .string($0) }
    object["place"] = try place(row)
    object["state"] = .string(progress.state.rawValue)
    do throws(ReminderError) {
      return (try Reminder(json: object), progress)
    } catch {
      throw RowFault(reason: error.description)
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

  private static func place(_ row: Row) throws(RowFault) -> JSONValue? {
    guard let latitude = try row.realIfAny("latitude"),
      let longitude = try row.realIfAny("longitude")
    else { return nil }
    return .object(
      JSONObject([
        "name": try row.textIfAny("place_name").map { .string($0) },
        "lat": .double(latitude), "lon": .double(longitude),
        "radius_m": .double(try row.realIfAny("radius_m")),
      ]))
  }

  private static func progress(_ row: Row) throws(RowFault) -> Progress {
    var progress = Progress(state: try row.word("state", as: Reminder.State.self))
    switch try row.text("presence") {
    case "unknown": progress.presence = .unknown
    case "outside": progress.presence = .outside
    case "inside": progress.presence = .inside
    default: throw RowFault(reason: "the column presence holds a word that is not known")
    }
    progress.insideSince = try row.instantIfAny("inside_since_us")
    progress.visitSettled = try row.integer("visit_settled") != 0
    progress.occurrence = try row.instantIfAny("occurrence_us")
    let leads = try row.integer("leads_fired")
    guard leads >= 0 else { throw RowFault(reason: "the column leads_fired is negative") }
    progress.leadsFired = Int(leads)
    progress.lastFired = try row.instantIfAny("last_fired_us")
    progress.snoozedUntil = try row.instantIfAny("snoozed_until_us")
    return progress
  }
}
