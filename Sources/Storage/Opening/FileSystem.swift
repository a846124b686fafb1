import CivilTime
import Glibc

/// File operations for the database, with typed errors.
enum FileSystem {
  private static func failure(_ operation: String, _ path: String) -> StoreError {
    .file(FileFailure(operation: operation, path: path, code: errno))
  }

  /// Size of a regular file in bytes; nil if it does not exist.
  static func size(of path: String) throws(StoreError) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("look at", path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .file(
        FileFailure(
          operation: "use", path: path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL))
    }
    return Int64(status.st_size)
  }

  /// The time of a file's last change, nanoseconds since 1970.
  static func modification(of path: String) throws(StoreError) -> Int64 {
    var status = stat()
    guard stat(path, &status) == 0 else { throw failure("look at", path) }
    return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  static func setModification(of path: String, _ nanoseconds: Int64) throws(StoreError) {
    let time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    guard utimensat(AT_FDCWD, path, [time, time], 0) == 0 else { throw failure("mark", path) }
  }

  /// Creates an empty file, readable by its owner only; fails if the name exists.
  static func createPrivate(_ path: String) throws(StoreError) {
    let file = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("create", path) }
    close(file)
    try syncFolder(of: path)
  }

  static func rename(_ path: String, to target: String) throws(StoreError) {
    guard Glibc.rename(path, target) == 0 else { throw failure("rename", path) }
    try syncFolder(of: target)
  }

  /// Removes a file; a missing file is no error.
  static func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  static func sync(_ path: String) throws(StoreError) {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure("sync", path) }
  }

  /// Brings a file to the disk, and what a failed sync has left out of it: the kernel counts those
  /// pages as written, so that no later sync writes them (fsync(2)). Each byte is written again.
  ///
  /// Only for a file that no other process writes, and on which this one has no locks (fcntl(2)).
  /// - Complexity: O(its size).
  static func secure(_ path: String) throws(StoreError) {
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    var place: off_t = 0
    while true {
      let count = pread(file, &piece, piece.count, place)
      guard count >= 0 else { throw failure("read", path) }
      if count == 0 { break }
      let written = pwrite(file, piece, count, place)
      guard written > 0 else { throw failure("write", path) }
      place += off_t(written)
    }
    guard fsync(file) == 0 else { throw failure("sync", path) }
  }

  /// Syncs the folder: without it a new or renamed file may be lost in a crash (open(2)).
  private static func syncFolder(of path: String) throws(StoreError) {
    try sync(folder(of: path))
  }

  /// Creates the folder of a file, for its owner only.
  static func createFolder(of path: String) throws(StoreError) {
    let folder = folder(of: path)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure("create", folder) }
  }

  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
      slash == path.startIndex ? "/" : String(path[..<slash])
    } ?? "."
  }

  /// `<path>.damaged-20261121T093000Z`, numbered if that exists.
  static func freeName(
    beside path: String, _ word: String, at now: Instant
  ) throws(StoreError) -> String {
    let second = Instant(microseconds: now.microseconds / 1_000_000 * 1_000_000)
    let stamp = second.rfc3339().filter { $0 != "-" && $0 != ":" }
    let name = "\(path).\(word)-\(stamp)"
    for number in 1..<1000 {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      if try size(of: candidate) == nil, try size(of: candidate + "-wal") == nil {
        return candidate
      }
    }
    return name
  }

  /// The latest file with a name of `freeName`; nil without one.
  static func latest(beside path: String, _ word: String) -> String? {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob("\(path).\(word)-*Z*", 0, nil, &found) == 0 else { return nil }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
      .last { !["-lock", "-wal", "-shm"].contains(where: $0.hasSuffix) }
  }

  /// Copies `path` to the existing file `target` in pieces, with its first bytes replaced.
  static func copy(
    _ path: String, to target: String, startingWith head: [UInt8]
  ) throws(StoreError) {
    let source = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure("open", path) }
    defer { close(source) }
    let file = Glibc.open(target, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", target) }
    defer { close(file) }
    try write(head[...], to: file, target)
    guard lseek(source, off_t(head.count), SEEK_SET) >= 0 else { throw failure("read", path) }
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = piece.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw failure("read", path) }
      if count == 0 { return }
      try write(piece[..<min(count, piece.count)], to: file, target)
    }
  }

  /// Writes to the end of an existing file.
  static func append(_ bytes: [UInt8], to path: String) throws(StoreError) {
    let file = Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    try write(bytes[...], to: file, path)
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, _ path: String
  ) throws(StoreError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw failure("write", path) }
      rest = rest.dropFirst(count)
    }
  }
}
