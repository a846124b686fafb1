import CSQLite
import CivilTime
import Geofencing
package import Reminders

extension ReminderStore {
  /// Every reminder in the order of arrival, packed as the engine keeps it: the way to read a million
  /// of them at a start. Documents are passed on unread; a row that is visibly wrong is left out and
  /// reported, one whose document is wrong is found out by the engine.
  package func scan(
    _ body: (PackedEntry) -> Void
  ) throws(StoreError) -> [RowProblem] {
    var problems: [RowProblem] = []
    try database.scan("reminder", ReminderRow.columns) { values in
      let row = ScannedRow(values: values)
      do throws(RowFault) {
        body(try row.entry())
      } catch {
        problems.append(RowProblem(table: "reminder", row: row.number, reason: error.reason))
      }
    }
    return problems
  }
}

/// A row of `ReminderRow.columns`, read by number: names would cost more than all the rest.
private struct ScannedRow {
  let values: RowValues

  /// In the order of `ReminderRow.columns`.
  private enum Column: Int {
    case seq, id, kind, title, category, priority, placeName, latitude, longitude, radius, due
    case transport, document, state, presence, insideSince, visitSettled, occurrence, leadsFired
    case lastFired, snoozedUntil, unacknowledged, placesInside, nextLook, occurrenceOffset, nag,
      nags
  }

  /// The row's number in its table.
  var number: Int64 { sqlite3_value_int64(values[Column.seq.rawValue]) }

  func entry() throws(RowFault) -> PackedEntry {
    guard let id = try text(.id), let title = try text(.title), let document = try text(.document)
    else { throw RowFault(reason: "its id, title or document is missing") }
    let category = try text(.category)
    let placeName = try text(.placeName)
    let due = try text(.due)
    // An empty literal would make an array for each row.
    var parts = PackedReminder.Parts(rawValue: 0)
    if category != nil { parts.insert(.category) }
    if placeName != nil { parts.insert(.placeName) }
    if due != nil { parts.insert(.due) }
    guard let priority = try integer(.priority).flatMap({ UInt8(exactly: $0) }), priority <= 9
    else {
      throw RowFault(reason: "its priority is not 0 to 9")
    }
    let facts = PackedReminder.Facts(
      kind: try kind(), transport: try transport(), priority: priority, place: try place(),
      parts: parts)
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    let packed = PackedReminder(
      facts, id: id.span, title: title.span, category: (category ?? nothing).span,
      placeName: (placeName ?? nothing).span, due: (due ?? nothing).span, document: document.span)
    return PackedEntry(packed: packed, progress: try progress())
  }

  private func progress() throws(RowFault) -> Progress {
    var progress = Progress(state: try state())
    progress.presence = try presence()
    progress.insideSince = try instant(.insideSince)
    progress.visitSettled = try integer(.visitSettled) == 1
    progress.occurrence = try instant(.occurrence)
    guard let leads = try integer(.leadsFired), leads >= 0, leads <= Int64(UInt16.max) else {
      throw RowFault(reason: "the column leads_fired holds no number of leads")
    }
    progress.leadsFired = Int(leads)
    progress.lastFired = try instant(.lastFired)
    progress.snoozedUntil = try instant(.snoozedUntil)
    progress.isUnacknowledged = try integer(.unacknowledged) == 1
    progress.nextLook = try instant(.nextLook)
    progress.occurrenceOffset = try integer(.occurrenceOffset).map { Int($0) }
    if let next = try instant(.nag) {
      progress.nagging = Progress.Nagging(next: next, count: Int(try integer(.nags) ?? 0))
    }
    if let places = try text(.placesInside) {
      progress.placesInside = try ReminderRow.places(String(decoding: places, as: UTF8.self))
    }
    return progress
  }

  // MARK: - Words, told apart by their first letter and their length

  private func kind() throws(RowFault) -> Reminder.Kind {
    switch try word(.kind) {
    case (8, UInt8(ascii: "l")): return .location
    case (4, UInt8(ascii: "d")): return .date
    case (10, UInt8(ascii: "p")): return .preemptive
    default: throw unknownWord("kind")
    }
  }

  private func transport() throws(RowFault) -> Reminder.Transport? {
    switch try word(.transport) {
    case (-1, _): return nil
    case (7, UInt8(ascii: "d")): return .driving
    case (7, UInt8(ascii: "c")): return .cycling
    case (7, UInt8(ascii: "w")): return .walking
    default: throw unknownWord("transport")
    }
  }

  private func state() throws(RowFault) -> Reminder.State {
    switch try word(.state) {
    case (5, UInt8(ascii: "a")): return .armed
    case (5, UInt8(ascii: "f")): return .fired
    case (7, UInt8(ascii: "s")): return .snoozed
    case (4, UInt8(ascii: "d")): return .done
    case (7, UInt8(ascii: "e")): return .expired
    default: throw unknownWord("state")
    }
  }

  private func presence() throws(RowFault) -> Presence {
    switch try word(.presence) {
    case (7, UInt8(ascii: "u")): return .unknown
    case (7, UInt8(ascii: "o")): return .outside
    case (6, UInt8(ascii: "i")): return .inside
    default: throw unknownWord("presence")
    }
  }

  /// Length and first letter; the length is −1 where the column is NULL.
  private func word(_ column: Column) throws(RowFault) -> (length: Int, first: UInt8) {
    guard let text = try text(column) else { return (-1, 0) }
    return (text.count, text.first ?? 0)
  }

  private func unknownWord(_ column: String) -> RowFault {
    RowFault(reason: "the column \(column) holds a word that is not known")
  }

  // MARK: - Columns

  private func place() throws(RowFault) -> (latitude: Double, longitude: Double, radius: Double)? {
    guard let latitude = try real(.latitude), let longitude = try real(.longitude),
      let radius = try real(.radius)
    else { return nil }
    guard (-90...90).contains(latitude), (-180...180).contains(longitude),
      Reminder.Place.radii.contains(radius)
    else { throw RowFault(reason: "its place is no circle on the Earth") }
    return (latitude, longitude, radius)
  }

  private func integer(_ column: Column) throws(RowFault) -> Int64? {
    let value = values[column.rawValue]
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return sqlite3_value_int64(value)
    case SQLITE_NULL: return nil
    default: throw RowFault(reason: "the column \(column) does not hold a whole number")
    }
  }

  private func instant(_ column: Column) throws(RowFault) -> Instant? {
    try integer(column).map { Instant(microseconds: $0) }
  }

  private func real(_ column: Column) throws(RowFault) -> Double? {
    let value = values[column.rawValue]
    switch sqlite3_value_type(value) {
    case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_value_double(value)
    case SQLITE_NULL: return nil
    default: throw RowFault(reason: "the column \(column) does not hold a number")
    }
  }

  /// The bytes of a text; nil where the column is NULL. SQLite keeps them until the next row.
  private func text(_ column: Column) throws(RowFault) -> UnsafeBufferPointer<UInt8>? {
    let value = values[column.rawValue]
    switch sqlite3_value_type(value) {
    case SQLITE_TEXT: break
    case SQLITE_NULL: return nil
    default: throw RowFault(reason: "the column \(column) does not hold a text")
    }
    // The pointer must be asked for before the length (https://sqlite.org/c3ref/value_blob.html).
    guard let start = sqlite3_value_text(value) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(start: start, count: max(0, Int(sqlite3_value_bytes(value))))
  }
}
