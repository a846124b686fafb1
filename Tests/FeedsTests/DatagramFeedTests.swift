import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

@Suite struct DatagramFeedTests {
  private let loop: EventLoop
  private let port: UInt16
  private let log = FeedLog()

  init() throws {
    loop = try EventLoop()
    port = try freeDatagramPort()
  }

  private func start(
    _ host: String, interface: String? = nil, sender: String? = nil,
    options: Feed.Options = quickOptions()
  ) throws -> Feed {
    let url = FeedURL.udp(
      host: host, port: port, interface: interface, sender: sender.flatMap(IPAddress.init(parsing:))
    )
    let feed = try Feed(url, loop: loop, options: options, handlers: log.handlers)
    feed.start()
    return feed
  }

  @Test func marksTheEndOfEachDatagram() throws {
    let feed = try start("127.0.0.1")
    #expect(try loop.runUntil { feed.state == .open })
    let sender = try DatagramSender(host: "127.0.0.1", port: port)
    for text in ["$GPRMC,1", "", "$GPRMC,2\r\n$GPGGA,2\r\n", "$GPRMC,3"] { sender.send(text) }
    #expect(try loop.runUntil { log.text.hasSuffix("3|") })
    #expect(log.text == "$GPRMC,1|$GPRMC,2\r\n$GPGGA,2\r\n|$GPRMC,3|")
    #expect(log.events == ["open"])

    feed.isPaused = true
    sender.send("later")
    #expect(try !loop.runOnce(timeout: 0))
    feed.isPaused = false
    #expect(try loop.runUntil { log.text.hasSuffix("later|") })
  }

  @Test func keepsABurstAndTakesItInBoundedTurns() throws {
    let feed = try start("127.0.0.1", interface: "lo")
    #expect(try loop.runUntil { feed.state == .open })
    let sender = try DatagramSender(host: "127.0.0.1", port: port)
    for _ in 0..<100 { sender.send("x") }
    try loop.runOnce(timeout: 0)
    #expect(log.bytes.count == 64)
    #expect(try loop.runUntil { log.bytes.count == 200 })
  }

  @Test func joinsAMulticastGroup() throws {
    let feed = try start("239.2.1.1", interface: "lo")
    #expect(try loop.runUntil { feed.state == .open })
    let sender = try DatagramSender(host: "239.2.1.1", port: port)
    sender.send("$GPRMC")
    #expect(try loop.runUntil { log.text == "$GPRMC|" })
  }

  /// A membership does not survive the loss of its interface, and nobody tells: silence is the
  /// sign.
  @Test func joinsAgainAfterSilence() throws {
    let feed = try start("239.2.1.1", interface: "lo", options: quickOptions(silence: 20_000))
    #expect(try loop.runUntil { log.events.count == 3 })
    #expect(log.events == ["open", "silent: nothing came for 0 s", "open"])
    try DatagramSender(host: "239.2.1.1", port: port).send("$GPRMC")
    #expect(try loop.runUntil { log.text == "$GPRMC|" })
    #expect(feed.state == .open)
  }

  @Test func saysWhichInterfaceAGroupNeeds() throws {
    let feed = try start("239.2.1.1", interface: "none0")
    #expect(try loop.runUntil { !log.events.isEmpty })
    #expect(log.events.first?.contains("name an interface that is up: ?interface=") == true)
    #expect(feed.state != .open)
  }

  @Test func waitsForAnAddressThatIsNotThere() throws {
    // A documentation address (RFC 5737), on no interface.
    let feed = try start("192.0.2.1")
    #expect(try loop.runUntil { log.events.count == 2 })
    #expect(log.events.allSatisfy { $0.contains("no interface has this address") })
    #expect(feed.state != .open)
  }

  @Test func distinguishesSendersAndInterfaces() throws {
    let feed = try start("0.0.0.0")
    #expect(try loop.runUntil { feed.state == .open })
    let first = try DatagramSender(host: "127.0.0.1", port: port)
    let second = try DatagramSender(host: "127.0.0.1", port: port)
    first.send("1")
    second.send("2")
    first.send("3")
    try first.send("4", to: "127.255.255.255", port: port)
    #expect(try loop.runUntil { log.text == "1|2|3|4|" })
    let origins = log.origins
    #expect(origins[0] == origins[2])
    #expect(origins[0] != origins[1])
    #expect(origins[0].withAnyPort == origins[1].withAnyPort)
    #expect(origins[3].port == origins[0].port)
    #expect(origins[3] != origins[0], "a broadcast is another way")
    #expect(origins[0].description == "127.0.0.1 port \(origins[0].port) by lo")
  }

  @Test func knowsSendersByIPv6() throws {
    let feed = try start("::")
    #expect(try loop.runUntil { !log.events.isEmpty })
    guard feed.state == .open, let sender = try? DatagramSender(host: "::1", port: port),
      sender.send("six")
    else { return print("skipped: no IPv6 on the loopback interface") }
    try DatagramSender(host: "127.0.0.1", port: port).send("four")
    #expect(try loop.runUntil { log.text == "six|four|" })
    #expect(
      log.origins.map { $0.withAnyPort.description } == ["::1 by lo", "127.0.0.1 by lo"])
  }

  /// A second sender is neither read nor a sign that the first one lives.
  @Test(arguments: [("127.0.0.1", "127.0.0.1|"), ("192.0.2.7", "")])
  func takesTheDatagramsOfOneSenderAlone(sender: String, taken: String) throws {
    let feed = try start("0.0.0.0", sender: sender)
    #expect(try loop.runUntil { feed.state == .open })
    for source in ["127.0.0.2", "127.0.0.1", "127.0.0.3"] {
      try DatagramSender(host: "127.0.0.1", port: port, source: source).send(source)
    }
    let others = taken.isEmpty ? 3 : 2
    #expect(try loop.runUntil { feed.datagramsOfOthers == others })
    #expect(log.text == taken)
    #expect(feed.bytesReceived == (taken.isEmpty ? 0 : 9))
    #expect((feed.lastArrival == nil) == taken.isEmpty)
  }

  @Test func countsWhatTheKernelDropped() throws {
    let feed = try start("127.0.0.1")
    #expect(try loop.runUntil { feed.state == .open })
    let granted = try #require(feed.receiveBuffer)
    #expect(granted > 0 && granted <= Feed.wantedReceiveBuffer)
    let sender = try DatagramSender(host: "127.0.0.1", port: port)
    let flood = 20_000
    for _ in 0..<flood { sender.send("x") }
    try #require(try loop.runUntil { log.origins.count >= 32 })
    while try loop.runOnce(timeout: 0) {}
    sender.send("y")
    #expect(try loop.runUntil { log.text.hasSuffix("y|") })
    #expect(feed.droppedDatagrams > 0)
    #expect(feed.droppedDatagrams + log.origins.count == flood + 1)
  }
}
