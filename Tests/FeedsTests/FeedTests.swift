import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

/// What a feed told, in order.
final class FeedLog {
  var events: [String] = []
  var bytes: [UInt8] = []
  var origins: [DatagramOrigin] = []
  var text: String { String(decoding: bytes, as: UTF8.self) }

  var handlers: Feed.Handlers {
    Feed.Handlers(
      onOpen: { self.events.append("open") },
      onBytes: { self.bytes += $0 },
      onDatagram: {
        self.bytes += Array($0) + [UInt8(ascii: "|")]
        self.origins.append($1)
      },
      onClose: { reason, willRetry in
        self.events.append("\(willRetry ? "lost" : "failed"): \(reason)")
      },
      onSilence: { self.events.append("silent: \($0)") },
      onEnd: { self.events.append("end") })
  }
}

/// Retries after half a millisecond, without jitter; connections are stable at once.
func quickOptions(silence: Int64? = nil, connect: Int64 = 10_000_000) -> Feed.Options {
  Feed.Options(
    connectTimeout: connect, silenceTimeout: silence,
    backoff: Backoff(first: 1000, longest: 8000, stableAfter: 0), random: { 0 })
}

@Suite struct BackoffTests {
  @Test func doublesToItsLongestAndBeginsAnewAfterAStableConnection() {
    var backoff = Backoff()
    let seconds = (0..<8).map { _ in backoff.next(random: 1) / 1_000_000 }
    #expect(seconds == [1, 2, 4, 8, 16, 32, 60, 60])
    backoff.connectionEnded(after: 9_999_999)
    #expect(backoff.next(random: 0) == 30_000_000, "a short connection counts as none")
    backoff.connectionEnded(after: 10_000_000)
    #expect(backoff.next(random: 0) == 500_000)
    #expect(backoff.next(random: 0.5) == 1_500_000)
  }

  @Test func staysWithinHalfAStepOfIt() {
    var generator = SeededGenerator(seed: 1)
    var backoff = Backoff(first: 3, longest: 1001)
    var step: Int64 = 3
    for _ in 0..<100 {
      let delay = backoff.next(random: Double.random(in: 0..<1, using: &generator))
      #expect(delay >= step / 2 && delay <= step)
      step = min(step * 2, 1001)
    }
    var odd = Backoff(first: 0, longest: -4)
    #expect(odd.next(random: .nan) >= 0)
  }
}

@Suite struct StreamFeedTests {
  @Test func readsATCPServerAndComesBackToIt() throws {
    let loop = try EventLoop()
    let server = try Server()
    let log = FeedLog()
    let feed = try Feed(
      .tcp(host: "127.0.0.1", port: server.port), loop: loop, options: quickOptions(),
      handlers: log.handlers)
    #expect(feed.state == .closed)
    feed.start()
    feed.start()
    for round in 1...3 {
      #expect(try loop.runUntil { feed.state == .open })
      let peer = try server.accept()
      var isKeptAlive: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      let socket = try #require(feed.channel?.descriptor.raw)
      #expect(getsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &isKeptAlive, &size) == 0)
      #expect(isKeptAlive == 1)
      peer.write("$GPRMC,\(round)\r\n")
      #expect(try loop.runUntil { log.text.hasSuffix("\(round)\r\n") })
      peer.close()
      #expect(try loop.runUntil { feed.state != .open })
    }
    #expect(log.text == "$GPRMC,1\r\n$GPRMC,2\r\n$GPRMC,3\r\n")
    let cycle = ["open", "lost: the other end closed the connection"]
    #expect(log.events == cycle + cycle + cycle)
    feed.stop()
    feed.stop()
    #expect(feed.state == .closed)
    #expect(try !loop.runOnce(timeout: 2000))
  }

