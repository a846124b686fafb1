import CSQLite
import CivilTime
import Geodesy
import Glibc
import Positioning
import TestSupport
import Testing

@testable import Storage

/// The database of the way: its file, its limits, and a start after damage.
@Suite struct TrackStoreTests {
  private let folder: TemporaryFolder
  private let now = Instant(seconds: 1_781_280_000)
  private var path: String { "\(folder.path)/track.db" }

  init() throws { folder = try TemporaryFolder() }

  private func open(limit: Int64 = TrackStore.maximumBytes) throws -> TrackStore {
    try TrackStore(path: path, now: now, limit: limit)
  }

  private func points(_ count: Int, from second: Int = 0) -> [TrackPoint] {
    (0..<count).map { number -> TrackPoint in
      let latitude = 47 + Double(number) * 1e-5
      let position = Coordinate(clampingLatitude: latitude, wrappingLongitude: 9.5)
      let time: Instant = now + .seconds(Double(second + number))
      let speed: Double? = number % 3 == 0 ? nil : 1.5
      return TrackPoint(
        time: time, position: position, speed: speed, eph: number % 2 == 0 ? 4 : nil)
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private let all = Instant(microseconds: .min)
  private let end = Instant(microseconds: .max)

  @Test func whatIsAddedIsReadAgain() throws {
    let trip = RecordedTrip(begin: now, end: now + .seconds(50), distance: 812.5)
    let stay = Stay(
      begin: now + .seconds(50), end: now + .seconds(99),
      position: Coordinate(clampingLatitude: 47.0005, wrappingLongitude: 9.5))
    var store = try open()
    try store.add(points(100), [.trip(trip), .stay(stay)])
    try store.add(points(100), [.trip(trip)])
    store.close()
    store = try open()
    defer { store.close() }
    #expect(store.remarks == [])
    #expect(try store.points(from: all, to: end, limit: .max) == points(100))
    #expect(try store.points(from: now + .seconds(10), to: end, limit: 5).count == 5)
    #expect(try store.trips(since: all, limit: .max) == [trip])
    #expect(try store.trips(since: now + .seconds(51), limit: .max) == [])
    #expect(try store.stays(limit: .max) == [stay])
    #expect(try store.lastEnd() == stay.end)
    #expect(mode(path) == 0o600 && mode(path + "-wal") == 0o600)
  }

  @Test func whatIsForgottenIsOverwritten() throws {
    let store = try open()
    let trip = RecordedTrip(begin: now, end: now + .seconds(50), distance: 812.5)
    try store.add(points(5_000), [.trip(trip)])
    // The latitude of a point in the bytes of a record, the highest first.
    let latitude = points(5_000)[4_000].latitude
    let needle = (0..<4).map { UInt8(truncatingIfNeeded: latitude >> (24 - 8 * $0)) }
    func isInTheFiles() throws -> Bool {
      for suffix in ["", "-wal"] where access(path + suffix, F_OK) == 0 {
        let bytes = try fileBytes(path + suffix)
        if bytes.firstRange(of: needle) != nil { return true }
      }
      return false
    }
    #expect(try isInTheFiles())
    #expect(try store.forget(before: now + .seconds(20)) == 0)
    #expect(try store.points(from: all, to: end, limit: 1).first?.time == now + .seconds(20))
    #expect(try store.forget(before: nil) == 1)
    store.close()
    #expect(try !isInTheFiles())
  }

  @Test func aFullFileLosesItsOldestTenth() throws {
    let store = try open(limit: 200_000)
    defer { store.close() }
    for hour in 0..<40 { try store.add(points(500, from: hour * 3_600), []) }
    let first = try #require(try store.points(from: all, to: end, limit: 1).first)
    let last = try #require(try store.points(from: all, to: end, limit: .max).last)
    #expect(first.time > now && last.time == now + .seconds(39 * 3_600 + 499))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_size < 400_000)
  }

  // MARK: - Hostile and damaged files

  @Test(arguments: [
    "no database at all, but a text of some length, and so on", "SQLite format 3\u{0}xxxxxxxx",
  ])
  func aDamagedFileIsSetAsideAndANewOneBegins(text: String) throws {
    try folder.file("track.db", text)
    let store = try open()
    try store.add(points(3), [])
    store.close()
    #expect(store.remarks.count == 1)
    let aside = try #require(folder.names.first { $0.contains("damaged") })
    #expect(try contents("\(folder.path)/\(aside)") == text)
    #expect(mode(path) == 0o600)
  }

  @Test func damageInTheMiddleIsFoundAtTheOpening() throws {
    let store = try open()
    try store.add(points(3_000), [])
    store.close()
    let file = try #require(fopen(path, "r+"))
    fseek(file, 8_192, SEEK_SET)
    fwrite([UInt8](repeating: 0xA5, count: 4_096), 1, 4_096, file)
    fclose(file)
    let again = try open()
    defer { again.close() }
    #expect(again.remarks.count == 1)
    #expect(try again.points(from: all, to: end, limit: .max) == [])
  }

  @Test func aRowOutOfRangeIsLeftOut() throws {
    let store = try open()
    try store.add(points(3), [])
    store.close()
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    let script = """
      PRAGMA ignore_check_constraints = ON;
      UPDATE point SET latitude = 9000000000000 WHERE time_us = \(now.microseconds);
      """
    #expect(sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    let again = try open()
    defer { again.close() }
    #expect(try again.points(from: all, to: end, limit: .max) == Array(points(3).dropFirst()))
  }

  @Test func aLinkIsRefusedAndItsTargetStays() throws {
    let target = try folder.file("target", "private")
    #expect(symlink(target, path) == 0)
    #expect(throws: StoreError.self) { try open() }
    #expect(try contents(target) == "private")
    unlink(path)
    #expect(link(target, path) == 0, "a second name of another file")
    #expect(throws: StoreError.self) { try open() }
    #expect(try contents(target) == "private")
    unlink(path)
    #expect(mkdir(path, 0o700) == 0)
    #expect(throws: StoreError.self) { try open() }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func aFileOfAnotherUserIsRefused() throws {
    try open().close()
    #expect(chown(path, 65_533, 65_533) == 0)
    #expect(throws: StoreError.self) { try open() }
  }

  @Test func aFileThatOthersCanReadIsClosedToThem() throws {
    try open().close()
    #expect(chmod(path, 0o644) == 0)
    try open().close()
    #expect(mode(path) == 0o600)
  }

  @Test func aDatabaseOfAnotherProgramIsRefused() throws {
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    #expect(sqlite3_exec(database, "CREATE TABLE mine (x)", nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    chmod(path, 0o600)
    #expect(throws: StoreError.foreign(path: path, applicationID: 0)) { try open() }
    unlink(path)
    try Store(path: path, now: now).close()
    #expect(throws: StoreError.self, "the store of reminders") { try open() }
  }
}
