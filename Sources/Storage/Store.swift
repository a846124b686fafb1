package import CivilTime
package import Reminders

/// All that one event changed; kept whole or not at all.
package struct Changes {
  /// Reminders that are new or were edited, with their progress.
  package var saved: [ReminderStore.Entry] = []
  package var progress: [(id: String, progress: Progress)] = []
  package var forgotten: [String] = []
  package var firings: [Firing] = []
  package var lastFix: KeptFix?
  /// The rules of local time that progress was worked out by, where they are others than before.
  package var zone: TimeZoneRules?

  package init() {}

  package var isEmpty: Bool {
    saved.isEmpty && progress.isEmpty && forgotten.isEmpty && firings.isEmpty && lastFix == nil
      && zone == nil
  }

  /// Leaves the latest progress of each reminder alone, so that what waits for a disk for days does not
  /// grow with each visit. Complexity: O(n).
  package mutating func forgetOutdatedProgress() {
    var seen: Set<String> = []
    progress = Array(progress.reversed().filter { seen.insert($0.id).inserted }.reversed())
  }
}

/// What the daemon keeps on disk. It belongs to one thread.
package final class Store {
  package let database: Database
  /// What opening it did.
  package let report: OpeningReport

  /// Opens or creates the database at `path`, whose folder must exist.
  /// - Parameters:
  ///   - now: names what is set aside.
  ///   - isSuspect: reading it has just met damage; check it all, however large it is.
  package convenience init(path: String, now: Instant, isSuspect: Bool = false) throws(StoreError) {
    try self.init(path: path, now: now, isSuspect: isSuspect, migrations: Schema.migrations)
  }

  init(
    path: String, now: Instant, isSuspect: Bool = false, migrations: [Migration]
  )
    throws(StoreError)
  {
    let opener = StoreOpener(path: path, now: now, migrations: migrations, isSuspect: isSuspect)
    (database, report) = try opener.open()
  }

  package var reminders: ReminderStore { ReminderStore(database: database) }
  package var places: PlaceStore { PlaceStore(database: database) }
  package var imports: PlaceImports { PlaceImports(database: database) }
  package var categories: CategoryStore { CategoryStore(database: database) }
  package var ledger: Ledger { Ledger(database: database) }
  package var state: EngineState { EngineState(database: database) }

  /// Keeps what an event changed in one transaction, on disk when it returns. Progress of a reminder
  /// that is not there is passed over. Answers the firings that the ledger did not have yet.
  @discardableResult
  package func commit(_ changes: Changes) throws(StoreError) -> [Firing] {
    guard !changes.isEmpty else { return [] }
    return try database.transaction { () throws(StoreError) in
      for entry in changes.saved { try reminders.replace(entry.reminder, entry.progress) }
      for (id, progress) in changes.progress { try reminders.update(id, progress) }
      for id in changes.forgotten { try reminders.remove(id: id) }
      if let fix = changes.lastFix { try state.keep(fix) }
      if let zone = changes.zone { try state.keep(zone) }
      return try ledger.record(changes.firings)
    }
  }

  /// Moves the write-ahead log into the database and closes it; later uses fail.
  package func close() { database.close() }
}
