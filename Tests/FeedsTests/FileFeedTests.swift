import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

@Suite struct FileFeedTests {
  @Test func readsAFileToItsEndWhileTheLoopServesOthers() throws {
    let folder = try TemporaryFolder()
    let text = String(repeating: "$GPRMC,123519,A,4807.038,N*6A\r\n", count: 10_000)
    let loop = try EventLoop()
    let log = FeedLog()
    let feed = try Feed(
      .file(path: try folder.file("log.nmea", text), rate: nil), loop: loop,
      handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { !log.bytes.isEmpty })
    #expect(log.bytes.count == 65536)
    var isServed = false
    let other = try loop.addDeferred { isServed = true }
    try loop.runOnce(timeout: 0)
    #expect(isServed && log.bytes.count == 65536)
    #expect(try loop.runUntil { feed.state == .ended })
    #expect(log.text == text)
    #expect(log.events == ["open", "end"])
    #expect(try !loop.runOnce(timeout: 0))
    other.close()

    feed.start()
    #expect(try loop.runUntil { log.events.count == 4 }, "an ended file can be read again")
    #expect(log.text == text + text)
  }

  @Test func standsStillWhilePaused() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    var count = 0
    var feed: Feed?
    feed = try Feed(
      .file(path: try folder.file("x", String(repeating: "x", count: 200_000)), rate: 1),
      loop: loop,
      handlers: Feed.Handlers(
        onOpen: {},
        onBytes: { bytes in
          count += bytes.count
          feed?.isPaused = true
        }))
    feed?.start()
    #expect(try loop.runUntil { count > 0 })
    #expect(try !loop.runOnce(timeout: 0))
    while feed?.state == .open {
      let before = count
      feed?.isPaused = false
      try loop.runOnce(timeout: 0)
      #expect(count - before <= 65536)
    }
    #expect(count == 200_000)
    #expect(feed?.state == .ended)
    feed = nil
  }

  @Test func failsPermanentlyWithoutAFile() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    for (path, fault) in [
      ("\(folder.path)/none", "No such file or directory"), (folder.path, "Is a directory"),
    ] {
      let log = FeedLog()
      let feed = try Feed(
        .file(path: path, rate: nil), loop: loop, handlers: log.handlers)
      feed.start()
      #expect(try loop.runUntil { !log.events.isEmpty })
      guard case .failed(let reason) = feed.state else {
        Issue.record("\(feed.state)")
        continue
      }
      #expect(reason.contains(path) && reason.contains(fault))
      #expect(log.events == ["failed: \(reason)"])
    }
  }

  @Test func readsAFIFOFromItsFirstWriterToItsLast() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    let loop = try EventLoop()
    let log = FeedLog()
    let feed = try Feed(.file(path: path, rate: nil), loop: loop, handlers: log.handlers)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    #expect(try !loop.runOnce(timeout: 0), "no writer yet is no end")
    let writer = open(path, O_WRONLY | O_CLOEXEC)
    writeAll("one", to: writer)
    #expect(try loop.runUntil { log.text == "one" })
    feed.isPaused = true
    writeAll("two", to: writer)
    close(writer)
    #expect(try !loop.runOnce(timeout: 0), "a hang-up does not wake a paused feed")
    feed.isPaused = false
    #expect(try loop.runUntil { feed.state == .ended })
    #expect(log.text == "onetwo")
  }

  /// In a process of its own, whose standard input can be replaced.
  @Test func readsStandardInputOfEveryKind() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let loop = try EventLoop()
      func read() throws -> FeedLog {
        let log = FeedLog()
        let feed = try Feed(.standardInput, loop: loop, handlers: log.handlers)
        feed.start()
        #expect(try loop.runUntil { log.events.count == 2 })
        return log
      }

      let pipe = try Pipe()
      dup2(pipe.reader, STDIN_FILENO)
      pipe.write("from a pipe")
      pipe.closeWriter()
      #expect(try read().text == "from a pipe")
      #expect(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK == 0, "the shared descriptor is untouched")
      #expect(fcntl(STDIN_FILENO, F_GETFD) == 0, "and open")

      let file = open(try folder.file("x", "skipped, from a file"), O_RDONLY)
      lseek(file, 9, SEEK_SET)
      dup2(file, STDIN_FILENO)
      #expect(try read().text == "from a file")

      let null = open("/dev/null", O_RDONLY)
      dup2(null, STDIN_FILENO)
      #expect(try read().events == ["open", "end"])

      var ends: [Int32] = [-1, -1]
      #expect(
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      dup2(ends[0], STDIN_FILENO)
      writeAll("from a socket", to: ends[1])
      close(ends[1])
      #expect(try read().text == "from a socket")
      #expect(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK == 0)

      close(STDIN_FILENO)
      let log = FeedLog()
      let feed = try Feed(.standardInput, loop: loop, handlers: log.handlers)
      feed.start()
      #expect(try loop.runUntil { !log.events.isEmpty })
      #expect(log.events == ["failed: cannot read standard input: Bad file descriptor"])
    }
  }
}
