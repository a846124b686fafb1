import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

/// What a feed has open goes from one run to the next.
@Suite struct HandoverTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func adoptsFeedsOfAnEarlierRun() throws {
    var ends: [Int32] = [-1, -1]
    try #require(
      socketpair(
        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0,
        &ends) == 0)
    defer { close(ends[0]) }
    // Came between the two runs.
    writeAll("missed", to: ends[0])
    var text = ""
    var opened = 0
    let feed = try Feed(
      FeedURL.unix(path: "/nonexistent"), loop: loop,
      handlers: .init(
        onOpen: { opened += 1 }, onBytes: { text += String(decoding: $0, as: UTF8.self) }))
    feed.start(adopting: ends[1])
    #expect(try loop.runUntil { text == "missed" })
    #expect(opened == 1)
    #expect(feed.descriptor == ends[1])
    writeAll(" and more", to: ends[0])
    #expect(try loop.runUntil { text == "missed and more" })
    feed.stop()
    #expect(feed.descriptor == nil)
  }

  @Test func reconnectsIfTheOtherEndHasClosed() throws {
    var ends: [Int32] = [-1, -1]
    try #require(
      socketpair(
        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0,
        &ends) == 0)
    close(ends[0])
    var reasons: [String] = []
    let feed = try Feed(
      FeedURL.unix(path: "/nonexistent"), loop: loop,
      handlers: .init(onOpen: {}, onClose: { reason, _ in reasons.append(reason) }))
    feed.start(adopting: ends[1])
    #expect(try loop.runUntil { reasons.count == 1 })
    guard case .waiting = feed.state else {
      Issue.record("\(feed.state)")
      return
    }
    #expect(!feed.isStuck)
    feed.stop()
  }

  @Test(arguments: [
    "gpsd://localhost:2947", "gpsd://localhost:2947/dev/x", "tcp://localhost:2947",
    "udp://0.0.0.0:10110", "unix:///run/feed", "serial:///dev/ttyUSB0?baud=9600",
  ])
  func namesAreValidForSystemd(text: String) throws {
    let name = try #require(FeedURL(parsing: text).storeName)
    #expect(name.utf8.count <= 255)
    #expect(name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") })
    #expect(try FeedURL(parsing: text).storeName == name)
    #expect(try FeedURL(parsing: "unix:///other").storeName != name)
  }

  @Test(arguments: ["file:///log.nmea", "-", "serial:///dev/ttyUSB0"])
  func feedsThatMustReopenAreNotHandedOver(text: String) throws {
    #expect(try FeedURL(parsing: text).storeName == nil)
  }
}
