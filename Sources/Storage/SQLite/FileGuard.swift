import Glibc

/// Notices that the files of an open database were moved, removed, replaced or overwritten.
///
/// SQLite goes on writing into files that were removed or replaced, and a write-ahead log that
/// another program has overwritten is lost at the next start: both would take back
/// commits. See "How To Corrupt An SQLite Database File", section 4.2
/// (https://sqlite.org/howtocorrupt.html).
final class FileGuard {
  private struct File {
    let path: String
    let descriptor: Int32

    init?(_ path: String, _ flags: Int32) {
      descriptor = open(path, flags | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      self.path = path
    }

    /// The first bytes, as many as there are.
    func head(_ size: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
      }
    }
  }

  private let database: File
  private let log: File?
  /// The index of the log, in shared memory.
  private let index: File?

  /// O_PATH of Linux, which Glibc's module does not export.
  private static let pathOnly: Int32 = 0o10_000_000

  /// - Parameter path: a database that is open.
  init(_ path: String) throws(StoreError) {
    // A descriptor with O_PATH releases no lock of SQLite when it is closed (fcntl(2)).
    guard let database = File(path, Self.pathOnly) else {
      throw .file(FileFailure(operation: "look at", path: path, code: errno))
    }
    self.database = database
    log = File(path + "-wal", O_RDONLY)
    index = File(path + "-shm", O_RDONLY)
  }

  /// To be called once the database is closed: this releases locks of the log's index, too.
  func close() {
    for file in [database, log, index].compactMap(\.self) { Glibc.close(file.descriptor) }
  }

  /// Fails if a file was moved, removed, replaced or overwritten.
  func check() throws(StoreError) {
    for file in [database, log].compactMap(\.self) where !isInPlace(file) {
      throw .moved(path: file.path)
    }
    if let log, !hasSaltsOfIndex(log) { throw .moved(path: log.path) }
  }

  private func isInPlace(_ file: File) -> Bool {
    var ours = stat()
    var found = stat()
    guard fstat(file.descriptor, &ours) == 0, stat(file.path, &found) == 0 else { return false }
    return ours.st_nlink > 0 && ours.st_ino == found.st_ino && ours.st_dev == found.st_dev
  }

  /// Whether the head of a log in use has the salts that its index knows: another log has others
  /// (https://sqlite.org/walformat.html, sections 1 and 2.1).
  private func hasSaltsOfIndex(_ log: File) -> Bool {
    let known = index?.head(48) ?? []
    // Without a frame the head may still be written.
    guard known.count == 48, known[16..<20].contains(where: { $0 != 0 }) else { return true }
    let found = log.head(24)
    return found.count == 24 && found[16...] == known[32..<40]
  }
}
