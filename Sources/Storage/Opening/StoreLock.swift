import Glibc

/// Excludes a second process from the database with an advisory lock (fcntl(2)) of a file beside
/// it. On file systems without locks it has no effect.
final class StoreLock {
  private var descriptor: Int32 = -1

  static func path(ofDatabase path: String) -> String { path + "-lock" }

  /// Takes the lock; fails with EBUSY if another process has it.
  init(ofDatabase database: String) throws(StoreError) {
    let path = Self.path(ofDatabase: database)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .file(FileFailure(operation: "create", path: path, code: errno))
    }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(descriptor, F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES) else {
      throw .file(FileFailure(operation: "lock", path: path, code: EBUSY))
    }
  }

  func release() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  deinit { release() }
}
