import CivilTime
import LinuxRuntime
import Reminders
import Storage
import Testing

@testable import Daemon

/// Whether the clock was set, seen from what the daemon wrote before.
@Suite struct ClockOffsetTests {
  private static let hour: Int64 = 3_600_000_000

  private static func offset(_ boot: String, hours: Int64, more: Int64 = 0) -> ClockOffset {
    ClockOffset(boot: boot, microseconds: hours * hour + more)
  }

  @Test func aTextGivesTheOffsetBack() {
    let offset = Self.offset("abc", hours: -3)
    #expect(ClockOffset(offset.text) == offset)
    for text in ["", "12", "x abc", "abc 12"] { #expect(ClockOffset(text) == nil, "\(text)") }
  }

  @Test func onlySettingTheClockChangesItMuch() {
    let before = Self.offset("a", hours: 5)
    #expect(Self.offset("a", hours: 6).wasSet(since: before))
    #expect(Self.offset("a", hours: 4).wasSet(since: before))
    // NTP has adjusted it, or the machine was off.
    #expect(!Self.offset("a", hours: 5, more: 30_000_000).wasSet(since: before))
    #expect(!Self.offset("b", hours: 9).wasSet(since: before))
  }

  /// A process that dies after a step, before the corrections are stored, leaves them to the next.
  @Test func itIsStoredWithTheCorrectionsAndNotBefore() throws {
    let rig = try Rig()
    let store = rig.daemon.store
    try rig.daemon.add(dated("tea", in: .hours(1)))
    let before = ClockOffset(of: store)
    #expect(before?.boot == ClockOffset.current.boot)
    try store.database.freeze()
    rig.daemon.host.handle(.done(id: "tea"), at: Instant(microseconds: SystemClock.now()))
    rig.daemon.host.keep(Self.offset("a", hours: 5))
    #expect(ClockOffset(of: store) == before)
    #expect(try store.reminders.reminder(id: "tea")?.standing.state == .armed)
    try store.database.thaw()
    rig.daemon.host.retry()
    #expect(ClockOffset(of: store) == Self.offset("a", hours: 5))
    #expect(try store.reminders.reminder(id: "tea")?.standing.state == .done)
  }

  @Test func twoReadingsOfAClockThatRunsAgree() {
    let now = ClockOffset.current
    #expect(!ClockOffset.current.differs(from: now))
    #expect(ClockOffset.current.boot == now.boot && !now.boot.isEmpty)
    #expect(Self.offset("a", hours: 5, more: 100_000).differs(from: Self.offset("a", hours: 5)))
  }
}
