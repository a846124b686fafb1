import CSQLite
import Glibc

/// An error of the store; `description` is one sentence with the fault, the file and the remedy.
package enum StoreError: Error, Equatable, Sendable {
  /// SQLite refused a statement.
  case sqlite(SQLiteFailure)
  /// The file system refused an operation.
  case file(FileFailure)
  /// The database is from an unreleased development version.
  case unreleased(path: String, version: Int64)
  /// The database is from a later version.
  case newer(path: String, version: Int64, known: Int64)
  /// The database belongs to another program.
  case foreign(path: String, applicationID: Int64)
  /// A file of the open database was moved, removed, replaced or overwritten.
  case moved(path: String)
  /// The SQLite library is too old for the schema.
  case oldLibrary(version: String)
  /// The name exists already.
  case alreadyExists(what: String, name: String)
  /// A place names a category that does not exist.
  case unknownCategory(String)
  /// The category is in use; some of the names, and the total.
  case categoryInUse(name: String, places: [String], reminders: [String], total: Int)
  /// The value is rejected.
  case invalid(what: String, reason: String)
}

/// An error of SQLite; codes as in https://sqlite.org/rescode.html.
package struct SQLiteFailure: Equatable, Sendable {
  /// The extended result code.
  package let extendedCode: Int32
  package let message: String
  /// The statement being prepared or run; nil if none.
  package let sql: String?
  package let path: String

  /// The primary result code.
  package var code: Int32 { extendedCode & 0xFF }

  /// Whether the file is missing or cannot be opened.
  package var isUnopened: Bool { code == SQLITE_CANTOPEN }
}

/// An error of a system call.
package struct FileFailure: Equatable, Sendable {
  /// The operation as a verb: `create`, `rename`.
  package let operation: String
  package let path: String
  /// `errno`.
  package let code: Int32
}

extension StoreError {
  /// Whether the file is damaged or was never a database.
  package var isDamage: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.code == SQLITE_CORRUPT || failure.code == SQLITE_NOTADB
  }

  /// Whether the library was misused: a bug of this program.
  package var isMisuse: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.code == SQLITE_MISUSE
  }

  /// Whether a row violates the schema: a duplicate name, a value out of range.
  var isConstraint: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.code == SQLITE_CONSTRAINT || failure.code == SQLITE_MISMATCH
      || failure.code == SQLITE_TOOBIG
  }

  var isUniqueness: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.extendedCode == SQLITE_CONSTRAINT | (8 << 8)  // SQLITE_CONSTRAINT_UNIQUE
  }

  var isForeignKey: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.extendedCode == SQLITE_CONSTRAINT | (3 << 8)  // SQLITE_CONSTRAINT_FOREIGNKEY
  }

  /// The file concerned.
  package var path: String? {
    switch self {
    case .sqlite(let failure): failure.path
    case .file(let failure): failure.path
    case .newer(let path, _, _), .foreign(let path, _), .unreleased(let path, _), .moved(let path):
      path
    default: nil
    }
  }

  /// Advice to the user.
  package var remedy: String {
    switch self {
    case .sqlite(let failure): failure.remedy
    case .file(let failure): failure.remedy
    case .unreleased: "export with that version, then import"
    case .newer: "install the newer version again, or restore the backup of before the upgrade"
    case .foreign: "choose another state directory, or move that file away"
    case .moved: "stop the daemon, put the file or a copy of it back, and start it again"
    case .oldLibrary: "install SQLite 3.37 or newer"
    case .alreadyExists: "choose another name, or edit or remove that one"
    case .unknownCategory: "add the category first, or leave it out"
    case .categoryInUse: "give these another category first"
    case .invalid: "correct the value"
    }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String { "\(fault); \(remedy)" }

  private var fault: String {
    switch self {
    case .sqlite(let failure):
      return "the database \(failure.path) failed: \(failure.message)"
    case .file(let failure):
      return
        "cannot \(failure.operation) \(failure.path): \(String(cString: strerror(failure.code)))"
    case .unreleased(let path, let version):
      return "\(path) was made by a development version of georemind (schema \(version))"
    case .newer(let path, let version, let known):
      return "the database \(path) has schema version \(version), this program knows up to \(known)"
    case .foreign(let path, _): return "\(path) is a database of another program"
    case .moved(let path):
      return "\(path) was moved, removed or overwritten while the daemon used it"
    case .oldLibrary(let version): return "the SQLite library \(version) is too old"
    case .alreadyExists(let what, let name): return "there is already a \(what) '\(name)'"
    case .unknownCategory(let name): return "there is no category '\(name)'"
    case .categoryInUse(let name, let places, let reminders, let total):
      let named = places.map { "place '\($0)'" } + reminders.map { "reminder '\($0)'" }
      let more = total > named.count ? " and \(total - named.count) more" : ""
      return "the category '\(name)' is used by \(named.joined(separator: ", "))\(more)"
    case .invalid(let what, let reason): return "the \(what) cannot be stored: \(reason)"
    }
  }
}

extension SQLiteFailure {
  fileprivate var remedy: String {
    switch code {
    case SQLITE_FULL: "free some space on its file system"
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      "make the file and its folder writable for the user of this process"
    case SQLITE_CANTOPEN: "check that its folder exists and belongs to the user of this process"
    case SQLITE_BUSY, SQLITE_LOCKED: "another process holds it: end that one, then try again"
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      "restart the daemon, which sets the file aside and keeps what can be read"
    case SQLITE_IOERR: "see disk errors with journalctl -k"
    case SQLITE_NOMEM: "free some memory"
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG: "correct the value"
    default: "report this with the statement: \(sql ?? "none")"
    }
  }
}

extension FileFailure {
  fileprivate var remedy: String {
    switch code {
    case ENOENT: "create its folder first"
    case ENOTDIR, EISDIR: "name a file in an existing folder"
    case EACCES, EPERM: "make it and its folder writable for the user of this process"
    case EROFS:
      "choose a state directory on a file system that can be written, or see disk errors "
        + "with journalctl -k"
    case ENOSPC, EDQUOT: "free some space on its file system"
    case EBUSY:
      "another daemon uses this state directory: end that one, or choose another directory"
    case EIO: "see disk errors with journalctl -k"
    default: "check the file system"
    }
  }
}
