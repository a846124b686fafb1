import Glibc

/// The few file operations around the database, with typed errors.
enum FileSystem {
  private static func failure(_ operation: String, _ path: String) -> StoreError {
    .file(FileFailure(operation: operation, path: path, code: errno))
  }

  /// Bytes of a regular file; nil where there is none of that name.
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

  /// An empty file that only its owner can read; fails where there is one of that name.
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

  /// Removes a file; that there is none is no error.
  static func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  static func sync(_ path: String) throws(StoreError) {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("open", path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure("sync", path) }
  }

  /// A new or renamed file is only sure to be found after a crash once its folder is synced
  /// (open(2)).
  private static func syncFolder(of path: String) throws(StoreError) {
    let folder =
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
        slash == path.startIndex ? "/" : String(path[..<slash])
      } ?? "."
    try sync(folder)
  }

  /// Copies `path` to the existing file `target`, a piece at a time, with other bytes at its start.
  static func copy(
    _ path: String, to target: String, startingWith head: [UInt8]
  )
    throws(StoreError)
  {
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

  private static func write(
    _ bytes: ArraySlice<UInt8>, to file: Int32, _ path: String
  )
    throws(StoreError)
  {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw failure("write", path) }
      rest = rest.dropFirst(count)
    }
  }
}
