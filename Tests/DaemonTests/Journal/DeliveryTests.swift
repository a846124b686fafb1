import CivilTime
import Glibc
import JSONText
import LinuxRuntime
import Logging
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

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

  /// What the ledger does not know to be in the journal, once marks are written.
  private func waiting(_ rig: Rig) throws -> [String] {
    rig.daemon.outbox.writeMarks()
    return try rig.daemon.store.ledger.undelivered().values.map(\.firing.reminderID)
  }

  /// A mark needs no commit of its own: it goes with the next one, or follows after a while.
  @Test func marksOfDeliveryFollow() throws {
    let rig = try Rig()
    func marked() throws -> Int64? {
      try rig.daemon.store.database.integer(
        "SELECT count(*) FROM firing WHERE delivered_us IS NOT NULL")
    }
    try fire(["a", "b"], in: rig)
    #expect(rig.journal.fired.count == 2)
    #expect(try marked() == 1)
    try rig.run { try marked() == 2 }
    #expect(try waiting(rig) == [])
  }

  /// A thousand reminders that are due together are four turns, each of one transaction.
  @Test func remindersDueTogetherAreOneCommitATurn() throws {
    let rig = try Rig()
    let due = Instant(microseconds: SystemClock.now()) + .hours(1)
    try rig.daemon.addAll(
      (0..<1_000).map {
        Reminder(id: "r\($0)", kind: .date, title: "R", due: .absolute(due))
      })
    _ = try rig.daemon.store.database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    rig.daemon.host.advance(to: due + .seconds(1))
    #expect(rig.journal.fired.count == 250)
    #expect(try commits(rig.folder) == 1)
    while rig.daemon.host.engine.isBehind { rig.daemon.host.advance(to: due + .seconds(1)) }
    #expect(rig.journal.fired.count == 1_000)
    #expect(try commits(rig.folder) == 4)
  }

  // MARK: - The journal is away

  @Test func aFiringThatTheJournalRefusedIsReportedByTheNextRun() throws {
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

  @Test func onlyFiringsMissingInTheJournalAreReported() throws {
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

  /// Delivery goes on with the room, not a second later: a journal that takes ten entries at a time
  /// is as fast as it can be.
  @Test func aFullJournalIsWaitedFor() throws {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
    let (queue, reader) = (Descriptor(pair[0]), Descriptor(pair[1]))
    let rig = try Rig()
    rig.journal.room = queue.raw
    var isFull = true
    rig.journal.beforeEntry = { entry throws(JournalError) in
      guard entry.isFiring else { return }
      defer { isFull = true }
      guard isFull else { return }
      while send(queue.raw, "entry", 5, 0) == 5 {}
      throw .busy
    }
    try fire(["a", "b", "c"], in: rig)
    try rig.settle()
    #expect(rig.journal.firings.isEmpty)
    var bytes = [UInt8](repeating: 0, count: 16)
    for count in 1...3 {
      isFull = false
      while recv(reader.raw, &bytes, bytes.count, 0) > 0 {}
      try rig.settle()
      #expect(rig.journal.firings.count == count)
    }
  }

  /// A socket that says that it has room and refuses all the same is not asked without end.
  @Test func aJournalThatRefusesWithRoomIsAskedAgainLater() throws {
    var pair: [Int32] = [-1, -1]
    try #require(
      socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
    let (queue, reader) = (Descriptor(pair[0]), Descriptor(pair[1]))
    let rig = try Rig()
    rig.journal.room = queue.raw
    var attempts = 0
    rig.journal.beforeEntry = { entry throws(JournalError) in
      guard entry.isFiring else { return }
      attempts += 1
      throw .busy
    }
    try fire(["a"], in: rig)
    try rig.settle()
    #expect(attempts > 0 && attempts < 5)
    withExtendedLifetime(reader) {}
  }

  // MARK: - After a crash

  /// The journal has taken a firing and the mark of it is lost: what the journal has is not sent
  /// again.
  @Test func firingsInTheJournalAreNotReportedAgain() throws {
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
    next.daemon.outbox.writeMarks()
    #expect(try waiting(next) == [])
  }

  /// The folder of a daemon that has ended with a firing that journald did not take.
  private func folderOfAnUnwrittenFiring() throws -> TemporaryFolder {
    let rig = try Rig()
    rig.journal.beforeEntry = { entry throws(JournalError) in
      if entry.isFiring { throw refusal }
    }
    try fire(["a"], in: rig)
    return rig.folder
  }

  /// Rather twice than never.
  @Test func allFiringsAreReportedIfTheJournalCannotBeRead() throws {
    let folder = try folderOfAnUnwrittenFiring()
    let next = try Rig(
      folder: folder, lookUp: { _ in throw JournalError.notRead(action: "open", code: 13) })
    #expect(next.journal.firings.count == 1)
    #expect(next.journal.troubles(.error).count == 1)
  }

  /// The last run's firing is in the journal, and journald is full while the daemon starts.
  @Test func theLookUpWaitsUntilTheJournalTakesEntries() throws {
    let folder = try folderOfAnUnwrittenFiring()
    var isFull = true
    let next = try Rig(
      folder: folder,
      lookUp: { ids in
        if isFull { throw JournalError.busy }
        return ids
      })
    #expect(try waiting(next) == ["a"])
    next.daemon.retry()
    #expect(try waiting(next) == ["a"])
    isFull = false
    next.daemon.retry()
    next.daemon.outbox.writeMarks()
    #expect(try waiting(next) == [])
    #expect(next.journal.fired == [])
  }

  /// The disk is full while the daemon starts, so nothing can be marked.
  @Test func whatTheLookUpFindsIsNotReportedAgainThoughItCannotBeMarked() throws {
    let next = try Rig(
      folder: folderOfAnUnwrittenFiring(), lookUp: { $0 },
      beforeStart: { try $0.store.database.freeze() })
    #expect(next.journal.fired == [])
    try next.daemon.store.database.thaw()
    next.daemon.outbox.writeMarks()
    #expect(try waiting(next) == [])
  }

  @Test func theLookUpWaitsForItsMarker() throws {
    let journal = TestJournal()
    var questions: [(field: String, value: String, timeout: Int64)] = []
    var look = JournalLookUp(journal: journal, log: Logger(label: "test"))
    look.contains = { field, value, _, timeout in
      questions.append((field.description, value, timeout))
      return true
    }
    look.found = { field, values in
      #expect(field.description == "GEOREMIND_FIRING_ID")
      return values.filter { $0 == "b" }
    }
    #expect(try look.known(["a", "b", "c"]) == ["b"])
    let marker = try #require(journal.entries.first?["GEOREMIND_MARKER"])
    #expect(journal.entries.count == 1)
    #expect(questions.first?.field == "GEOREMIND_MARKER")
    #expect(questions.first?.value == marker)
    #expect((questions.first?.timeout ?? 0) > 0)
    #expect(questions.count == 1)
  }

  @Test func theLookUpTrustsNoJournalWithoutItsMarker() throws {
    let log = TestJournal()
    var look = JournalLookUp(
      journal: TestJournal(),
      log: Logger(label: "test") { _ in JournalLogHandler(sink: log, logLevel: .info) })
    look.contains = { _, _, _, _ in false }
    look.found = { _, values in values }
    #expect(try look.known(["a"]) == [])
    #expect(log.troubles(.warning).count == 1)
  }

  // MARK: - The store fails

  /// Reminders that are due one after the other, an hour apart, while the database takes nothing;
  /// answers their ids.
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

  @Test func firingsWaitForTheStoreAndKeepTheirOrder() throws {
    let rig = try Rig()
    let ids = try fireWithoutDatabase(50, in: rig) { rig.daemon.retry() }
    // The engine has decided all the same, and nobody hears of it before it is on disk.
    #expect(ids.allSatisfy { rig.daemon.host.engine.standing($0)?.state != .armed })
    #expect(told(rig) == [])
    #expect(rig.journal.entries(.storeFailure).count == 1)
    #expect(rig.daemon.statusLine.contains("store failure"))
    // What can be read is.
    #expect(try rig.daemon.store.reminders.count() == ids.count)
    #expect(try rig.daemon.store.ledger.firings().values.isEmpty)

    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(rig.daemon.host.storeFailureText == nil)
    #expect(rig.journal.entries.contains { $0.message.contains("works again") })
    #expect(told(rig) == ids)
    #expect(try rig.daemon.store.ledger.firings().values.map(\.reminderID) == ids)
    #expect(try waiting(rig) == [])
    rig.daemon.retry()
    #expect(rig.journal.firings.count == ids.count)
  }

  /// The journal comes back before the database does.
  @Test func storedFiringsAreReportedThoughTheDatabaseFails() throws {
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
    try rig.daemon.store.database.freeze()
    rig.daemon.host.advance(to: now + .hours(2.5))
    isAway = false
    rig.daemon.retry()
    #expect(told(rig) == ["a"])
    rig.daemon.host.advance(to: now + .hours(3.5))
    #expect(told(rig) == ["a"])
    #expect(rig.journal.entries(.storeFailure).count == 1)
    try rig.daemon.store.database.thaw()
    rig.daemon.retry()
    #expect(told(rig) == ["a", "b", "c"])
    #expect(try waiting(rig) == [])
  }

  /// What was decided and not stored has not happened: the next run decides it again.
  @Test func aCrashWhileTheDatabaseFailsLosesNoFiring() throws {
    let rig = try Rig()
    let ids = try fireWithoutDatabase(5, in: rig)
    #expect(told(rig) == [])
    let next = try Rig(folder: rig.folder)
    #expect(told(next) == [])
    next.daemon.host.advance(to: Instant(microseconds: SystemClock.now()) + .hours(6))
    #expect(told(next) == ids)
  }

  @Test func firingsThatWaitForTheStoreAreStoredAtExit() throws {
    let folder: TemporaryFolder
    let ids: [String]
    do {
      let rig = try Rig()
      folder = rig.folder
      ids = try fireWithoutDatabase(50, in: rig)
      #expect(told(rig) == [])
      try rig.daemon.store.database.thaw()
      rig.daemon.stop()
      #expect(told(rig) == ids)
    }
    let next = try Rig(folder: folder)
    #expect(try next.daemon.store.ledger.firings().values.map(\.reminderID) == ids)
    #expect(next.journal.fired == [])
  }

  /// Promise: slow-commit.
  @Test func aSlowDiskIsSaidOnceAndItsEndOnce() throws {
    let rig = try Rig()
    rig.daemon.host.watchPace(of: 1_000_000)
    #expect(rig.daemon.host.isStoreSlow == false)
    for commit: Int64 in [1_000_001, 1_500_000, 3_000_000, 1_000_000, 30_000] {
      rig.daemon.host.watchPace(of: commit)
    }
    let told = rig.journal.entries.map(\.message).filter {
      $0.contains("slow") || $0.contains("quick")
    }
    #expect(told.count == 2, "\(told)")
    #expect(told.last == "The store is quick again")
  }

  /// A row that is damaged neither goes unnoticed nor keeps the others from loading.
  @Test func aReminderThatCannotBeReadIsNamedAndItsTextKept() throws {
    let folder: TemporaryFolder
    do {
      let rig = try Rig()
      folder = rig.folder
      for id in ["a", "b"] { try rig.daemon.add(dated(id, in: .hours(1))) }
      try rig.daemon.store.database.execute(
        "UPDATE reminder SET due = 'when it rains' WHERE id = 'a'")
      rig.daemon.stop()
    }
    let rig = try Rig(folder: folder)
    let path = rig.daemon.store.salvagePath
    #expect(
      rig.journal.entries(.storeFailure).map(\.message) == [
        "The store has 1 reminder that cannot be read; it does not fire: row 1 (\(Self.fault)). "
          + "Its text is in \(path)"
      ])
    #expect(try contents(path).contains(#""due":"when it rains""#))
    let status = try rig.client().call("Status")["status"]
    #expect(
      status?["unreadable"]?.array
        == [.string("row 1 of table reminder cannot be read: \(Self.fault)")])
    let page = try rig.client().call("PageReminders")
    #expect(page["unreadable"] == status?["unreadable"])
    #expect(page["unreadable_text"] == status?["unreadable_text"])
    #expect(page["reminders"]?.array?.count == 1)
    #expect(rig.daemon.statusLine.contains("1 reminder cannot be read"))
    rig.daemon.host.advance(to: Instant(microseconds: SystemClock.now()) + .hours(1.5))
    #expect(rig.journal.fired == ["b late"])
  }

  private static var fault: String {
    do {
      return "\(try TimeStamp(parsing: "when it rains"))"
    } catch {
      return "due: \(error)"
    }
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
    #expect(!daemon.isLoaded)
    daemon.retry()
    #expect(!daemon.isLoaded)
    #expect(rig.journal.entries(.storeFailure).count == 1)

    try daemon.store.database.execute("ALTER TABLE away RENAME TO reminder")
    daemon.retry()
    #expect(daemon.isLoaded)
    #expect(daemon.host.engine.standing("a")?.state == .armed)
    #expect(rig.journal.entries.contains { $0.message.contains("works again") })
    daemon.host.advance(to: Instant(microseconds: SystemClock.now()) + .hours(1.5))
    #expect(rig.journal.fired == ["a late"])
    daemon.retry()
    #expect(rig.journal.fired == ["a late"])
  }

  @Test func aFullDiskIsReportedOnceAndLosesNothing() throws {
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
    #expect(rig.journal.entries(.storeFailure).count == 1)
    #expect(
      rig.journal.entries(.storeFailure).first?.message.contains("free some space") == true)
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
