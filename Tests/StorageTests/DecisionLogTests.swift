import Glibc
import TestSupport
import Testing

@testable import Storage

/// The file that keeps the latest decisions.
@Suite struct DecisionLogTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/log"
  }

  private func open(_ id: Int64 = 7) throws -> DecisionLog {
    let log = try DecisionLog(path: path)
    log.begin(as: id)
    return log
  }

  private func record(_ number: Int64, _ bytes: [UInt8]) -> DecisionLog.Record {
    DecisionLog.Record(number: number, bytes: bytes)
  }

  @Test func whatIsWrittenIsReadByTheNextRun() throws {
    let log = try open()
    #expect(log.read() == DecisionLog.Contents())
    let records = [
      record(0, []), record(1, [1]), record(2, Array("12345678".utf8)),
      record(3, [UInt8](repeating: 0xFF, count: DecisionLog.capacity)),
    ]
    for record in records { try log.write(record) }
    #expect(try open().read().records == records)
    #expect(try !open().read().isBlank)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(Int64(status.st_size) == Int64(DecisionLog.blockSize) * DecisionLog.blockCount)
  }

  @Test func theLatestAreKeptInOrder() throws {
    let log = try open()
    for number in 100..<Int64(250) { try log.write(record(number, Array("\(number)".utf8))) }
    let kept = log.read().records
    #expect(kept.map(\.number) == Array(250 - DecisionLog.blockCount..<250))
    #expect(kept.allSatisfy { $0.bytes == Array("\($0.number)".utf8) })
  }

  @Test func thoseOfAnotherDatabaseAreNotOurs() throws {
    try open().write(record(1, [1]))
    let other = try open(8)
    #expect(other.read().records == [])
    try other.write(record(2, [2]))
    other.begin(as: 9)
    #expect(other.read().records == [])
    #expect(try open(8).read().records == [record(2, [2])])
  }

  /// A process may die while the file is made.
  @Test(arguments: [0, 1, 4096, 70_001, 131_071]) func aFileThatIsTooShortIsCompleted(
    size: Int
  )
    throws
  {
    try open().write(record(0, [5]))
    #expect(truncate(path, off_t(size)) == 0)
    let log = try open()
    try log.write(record(DecisionLog.blockCount - 1, [6]))
    #expect(log.read().records.map(\.bytes) == (size >= 4096 ? [[5], [6]] : [[6]]))
    #expect(try fileBytes(path).count == DecisionLog.blockSize * Int(DecisionLog.blockCount))
  }

  /// The power may fail within a write: what of it is on disk is no record, and spoils no other one.
  @Test func aTornBlockIsNone() throws {
    let log = try open()
    let long = [UInt8](repeating: 3, count: 900)
    try log.write(record(0, [1]))
    try log.write(record(1, long))
    let before = try fileBytes(path)
    try log.write(record(33, [UInt8](repeating: 4, count: 1200)))
    let after = try fileBytes(path)
    for size in stride(from: 0, through: 1200, by: 37) {
      var torn = before
      torn.replaceSubrange(4096..<4096 + size, with: after[4096..<4096 + size])
      try writeFile(path, torn)
      let numbers = try open().read().records.map(\.number)
      #expect(numbers == (size == 0 ? [0, 1] : [0]))
    }
    try writeFile(path, after)
    #expect(try open().read().records.map(\.number) == [0, 33])
  }

  /// No change of a bit passes, and none traps.
  @Test func aChangedBlockIsNone() throws {
    try open().write(record(1, Array("a decision".utf8)))
    let sound = try fileBytes(path)
    for bit in 0..<8 * 48 {
      var changed = sound
      changed[4096 + bit / 8] ^= 1 << (bit % 8)
      try writeFile(path, changed)
      // The padding is behind the checksum as well.
      #expect(try open().read().records == [])
    }
    var random = SeededGenerator(seed: 3)
    let noise = (0..<sound.count).map { _ in UInt8.random(in: 0...255, using: &random) }
    try writeFile(path, noise)
    #expect(try open().read().records == [])
  }

  @Test func aFolderInItsPlaceIsToldWithItsName() throws {
    #expect(mkdir(path, 0o700) == 0)
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(error?.path == path)
  }
}
