import CivilTime
import Departure
import Geodesy
import Geofencing
import JSONText
import Reminders

/// The columns of a reminder and its progress.
///
/// Fields with a column are not in the JSON document; the state is the progress's. All other
/// members of the document are restored unchanged. The column of the transport has the modes of the
/// first schema; a later mode is in the document.
enum ReminderRow {
  static let columns = "seq, \(written)"

  /// All but the position, in the order of both `values`.
  static let written = """
    id, kind, title, category, priority, place_name, latitude, longitude, radius_m, due, \
    transport, document, \(progressColumns)
    """

  /// Columns of the progress.
  static let progressColumns = """
    state, presence, inside_since_us, visit_settled, occurrence_us, leads_fired, last_fired_us, \
    snoozed_until_us, unacknowledged, places_inside, occurrence_offset_s, nag_us, nags, \
    early_from_us, early_to_us
    """

  // MARK: - Writing

  static func values(_ reminder: Reminder) -> [SQLValue] {
    var details = reminder.details
    let hasColumn = [.driving, .cycling, .walking].contains(reminder.transport)
    if reminder.kind == .preemptive, !hasColumn {
      details["transport"] = .string(reminder.transport.rawValue)
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

  /// Values of `progressColumns`.
  static func values(_ progress: Progress) -> [SQLValue] {
    [
      .text(progress.state.rawValue), .text(word(progress.presence)),
      SQLValue(progress.presenceSince), SQLValue(progress.visitSettled),
      SQLValue(progress.occurrence), SQLValue(progress.leadsFired), SQLValue(progress.lastFired),
      SQLValue(progress.snoozedUntil), SQLValue(progress.isUnacknowledged),
      SQLValue(list(progress.placesInside)), SQLValue(progress.occurrenceOffset),
      SQLValue(progress.nagging?.next),
      SQLValue(progress.nagging?.count ?? 0), SQLValue(progress.early?.lowerBound),
      SQLValue(progress.early?.upperBound),
    ]
  }

  private static func list(_ numbers: [Int64]) -> String? {
    numbers.isEmpty ? nil : numbers.map(String.init).joined(separator: " ")
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
    var reminder = Reminder(
      id: try row.text("id"), kind: try row.word("kind", as: Reminder.Kind.self),
      title: try row.text("title"), category: try row.textIfAny("category"),
      priority: Int(try row.integer("priority")), place: try place(row), due: try due(row),
      transport: try transport(row), state: progress.state)
    guard (0...9).contains(reminder.priority) else {
      throw RowFault(reason: "its priority is not 0 to 9")
    }
    let details = try document(row)
    do throws(ReminderError) {
      try reminder.take(details: details)
      try reminder.checkCompleteness()
    } catch {
      throw RowFault(reason: error.description)
    }
    return (reminder, progress)
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

  private static func progress(_ row: Row) throws(RowFault) -> Progress {
    var progress = Progress(state: try row.word("state", as: Reminder.State.self))
    switch try row.text("presence") {
    case "unknown": progress.presence = .unknown
    case "outside": progress.presence = .outside
    case "inside": progress.presence = .inside
    default: throw RowFault(reason: "the column presence holds a word that is not known")
    }
    progress.presenceSince = try row.instantIfAny("inside_since_us")
    progress.visitSettled = try row.integer("visit_settled") != 0
    progress.occurrence = try row.instantIfAny("occurrence_us")
    let leads = try row.integer("leads_fired")
    guard (0...Int64(UInt16.max)).contains(leads) else {
      throw RowFault(reason: "the column leads_fired holds no number of leads")
    }
    progress.leadsFired = Int(leads)
    progress.lastFired = try row.instantIfAny("last_fired_us")
    progress.snoozedUntil = try row.instantIfAny("snoozed_until_us")
    progress.isUnacknowledged = try row.integer("unacknowledged") != 0
    progress.placesInside = try placesInside(row)
    progress.occurrenceOffset = try row.integerIfAny("occurrence_offset_s").map { Int($0) }
    if let next = try row.instantIfAny("nag_us") {
      progress.nagging = Progress.Nagging(
        next: next, count: Int(clamping: try row.integer("nags")))
    }
    if let from = try row.instantIfAny("early_from_us"),
      let to = try row.instantIfAny("early_to_us")
    {
      guard from <= to else { throw RowFault(reason: "the column early_to_us is too early") }
      progress.early = from...to
    }
    return progress
  }

  private static func placesInside(_ row: Row) throws(RowFault) -> [Int64] {
    try row.textIfAny("places_inside").map { (text) throws(RowFault) in try places(text) } ?? []
  }

  /// Parses place numbers in rising order, the inverse of `list`.
  static func places(_ text: String) throws(RowFault) -> [Int64] {
    var numbers: [Int64] = []
    for word in text.split(separator: " ") {
      guard let number = Int64(word), numbers.last.map({ $0 < number }) ?? true else {
        throw RowFault(reason: "the column places_inside is no list of rising numbers")
      }
      numbers.append(number)
    }
    return numbers
  }
}
