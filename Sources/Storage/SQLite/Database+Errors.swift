import CSQLite
import Glibc

extension Database {
  /// SQLite reports some full and read-only disks as I/O errors; the system's error number is
  /// exact.
  func cause(of code: Int32) -> Int32 {
    guard code & 0xFF == SQLITE_IOERR, let handle else { return code }
    switch sqlite3_system_errno(handle) {
    case ENOSPC, EDQUOT: return SQLITE_FULL
    case EROFS: return SQLITE_READONLY
    default: return code
    }
  }

  func failure(_ code: Int32, sql: String?, isMisuse: Bool = false) -> StoreError {
    let message =
      if handle == nil && sql != nil {
        "the database is closed"
      } else if isMisuse || handle == nil {
        String(cString: sqlite3_errstr(code))
      } else {
        String(cString: sqlite3_errmsg(handle))
      }
    let error = StoreError.sqlite(
      SQLiteFailure(extendedCode: cause(of: code), message: message, sql: sql, path: path))
    isDoubtful = isDoubtful || error.isDamage
    noteSync(code)
    return error
  }

  /// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, which Swift does not import.
  static let syncFailures = [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8]

  func noteSync(_ code: Int32) {
    hasLostSync = hasLostSync || Self.syncFailures.contains(code)
  }
}
