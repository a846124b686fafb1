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

/// What the daemon makes of feeds that are not what they should be.
@Suite(.serialized) struct FeedTests {
  private func rig(_ feed: String) throws -> Rig { try Rig("[Feed]\nFeed=\(feed)\n") }

  @Test func aMissingFileIsLeftOutAndReported() throws {
    let rig = try rig("file:///nonexistent/log.nmea")
    #expect(rig.daemon.feeds.isEmpty)
    let told = rig.journal.troubles(.error)
    #expect(told.count == 1)
    #expect(told.first?.contains("/nonexistent/log.nmea: cannot be read: No such file") == true)
  }

  @Test func aFeedThatIsAFolderIsReportedOnce() throws {
    let folder = try TemporaryFolder()
    let rig = try rig("file://\(folder.path)")
    try rig.run { !rig.journal.entries(.feedLost).isEmpty }
    #expect(rig.journal.entries(.feedLost).first?.message.contains("directory") == true)
    #expect(rig.journal.entries(.feedBack).isEmpty)
  }

  @Test func aFifoIsReadToItsEnd() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/fifo"
    try #require(mkfifo(path, 0o600) == 0)
    let writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(writer >= 0)
    let rig = try rig("file://\(path)?speed=max")
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    try #require(write(writer, FeedScript.sentence, FeedScript.sentence.utf8.count) > 0)
    close(writer)
    try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
    #expect(rig.daemon.host.engine.lastFix != nil)
    #expect(rig.journal.troubles(.warning) == [])
  }

  /// The feed always has more than the daemon has read.
  @Test func aFeedWithoutPauseLeavesClientsTheirTurns() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/fifo"
    try #require(mkfifo(path, 0o600) == 0)
    let writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(writer >= 0)
    defer { close(writer) }
    let rig = try rig("file://\(path)?speed=max")
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    let client = try rig.client()
    try client.send("Status")
    let lines = [UInt8](repeating: 0x0A, count: 1 << 16)
    var turns = 0
    while try client.poll().isEmpty, turns < 1_000 {
      _ = write(writer, lines, lines.count)
      try rig.daemon.loop.runOnce(timeout: 0)
      turns += 1
    }
    #expect(turns < 100)
    #expect(rig.daemon.feeds.first?.statistics.bytes ?? 0 > 4096)
  }

  @Test func garbageWithoutALineEndIsSurvived() throws {
    let folder = try TemporaryFolder()
    var state: UInt32 = 12345
    let block = (0..<1 << 14).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      let value = UInt8(truncatingIfNeeded: state >> 24)
      return value == 0x0A || value == 0x0D ? 0x20 : value
    }
    let garbage = Array(repeatElement(block, count: 64).joined())
    let path = try folder.file(
      "garbage", garbage + Array("\r\n\(FeedScript.sentence)".utf8))
    let rig = try rig("file://\(path)?speed=max")
    try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
    #expect(
      rig.daemon.feeds.first?.statistics.bytes == garbage.count + 2
        + FeedScript.sentence.utf8.count)
    #expect(rig.daemon.host.engine.lastFix != nil)
    #expect(rig.journal.troubles(.warning) == [])
  }

  @Test func unintelligibleBytesAreReportedOnce() throws {
    let listener = try Listener()
    let rig = try Rig("[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)\n")
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    let block = String(repeating: "$~x*@", count: 3_000)
    for count in 1...40 {
      try listener.send(block)
      try rig.run { rig.daemon.feeds.first?.feed.bytesReceived == count * block.utf8.count }
    }
    #expect(rig.journal.entries(.feedLost).count == 1)
    #expect(rig.journal.troubles(.warning).first?.contains("without a whole sentence") == true)
    let status = try rig.client().call("Status")
    #expect(status["status"]?["feeds"]?.array?.first?["followed"]?.bool == false)
    try listener.send("\r\n\(FeedScript.sentence)\(FeedScript.date)")
    try rig.run { !rig.journal.entries(.feedBack).isEmpty }
    #expect(rig.journal.entries(.feedLost).count == 1)
    #expect(rig.journal.entries(.feedBack).count == 1)
  }

  @Test func theStatusNamesTheFollowedReceiver() throws {
    let listener = try Listener()
    let rig = try Rig(
      "[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)\nFeed=unix:///nonexistent/a\n")
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    try listener.send(FeedScript.sentence)
    try rig.run { rig.daemon.host.engine.lastFix != nil }
    let status = try rig.client().call("Status")
    let feeds = try #require(status["status"]?["feeds"]?.array)
    #expect(feeds.map { $0["followed"]?.bool } == [true, false])
    #expect(feeds[0]["fix_age_s"]?.double.map { $0 < 5 } == true)
    #expect(feeds[0]["receivers"]?.array?.first?["fixes"]?.int == 1)
    #expect(feeds[1]["fix_age_s"] == nil && feeds[1]["receivers"]?.array?.isEmpty == true)
    #expect(feeds[1]["retry_in_s"]?.double.map { $0 <= 2 } == true)
  }

  @Test func aLostAndAReturnedPeerAreReportedOnceEach() throws {
    let journal = TestJournal()
    try FeedScript.hangUpAndComeBack(journal: journal)
    #expect(journal.entries(.feedLost).count == 1)
    #expect(journal.entries(.feedBack).count == 1)
    for entry in journal.entries(.feedLost) + journal.entries(.feedBack) {
      #expect(entry["GEOREMIND_FEED"]?.hasPrefix("tcp://127.0.0.1:") == true)
    }
  }

  @Test func aWeekRolloverIsCorrectedAndReportedOnce() throws {
    let journal = TestJournal()
    let fix = try #require(try FeedScript.weekRollover(journal: journal))
    let now = Instant(microseconds: SystemClock.now())
    #expect(abs((now - (fix.time ?? now - .hours(1000))).seconds) < 2 * 86_400)
    #expect(journal.entries(.weekRollover).count == 1)
    let feed = journal.entries(.weekRollover).first?["GEOREMIND_FEED"]
    #expect(feed?.hasPrefix("tcp://127.0.0.1:") == true)
  }

  /// What the receiver did not measure counts unless the configuration says no.
  @Test(arguments: [
    ("6", "ExcludeDeadReckoning"), ("7", "ExcludeManual"), ("8", "ExcludeSimulated"),
  ])
  func estimatesCountUnlessExcluded(quality: String, setting: String) throws {
    let folder = try TemporaryFolder()
    let text = "GPGGA,154000,5333.055,N,00959.613,E,\(quality),08,0.9,5.0,M,46.9,M,,"
    let path = try folder.file("log", FeedScript.sentence(text) + FeedScript.date)
    for (setting, counts) in [
      ("\(setting)=yes", false), ("\(setting)=no", true), ("LostAfterSec=60", true),
    ] {
      let rig = try Rig("[Feed]\nFeed=file://\(path)?speed=max\n[Position]\n\(setting)\n")
      try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
      #expect((rig.daemon.host.engine.lastFix != nil) == counts, "\(setting)")
      #expect(rig.daemon.feeds.first?.statistics.estimatedFixes == 1)
    }
  }

  @Test func aReloadChangesTheFeeds() throws {
    let rig = try rig("unix:///nonexistent/a")
    try rig.configure("[Feed]\nFeed=unix:///nonexistent/b\nFeed=unix:///nonexistent/c\n")
    rig.daemon.reloadSettings()
    func urls() -> [String] { rig.daemon.feeds.map { "\($0.url)" } }
    #expect(urls() == ["unix:///nonexistent/b", "unix:///nonexistent/c"])
    try rig.configure("[Feed]\nFeed=unix:///nonexistent/c\nFeed=nonsense\n")
    rig.daemon.reloadSettings()
    #expect(urls() == ["unix:///nonexistent/b", "unix:///nonexistent/c"])
    #expect(rig.journal.entries(.reloaded).count == 1)
    let told = rig.journal.troubles(.error)
    #expect(told.first?.contains("georemind.conf:3: ") == true)
    #expect(told.dropFirst() == ["Reload failed, the old configuration stays in force"])
  }

  /// Positions belong to firings; everything else is read by more people.
  @Test func onlyFiringsContainAPosition() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("log", FeedScript.sentence)
    let rig = try Rig(
      """
      [Feed]
      Feed=file://\(path)?speed=max
      [Log]
      Level=debug
      """)
    try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
    rig.daemon.reloadSettings()
    let status = try rig.client().call("Status")
    rig.daemon.stop()
    #expect(rig.daemon.host.engine.lastFix != nil)
    let texts =
      rig.journal.entries.flatMap { $0.fields.map(\.value) } + ["\(status)", rig.daemon.statusLine]
    for text in texts {
      #expect(!text.contains("53.5"))
      #expect(!text.contains("9.99"))
      #expect(!text.contains("5333.0"))
    }
    for entry in rig.journal.entries {
      #expect(entry["GEOREMIND_LATITUDE"] == nil && entry["GEOREMIND_LONGITUDE"] == nil)
    }
  }
}

