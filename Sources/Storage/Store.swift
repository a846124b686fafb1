package import CivilTime
package import Reminders

/// All that one event changed; kept whole or not at all.
package struct Changes {
  /// Reminders that are new or were edited, with their progress.
  package var saved: [ReminderStore.Entry] = []
  package var progress: [Decision.Step] = []
  package var forgotten: [String] = []
  package var firings: [Firing] = []
  package var lastFix: KeptFix?
  /// The fingerprint of the rules of local time that progress was worked out by, where they are others than before.
  package var zoneFingerprint: UInt64?
  /// What own trips have taught, where that has changed.
  package var experience: TravelExperience?

  package init() {}

  package var isEmpty: Bool {
    saved.isEmpty && progress.isEmpty && forgotten.isEmpty && firings.isEmpty && lastFix == nil
      && zoneFingerprint == nil && experience == nil
  }

  /// Few firings, and nothing but the progress that comes with them; the last fix and what trips have taught
  /// have time.
  var isPlainDecision: Bool {
    !firings.isEmpty && firings.count + progress.count <= Decisions.maximumParts
      && saved.isEmpty && forgotten.isEmpty && zoneFingerprint == nil
  }

  /// Leaves the latest progress of each reminder alone, so that what waits for a disk for days does not
  /// grow with each visit. Complexity: O(n).
  package mutating func forgetOutdatedProgress() {
    var seen: Set<String> = []
    progress = Array(progress.reversed().filter { seen.insert($0.id).inserted }.reversed())
  }
}

