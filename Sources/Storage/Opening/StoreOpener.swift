import CSQLite
import CivilTime

/// Opens a database. A missing or empty file is created and an older one upgraded. A damaged one is
/// set aside and recovered as far as it is readable. A foreign one is rejected unchanged.
struct StoreOpener {
  let path: String
  let now: Instant
  let migrations: [Migration]
  /// Brings a file to the disk.
  let sync: (String) throws(StoreError) -> Void
  /// Size of the database in bytes; 0 if it does not exist.
  private let sizeFound: Int64
  /// The lock, if its file exists already: a rejected database must not leave a lock file.
  private let lockFound: StoreLock?

  /// Larger files are checked only after a process that was killed: a check reads the whole file
  /// and takes about 14 ms a megabyte. Other damage shows when it is read.
  private static let checkedSize: Int64 = 16 << 20

  /// Suffixes of SQLite's files beside a database.
  private static let companions = ["-wal", "-shm", "-journal"]

  private var known: Int64 { migrations.last?.version ?? 0 }

  /// The new database that replaces a damaged one. If it exists and the database does not, it is
  /// complete: see `replaceDamaged`.
  private var rebuilt: String { path + ".recovering" }

  /// Fails if another process uses the database.
  init(
    path: String, now: Instant, migrations: [Migration],
    sync: @escaping (String) throws(StoreError) -> Void = FileSystem.secure
  ) throws(StoreError) {
    self.path = path
    self.sync = sync
    self.now = now
    self.migrations = migrations
    sizeFound = try FileSystem.size(of: path) ?? 0
    lockFound =
      try FileSystem.size(of: StoreLock.path(ofDatabase: path)) == nil
      ? nil : StoreLock(ofDatabase: path)
  }

  func open() throws(StoreError) -> (Database, StoreLock, OpeningReport) {
    var remarks: [String] = []
    if sizeFound == 0 {
      remarks = try setCompanionsAside()
      if try FileSystem.size(of: path) == nil, try FileSystem.size(of: rebuilt) ?? 0 > 0 {
        try FileSystem.rename(rebuilt, to: path)
        remarks.append("The recovery of a damaged store, which was interrupted, is finished")
      } else if let rescued = FileSystem.latest(beside: path, "rescued") {
        remarks.append(
          "An earlier run lost its file and left its state in \(rescued): to use that, stop the "
            + "daemon, rename it to \(path), and start again")
      }
    }
    var (database, report) = try openOrReplace()
    report.remarks = remarks + report.remarks
    if let lockFound { return (database, lockFound, report) }
    return (database, try StoreLock(ofDatabase: path), report)
  }

  private func openOrReplace() throws(StoreError) -> (Database, OpeningReport) {
    guard let size = try FileSystem.size(of: path), size > 0 else { return try create() }
    do throws(StoreError) {
      return try openExisting(size: size)
    } catch {
      guard error.isDamage else { throw error }
      return try replaceDamaged(error)
    }
  }

  /// Sets a log without its database aside: it is unreadable, and must not meet another database.
  private func setCompanionsAside() throws(StoreError) -> [String] {
    var remarks: [String] = []
    let aside = try FileSystem.freeName(beside: path, "damaged", at: now)
    for suffix in Self.companions {
      guard let size = try FileSystem.size(of: path + suffix) else { continue }
      if size == 0 || suffix == "-shm" {
        try FileSystem.remove(path + suffix)
      } else {
        try FileSystem.rename(path + suffix, to: aside + suffix)
        remarks.append(
          "A log was found without its database and was set aside as \(aside + suffix)")
      }
    }
    return remarks
  }

  // MARK: - A new one

  private func create() throws(StoreError) -> (Database, OpeningReport) {
    let report = OpeningReport(path: path, action: .created)
    if try FileSystem.size(of: path) == nil { try FileSystem.createPrivate(path) }
    let database = try Database(path: path)
    return try finish(database, report) { (_) throws(StoreError) in
      try Category.addDefaults(to: database)
    }
  }

  // MARK: - An existing one

