import CivilTime
import Feeds
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// A daemon with a clock of its own that hears receivers over TCP.
final class LiveRig {
  /// A Friday. Timers of the real clock do not end before it.
  static let start = Instant(seconds: 1_907_510_400)
  /// The place of a reminder to arrive and one to depart, with a radius of 100 m.
  static let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)

  private final class VirtualClock { var now = LiveRig.start }

  let rig: Rig
  private let clock: VirtualClock
  private let listeners: [Listener]
  private var sent: [Int]

  /// - Parameters:
  ///   - query: of each feed.
  ///   - config: more sections of the configuration.
  ///   - isTrusted: whether the system's clock is.
  ///   - last: an earlier daemon that has stopped, to go on where it was.
  init(
    feeds: Int = 1, query: String = "", config: String = "", isTrusted: Bool = true,
    after last: LiveRig? = nil
  ) throws {
    let listeners = try (0..<feeds).map { _ in try Listener() }
    let clock = VirtualClock()
    if let last { clock.now = last.now }
    (self.listeners, self.clock) = (listeners, clock)
    sent = Array(repeating: 0, count: feeds)
    let lines = listeners.map { "Feed=tcp://127.0.0.1:\($0.port)\(query)\n" }.joined()
    let folder = try last?.rig.folder ?? TemporaryFolder()
    let reminders = ["arrive", "depart"].map {
      #"{"id":"\#($0)","kind":"location","title":"\#($0)","on":"\#($0)","every_visit":true,"#
        + #""place":{"lat":\#(Self.home.latitude),"lon":\#(Self.home.longitude),"#
        + #""radius_m":100}}"#
    }
    let list = try folder.file("list.json", reminders.joined(separator: "\n"))
    rig = try Rig(
      "[Feed]\n\(lines)\n[Clock]\nTrust=always\n[Reminders]\nFile=\(list)\n\(config)",
      folder: folder, systemClock: { clock.now.microseconds },
      beforeStart: {
        guard !isTrusted else { return }
        $0.clockTrust = ClockTrust(demand: .synchronized, lastSeen: nil, root: folder.path) {
          false
        }
      })
    let rig = rig
    try rig.run { rig.daemon.feeds.allSatisfy { $0.feed.state == .open } }
  }

  var now: Instant { clock.now }
  func pass(_ span: TimeSpan) { clock.now = clock.now + span }

  var fired: [String] { rig.journal.fired }
  var lastFix: Instant? { rig.daemon.host.engine.lastFix?.time }
  var dropped: [String] { rig.journal.entries(.fixesDropped).map(\.message) }
  func feed(_ number: Int = 0) -> FeedRunner { rig.daemon.feeds[number] }

  /// Sends text on a feed; returns once the daemon has read it.
  func send(_ text: String, on number: Int = 0) throws {
    try listeners[number].send(text)
    sent[number] += text.utf8.count
    try rig.run { feed(number).feed.bytesReceived == sent[number] }
  }

  /// Waits until the last epoch has ended by a silence.
  func finish(fixes: Int, on number: Int = 0) throws {
    try rig.run { feed(number).statistics.fixes == fixes }
  }

  /// A report of gpsd with a place so many metres east of the centre of `home`.
  func tpv(
    east: Double, north: Double = 0, time: Instant? = nil, eph: Double = 5, device: String = "gps"
  ) -> String {
    let metres = Sphere.radius * .pi / 180
    let latitude = Self.home.latitude + north / metres
    let longitude = Self.home.longitude + east / metres / cos(latitude * .pi / 180)
    return #"{"class":"TPV","device":"\#(device)","mode":3,"time":"\#((time ?? now).json)","#
      + #""lat":\#(latitude),"lon":\#(longitude),"eph":\#(eph)}"# + "\n"
  }

  /// Ten minutes later a device sends three fixes, a minute apart, so many metres east of `home`.
  func go(_ device: String, east: Double) throws {
    let before = feed().statistics.fixes
    pass(.minutes(10))
    for _ in 0..<3 {
      pass(.minutes(1))
      try send(tpv(east: east, device: device))
    }
    try finish(fixes: before + 3)
  }
}
