import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

@Suite struct SerialFeedTests {
  @Test func readsALineRawAndWaitsForItsReturn() throws {
    let loop = try EventLoop()
    let terminal = try PseudoTerminal()
    let log = FeedLog()
    let feed = try Feed(
      .serial(path: terminal.path, baud: 38400), loop: loop, options: quickOptions(),
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    var settings = termios()
    tcgetattr(terminal.controller, &settings)
    #expect(cfgetospeed(&settings) == speed_t(B38400))
    #expect(feed.baud == 38400 && !feed.isHunting)
    #expect(settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(settings.c_iflag & tcflag_t(IXON | ICRNL | ISTRIP) == 0)

    // Bytes that a terminal in its usual mode would change or act on.
    let bytes: [UInt8] = [0x24, 0x0D, 0x0A, 0x03, 0x11, 0x13, 0x00, 0xFF, 0x04]
    #expect(bytes.withUnsafeBytes { write(terminal.controller, $0.baseAddress, $0.count) } == 9)
    #expect(try loop.runUntil { log.bytes.count == bytes.count })
    #expect(log.bytes == bytes)
    #expect(feed.bytesReceived == bytes.count)
    #expect(feed.write([0xB5, 0x62]))
    var echo = [UInt8](repeating: 0, count: 8)
    #expect(read(terminal.controller, &echo, 8) == 2)

    terminal.unplug()
    #expect(try loop.runUntil { log.events.count == 2 })
    #expect(log.events == ["open", "lost: the device was unplugged"])
    #expect(feed.channel == nil, "an open descriptor would keep the name from being given again")
    #expect(try loop.runUntil { log.events.count == 3 })
    #expect(log.events.last?.contains("see whether the receiver is plugged in") == true)
  }

  @Test func refusesAFileThatIsNoSerialLine() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let log = FeedLog()
    let feed = try Feed(
      .serial(path: try folder.file("x", ""), baud: nil), loop: loop, options: quickOptions(),
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { !log.events.isEmpty })
    #expect(log.events.first?.contains("as a serial line") == true)
  }

  @Test func everySpeedOfAURLCanBeSet() throws {
    let terminal = try PseudoTerminal()
    for baud in FeedURL.serialSpeeds {
      let line = try SerialPort.open(terminal.path)
      try SerialPort.setSpeed(of: line, terminal.path, to: baud)
      #expect(SerialPort.speed(of: line, among: FeedURL.serialSpeeds) == baud)
      SerialPort.close(line)
    }
  }

  @Test func huntsForTheSpeedUntilItIsConfirmed() throws {
    let loop = try EventLoop()
    let terminal = try PseudoTerminal()
    let log = FeedLog()
    var handlers = log.handlers
    var feed: Feed?
    let onBytes = handlers.onBytes
    handlers.onBytes = {
      onBytes($0)
      if log.text.hasSuffix("sense") { feed?.confirmSpeed() }
    }
    var options = quickOptions()
    options.speedTimeout = 2000
    feed = try Feed(
      .serial(path: terminal.path, baud: nil), loop: loop, options: options, handlers: handlers)
    feed?.start()
    #expect(try loop.runUntil { feed?.state == .open })
    #expect(feed?.isHunting == true)
    let first = try #require(feed?.baud)
    #expect(try !loop.runOnce(timeout: 8000), "silence tells nothing of the speed")
    #expect(feed?.baud == first)
    var tried = [first]
    for _ in 0..<3 {
      let speed = feed?.baud
      terminal.write(String(repeating: "x", count: 200))
      #expect(try loop.runUntil { feed?.baud != speed })
      tried.append(feed?.baud ?? 0)
    }
    #expect(Set(tried).count == 4)
    var settings = termios()
    tcgetattr(terminal.controller, &settings)
    var wanted = termios()
    cfsetspeed(&wanted, speed_t(tried[3]))
    #expect(cfgetospeed(&settings) == cfgetospeed(&wanted), "the line itself has the new speed")

    terminal.write("sense")
    #expect(try loop.runUntil { feed?.isHunting == false })
    #expect(try !loop.runOnce(timeout: 8000), "no timer runs any more")
    #expect(feed?.baud == tried[3])
    #expect(log.events == ["open"])
    feed = nil
  }

  /// As `/dev/serial/by-id` goes and comes: the folder with the first name in it.
  @Test func findsALineByTheNameThatComes() throws {
    let folder = try TemporaryFolder()
    let terminal = try PseudoTerminal()
    let names = "\(folder.path)/by-id"
    let loop = try EventLoop()
    let log = FeedLog()
    let start: Int64 = 1_000_000_000
    // Five seconds to the next try: what comes sooner comes by the name.
    let options = Feed.Options(
      connectTimeout: 10_000_000, backoff: Backoff(first: 60_000_000), random: { 1 },
      clock: { start })
    let feed = try Feed(
      .serial(path: "\(names)/receiver", baud: nil), loop: loop, options: options,
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { log.events.count == 1 })
    #expect(log.events.first?.contains("No such file or directory") == true)
    #expect(feed.state == .waiting(until: start + 5_000_000))
    try #require(mkdir(names, 0o700) == 0)
    while try loop.runOnce(timeout: 0) {}
    #expect(feed.state == .waiting(until: start + 5_000_000), "a folder is no line")
    try folder.file("other", "")
    try #require(symlink(terminal.path, "\(names)/receiver") == 0)
    #expect(try loop.runUntil { feed.state == .waiting(until: start + 50_000) })
    #expect(try loop.runUntil { feed.state == .open })
    #expect(log.events.count == 2)
    #expect(feed.pathWatch == nil)

    // It goes with its folder, and comes under the same name on another line.
    unlink("\(names)/receiver")
    rmdir(names)
    terminal.unplug()
    #expect(try loop.runUntil { log.events.count == 3 })
    #expect(feed.state == .waiting(until: start + 5_000_000))
    let again = try PseudoTerminal()
    try #require(mkdir(names, 0o700) == 0)
    try #require(symlink(again.path, "\(names)/receiver") == 0)
    #expect(try loop.runUntil { feed.state == .open })
    again.write("$GP")
    #expect(try loop.runUntil { log.text == "$GP" })
    feed.stop()
    unlink("\(names)/receiver")
  }
}
