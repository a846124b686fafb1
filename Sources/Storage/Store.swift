package import CivilTime
package import Departure
package import Reminders

/// All changes of one event or command, committed together or not at all.
package struct Changes {
  /// New or edited reminders with their histories.
  package var saved: [ReminderStore.Entry] = []
  /// Histories in order: the latest of a reminder counts; unknown reminders are ignored.
  package var histories: [Step] = []
  package var forgotten: [String] = []
  package var firings: [Firing] = []
  /// Numbers (`LedgerEntry.seq`) of firings that the journal has received by `deliveryTime`.
  package var delivered: [Int64] = []
  package var deliveryTime = Instant(microseconds: 0)
  /// The last fix of each tracker that decided something, by its name; the machine's own by nil.
  package var lastFixes: [String?: KeptFix] = [:]
  /// Travel times learnt from trips, if changed; by tracker, too.
  package var experiences: [String?: TravelExperience] = [:]
  /// The wall clock against the time since boot, if all reminders are now corrected for it.
  package var clockOffset: String?
  /// It is quiet: firings that are not urgent are held.
  package var isQuiet = false
  /// The user's command that makes these changes, for `UndoLog`.
  package var command: UserCommand?
  /// The calendar's item before the last command of a reminder was written into it.
  package var calendar: CalendarItemBefore?

  package struct Step: Equatable {
    package var id: String
    package var history: History
    package var standing: Standing

    package init(id: String, _ history: History, _ standing: Standing) {
      self.id = id
      self.history = history
      self.standing = standing
    }
  }

  package init() {}

  package var isEmpty: Bool {
    saved.isEmpty && histories.isEmpty && forgotten.isEmpty && firings.isEmpty && delivered.isEmpty
      && lastFixes.isEmpty && experiences.isEmpty && clockOffset == nil
  }

  /// Adds the changes of a later event.
  package mutating func append(_ later: Changes) {
    saved += later.saved
    histories += later.histories
    forgotten += later.forgotten
    firings += later.firings
    lastFixes.merge(later.lastFixes) { $1 }
    experiences.merge(later.experiences) { $1 }
    clockOffset = later.clockOffset ?? clockOffset
  }

  /// Drops all but the latest history of each reminder, which bounds changes that wait for a disk.
  /// Complexity: O(n).
  package mutating func dropOutdatedHistories() {
    var seen: Set<String> = []
    histories = Array(histories.reversed().filter { seen.insert($0.id).inserted }.reversed())
  }
}

/// The daemon's database. It belongs to one thread.
package final class Store {
  package let database: Database
  package let report: OpeningReport
  private let lock: StoreLock

  /// Opens or creates the database at `path`, whose folder must exist.
  /// - Parameter now: part of the name of a damaged file that is set aside.
  package convenience init(path: String, now: Instant) throws(StoreError) {
    try self.init(path: path, now: now, migrations: Schema.migrations)
  }

  /// - Parameter sync: brings a file to the disk.
  init(
    path: String, now: Instant, migrations: [Migration],
    sync: @escaping (String) throws(StoreError) -> Void = FileSystem.secure
  ) throws(StoreError) {
    let opener = try StoreOpener(path: path, now: now, migrations: migrations, sync: sync)
    (database, lock, report) = try opener.open()
    try database.guardFiles()
  }

  package var reminders: ReminderStore { ReminderStore(database: database) }
  package var undo: UndoLog { UndoLog(database: database) }
  package var ledger: Ledger { Ledger(database: database) }
  package var consumers: ConsumerStore { ConsumerStore(database: database) }
  package var state: EngineState { EngineState(database: database) }
  package var places: PlaceStore { PlaceStore(database: database) }
  package var imports: PlaceImports { PlaceImports(database: database) }
  package var categories: CategoryStore { CategoryStore(database: database) }
  package var links: LinkStore { LinkStore(database: database) }

  /// Number of reminders in a commit from which on the index pages are cached.
  private static let largeCommit = 1_000

  /// Stores all changes in one durable transaction. Returns the firings new to the ledger.
  /// - Parameter body: further changes of the same transaction.
  @discardableResult
  package func commit(
    _ changes: Changes, and body: () throws(StoreError) -> Void = { () throws(StoreError) in }
  ) throws(StoreError) -> [LedgerEntry] {
    let isLarge = changes.saved.count >= Self.largeCommit
    if isLarge { try database.keepPages(kibibytes: Database.importCache) }
    defer { if isLarge { try? database.keepPages(kibibytes: Database.usualCache) } }
    return try database.transaction { () throws(StoreError) in
      try body()
      let rows = try ReminderRows(of: changes)
      if let command = changes.command {
        try undo.keep(command, making: rows)
        if command.acknowledges { try ledger.acknowledge(by: command) }
      }
      var written: Int64?
      if let calendar = changes.calendar, changes.command == nil {
        written = try undo.lastCommand(of: calendar.reminder)
      }
      for row in rows.saved { try reminders.write(row.values, row.history, row.standing) }
      for step in rows.histories {
        try reminders.update(step.id, step.history, step.standing)
      }
      for id in changes.forgotten { try reminders.remove(id: id) }
      for (tracker, fix) in changes.lastFixes { try state.keep(fix, of: tracker) }
      for (tracker, experience) in changes.experiences { try state.keep(experience, of: tracker) }
      if let offset = changes.clockOffset { try state.keep(clockOffset: offset) }
      if let calendar = changes.calendar {
        // A new reminder has its command now.
        if changes.command != nil { written = try undo.lastCommand(of: calendar.reminder) }
        if let written { try undo.add(calendar, to: written) }
      }
      try ledger.markDelivered(changes.delivered, at: changes.deliveryTime)
      return try ledger.record(changes.firings, isQuiet: changes.isQuiet)
    }
  }

  /// Writes a new database beside a file that was moved or overwritten: what SQLite can still read
  /// of it, and the state of memory over that.
  /// - Parameter changes: all reminders as they are, and what was not committed.
  /// - Returns: the path of the new database.
  package func rescue(_ changes: Changes, at now: Instant) throws(StoreError) -> String {
    let target = try FileSystem.freeName(beside: database.path, "rescued", at: now)
    try? FileSystem.createFolder(of: target)
    try? database.copy(to: target, at: now)
    let copy = try Store(path: target, now: now)
    defer { copy.close() }
    try copy.commit(changes)
    return target
  }

  /// Moves the write-ahead log into the database and closes it; later uses fail.
  package func close() {
    Seal(database: database).close()
    lock.release()
  }
}
