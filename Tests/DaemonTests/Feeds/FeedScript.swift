import CivilTime
import Feeds
import Glibc
import LinuxRuntime
import Positioning
import Reminders
import Testing

@testable import Daemon

/// Feeds that a test plays by hand.
enum FeedScript {
  static let sentence =
    "$GNRMC,154000.00,A,5333.05535,N,00959.61359,E,0.018,,120626,,,A,V*11\r\n"

  static let date = sentence("GPZDA,154000,12,06,2026,00,00")

  static func sentence(_ text: String) -> String {
    let sum = String(text.utf8.reduce(UInt8(0)) { $0 ^ $1 }, radix: 16, uppercase: true)
    return "$\(text)*\(sum.utf8.count < 2 ? "0" : "")\(sum)\r\n"
  }

  /// An RMC of a moment, to the second; `place` is latitude and longitude as NMEA has them.
  static func rmc(
    at time: Instant, status: String = "A", place: String = "5333.05535,N,00959.61359,E"
  ) -> String {
    let parts = time.rfc3339().split { "T-:Z.".contains($0) }
    let date = parts[2] + parts[1] + parts[0].suffix(2)
    let clock = parts[3] + parts[4] + parts[5]
    return sentence("GNRMC,\(clock).00,\(status),\(place),0.0,,\(date),,,A")
  }

  /// A receiver that is 1024 weeks behind reports three times, at the present time of day; the last
  /// fix.
  @discardableResult
  static func weekRollover(journal: TestJournal) throws -> Fix? {
    let listener = try Listener()
    let rig = try Rig("[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)\n", journal: journal)
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    let old = Instant(microseconds: SystemClock.now()) - .hours(7168 * 24)
    for second in 0..<3 {
      try listener.send(rmc(at: old + .seconds(Double(second))))
    }
    try rig.run { rig.daemon.feeds.first?.statistics.fixes == 3 }
    rig.daemon.stop()
    return rig.daemon.host.engine.lastFix
  }

  /// A receiver sends a fix of an hour ago.
  static func lateFix(journal: TestJournal) throws {
    let listener = try Listener()
    let rig = try Rig("[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)\n", journal: journal)
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    try listener.send(rmc(at: Instant(microseconds: SystemClock.now()) - .hours(1)))
    try rig.run { !journal.entries(.fixesDropped).isEmpty }
    rig.daemon.stop()
  }

  /// A TCP peer hangs up, is not there at the second try, and then is.
  static func hangUpAndComeBack(journal: TestJournal) throws {
    let listener = try Listener()
    let rig = try Rig(
      "[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)?max-age=infinity\n",
      journal: journal,
      change: { $0.feedOptions.backoff = Backoff(first: 1_000, longest: 1_000) })
    let lost = journal.entries(.feedLost).count
    let back = journal.entries(.feedBack).count
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    listener.hangUp()
    try rig.run { journal.entries(.feedLost).count > lost }
    var refusals = 0
    rig.daemon.feeds.first?.onStateChange = { refusals += 1 }
    try rig.run { refusals > 0 }
    try listener.listenAgain()
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    // A connection alone is not yet a feed.
    try rig.settle()
    guard journal.entries(.feedBack).count == back else { throw Unexpected("back too early") }
    try listener.send(sentence)
    try rig.run { journal.entries(.feedBack).count > back }
    rig.daemon.stop()
  }
}

/// A port of the loopback interface that listens, stops and listens again. A second socket keeps
/// the port meanwhile, so that nobody else is given it.
final class Listener {
  private(set) var port: UInt16 = 0
  private var first: Int32 = -1
  private var second: Int32 = -1
  private var accepted: Int32 = -1

  init() throws {
    first = try bound()
    second = try bound()
    try #require(listen(first, 8) == 0)
  }

  deinit { for socket in [first, second, accepted] where socket >= 0 { close(socket) } }

  /// A socket with the port, or with a free one the first time.
  private func bound() throws -> Int32 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
    return socket
  }

  /// The client that has connected is let go, and the next one is refused.
  func hangUp() {
    accepted = accept(first, nil, nil)
    close(first)
    first = -1
    close(accepted)
    accepted = -1
  }

  /// The client that was sent something is let go; the next one may come.
  func endConnection() {
    close(accepted)
    accepted = -1
  }

  /// To the client that waits, or that has connected already.
  func send(_ text: String) throws {
    if accepted < 0 { accepted = accept(first >= 0 ? first : second, nil, nil) }
    try #require(write(accepted, text, text.utf8.count) == text.utf8.count)
  }

  func listenAgain() throws { try #require(listen(second, 8) == 0) }
}
