import CivilTime
import Geodesy
import Glibc
import LinuxRuntime
import Positioning
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Backup, more firings, restore, start: nothing fires a second time that the journal has.
@Suite(.serialized) struct RestoreTests {
  private let start = Instant(microseconds: SystemClock.now())
  private let pier = Coordinate(clampingLatitude: 53.5461, wrappingLongitude: 9.9661)

  /// What the journal holds of a test's firings, as the reader of the journal gives it.
  private func firings(_ journal: TestJournal, _ times: [Instant]) -> [Firing] {
    zip(journal.firings, times).compactMap { entry, time in
      var fields: [String: String] = [:]
      for name: JournalFieldName in [
        "GEOREMIND_FIRING_ID", "GEOREMIND_REMINDER_ID", "GEOREMIND_KIND", "GEOREMIND_EVENT",
        "GEOREMIND_TITLE", "GEOREMIND_DUE", "GEOREMIND_LATE_S",
      ] { fields[name.description] = entry[name] }
      return Firing(journal: fields, time: time)
    }
  }

  private func seeThePier(_ daemon: Daemon, from time: Instant) {
    for second in 0..<5 {
      let away = pier.destination(bearing: 0, distance: second < 2 ? 5_000 : 0)
      let now = time + .seconds(Double(second) * 600)
      daemon.host.handle(
        .fix(Fix(time: now, position: away, mode: .threeD, source: .gnss, eph: 5)), at: now)
    }
  }

  private func reminders() -> [Reminder] {
    let place = Reminder.Place(name: "Pier", position: pier, radius: 100)
    func date(_ id: String, hours: Double, leads: [CalendarSpan] = []) -> Reminder {
      Reminder(
        id: id, kind: .date, title: id, due: .absolute(start + .hours(hours)), leads: leads)
    }
    return [
      date("early", hours: 1), date("once", hours: 3), date("after", hours: 30),
      date("lead", hours: 20, leads: [.hours(17), .zero]),
      Reminder(id: "shop", kind: .location, title: "shop", place: place),
    ]
  }

  @Test func firingsInTheJournalDoNotFireTwice() throws {
    let first = TestJournal()
    let rig = try Rig(journal: first)
    var times: [Instant] = []
    rig.daemon.host.onFiring = { times.append($0.time) }
    let copy = "\(rig.folder.path)/copy.db"
    try rig.daemon.addAll(reminders())
    rig.daemon.host.advance(to: start + .hours(1))
    #expect(first.fired.count == 1)
    // Not marked as delivered in the copy: the journal is asked by its id.
    try Backup.write(rig.daemon.settings.storePath, to: copy, at: start + .hours(2))
    rig.daemon.host.advance(to: start + .hours(3))
    seeThePier(rig.daemon, from: start + .hours(4))
    let told = first.firings.compactMap { $0["GEOREMIND_REMINDER_ID"] }
    #expect(Set(told) == ["early", "once", "lead", "shop"])
    #expect(told.count == 4)
    rig.daemon.stop()

    let restored = try TemporaryFolder()
    try writeFile("\(restored.path)/georemind.db", fileBytes(copy))
    let known = firings(first, times)
    #expect(known.map(\.id) == first.firings.compactMap { $0["GEOREMIND_FIRING_ID"] })
    let next = try Rig(
      folder: restored, lookUp: { ids in ids.filter { id in known.contains { $0.id == id } } },
      restoredFirings: { since in known.filter { $0.time >= since } }, change: Self.isLater)
    #expect(next.journal.fired == [])
    #expect(next.journal.entries.contains { $0.message.contains("3 firings since then") })
    next.daemon.host.advance(to: start + .hours(5))
    seeThePier(next.daemon, from: start + .hours(6))
    #expect(next.journal.fired == [])
    #expect(Set(try next.daemon.store.ledger.firings().values.map(\.id)) == Set(known.map(\.id)))
    next.daemon.outbox.writeMarks()
    #expect(try next.daemon.store.ledger.undelivered().values.isEmpty)

    // What the journal does not have fires: the second lead, and what is due later.
    next.daemon.host.advance(to: start + .hours(21))
    next.daemon.host.advance(to: start + .hours(31))
    #expect(
      next.journal.firings.compactMap { $0["GEOREMIND_REMINDER_ID"] } == ["lead", "after"])
    let again = try Rig(folder: restored, restoredFirings: { _ in throw Unexpected() })
    #expect(again.journal.troubles(.error).isEmpty)
  }

  private struct Unexpected: Error {}

  /// The firings come from hours ahead of this machine's clock, which is not wrong.
  private static func isLater(_ settings: inout DaemonSettings) {
    settings.engine.correctsAtStart = false
  }

  /// Each day's occurrence that fired after the backup counts as fired, and the next one does not.
  @Test func aRepeatingReminderGoesOnBehindTheLastFiring() throws {
    let rig = try Rig()
    var times: [Instant] = []
    rig.daemon.host.onFiring = { times.append($0.time) }
    let copy = "\(rig.folder.path)/copy.db"
    let due = (start + .hours(1)).json
    try rig.daemon.add(
      reminder(#"{"id":"pill","kind":"date","title":"Pill","due":"\#(due)","repeat":"daily"}"#))
    try Backup.write(rig.daemon.settings.storePath, to: copy, at: start)
    for day in 0..<3 { rig.daemon.host.advance(to: start + .hours(24 * Double(day) + 1.5)) }
    #expect(times.count == 3)
    rig.daemon.stop()
    let restored = try TemporaryFolder()
    try writeFile("\(restored.path)/georemind.db", fileBytes(copy))
    let known = firings(rig.journal, times)
    let next = try Rig(
      folder: restored, restoredFirings: { _ in known }, change: Self.isLater)
    next.daemon.host.advance(to: start + .hours(72))
    #expect(next.journal.fired == [])
    next.daemon.host.advance(to: start + .hours(73.5))
    #expect(next.journal.fired.count == 1)
  }
}