  /// Whoever else waits is served between the pieces.
  @Test func aTurnTakesLittleOfAFeedThatNeverPauses() throws {
    let loop = try EventLoop()
    let server = try Server()
    var pieces: [Int] = []
    var turns = 0
    let feed = try Feed(
      .tcp(host: "127.0.0.1", port: server.port), loop: loop, options: quickOptions(),
      handlers: Feed.Handlers(onOpen: {}, onBytes: { pieces.append($0.count) }))
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    let peer = try server.accept()
    peer.write(String(repeating: "x", count: 40_960))
    let pipe = try Pipe()
    pipe.write("never read")
    let other = try loop.addIO(pipe.reader, .readable, priority: .background) { _ in turns += 1 }
    while feed.bytesReceived < 40_960 { try #require(try loop.runOnce(timeout: 10_000_000)) }
    #expect(pieces.max() == 4096)
    #expect(turns >= pieces.count - 1)
    other.close()
    feed.stop()
  }

  /// A network is not to be filled with tries; what is on this machine is to be back soon.
  @Test func theLongestWaitDependsOnTheFeed() throws {
    let seconds: [(String, Int64)] = [
      ("serial:///dev/x", 5), ("unix:///x", 10), ("udp://0.0.0.0", 10), ("gpsd://localhost", 10),
      ("tcp://[::1]", 10), ("gpsd://boat", 60), ("tcp://192.0.2.1", 60),
    ]
    for (url, wait) in seconds {
      var backoff = Backoff().limited(to: try #require(FeedURL(parsing: url).longestWait))
      let waits = (0..<10).map { _ in backoff.next(random: 1) / 1_000_000 }
      #expect(waits.first == 1 && waits.last == wait, "\(url)")
    }
  }

  @Test func waitsLongerEachTimeItIsRefused() throws {
    let loop = try EventLoop()
    let server = try Server()
    let port = server.port
    server.close()
    var options = quickOptions()
    options.clock = { 1_000_000_000 }
    options.random = { 1 }
    let log = FeedLog()
    let feed = try Feed(
      .tcp(host: "127.0.0.1", port: port), loop: loop, options: options, handlers: log.handlers)
    feed.start()
    var waits: [Feed.State] = []
    for count in 1...5 {
      #expect(try loop.runUntil { log.events.count == count })
      waits.append(feed.state)
    }
    #expect(
      waits == [1000, 2000, 4000, 8000, 8000].map { .waiting(until: 1_000_000_000 + $0) })
    #expect(
      log.events.first
        == "lost: cannot connect to 127.0.0.1 port \(port): Connection refused; "
        + "see whether the server runs")
  }

