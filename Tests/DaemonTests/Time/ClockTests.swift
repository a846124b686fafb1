import CivilTime
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Which clock makes a date due.
@Suite(.serialized) struct ClockTests {
  @Test func aDateFiresByTheSystemsClock() throws {
    let rig = try Rig()
    try rig.daemon.add(dated("tea", in: .seconds(0.05)))
    #expect(rig.journal.fired == [])
    try rig.run { !rig.journal.firings.isEmpty }
    #expect(rig.journal.fired == ["tea due"])
    let firing = try #require(try rig.daemon.store.ledger.firings().values.first)
    let due = try #require(firing.due)
    #expect(firing.time >= due)
    #expect(firing.time - due < .seconds(2))
    rig.daemon.stop()
  }

  @Test func theTimerIsSetToTheNextDeadline() throws {
    let rig = try Rig()
    try rig.daemon.add(dated("later", in: .hours(1)))
    try rig.daemon.add(dated("gone", in: .seconds(0.03)))
    try rig.daemon.add(dated("tea", in: .seconds(0.06)))
    try rig.daemon.remove(["gone"])
    try rig.run { !rig.journal.firings.isEmpty }
    try rig.settle()
    #expect(rig.journal.fired == ["tea due"])
  }

  /// A recording of a minute in a tenth of a second: what is due between two fixes fires then, not
  /// at the fix behind it.
  @Test func aRecordingHasItsOwnTimeBetweenFixes() throws {
    let folder = try TemporaryFolder()
    let log = try folder.file(
      "log.nmea", sentence("100000.00") + sentence("100050.00") + sentence("100100.00"))
    let reminders = try folder.file(
      "r.json", #"{"id":"tea","kind":"date","title":"Tea","due":"2026-06-12T10:00:30Z"}"#)
    let rig = try Rig(
      "[Feed]\nFeed=file://\(log)?speed=600\n[Reminders]\nFile=\(reminders)\n", folder: folder)
    try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
    #expect(rig.journal.fired == ["tea due"])
    let firing = try #require(try rig.daemon.store.ledger.firings().values.first)
    #expect(firing.time == firing.due)
  }

  /// The ledger is cut to the days that are kept, but for what waits for the journal.
  @Test func oldFiringsLeaveTheLedger() throws {
    let rig = try Rig("[Store]\nLedgerKeepDays=30\n")
    let now = Instant(microseconds: SystemClock.now())
    for (id, days) in [("old", 31.0), ("new", 29)] {
      let firing = Firing(
        id: id, reminderID: "r", kind: .date, title: "t", time: now - .hours(24 * days),
        event: .due, why: "w")
      try rig.daemon.store.ledger.record([firing])
    }
    rig.daemon.shortenLedger()
    #expect(try rig.daemon.store.ledger.firings().values.map(\.id) == ["old", "new"])
    try rig.daemon.store.ledger.markDelivered([1, 2], at: now)
    rig.daemon.shortenLedger()
    #expect(try rig.daemon.store.ledger.firings().values.map(\.id) == ["new"])
  }

  /// The clock may be years ahead at a start.
  @Test func aStartLeavesTheLedgerAsItIs() throws {
    let folder = try TemporaryFolder()
    let first = try Rig("[Store]\nLedgerKeepDays=30\n", folder: folder)
    let now = Instant(microseconds: SystemClock.now())
    let firing = Firing(
      id: "old", reminderID: "r", kind: .date, title: "t", time: now - .hours(24 * 31), event: .due,
      why: "w")
    try first.daemon.store.ledger.record([firing])
    try first.daemon.store.ledger.markDelivered([1], at: now)
    first.daemon.stop()
    let second = try Rig("[Store]\nLedgerKeepDays=30\n", folder: folder)
    try second.settle()
    #expect(try second.daemon.store.ledger.firings().values.map(\.id) == ["old"])
    second.daemon.stop()
  }

  private func sentence(_ time: String) -> String {
    let body = "GNRMC,\(time),A,5333.05535,N,00959.61359,E,0.018,,120626,,,A,V"
    let sum = body.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
  }
}
