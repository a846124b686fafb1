import CivilTime
import Departure
import Geodesy
import Positioning
import Reminders

/// The columns of a firing in the ledger; times in microseconds.
enum FiringRow {
  static let columns = """
    seq, id, reminder_id, kind, title, category, priority, time_us, event, latitude, longitude, \
    eph_m, fix_time_us, place, distance_m, due_us, travel_us, late_us, why, repeated, \
    source, who, recipient
    """

  /// `columns`, and whether the row is as it was written.
  static let read = "\(columns), \(RowChecksum.result("firing"))"

  /// Adds a row; its last parameter is `held`.
  static let insertion: String = {
    let count = columns.split(separator: ",").count + 1
    let parameters = (1...count).map { "?\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO firing (\(columns), held, checksum)
      VALUES (\(parameters), row_checksum(\(parameters), NULL)) ON CONFLICT (id) DO NOTHING
      """
  }()

  static func values(_ firing: Firing) -> [SQLValue] {
    [
      .text(firing.id), .text(firing.reminderID), .text(firing.kind.rawValue),
      .text(firing.title), SQLValue(firing.category), SQLValue(firing.priority),
      SQLValue(firing.time), .text(firing.event.rawValue), SQLValue(firing.position?.latitude),
      SQLValue(firing.position?.longitude), SQLValue(firing.eph), SQLValue(firing.fixTime),
      SQLValue(firing.place), SQLValue(firing.distance), SQLValue(firing.due),
      SQLValue(firing.travel), SQLValue(firing.late), .text(firing.why),
      SQLValue(firing.repeated?.rawValue), SQLValue(firing.source?.rawValue),
      SQLValue(firing.who), SQLValue(firing.recipient),
    ]
  }

  static func firing(_ row: Row) throws(RowFault) -> Firing {
    let firing = Firing(
      id: try row.text("id"), reminderID: try row.text("reminder_id"),
      kind: try row.word("kind", as: Reminder.Kind.self), title: try row.text("title"),
      category: try row.textIfAny("category"), priority: Int(try row.integer("priority")),
      time: Instant(microseconds: try row.integer("time_us")),
      event: try row.word("event", as: Firing.Event.self), who: try row.textIfAny("who"),
      recipient: try row.textIfAny("recipient"), position: try position(row),
      eph: try row.realIfAny("eph_m"),
      source: try row.textIfAny("source").flatMap(Fix.Solution.init(rawValue:)),
      fixTime: try row.instantIfAny("fix_time_us"),
      place: try row.textIfAny("place"), distance: try row.realIfAny("distance_m"),
      due: try row.instantIfAny("due_us"), travel: try row.spanIfAny("travel_us"),
      late: try row.spanIfAny("late_us"),
      repeated: try row.textIfAny("repeated").flatMap(Firing.Repeated.init(rawValue:)),
      why: try row.text("why"))
    try RowChecksum.check(row)
    return firing
  }

  private static func position(_ row: Row) throws(RowFault) -> Coordinate? {
    guard let latitude = try row.realIfAny("latitude"),
      let longitude = try row.realIfAny("longitude")
    else { return nil }
    guard let position = Coordinate(latitude: latitude, longitude: longitude) else {
      throw RowFault(reason: "its coordinate is out of range")
    }
    return position
  }
}