  private func openExisting(size: Int64) throws(StoreError) -> (Database, OpeningReport) {
    let endedCleanly = try FileSystem.size(of: path + "-wal") ?? 0 == 0
    // A process killed between its write and its sync leaves commits that the system's cache alone
    // holds. Nobody may hear of a commit that a power failure could still take back.
    if !endedCleanly { try sync(path + "-wal") }
    let database = try Database(path: path)
    try database.refuseForeign(migrations)
    guard !database.isReadOnly else {
      throw .sqlite(
        SQLiteFailure(
          extendedCode: SQLITE_READONLY, message: "the file is read-only", sql: nil, path: path))
    }
    let isSealed = endedCleanly && Seal(database: database).isWhole
    if !isSealed, !endedCleanly || size <= Self.checkedSize,
      let fault = try database.structuralFault()
    {
      throw damage(fault)
    }
    var report = OpeningReport(path: path, action: .opened)
    let version = try database.schemaVersion()
    if version == 0 {
      report.action = .created
    } else if version < known {
      let backup = "\(path).v\(version).bak"
      try database.backUp(to: backup, at: now)
      report.action = .upgraded(from: version, to: known, backup: backup)
    }
    return try finish(database, report, isWhole: isSealed && version == known) {
      (version) throws(StoreError) in
      if version == 0 { try Category.addDefaults(to: database) }
    }
  }

  private func damage(_ message: String) -> StoreError {
    .sqlite(SQLiteFailure(extendedCode: SQLITE_CORRUPT, message: message, sql: nil, path: path))
  }

  /// - Parameter isWhole: the schema is known to be that of the migrations.
  private func finish(
    _ database: Database, _ report: OpeningReport, isWhole: Bool = false,
    fill: (Int64) throws(StoreError) -> Void
  ) throws(StoreError) -> (Database, OpeningReport) {
    var report = report
    if try !database.configure() {
      report.remarks.append(
        "The file system of \(path) has no write-ahead log; commits are as safe but slower")
    }
    _ = try database.migrate(migrations, fill: fill)
    if !isWhole, let column = try database.missingColumn(migrations) {
      throw damage("the column \(column) is missing")
    }
    let ledger = Ledger(database: database)
    if try ledger.isAnonymous { try ledger.identify() }
    return (database, report)
  }

  // MARK: - A damaged one

  /// Builds the new database beside the damaged one, then exchanges them. After a power failure the
  /// next start begins again or finds the complete new one.
  private func replaceDamaged(_ damage: StoreError) throws(StoreError) -> (Database, OpeningReport)
  {
    for suffix in [""] + Self.companions { try FileSystem.remove(rebuilt + suffix) }
    try FileSystem.createPrivate(rebuilt)
    let recovered = try rebuild()
    let aside = try FileSystem.freeName(beside: path, "damaged", at: now)
    // The database first: a log left alone is set aside at the next start, but a database without
    // its log would be recovered again, with less in it.
    for suffix in [""] + Self.companions {
      if try FileSystem.size(of: path + suffix) != nil {
        try FileSystem.rename(path + suffix, to: aside + suffix)
      }
    }
    try FileSystem.rename(rebuilt, to: path)
    let database = try Database(path: path)
    let reason =
      if case .sqlite(let failure) = damage { failure.message.firstLine } else { "\(damage)" }
    let report = OpeningReport(
      path: path, action: .replaced(damage: reason, setAside: aside, recovered: recovered))
    return try finish(database, report) { (_) throws(StoreError) in }
  }

  private func rebuild() throws(StoreError) -> [RecoveredTable] {
    let target = try Database(path: rebuilt)
    defer { target.close() }
    // Without a write-ahead log: all commits must be in the one file that is renamed.
    try target.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    var recovered: [RecoveredTable] = []
    _ = try target.migrate(migrations) { (_) throws(StoreError) in
      recovered = try rescue(path, into: target)
      if recovered.isEmpty { recovered = try rescueWithNewHeader(into: target) }
      if try target.integer("SELECT count(*) FROM category") == 0 {
        try Category.addDefaults(to: target)
      }
    }
    return recovered
  }

  private func rescue(
    _ path: String, into target: Database
  ) throws(StoreError) -> [RecoveredTable] {
    let source: Database
    do throws(StoreError) {
      source = try Database(path: path, access: .rescue)
    } catch {
      return []
    }
    defer { source.close() }
    return try Recovery(source: source, target: target).copyAll()
  }

  /// Recovers with a new header in a copy: if nothing is readable, only the header may be damaged.
  private func rescueWithNewHeader(into target: Database) throws(StoreError) -> [RecoveredTable] {
    guard let size = try FileSystem.size(of: path), size >= 2 * Int64(Recovery.pageSize) else {
      return []
    }
    let copy = rebuilt + ".source"
    try FileSystem.remove(copy)
    try FileSystem.createPrivate(copy)
    defer { try? FileSystem.remove(copy) }
    try FileSystem.copy(path, to: copy, startingWith: Recovery.header(fileSize: size))
    return try rescue(copy, into: target)
  }
}

extension String {
  fileprivate var firstLine: String {
    split(whereSeparator: \.isNewline).prefix(2).joined(separator: " ")
  }
}