/// Feeds that a test plays by hand.
enum FeedScript {
  static let sentence =
    "$GNRMC,154000.00,A,5333.05535,N,00959.61359,E,0.018,,120626,,,A,V*11\r\n"

  static let date = sentence("GPZDA,154000,12,06,2026,00,00")

  static func sentence(_ text: String) -> String {
    let sum = String(text.utf8.reduce(UInt8(0)) { $0 ^ $1 }, radix: 16, uppercase: true)
    return "$\(text)*\(sum.utf8.count < 2 ? "0" : "")\(sum)\r\n"
  }

  /// A receiver that is 1024 weeks behind reports three times; the last fix.
  @discardableResult
  static func weekRollover(journal: TestJournal) throws -> Fix? {
    let listener = try Listener()
    let rig = try Rig("[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)\n", journal: journal)
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    let old = Instant(microseconds: SystemClock.now()) - .hours(7168 * 24)
    let day = old.rfc3339().split(separator: "T")[0].split(separator: "-")
    let date = day.reversed().map { $0.suffix(2) }.joined()
    for second in 0..<3 {
      try listener.send(
        sentence("GNRMC,12000\(second),A,5333.055,N,00959.613,E,0.0,,\(date),,,A"))
    }
    try rig.run { rig.daemon.feeds.first?.statistics.fixes == 3 }
    rig.daemon.stop()
    return rig.daemon.host.engine.lastFix
  }

  /// A TCP peer hangs up, is not there at the second try, and then is.
  static func hangUpAndComeBack(journal: TestJournal) throws {
    let listener = try Listener()
    let rig = try Rig(
      "[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)\n", journal: journal,
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
private final class Listener {
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

  /// To the client that waits, or that has connected already.
  func send(_ text: String) throws {
    if accepted < 0 { accepted = accept(first >= 0 ? first : second, nil, nil) }
    try #require(write(accepted, text, text.utf8.count) == text.utf8.count)
  }

  func listenAgain() throws { try #require(listen(second, 8) == 0) }
}
