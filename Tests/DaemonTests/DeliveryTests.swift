import CivilTime
import LinuxRuntime
import Logging
import Reminders
import Storage
import TestSupport
import Testing

@testable import georemindd

/// From the ledger to the journal: whatever fails in between, each firing arrives once, in order.
@Suite(.serialized) struct DeliveryTests {
  private let refusal = JournalError.unavailable(socketPath: "test")

  /// Fires `ids` in this order, an hour apart.
  private func fire(_ ids: [String], in rig: Rig) throws {
    for (index, id) in ids.enumerated() {
      try rig.daemon.add(dated(id, in: .hours(Double(index + 1))))
    }
    let now = Instant(microseconds: SystemClock.now())
    for index in ids.indices { rig.daemon.host.advance(to: now + .hours(Double(index) + 1.5)) }
  }

  private func waiting(_ rig: Rig) throws -> [String] {
    try rig.daemon.store.ledger.undelivered().values.map(\.reminderID)
  }

  /// The reader of the journal's socket has its turn before the rest is written.
  @Test func whatFollowsAnEntryIsWrittenInALaterTurn() throws {
    let rig = try Rig()
    try fire(["a"], in: rig)
    #expect(rig.journal.fired.count == 1)
    let store = rig.daemon.store
    #expect(store.isUnsettled)
    try rig.run { !store.isUnsettled }
    #expect(
      try store.database.integer("SELECT count(*) FROM firing WHERE delivered_us IS NOT NULL") == 1)
    #expect(try waiting(rig) == [])
  }

  // MARK: - The journal is away

  @Test func whatTheJournalRefusedIsToldByTheNextRun() throws {
    let folder: TemporaryFolder
    do {
      let rig = try Rig()
      folder = rig.folder
      rig.journal.beforeEntry = { entry throws(JournalError) in
        if entry.isFiring { throw refusal }
      }
      try fire(["a", "b"], in: rig)
      #expect(rig.journal.fired == [])
      #expect(try waiting(rig) == ["a", "b"])
      // No orderly end: the daemon is just gone.
    }
    let next = try Rig(folder: folder)
    #expect(next.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] } == ["a", "b"])
    #expect(try waiting(next) == [])
    let afterwards = try Rig(folder: folder)
    #expect(afterwards.journal.fired == [])
  }

  @Test func onlyTheRestIsToldWhereTheJournalTookSome() throws {
    let folder: TemporaryFolder
    do {
      let rig = try Rig()
      folder = rig.folder
      var room = 2
      rig.journal.beforeEntry = { entry throws(JournalError) in
        guard entry.isFiring else { return }
        if room == 0 { throw refusal }
        room -= 1
      }
      try fire(["a", "b", "c", "d"], in: rig)
      #expect(rig.journal.firings.count == 2)
      #expect(try waiting(rig) == ["c", "d"])
    }
    let next = try Rig(folder: folder)
    #expect(next.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] } == ["c", "d"])
  }

  @Test func aJournalThatComesBackGetsAllInOrder() throws {
    let rig = try Rig()
    var isAway = true
    rig.journal.beforeEntry = { entry throws(JournalError) in
      if isAway, entry.isFiring { throw refusal }
    }
    try fire(["a", "b", "c"], in: rig)
    rig.daemon.retry()
    isAway = false
    rig.daemon.retry()
    #expect(rig.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] } == ["a", "b", "c"])
    let complaints = rig.journal.troubles(.error).filter { $0.contains("takes no entries") }
    #expect(complaints.count == 1)
  }

  // MARK: - After a crash

  /// The journal has taken a firing and the mark of it is lost: what the journal has is not sent again.
  @Test func whatTheJournalHasIsNotToldAgain() throws {
    let first = TestJournal()
    let folder: TemporaryFolder
    do {
      let rig = try Rig(journal: first)
      folder = rig.folder
      first.beforeEntry = { entry throws(JournalError) in
        if entry.isFiring, first.firings.count == 2 { throw refusal }
      }
      // From here on nothing can be written, neither the mark of what is sent.
      first.afterEntry = { if $0.isFiring { try? rig.daemon.store.database.freeze() } }
      defer { first.afterEntry = { _ in } }
      try fire(["a"], in: rig)
      try rig.daemon.store.database.thaw()
      first.afterEntry = { _ in }
    }
    let sent = try #require(first.firings.first?["GEOREMIND_FIRING_ID"])
    var asked: [[String]] = []
    let next = try Rig(
      folder: folder,
      lookUp: {
        asked.append($0)
        return $0.filter { $0 == sent }
      })
    #expect(asked == [[sent]])
    #expect(next.journal.fired == [])
    #expect(try waiting(next) == [])
  }

  /// Rather twice than never.
  @Test func allIsToldWhereTheJournalCannotBeRead() throws {
    let folder: TemporaryFolder
    do {
      let rig = try Rig()
      folder = rig.folder
      rig.journal.beforeEntry = { entry throws(JournalError) in
        if entry.isFiring { throw refusal }
      }
      try fire(["a"], in: rig)
    }
    let next = try Rig(
      folder: folder, lookUp: { _ in throw JournalError.notRead(action: "open", code: 13) })
    #expect(next.journal.firings.count == 1)
    #expect(next.journal.troubles(.error).count == 1)
  }

  @Test func theLookUpWaitsForItsMarker() throws {
    let journal = TestJournal()
    var questions: [(field: String, value: String, patience: Int64)] = []
    var look = JournalLookUp(journal: journal, log: Logger(label: "test"))
    look.contains = { field, value, _, patience in
      questions.append((field.description, value, patience))
      return field.description == "GEOREMIND_MARKER" || value == "b"
    }
    #expect(try look.known(["a", "b", "c"]) == ["b"])
    let marker = try #require(journal.entries.first?["GEOREMIND_MARKER"])
    #expect(journal.entries.count == 1)
    #expect(questions.first?.field == "GEOREMIND_MARKER")
    #expect(questions.first?.value == marker)
    #expect((questions.first?.patience ?? 0) > 0)
    #expect(questions.dropFirst().map(\.value) == ["a", "b", "c"])
  }

  @Test func theLookUpTrustsNoJournalWithoutItsMarker() throws {
    let log = TestJournal()
    var look = JournalLookUp(
      journal: TestJournal(),
      log: Logger(label: "test") { _ in JournalLogHandler(sink: log, logLevel: .info) })
    look.contains = { field, _, _, _ in field.description != "GEOREMIND_MARKER" }
    #expect(try look.known(["a"]) == [])
    #expect(log.troubles(.warning).count == 1)
  }

  // MARK: - The store fails

  /// Reminders that are due one after the other, an hour apart, while the database takes nothing; answers their
  /// ids.
  private func fireWithoutDatabase(
    _ count: Int, in rig: Rig, afterEach: () -> Void = {}
  ) throws -> [String] {
    let ids = (10..<10 + count).map { "r\($0)" }
    for (index, id) in ids.enumerated() {
      try rig.daemon.add(dated(id, in: .hours(Double(index + 1))))
    }
    try rig.daemon.store.database.freeze()
    let now = Instant(microseconds: SystemClock.now())
    for index in ids.indices {
      rig.daemon.host.advance(to: now + .hours(Double(index) + 1.5))
      afterEach()
    }
    return ids
  }

  private func told(_ rig: Rig) -> [String?] {
    rig.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] }
  }

  @Test func firingsAreToldThoughTheDatabaseFails() throws {
    let rig = try Rig()
    // Between them the daemon tries in vain what the database refuses.
    let ids = try fireWithoutDatabase(5, in: rig) {
      rig.daemon.host.settle()
      rig.daemon.retry()
    }
    #expect(told(rig) == ids)
    #expect(rig.journal.entries(.storeTrouble).count == 1)
    #expect(rig.daemon.statusLine.contains("store trouble"))
    // What can be read is.
    #expect(try rig.daemon.store.reminders.count() == ids.count)
    #expect(try rig.daemon.store.ledger.firings().values.isEmpty)

    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(rig.daemon.host.storeTrouble == nil)
    #expect(rig.journal.entries.contains { $0.message.contains("works again") })
    #expect(told(rig) == ids)
    #expect(try rig.daemon.store.ledger.firings().values.map(\.reminderID) == ids)
    #expect(try waiting(rig) == [])
  }

  /// What neither the log nor the database has is tried again, and nobody says before that all is well.
  @Test func whatIsNoDecisionWaitsUntilTheDatabaseWorks() throws {
    let rig = try Rig()
    try rig.daemon.add(dated("a", in: .hours(1)))
    try rig.daemon.store.database.freeze()
    rig.daemon.host.handle(.pop(id: "a"), at: Instant(microseconds: SystemClock.now()))
    #expect(rig.daemon.host.storeTrouble != nil)
    rig.daemon.host.settle()
    rig.daemon.retry()
    #expect(rig.daemon.host.storeTrouble != nil)
    #expect(!rig.journal.entries.contains { $0.message.contains("works again") })
    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(rig.daemon.host.storeTrouble == nil)
    #expect(try rig.daemon.store.reminders.reminder(id: "a")?.progress.state == .done)
  }

  /// The journal comes back before the database does.
  @Test func firingsThatTheJournalMissedAreToldThoughTheDatabaseFails() throws {
    let rig = try Rig()
    var isAway = true
    rig.journal.beforeEntry = { entry throws(JournalError) in
      if isAway, entry.isFiring { throw refusal }
    }
    let now = Instant(microseconds: SystemClock.now())
    for (index, id) in ["a", "b", "c"].enumerated() {
      try rig.daemon.add(dated(id, in: .hours(Double(index + 1))))
    }
    rig.daemon.host.advance(to: now + .hours(1.5))
    rig.daemon.host.settle()
    try rig.daemon.store.database.freeze()
    rig.daemon.host.advance(to: now + .hours(2.5))
    isAway = false
    rig.daemon.retry()
    #expect(told(rig) == ["a", "b"])
    rig.daemon.host.advance(to: now + .hours(3.5))
    rig.daemon.retry()
    rig.daemon.host.settle()
    #expect(told(rig) == ["a", "b", "c"])
    #expect(rig.journal.entries(.storeTrouble).count == 1)
    // Readers are told what has been decided, though the rows are behind.
    let entry = try #require(try rig.daemon.store.reminders.reminder(id: "b"))
    #expect(entry.progress.state == .armed)
    #expect(rig.daemon.current(entry).progress.state != .armed)
    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(told(rig) == ["a", "b", "c"])
    #expect(try waiting(rig) == [])
  }

  @Test func aCrashWhileTheDatabaseFailsLosesNoFiring() throws {
    let rig = try Rig()
    let ids = try fireWithoutDatabase(5, in: rig)
    let sent = rig.journal.firings.compactMap { $0["GEOREMIND_FIRING_ID"] }
    let next = try Rig(folder: rig.folder, lookUp: { $0.filter(sent.contains) })
    #expect(next.journal.fired == [])
    #expect(try next.daemon.store.ledger.firings().values.map(\.reminderID) == ids)
  }

  /// The log of decisions holds so many and no more.
  @Test func firingsWaitForTheStoreWhenTheLogIsFull() throws {
    let rig = try Rig()
    let ids = try fireWithoutDatabase(50, in: rig)
    // The engine has decided all the same.
    #expect(ids.allSatisfy { rig.daemon.host.engine.progress($0)?.state != .armed })
    let early = told(rig)
    #expect(early == Array(ids.prefix(early.count)))
    #expect(early.count == 32)
    rig.daemon.retry()
    #expect(told(rig) == early)
    #expect(rig.journal.entries(.storeTrouble).count == 1)
    #expect(rig.daemon.statusLine.contains("store trouble"))

    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(told(rig) == ids)
    #expect(try waiting(rig) == [])
    #expect(rig.daemon.host.storeTrouble == nil)
    #expect(rig.journal.entries.contains { $0.message.contains("works again") })
    rig.daemon.retry()
    #expect(rig.journal.firings.count == ids.count)
  }

  @Test func whatWaitedForTheStoreIsKeptAtTheEnd() throws {
    let folder: TemporaryFolder
    let ids: [String]
    do {
      let rig = try Rig()
      folder = rig.folder
      ids = try fireWithoutDatabase(50, in: rig)
      #expect(told(rig).count < ids.count)
      try rig.daemon.store.database.thaw()
      rig.daemon.stop()
      #expect(told(rig) == ids)
    }
    let next = try Rig(folder: folder)
    #expect(try next.daemon.store.ledger.firings().values.map(\.reminderID) == ids)
    #expect(next.journal.fired == [])
  }

  /// What the store refuses at the start is asked for again until it comes.
  @Test func remindersThatCannotBeReadAtFirstAreLoadedLater() throws {
    let folder: TemporaryFolder
    do {
      let rig = try Rig()
      folder = rig.folder
      try rig.daemon.add(dated("a", in: .hours(1)))
      rig.daemon.stop()
    }
    let rig = try Rig(
      folder: folder,
      beforeStart: { daemon in
        try daemon.store.database.execute("ALTER TABLE reminder RENAME TO away")
      })
    let daemon = rig.daemon
    #expect(!daemon.isRunning)
    daemon.retry()
    #expect(!daemon.isRunning)
    #expect(rig.journal.entries(.storeTrouble).count == 1)

    try daemon.store.database.execute("ALTER TABLE away RENAME TO reminder")
    daemon.retry()
    #expect(daemon.isRunning)
    #expect(daemon.host.engine.progress("a")?.state == .armed)
    #expect(rig.journal.entries.contains { $0.message.contains("works again") })
    daemon.host.advance(to: Instant(microseconds: SystemClock.now()) + .hours(1.5))
    #expect(rig.journal.fired == ["a late"])
    daemon.retry()
    #expect(rig.journal.fired == ["a late"])
  }

  @Test func aFullDiskIsSaidOnceAndLosesNothing() throws {
    let rig = try Rig()
    let title = String(repeating: "long ", count: 40)
    let ids = (10..<70).map { "r\($0)" }
    for (index, id) in ids.enumerated() {
      try rig.daemon.add(dated(id, in: .seconds(3_600 + Double(index)), title: title))
    }
    let database = rig.daemon.store.database
    let pages = try #require(try database.integer("PRAGMA page_count"))
    try database.execute("PRAGMA max_page_count = \(pages)")
    let now = Instant(microseconds: SystemClock.now())
    rig.daemon.host.advance(to: now + .hours(2))
    rig.daemon.host.advance(to: now + .hours(3))
    rig.daemon.retry()
    #expect(rig.journal.fired == [])
    #expect(rig.journal.entries(.storeTrouble).count == 1)
    #expect(
      rig.journal.entries(.storeTrouble).first?.message.contains("free some space") == true)
    try database.execute("PRAGMA max_page_count = 1000000")
    rig.daemon.retry()
    #expect(rig.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] } == ids)
    #expect(try waiting(rig) == [])
  }

  /// The disk fills up between the firing and the mark that it was told.
  @Test func aLostMarkOfDeliveryDoublesNothing() throws {
    let rig = try Rig()
    rig.journal.afterEntry = { if $0.isFiring { try? rig.daemon.store.database.freeze() } }
    try fire(["a"], in: rig)
    rig.journal.afterEntry = { _ in }
    #expect(rig.journal.firings.count == 1)
    rig.daemon.retry()
    rig.daemon.retry()
    #expect(rig.journal.firings.count == 1)
    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(rig.journal.firings.count == 1)
    #expect(try waiting(rig) == [])
  }
}

extension Database {
  /// Every write fails from now on, as on a file system that was remounted read-only.
  fileprivate func freeze() throws { try execute("PRAGMA query_only = ON") }

  fileprivate func thaw() throws { try execute("PRAGMA query_only = OFF") }
}
