import CSQLite
import CivilTime
import Departure
import Geodesy
import Geofencing
import Glibc
import JSONText
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Storage

extension TemporaryFolder {
  var database: String { path + "/georemind.db" }
}

extension Instant {
  /// 2026-11-21T03:00:00Z.
  static let start = Instant(microseconds: 1_795_230_000_000_000)
}

extension LocalDateTime {
  /// 2026-11-21T12:00:00.
  static let noon = LocalDateTime(microseconds: 1_795_262_400_000_000)
}

extension Store {
  convenience init(in folder: TemporaryFolder) throws {
    try self.init(path: folder.database, now: .start)
  }
}

/// Runs `body` on a bare connection, as a hand with the sqlite3 shell would.
func withRawConnection(_ path: String, _ script: String) throws {
  var handle: OpaquePointer?
  try #require(sqlite3_open(path, &handle) == SQLITE_OK)
  defer { sqlite3_close(handle) }
  let code = sqlite3_exec(handle, script, nil, nil, nil)
  try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
}

extension ReminderStore {
  /// All reminders in the order of insertion, and the unreadable rows.
  func all() throws(StoreError) -> (values: [Entry], problems: [RowProblem]) {
    var values: [Entry] = []
    let problems = try forEach { values.append($0) }
    return (values, problems)
  }

  /// Stores a reminder with a history, in a state that may not follow from it.
  func replace(
    _ reminder: Reminder, history: History = History(), state: Reminder.State = .armed
  ) throws(StoreError) {
    try replace((reminder, history, Standing(state: state)))
  }
}

enum Sample {
  static func dated(
    _ id: String, minutes: Int? = nil, priority: Int = 0
  ) throws
    -> ReminderStore.Entry
  {
    let due = Instant.start + .minutes(Double(minutes ?? 0))
    let reminder = Reminder(
      id: id, kind: .date, title: "Title of \(id)", priority: priority, due: .absolute(due))
    return (reminder, History(), Standing(state: .armed, due: minutes == nil ? nil : due))
  }

  static func placed(_ id: String, category: String? = nil) throws -> ReminderStore.Entry {
    let position = try #require(Coordinate(latitude: 52.52000000000001, longitude: -13.405))
    var unknown = JSONObject()
    unknown["x_colour"] = "teal"
    unknown["x_deep"] = .array([1, .null, .object(JSONObject(["z": "ü\u{1F600}", "a": true]))])
    var stored = Reminder(
      id: id, kind: .location, title: "Milk & \"bread\" — \(id)", notes: "two\nlines",
      category: category, priority: 3, place: .init(name: "Rewe", position: position, radius: 75.5),
      everyVisit: true, state: .snoozed)
    stored.trigger = .dwell
    stored.dwell = .seconds(90)
    stored.cooldown = .minutes(10)
    stored.maximumSpeed = 2.5
    stored.unknown = unknown
    var history = History()
    history.stay = .inside(Stay.Visit(since: .start, settledUpTo: .forever))
    history.leadsUsed = [.noon: 2]
    history.lastRung = Instant(microseconds: 1_795_230_000_000_001)
    history.silence = .until(Instant(microseconds: 1_795_230_999_999_999))
    history.early = History.Early(
      from: .always, upTo: .noon, rung: Instant(microseconds: 1_795_230_000_000_003))
    return (stored, history, Standing(state: .snoozed, due: .start))
  }

  static func firing(_ id: String, second: Int = 0, reminder: String = "r") throws -> Firing {
    Firing(
      id: id, reminderID: reminder, kind: .location, title: "Title", category: "Shopping",
      priority: 5,
      time: Instant(microseconds: Instant.start.microseconds + Int64(second) * 1_000_000 + 7),
      event: .pass, position: Coordinate(latitude: 1.0 / 3, longitude: -179.999999),
      eph: 4.2, source: .deadReckoning, fixTime: Instant(microseconds: 3), place: "Rewe",
      distance: 33.3,
      due: Instant(microseconds: -5), travel: TimeSpan(microseconds: 1_000_001),
      late: TimeSpan(microseconds: 1), repeated: .clock, why: "Passed Rewe")
  }
}
