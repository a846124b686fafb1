import Bytes
import Glibc

/// The latest decisions, each in a block of a file beside the database.
///
/// The way of a firing to the journal leads through here, and costs one write and one sync: the file has its
/// full size from the start, so that a sync has the block alone to bring to disk, and there is one writer, so
/// that nothing is locked. What a decision means to the reminders and the ledger is SQLite's, afterwards.
///
/// Decision `n` is in block `n` modulo their count: the log's id, `n` and the length of the record, then the
/// record, all behind a checksum. Whole numbers are eight bytes, little endian. The id is the database's,
/// which no other one has: what another database left here is none of this one's.
final class DecisionLog {
  static let blockSize = 4096
  static let blockCount: Int64 = 32
  private static let headerSize = 32
  /// Bytes of the largest record.
  static let capacity = blockSize - headerSize

  let path: String
  /// The database's; 0 until `begin`.
  private var id: Int64 = 0
  /// The block being written.
  private var block = ByteWriter(capacity: DecisionLog.blockSize)
  /// For tests, which let it fail.
  private(set) var descriptor: Int32

  struct Record: Equatable {
    var number: Int64
    var bytes: [UInt8]
  }

  /// What an earlier run has left.
  struct Contents: Equatable {
    /// Those of this database that are whole, by number.
    var records: [Record] = []
    /// Nothing was ever written to it.
    var isBlank = true
    /// Blocks that the disk does not give.
    var unreadableBlocks = 0
  }

  static func path(ofDatabase path: String) -> String { path + "-decisions" }

  /// Opens the file, or makes one that only its owner can read; fails where another process has it.
  init(path: String) throws(StoreError) {
    self.path = path
    descriptor = try FileSystem.open(path, size: Int64(Self.blockSize) * Self.blockCount)
    // For as long as the process lives. File systems without locks do without.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(descriptor, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES) else {
      throw failure("lock", code: EBUSY)
    }
  }

  /// From now on the log is that of the database with this id; what another one has left in it is not believed.
  func begin(as id: Int64) { self.id = id }

  deinit { close() }

  /// Lets another process have it; later uses fail.
  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Puts a record in its block, on disk when it returns. Where that fails it may be there all the same.
  func write(_ record: borrowing ByteWriter, as number: Int64) throws(StoreError) {
    fill(&block, with: record, number)
    let offset = number % Self.blockCount * Int64(Self.blockSize)
    let written = block.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard written == block.count else {
      throw failure("write", code: written < 0 ? errno : ENOSPC)
    }
    guard fdatasync(descriptor) == 0 else { throw failure("sync", code: errno) }
  }

  func read() -> Contents {
    var contents = Contents()
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    for index in 0..<Self.blockCount {
      let count = block.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(index * Int64(Self.blockSize)))
      }
      guard count == Self.blockSize else {
        contents.unreadableBlocks += 1
        continue
      }
      if contents.isBlank { contents.isBlank = block.allSatisfy { $0 == 0 } }
      if let record = record(in: block, at: index) { contents.records.append(record) }
    }
    contents.records.sort { $0.number < $1.number }
    return contents
  }

  private func failure(_ operation: String, code: Int32) -> StoreError {
    .file(FileFailure(operation: operation, path: path, code: code))
  }

  // MARK: - Blocks

  private func fill(
    _ block: inout ByteWriter, with record: borrowing ByteWriter, _ number: Int64
  ) {
    block.removeAll()
    block.add(littleEndian: 0)
    block.add(littleEndian: UInt64(bitPattern: id))
    block.add(littleEndian: UInt64(bitPattern: number))
    block.add(littleEndian: UInt64(record.count))
    block.add(record)
    while !block.count.isMultiple(of: 8) { block.add(0) }
    let checksum = block.withUnsafeBytes { Self.checksum(of: $0[8...]) }
    block.replace(littleEndian: checksum, at: 0)
  }

  /// nil where it is torn, or of another database.
  private func record(in block: [UInt8], at index: Int64) -> Record? {
    func number(at offset: Int) -> Int64 {
      Int64(
        littleEndian: block.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: offset, as: Int64.self)
        })
    }
    let count = number(at: 24)
    guard number(at: 8) == id, (0...Int64(Self.capacity)).contains(count) else { return nil }
    let end = Self.headerSize + Int(count)
    let checksum = block.withUnsafeBytes { Self.checksum(of: $0[8..<(end + 7) / 8 * 8]) }
    guard checksum == UInt64(bitPattern: number(at: 0)),
      number(at: 16) >= 0, number(at: 16) % Self.blockCount == index
    else { return nil }
    return Record(number: number(at: 16), bytes: Array(block[Self.headerSize..<end]))
  }

  /// The checksum of SQLite's write-ahead log (https://sqlite.org/fileformat2.html#walformat), which needs no
  /// table: the code on the way to the journal is mostly not in the cache.
  /// - Parameter bytes: a multiple of eight.
  private static func checksum(of bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    var first: UInt32 = 0
    var second: UInt32 = 0
    for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
      let word = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      first &+= UInt32(truncatingIfNeeded: word) &+ second
      second &+= UInt32(truncatingIfNeeded: word >> 32) &+ first
    }
    return UInt64(second) << 32 | UInt64(first)
  }
}
