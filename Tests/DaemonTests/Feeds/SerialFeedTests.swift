import Feeds
import Glibc
import JSONText
import LinuxRuntime
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// A receiver on a line of its own, which a pseudo-terminal plays.
@Suite(.serialized) struct SerialFeedTests {
  /// What a line at the wrong speed gives: never a whole sentence.
  private static let garbage = String(repeating: "\u{1}~x\u{7F}$@", count: 60)

  private func runner(_ rig: Rig) throws -> FeedRunner { try #require(rig.daemon.feeds.first) }

  @Test func silenceAndGarbageAreDistinguished() throws {
    let terminal = try Terminal()
    let rig = try Rig("[Feed]\nFeed=serial://\(terminal.path)?baud=9600&max-age=infinity\n")
    let runner = try runner(rig)
    try rig.run { runner.feed.state == .open }
    #expect(runner.condition() == .silent(since: nil))
    #expect(runner.conditionText() == "open, silent")

    terminal.write(Self.garbage)
    try rig.run { runner.feed.bytesReceived == Self.garbage.utf8.count }
    #expect(runner.condition() == .unreadable)
    #expect(
      runner.conditionText() == "open, bytes but no valid sentence at 9600 baud (wrong speed?)")

    terminal.write(FeedScript.sentence)
    try rig.run { runner.lastUnderstood != nil }
    #expect(runner.condition() == .delivering)
    let later = try #require(runner.feed.lastArrival) + 42_000_000
    #expect(runner.conditionText(at: later) == "open, silent for 42 s")
    let feed = try #require(try rig.client().call("Status")["status"]?["feeds"]?.array?.first)
    #expect(feed["state"]?.string == "open" && feed["condition"]?.string == "open")
    #expect(feed["baud"]?.int == 9600)
    #expect(rig.journal.troubles(.warning) == [])
  }

  @Test func theSpeedIsFoundByTheFirstSentence() throws {
    let terminal = try Terminal()
    let rig = try Rig(
      "[Feed]\nFeed=serial://\(terminal.path)?max-age=infinity\n",
      change: { $0.feedOptions.speedTimeout = 1000 })
    let runner = try runner(rig)
    try rig.run { runner.feed.state == .open }
    let speed = try #require(runner.feed.baud)
    terminal.write(Self.garbage)
    try rig.run { runner.feed.baud != speed }
    terminal.write(FeedScript.sentence)
    try rig.run { !runner.feed.isHunting }
    try rig.run { rig.daemon.host.engine.lastFix != nil }
    #expect(rig.journal.troubles(.warning) == [])
  }

  @Test func unpluggedAndSilentAreReportedOnceEach() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/receiver"
    let rig = try Rig(
      "[Feed]\nFeed=serial://\(path)?max-age=infinity\n",
      change: {
        $0.feedOptions.backoff = Backoff(first: 1_000, longest: 1_000)
        $0.feedOptions.silenceTimeout = 20_000
      })
    let runner = try runner(rig)
    func lost() -> [String] { rig.journal.entries(.feedLost).map(\.message) }
    try rig.run { lost().count == 1 }
    #expect(lost().last?.contains("No such file or directory") == true)
    for round in 1...2 {
      let terminal = try Terminal()
      try #require(symlink(terminal.path, path) == 0)
      try rig.run { runner.feed.state == .open }
      #expect(rig.journal.entries(.feedBack).count == 2 * (round - 1))
      terminal.write(FeedScript.sentence)
      try rig.run { rig.journal.entries(.feedBack).count == 2 * round - 1 }
      #expect(runner.lastError == nil)
      try rig.run { lost().count == 2 * round }
      #expect(lost().last?.hasSuffix(": nothing came for 0 s") == true)
      #expect(runner.feed.state == .open, "a silent line stays open")
      terminal.write(FeedScript.sentence)
      try rig.run { rig.journal.entries(.feedBack).count == 2 * round }
      unlink(path)
      terminal.unplug()
      try rig.run { lost().count == 2 * round + 1 }
    }
    #expect(rig.journal.troubles(.warning).count == 5)
  }
}

/// A pseudo-terminal: the test holds its controller, the daemon opens its line.
private final class Terminal {
  private var controller: Int32 = -1
  let path: String

  init() throws {
    var line: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    try #require(openpty(&controller, &line, &name, nil, nil) == 0)
    close(line)
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { unplug() }

  func write(_ text: String) { _ = Glibc.write(controller, text, text.utf8.count) }

  func unplug() {
    if controller >= 0 { close(controller) }
    controller = -1
  }
}