  @Test func triesEachAddressOfLocalhost() throws {
    let loop = try EventLoop()
    let server = try Server()
    let log = FeedLog()
    let feed = try Feed(
      .tcp(host: "localhost", port: server.port), loop: loop, options: quickOptions(),
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    #expect(log.events == ["open"], "that nobody listens at ::1 is no loss")
  }

  @Test(arguments: [
    (nil, "lost: no answer within 0 s"),
    (
      true,
      "lost: no answer within 0 s: blocked by the service's sandbox: install the drop-in "
        + "remote-gpsd.conf"
    ), (false, "lost: no answer within 0 s: blocked by a firewall of this machine"),
  ])
  func givesUpOnAServerThatDoesNotAnswer(refusedInService: Bool?, event: String) throws {
    let loop = try EventLoop()
    let server = try Server(backlog: 0)
    // With its queue full the kernel drops what comes next, as a firewall would.
    let fillers = (0..<3).map { _ in server.clientThatWillNotWait() }
    defer { for filler in fillers { close(filler) } }
    let log = FeedLog()
    var options = quickOptions(connect: 2000)
    options.isService = refusedInService == true
    if refusedInService != nil { options.isRefused = { _ in true } }
    let feed = try Feed(
      .tcp(host: "127.0.0.1", port: server.port), loop: loop, options: options,
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { !log.events.isEmpty })
    #expect(log.events == [event])
  }

  @Test func aRefusedConnectionNamesTheDropIn() throws {
    let host = try SocketAddress(numeric: "192.168.1.20", port: 10110)
    let socket = try SocketAddress(unixPath: "/run/x")
    func text(_ address: SocketAddress, isService: Bool) -> String {
      FeedChannel.connectFailure(address, code: EPERM, isService: isService).description
    }
    #expect(text(host, isService: true).contains("sandbox: install the drop-in remote-gpsd.conf"))
    #expect(text(host, isService: false).contains("a firewall of this machine"))
    #expect(text(socket, isService: true).contains("see the permissions of the socket"))
    #expect(!Sandbox.refuses(try SocketAddress(numeric: "127.0.0.1", port: 9)))
  }

  @Test func asksGPSDToWatch() throws {
    let loop = try EventLoop()
    let server = try Server()
    let log = FeedLog()
    let feed = try Feed(
      .gpsd(host: "127.0.0.1", port: server.port, device: "/dev/\"x\\"), loop: loop,
      options: quickOptions(), handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    let peer = try server.accept()
    #expect(
      peer.read() == #"?WATCH={"enable":true,"json":true,"device":"/dev/\"x\\"}"# + "\n")
    peer.write("{\"class\":\"VERSION\"}\r\n")
    #expect(try loop.runUntil { log.text == "{\"class\":\"VERSION\"}\r\n" })
    #expect(feed.write("?POLL;\n".utf8))
    #expect(peer.read() == "?POLL;\n")
    #expect(!feed.write([UInt8](repeating: 0, count: 65537)))
    #expect(
      FeedURL.watchRequest(device: nil) == "?WATCH={\"enable\":true,\"json\":true}\n")
  }

  @Test func countsSilenceAsLoss() throws {
    let loop = try EventLoop()
    let server = try Server()
    let log = FeedLog()
    let feed = try Feed(
      .tcp(host: "127.0.0.1", port: server.port), loop: loop, options: quickOptions(silence: 5000),
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    feed.isPaused = true
    #expect(try !loop.runOnce(timeout: 8000), "a paused feed is not silent")
    feed.isPaused = false
    let start = SystemClock.bootTime.microseconds
    #expect(try loop.runUntil { log.events.count == 2 })
    #expect(log.events == ["open", "lost: nothing came for 0 s"])
    #expect(SystemClock.bootTime.microseconds - start >= 4900)
  }

  /// Who listens on a Unix socket cannot go away unnoticed, so the connection is kept.
  @Test func reportsSilenceOnceAndAgainAfterBytes() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let server = try Server(unixPath: "\(folder.path)/gps")
    let log = FeedLog()
    let feed = try Feed(
      .unix(path: "\(folder.path)/gps"), loop: loop, options: quickOptions(silence: 5000),
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    let peer = try server.accept()
    for _ in 1...2 {
      #expect(try loop.runUntil { log.events.last == "silent: nothing came for 0 s" })
      #expect(try !loop.runOnce(timeout: 8000), "nothing wakes the loop meanwhile")
      log.events.append("bytes")
      peer.write("x")
    }
    #expect(
      log.events == [
        "open", "silent: nothing came for 0 s", "bytes", "silent: nothing came for 0 s", "bytes",
      ])
    #expect(try loop.runUntil { feed.bytesReceived == 2 })
    feed.setSilenceTimeout(0)
    #expect(try !loop.runOnce(timeout: 8000), "and never where it does not matter")
  }

  @Test func probesASilentGPSDBeforeLeavingIt() throws {
    let loop = try EventLoop()
    let server = try Server()
    let log = FeedLog()
    let feed = try Feed(
      .gpsd(host: "127.0.0.1", port: server.port, device: nil), loop: loop,
      options: quickOptions(silence: 200_000), handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    let peer = try server.accept()
    #expect(peer.read().hasPrefix("?WATCH"))
    for answers in 1...2 {
      #expect(try loop.runUntil { peer.isReadable })
      #expect(peer.read() == "?WATCH={\"enable\":true,\"json\":true}\n")
      peer.write("v")
      #expect(try loop.runUntil { log.bytes.count == answers })
    }
    #expect(log.events == ["open"])
    #expect(try loop.runUntil { log.events.count == 2 }, "no answer is a loss")
  }

  @Test func connectsToAUnixSocketOnceItIsThere() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    let log = FeedLog()
    let path = "\(folder.path)/gps"
    let feed = try Feed(
      .unix(path: path), loop: loop, options: quickOptions(), handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { !log.events.isEmpty })
    #expect(log.events.first?.contains("No such file or directory") == true)
    let server = try Server(unixPath: path)
    #expect(try loop.runUntil { feed.state == .open })
    try server.accept().write("$GP")
    #expect(try loop.runUntil { log.text == "$GP" })
  }

  @Test func mayBeStoppedOrDroppedByItsOwnHandler() throws {
    let loop = try EventLoop()
    let server = try Server()
    var feed: Feed?
    var count = 0
    feed = try Feed(
      .tcp(host: "127.0.0.1", port: server.port), loop: loop, options: quickOptions(),
      handlers: Feed.Handlers(
        onOpen: {},
        onBytes: { _ in
          count += 1
          feed?.stop()
          feed = nil
        }))
    feed?.start()
    #expect(try loop.runUntil { feed?.state == .open })
    try server.accept().write("one")
    #expect(try loop.runUntil { count == 1 })
    #expect(feed == nil)
    #expect(try !loop.runOnce(timeout: 0))
  }
}
