import CSQLite
import Glibc

/// Why the store could not do what it was asked; `description` is one sentence for people that says
/// what is wrong, where, and what to do.
package enum StoreError: Error, Equatable, Sendable {
  /// SQLite refused a statement.
  case sqlite(SQLiteFailure)
  /// The file system refused an operation.
  case file(FileFailure)
  /// A development version of this program, before the first release, wrote the database.
  case unreleased(path: String, version: Int64)
  /// A later version of this program wrote the database.
  case newer(path: String, version: Int64, known: Int64)
  /// The file is a database of another program.
  case foreign(path: String, applicationID: Int64)
  /// The SQLite library is too old for the schema.
  case oldLibrary(version: String)
  /// There is one of this name already.
  case alreadyExists(what: String, name: String)
  /// A place names a category that does not exist.
  case unknownCategory(String)
  /// A category that places or reminders refer to; a few of their names, and how many in all.
  case categoryInUse(name: String, places: [String], reminders: [String], total: Int)
  /// A value that the store does not take.
  case invalid(what: String, reason: String)
}

/// What SQLite said; codes as in https://sqlite.org/rescode.html.
package struct SQLiteFailure: Equatable, Sendable {
  /// The extended result code.
  package let extendedCode: Int32
  package let message: String
  /// The statement, where one was being prepared or run.
  package let sql: String?
  /// The database.
  package let path: String

  /// The primary result code.
  package var code: Int32 { extendedCode & 0xFF }

  /// The file is missing or may not be opened.
  package var isUnopened: Bool { code == SQLITE_CANTOPEN }
}

/// What a system call said.
package struct FileFailure: Equatable, Sendable {
  /// What was tried, as a verb: `create`, `rename`.
  package let operation: String
  package let path: String
  /// `errno`.
  package let code: Int32
}

extension StoreError {
  /// The file cannot be trusted as a database any more: it is damaged or was never one.
  package var isDamage: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.code == SQLITE_CORRUPT || failure.code == SQLITE_NOTADB
  }

  /// The library was called as it must not be: the program's own fault.
  package var isMisuse: Bool {
    guard case .sqlite(let failure) = self else { return false }
    return failure.code == SQLITE_MISUSE
  }

  /// A row breaks a rule of the schema: a name that exists already, a value out of range.
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

  /// The file of which the error speaks.
  package var path: String? {
    switch self {
    case .sqlite(let failure): failure.path
    case .file(let failure): failure.path
    case .newer(let path, _, _), .foreign(let path, _), .unreleased(let path, _): path
    default: nil
    }
  }

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .sqlite(let failure): failure.remedy
    case .file(let failure): failure.remedy
    case .unreleased: "export with that version, then import"
    case .newer: "install the newer version again, or restore the backup of before the upgrade"
    case .foreign: "choose another state directory, or move that file away"
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
    case SQLITE_IOERR: "look for disk errors with journalctl -k"
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
      "choose a state directory on a file system that can be written, or look for disk errors "
        + "with journalctl -k"
    case ENOSPC, EDQUOT: "free some space on its file system"
    case EBUSY:
      "another daemon uses this state directory: end that one, or choose another directory"
    case EIO: "look for disk errors with journalctl -k"
    default: "check the file system"
    }
  }
}
