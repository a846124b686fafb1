import CSQLite
import CivilTime
import Geodesy
import Geofencing
import Glibc
import JSONText
import Reminders
import Testing

@testable import Storage

/// A folder of its own for one test, gone with it.
final class TemporaryFolder {
  let path: String

  init() throws {
    // In memory where there is such a folder: syncing a disk is not what is tested.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/georemind-store-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) } != nil
    }
    try #require(made)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var database: String { path + "/georemind.db" }

  /// Names of the files in it, sorted.
  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var result: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { result.append(name) }
    }
    return result.sorted()
  }
}

enum Bytes {
  static func read(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY)
    try #require(file >= 0, "cannot open \(path)")
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
    return bytes
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(file >= 0, "cannot open \(path)")
    defer { close(file) }
    let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
  }

  static func copy(_ path: String, to target: String) throws { try write(read(path), to: target) }
}

extension Instant {
  /// 2026-11-21T03:00:00Z.
  static let start = Instant(microseconds: 1_795_230_000_000_000)
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

enum Sample {
  static func dated(
    _ id: String, minutes: Int? = nil, priority: Int = 0
  ) throws
    -> ReminderStore.Entry
  {
    let due = Instant.start + .minutes(Double(minutes ?? 0))
    let reminder = Reminder(
      id: id, kind: .date, title: "Title of \(id)", priority: priority, due: .absolute(due))
    var progress = Progress()
    progress.occurrence = minutes == nil ? nil : due
    return (reminder, progress)
  }

  static func placed(_ id: String, category: String? = nil) throws -> ReminderStore.Entry {
    let position = try #require(Coordinate(latitude: 52.52000000000001, longitude: -13.405))
    var unknown = JSONObject()
    unknown["x_colour"] = "teal"
    unknown["x_deep"] = .array([1, .null, .object(JSONObject(["z": "ü\u{1F600}", "a": true]))])
    let reminder = Reminder(
      id: id, kind: .location, title: "Milk & \"bread\" — \(id)", notes: "two\nlines",
      category: category, priority: 3, place: .init(name: "Rewe", position: position, radius: 75.5),
      trigger: .dwell, dwell: .seconds(90), everyVisit: true, cooldown: .minutes(10),
      maximumSpeed: 2.5, unknown: unknown)
    var progress = Progress(state: .snoozed)
    progress.presence = .inside
    progress.insideSince = .start
    progress.visitSettled = true
    progress.leadsFired = 2
    progress.lastFired = Instant(microseconds: 1_795_230_000_000_001)
    progress.snoozedUntil = Instant(microseconds: 1_795_230_999_999_999)
    var stored = reminder
    stored.state = .snoozed
    return (stored, progress)
  }

  static func firing(_ id: String, second: Int = 0, reminder: String = "r") throws -> Firing {
    Firing(
      id: id, reminderID: reminder, kind: .location, title: "Title", category: "Shopping",
      priority: 5,
      time: Instant(microseconds: Instant.start.microseconds + Int64(second) * 1_000_000 + 7),
      event: .pass, position: Coordinate(latitude: 1.0 / 3, longitude: -179.999999),
      eph: 4.2, fixTime: Instant(microseconds: 3), place: "Rewe", distance: 33.3,
      due: Instant(microseconds: -5), travel: TimeSpan(microseconds: 1_000_001),
      late: TimeSpan(microseconds: 1), why: "Passed Rewe")
  }
}

/// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