/// What the daemon keeps on disk. It belongs to one thread.
///
/// A decision is kept in two steps: `decide` is what the journal waits for, `settle` brings it to where it is
/// looked up, some time later. Whoever looks there has it settled first.
package final class Store {
  package let database: Database
  /// What opening it did.
  package let report: OpeningReport
  let decisions: Decisions
  /// Called with a sentence for each decision that `settle` had to drop, and when the log of them fails or works
  /// again.
  package var onProblem: (String) -> Void = { _ in }
  /// What the next `settle` has to do.
  private var unsettled = Unsettled()
  /// The last try to settle has failed.
  private var isSettlingFailing = false
  /// The log of decisions could not be written the last time.
  private var isLogFailing = false
  /// Of the latest firing in the ledger, or later.
  private var latestFiring: Instant

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
    let opener = try StoreOpener(
      path: path, now: now, migrations: migrations, isSuspect: isSuspect)
    let opened = try opener.open()
    (database, decisions, report) = (opened.database, opened.decisions, opened.report)
    latestFiring = try Ledger(database: database).latest() ?? Instant(microseconds: .min)
  }

  /// What has been decided, and told, since the last `settle`.
  private struct Unsettled {
    var decisions: [Decision] = []
    /// Ids of firings that the journal has got, and when it got the last of them.
    var delivered: [String] = []
    var time = Instant(microseconds: 0)
    var lastFix: KeptFix?
    var experience: TravelExperience?

    var isEmpty: Bool {
      decisions.isEmpty && delivered.isEmpty && lastFix == nil && experience == nil
    }
  }

  /// For readers: what was decided is settled first, where it can be; a database that fails shows what it had
  /// before. Who writes calls `settle` first, or what is settled later would undo it.
  package var reminders: ReminderStore {
    settleForReaders()
    return ReminderStore(database: database)
  }

  /// As `reminders`.
  package var ledger: Ledger {
    settleForReaders()
    return Ledger(database: database)
  }

  /// As `reminders`.
  package var state: EngineState {
    settleForReaders()
    return EngineState(database: database)
  }

  /// One that failed is not tried again for each reader: it may have waited for a lock.
  private func settleForReaders() {
    if !isSettlingFailing { try? settle() }
  }

  package var places: PlaceStore { PlaceStore(database: database) }
  package var imports: PlaceImports { PlaceImports(database: database) }
  package var categories: CategoryStore { CategoryStore(database: database) }

  /// Reminders in one commit from which on the pages of the indexes are kept in memory.
  private static let largeCommit = 1_000

  /// Keeps what an event changed in one transaction, on disk when it returns. Progress of a reminder
  /// that is not there is passed over. Answers the firings that the ledger did not have yet.
  @discardableResult
  package func commit(_ changes: Changes) throws(StoreError) -> [Firing] {
    try settle()
    guard !changes.isEmpty else { return [] }
    let isLarge = changes.saved.count >= Self.largeCommit
    if isLarge { try database.keepPages(kibibytes: Database.importCache) }
    defer { if isLarge { try? database.keepPages(kibibytes: Database.usualCache) } }
    let recorded = try database.transaction { () throws(StoreError) in
      for entry in changes.saved { try reminders.replace(entry.reminder, entry.progress) }
      for step in changes.progress { try reminders.update(step.id, step.progress) }
      for id in changes.forgotten { try reminders.remove(id: id) }
      if let fix = changes.lastFix { try state.keep(fix) }
      if let zone = changes.zoneFingerprint { try state.keep(zoneFingerprint: zone) }
      if let experience = changes.experience { try state.keep(experience) }
      try decisions.passOverTorn()
      return try ledger.record(changes.firings)
    }
    decisions.passedOverTorn()
    passed(recorded)
    return recorded
  }

  private func passed(_ firings: [Firing]) {
    for firing in firings { latestFiring = max(latestFiring, firing.time) }
  }

  // MARK: - The way to the journal

  /// Keeps a decision of the engine as `commit` does, on disk when it returns, but only as far as the
  /// journal must wait for it. A database that fails does not keep it from that for a while, nor does a log that
  /// fails.
  @discardableResult
  package func decide(_ changes: Changes) throws(StoreError) -> [Firing] {
    guard changes.isPlainDecision else { return try commit(changes) }
    if !decisions.hasRoom { try settle() }
    let decision = Decision(
      firings: try newOnes(among: changes.firings), progress: changes.progress)
    guard isInLog(decision) else { return try commit(changes) }
    passed(decision.firings)
    unsettled.decisions.append(decision)
    if let fix = changes.lastFix { unsettled.lastFix = fix }
    if let experience = changes.experience { unsettled.experience = experience }
    return decision.firings
  }

  /// Puts a decision in the log; answers false where it is to be committed instead.
  private func isInLog(_ decision: Decision) -> Bool {
    do throws(StoreError) {
      let isKept = try decisions.record(decision)
      if isKept, isLogFailing {
        isLogFailing = false
        onProblem("The log of decisions works again")
      }
      return isKept
    } catch {
      if !isLogFailing { onProblem("Decisions go to the database alone: \(error)") }
      isLogFailing = true
      return false
    }
  }

  private func newOnes(among firings: [Firing]) throws(StoreError) -> [Firing] {
    // An id is made of the time, too (`Firing.identifier`): one of later than all others is new.
    if firings.count == 1, firings[0].time > latestFiring { return firings }
    var new: [Firing] = []
    for firing in firings where !new.contains(where: { $0.id == firing.id }) {
      if firing.time <= latestFiring {
        guard !isUnsettled(firing.id), try !Ledger(database: database).holds(firing.id)
        else { continue }
      }
      new.append(firing)
    }
    return new
  }

  /// Has the next `settle` keep what nothing needs earlier.
  /// - Parameters:
  ///   - delivered: ids of firings that the journal has got.
  ///   - time: when it got them.
  package func note(delivered: [String], at time: Instant, lastFix: KeptFix?) {
    unsettled.delivered += delivered
    if !delivered.isEmpty { unsettled.time = time }
    if let lastFix { unsettled.lastFix = lastFix }
  }

  /// Whether something waits for `settle`.
  package var isUnsettled: Bool { !unsettled.isEmpty }

  /// Firings that the journal has not got yet, earliest decision first; those of a decision that the database
  /// does not take now come last, for they are the latest.
  package func untold() throws(StoreError) -> [Firing] {
    let waiting = try ledger.undelivered().values
    return (waiting + unsettled.decisions.flatMap(\.firings)).filter {
      !unsettled.delivered.contains($0.id)
    }
  }

  private func isUnsettled(_ firing: String) -> Bool {
    unsettled.decisions.contains { $0.firings.contains { $0.id == firing } }
  }

  /// Brings what was decided to where it is looked up, with what was noted since.
  ///
  /// The disk is mostly not waited for: see `Ledger.markDelivered`.
  package func settle() throws(StoreError) {
    guard !unsettled.isEmpty else { return }
    isSettlingFailing = true
    let unsettled = unsettled
    let inLedger = unsettled.delivered.filter { !isUnsettled($0) }
    let problems = try decisions.settle(
      unsettled.decisions, delivered: unsettled.delivered, at: unsettled.time
    ) { () throws(StoreError) in
      try Ledger(database: database).markDelivered(inLedger, at: unsettled.time)
      let state = EngineState(database: database)
      if let fix = unsettled.lastFix { try state.keep(fix) }
      if let experience = unsettled.experience { try state.keep(experience) }
    }
    self.unsettled = Unsettled()
    isSettlingFailing = false
    for problem in problems { onProblem(problem) }
  }

  /// Moves the write-ahead log into the database and closes it; later uses fail.
  package func close() {
    database.close()
    decisions.log.close()
  }
}
