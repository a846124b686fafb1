import CivilTime
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// `RemindAfter=`: the firing of the daemon, once for a stay, also over a restart.
@Suite(.serialized) struct UnwatchedStayDaemonTests {
  private static let config = "[Anchor]\nRemindAfter=10min\n"
  private static let fired = "no-anchor-watch due"

  /// Fixes each minute, so many metres east of `LiveRig.home`.
  private func lie(_ live: LiveRig, east: Double = 500, minutes: Int) throws {
    for _ in 0..<minutes {
      live.pass(.minutes(1))
      let before = live.feed().statistics.fixes
      try live.send(live.tpv(east: east))
      try live.finish(fixes: before + 1)
    }
  }

  @Test func itFiresOnceForAStayAndOverARestart() throws {
    let first = try LiveRig(config: Self.config)
    try lie(first, minutes: 20)
    #expect(first.fired == [])
    first.pass(.hours(6))  // 22:20 UTC
    try lie(first, minutes: 20)
    #expect(first.fired == [Self.fired])
    let firing = try #require(first.rig.journal.firings.first)
    #expect(first.rig.daemon.host.engine.reminder("no-anchor-watch")?.priority == 1)
    #expect(firing.message.hasPrefix("No anchor watch is set: "))
    first.rig.daemon.stop()
    let second = try LiveRig(config: Self.config, after: first)
    try lie(second, minutes: 20)
    #expect(second.fired == [])
    // It leaves, and lies elsewhere.
    for step in 1...5 { try lie(second, east: 500 + 300 * Double(step), minutes: 1) }
    let client = try second.rig.client()
    #expect(try client.call("List", #"{"all":true}"#)["reminders"]?.array?.count == 2)
    try lie(second, east: 2_000, minutes: 20)
    #expect(second.fired == [Self.fired])
  }

  @Test func withAnAnchorWatchOrWithoutTheSettingItDoesNotFire() throws {
    let off = try LiveRig()
    off.pass(.hours(6))
    try lie(off, minutes: 15)
    #expect(off.fired == [])
    let watched = try LiveRig(config: Self.config)
    watched.pass(.hours(6))
    try lie(watched, minutes: 1)
    let client = try watched.rig.client()
    _ = try client.call(
      "Add",
      #"{"reminder":{"id":"anchor","kind":"location","title":"Watch","on":"depart","#
        + #""anchor_watch":true,"every_visit":true,"#
        + #""place":{"lat":53.55,"lon":9.99,"radius_m":900}}}"#)
    try lie(watched, minutes: 15)
    #expect(watched.fired == [])
  }

  @Test func aReminderOfTheUserWithThatIdStays() throws {
    let live = try LiveRig(config: Self.config)
    let client = try live.rig.client()
    _ = try client.call(
      "Add",
      #"{"reminder":{"id":"no-anchor-watch","title":"Mine","due":"2040-01-01T00:00:00Z"}}"#)
    live.pass(.hours(6))
    try lie(live, minutes: 15)
    for step in 1...5 { try lie(live, east: 500 + 300 * Double(step), minutes: 1) }
    #expect(live.fired == [])
    #expect(try client.call("List", #"{"all":true}"#)["reminders"]?.array?.count == 3)
  }
}
