import CivilTime
import Feeds
import Glibc
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// What a reload changes, and what it says where it cannot.
@Suite(.serialized) struct ReloadTests {
  @Test func aRecordingThatIsDroppedStopsAtOnce() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("log", fileBytes("\(packageRoot)/examples/drive.nmea"))
    let rig = try Rig("[Feed]\nFeed=file://\(path)?speed=1000\n")
    try rig.run { rig.daemon.host.engine.lastFix != nil }
    try rig.configure("[Feed]\nFeed=unix:///nonexistent/gps\n")
    rig.daemon.reloadSettings()
    let last = rig.daemon.host.engine.lastFix?.time
    // The next fix was a millisecond away.
    #expect(try !rig.daemon.loop.runOnce(timeout: 20_000))
    #expect(rig.daemon.host.engine.lastFix?.time == last)
    #expect(rig.daemon.feeds.isEmpty, "a live feed has another time than the recording")
    #expect(
      rig.journal.troubles(.warning) == [
        "unix:///nonexistent/gps: the time is the recording's; restart the daemon to follow this "
          + "feed"
      ])
    #expect(rig.journal.entries(.feedEnded).isEmpty)
  }

  /// A loop that has ended takes no new feed.
  @Test func aPartThatFailsLeavesTheOthersInForce() throws {
    let rig = try Rig()
    rig.daemon.loop.exit(0)
    _ = try rig.daemon.loop.run()
    try rig.configure("[Feed]\nFeed=unix:///nonexistent/gps\n")
    rig.changeAtReload = {
      $0.routeSocket = nil
      $0.timeZoneName = "Asia/Tokyo"
    }
    rig.daemon.reloadSettings()
    let errors = rig.journal.troubles(.error)
    let start = "The configuration is reloaded, except for its feeds: "
    #expect(errors.count == 1 && errors.first?.hasPrefix(start) == true, "\(errors)")
    #expect(rig.daemon.settings.timeZoneName == "Asia/Tokyo")
    #expect(rig.daemon.host.engine.zone.name == "Asia/Tokyo")
  }

  @Test func aNewSilenceTimeoutAppliesToOpenFeeds() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/gps"
    let listener = try UnixListener(path: path, loop: EventLoop()) { _ in }
    defer { listener.close() }
    let rig = try Rig("[Feed]\nFeed=unix://\(path)\n")
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    rig.changeAtReload = { $0.feedOptions.silenceTimeout = 1_000 }
    rig.daemon.reloadSettings()
    try rig.run { !rig.journal.entries(.feedLost).isEmpty }
    #expect(rig.daemon.feeds.first?.lastError == "nothing came for 0 s")
  }

  /// Requests under way would be lost with it.
  @Test func theClientOfTheRoutingEngineStaysWithItsSocket() throws {
    let rig = try Rig("[Route]\nEngine=osrm\nDrivingURL=http://localhost:5000\n")
    let first = try #require(rig.daemon.routes)
    rig.daemon.reloadSettings()
    #expect(rig.daemon.routes === first)
    #expect(rig.daemon.host.engine.routeHealth != nil)
    rig.changeAtReload = { $0.routeSocket = "/nonexistent/route" }
    rig.daemon.reloadSettings()
    #expect(rig.daemon.routes != nil && rig.daemon.routes !== first)
    #expect(rig.daemon.host.engine.routeHealth != nil)
  }
}
