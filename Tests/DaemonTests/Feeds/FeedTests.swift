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
      "[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)?max-age=infinity\nFeed=unix:///nonexistent/a\n"
    )
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
    ("6", "dead-reckoning"), ("7", "manual"), ("8", "simulated"),
  ])
  func estimatesCountUnlessExcluded(quality: String, word: String) throws {
    let folder = try TemporaryFolder()
    let text = "GPGGA,154000,5333.055,N,00959.613,E,\(quality),08,0.9,5.0,M,46.9,M,,"
    let path = try folder.file("log", FeedScript.sentence(text) + FeedScript.date)
    for (setting, counts) in [
      ("Exclude=\(word)", false), ("Exclude=network\nExclude=\(word)", false),
      ("Exclude=network", true), ("LostAfterSec=60", true),
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
