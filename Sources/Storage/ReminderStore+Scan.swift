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
    try database.forEach("SELECT \(ReminderRow.columns) FROM reminder ORDER BY seq") { row in
      do throws(RowFault) {
        body(try ScannedRow(pointer: row.statement.pointer).entry())
      } catch {
        let number = if case .integer(let found) = row.value(at: 0) { found } else { Int64(0) }
        problems.append(RowProblem(table: "reminder", row: number, reason: error.reason))
      }
    }
    return problems
  }
}

/// The current row of `ReminderRow.columns`, read by number: names would cost more than all the rest.
private struct ScannedRow {
  let pointer: OpaquePointer

  /// In the order of `ReminderRow.columns`.
  private enum Column: Int32 {
    case seq, id, kind, title, category, priority, placeName, latitude, longitude, radius, due
    case transport, document, state, presence, insideSince, visitSettled, occurrence, leadsFired
    case lastFired, snoozedUntil, unacknowledged, placesInside, nextLook, occurrenceOffset, nag,
      nags
  }

  func entry() throws(RowFault) -> PackedEntry {
    var parts: PackedReminder.Parts = []
    if try hasText(.category) { parts.insert(.category) }
    if try hasText(.placeName) { parts.insert(.placeName) }
    if try hasText(.due) { parts.insert(.due) }
    guard try hasText(.id), try hasText(.title), try hasText(.document) else {
      throw RowFault(reason: "its id, title or document is missing")
    }
    guard let priority = try integer(.priority).flatMap({ UInt8(exactly: $0) }), priority <= 9
    else {
      throw RowFault(reason: "its priority is not 0 to 9")
    }
    let facts = PackedReminder.Facts(
      kind: try kind(), transport: try transport(), priority: priority, place: try place(),
      parts: parts)
    let packed = PackedReminder(
      facts, id: bytes(.id).span, title: bytes(.title).span, category: bytes(.category).span,
      placeName: bytes(.placeName).span, due: bytes(.due).span, document: bytes(.document).span)
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
    if try hasText(.placesInside) {
      progress.placesInside = try ReminderRow.places(
        String(decoding: bytes(.placesInside), as: UTF8.self))
    }
    return progress
  }

  // MARK: - Words, told apart by their first letter and their length

  private func kind() throws(RowFault) -> Reminder.Kind {
    let word = bytes(.kind)
    switch (word.count, word.isEmpty ? 0 : word[0]) {
    case (8, UInt8(ascii: "l")): return .location
    case (4, UInt8(ascii: "d")): return .date
    case (10, UInt8(ascii: "p")): return .preemptive
    default: throw unknownWord("kind")
    }
  }

  private func transport() throws(RowFault) -> Reminder.Transport? {
    guard try hasText(.transport) else { return nil }
    let word = bytes(.transport)
    switch (word.count, word.isEmpty ? 0 : word[0]) {
    case (7, UInt8(ascii: "d")): return .driving
    case (7, UInt8(ascii: "c")): return .cycling
    case (7, UInt8(ascii: "w")): return .walking
    default: throw unknownWord("transport")
    }
  }

  private func state() throws(RowFault) -> Reminder.State {
    let word = bytes(.state)
    switch (word.count, word.isEmpty ? 0 : word[0]) {
    case (5, UInt8(ascii: "a")): return .armed
    case (5, UInt8(ascii: "f")): return .fired
    case (7, UInt8(ascii: "s")): return .snoozed
    case (4, UInt8(ascii: "d")): return .done
    case (7, UInt8(ascii: "e")): return .expired
    default: throw unknownWord("state")
    }
  }

  private func presence() throws(RowFault) -> Presence {
    let word = bytes(.presence)
    switch (word.count, word.isEmpty ? 0 : word[0]) {
    case (7, UInt8(ascii: "u")): return .unknown
    case (7, UInt8(ascii: "o")): return .outside
    case (6, UInt8(ascii: "i")): return .inside
    default: throw unknownWord("presence")
    }
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
    switch sqlite3_column_type(pointer, column.rawValue) {
    case SQLITE_INTEGER: return sqlite3_column_int64(pointer, column.rawValue)
    case SQLITE_NULL: return nil
    default: throw RowFault(reason: "the column \(column) does not hold a whole number")
    }
  }

  private func instant(_ column: Column) throws(RowFault) -> Instant? {
    try integer(column).map { Instant(microseconds: $0) }
  }

  private func real(_ column: Column) throws(RowFault) -> Double? {
    switch sqlite3_column_type(pointer, column.rawValue) {
    case SQLITE_FLOAT, SQLITE_INTEGER: return sqlite3_column_double(pointer, column.rawValue)
    case SQLITE_NULL: return nil
    default: throw RowFault(reason: "the column \(column) does not hold a number")
    }
  }

  /// Whether the column is not NULL; another type than a text is a fault.
  private func hasText(_ column: Column) throws(RowFault) -> Bool {
    switch sqlite3_column_type(pointer, column.rawValue) {
    case SQLITE_TEXT: return true
    case SQLITE_NULL: return false
    default: throw RowFault(reason: "the column \(column) does not hold a text")
    }
  }

  /// The bytes of a text; empty where there is none. SQLite keeps them until the next step, which is
  /// beyond the life of this row.
  private func bytes(_ column: Column) -> UnsafeBufferPointer<UInt8> {
    // The pointer must be asked for before the length (https://sqlite.org/c3ref/column_blob.html).
    guard let start = sqlite3_column_text(pointer, column.rawValue) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let count = Int(sqlite3_column_bytes(pointer, column.rawValue))
    return UnsafeBufferPointer(start: start, count: max(0, count))
  }
}
