import Glibc
import TestSupport
import Testing

@testable import LinuxRuntime

/// A daemon in small: keeps its connections and the messages they brought.
private final class Service {
  var connections: [StreamConnection] = []
  var messages: [String] = []
  var closed: [String] = []
  /// What to do with a message besides keeping it.
  var answer: (StreamConnection, String) -> Void = { _, _ in }

  func accept(_ connection: StreamConnection) {
    connections.append(connection)
    connection.onMessage = { [unowned self, unowned connection] bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      self.messages.append(text)
      self.answer(connection, text)
    }
    connection.onClose = { [unowned self] reason in self.closed.append(reason) }
  }
}

@Suite struct UnixSocketTests {
  let folder: TemporaryFolder
  let loop: EventLoop
  private let service = Service()
  var path: String { "\(folder.path)/run/org.georemind" }

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
  }

  private func listener(
    mode: UInt32 = 0o660, limits: StreamConnection.Limits = .init()
  ) throws -> UnixListener {
    try UnixListener(path: path, mode: mode, loop: loop, limits: limits) { [service] in
      service.accept($0)
    }
  }

  @Test func exchangesMessages() throws {
    let listener = try listener()
    service.answer = { connection, text in connection.send("<\(text)>\0".utf8) }
    let client = try UnixClient(path: path, timeout: 1_000_000)
    try client.send("one\0two\0thr".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages.count == 2 })
    try client.send("ee\0\0".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages.count == 4 })
    #expect(service.messages == ["one", "two", "three", ""])
    for expected in ["<one>", "<two>", "<three>", "<>"] {
      #expect(try client.receive(timeout: 1_000_000) == Array(expected.utf8))
    }
    #expect { try client.receive(timeout: 1000) } throws: {
      ($0 as? SystemError)?.code == ETIMEDOUT
    }
    client.close()
    client.close()
    #expect(try loop.runUntil { !service.closed.isEmpty })
    #expect(service.closed == ["the client closed the connection"])
    #expect(!service.connections[0].send("late".utf8))
    listener.close()
    listener.close()
    #expect(access(path, F_OK) != 0)
  }

  /// Between any two messages what is more important has its turn.
  @Test func deliversOneMessageATurn() throws {
    let listener = try listener()
    var turns = 0
    let other = try loop.addDeferred(repeating: true, priority: .important) { turns += 1 }
    service.answer = { _, _ in turns = 0 }
    let client = try UnixClient(path: path, timeout: 1_000_000)
    try client.send(String(repeating: "m\0", count: 50).utf8, timeout: 1_000_000)
    other.isEnabled = false
    #expect(try loop.runUntil { service.messages.count == 1 })
    #expect(service.messages.count == 1)
    for expected in 2...50 {
      other.again()
      try loop.runOnce(timeout: 0)
      #expect(turns == 1)
      try loop.runOnce(timeout: 0)
      #expect(service.messages.count == expected)
    }
    client.close()
    listener.close()
  }

  @Test func answersAllThatCameBeforeTheEnd() throws {
    let listener = try listener()
    service.answer = { connection, text in connection.send("<\(text)>\0".utf8) }
    let client = try UnixClient(path: path, timeout: 1_000_000)
    try client.send("one\0two\0three\0".utf8, timeout: 1_000_000)
    client.close()
    #expect(try loop.runUntil { !service.closed.isEmpty })
    #expect(service.messages.first == "one")
    listener.close()
  }

  @Test func takesSoManyMessagesASecond() throws {
    let listener = try listener(limits: .init(messagesPerSecond: 10))
    let client = try UnixClient(path: path, timeout: 1_000_000)
    let start = SystemClock.monotonic.microseconds
    try client.send(String(repeating: "m\0", count: 25).utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages.count == 10 })
    while try loop.runOnce(timeout: 0) {}
    let seconds = Int((SystemClock.monotonic.microseconds - start) / 1_000_000)
    #expect(service.messages.count <= 10 * (1 + seconds))
    // Nothing is lost by it.
    #expect(try loop.runUntil { service.messages.count == 25 })
    client.close()
    listener.close()
  }

  @Test func readsNothingOfAClientThatIsHeld() throws {
    let listener = try listener()
    service.answer = { connection, text in connection.isHeld = text == "hold" }
    let client = try UnixClient(path: path, timeout: 1_000_000)
    try client.send("one\0hold\0two\0thr".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages.count == 2 })
    while try loop.runOnce(timeout: 0) {}
    #expect(service.messages == ["one", "hold"])
    // Whatever it has begun, it is not the one who is waited for.
    #expect(service.connections[0].stalled == 0)
    service.connections[0].isHeld = false
    try client.send("ee\0hold\0".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages.count == 5 })
    #expect(service.messages == ["one", "hold", "two", "three", "hold"])
    // One that goes while it is held is not kept.
    client.close()
    #expect(try loop.runUntil { !service.closed.isEmpty })
    listener.close()
  }

  @Test func knowsWhatAClientOwes() throws {
    let listener = try listener(limits: .init(queue: 4 << 20))
    let client = try UnixClient(path: path, timeout: 1_000_000)
    #expect(try loop.runUntil { service.connections.count == 1 })
    let connection = service.connections[0]
    #expect(connection.stalled == 0)
    try client.send("half".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { connection.stalled > 0 })
    try client.send(" a message\0".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages == ["half a message"] })
    #expect(connection.stalled == 0)
    // More than the socket holds.
    connection.send([UInt8](repeating: 1, count: 1 << 20) + [0])
    #expect(try loop.runUntil { connection.stalled > 0 })
    connection.giveUp()
    #expect(service.closed.first?.contains("neither ends its message nor reads") == true)
    client.close()
    listener.close()
  }

  @Test func knowsThePeer() throws {
    let listener = try listener()
    let client = try UnixClient(path: path, timeout: 1_000_000)
    #expect(try loop.runUntil { service.connections.count == 1 })
    let peer = service.connections[0].peer
    #expect(peer.processID == getpid())
    #expect(peer.userID == getuid() && peer.groupID == getgid())
    #expect(peer.isMember(of: getgid()))
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = getgroups(Int32(groups.count), &groups)
    #expect(peer.supplementaryGroups.sorted() == groups.prefix(Int(max(0, count))).sorted())
    #expect(!peer.isMember(of: 4_000_000_000))
    client.close()
    listener.close()
  }

  @Test(arguments: [UInt32(0o660), 0o600, 0o666])
  func hasItsMode(mode: UInt32) throws {
    let listener = try listener(mode: mode)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & 0o7777 == mode)
    listener.close()
  }

  @Test func replacesAStaleSocketOnly() throws {
    // Closing the descriptor behind the listener's back leaves what a crash leaves.
    mkdir("\(folder.path)/run", 0o700)
    let crashed = try Server(unixPath: path)
    #expect { _ = try listener() } throws: { ($0 as? SystemError)?.code == EADDRINUSE }
    crashed.close()
    #expect(access(path, F_OK) == 0)
    let first = try listener()
    #expect { _ = try listener() } throws: {
      ($0 as? SystemError)?.description.hasSuffix("another instance serves it") == true
    }
    // Another's socket in the same place is left alone.
    unlink(path)
    let second = try listener()
    first.close()
    #expect(access(path, F_OK) == 0)
    second.close()
    #expect(access(path, F_OK) != 0)
    try folder.file("run/org.georemind", "precious")
    #expect { _ = try listener() } throws: { ($0 as? SystemError)?.code == EEXIST }
  }

  @Test func takesAPassedSocket() throws {
    let address = try SocketAddress(unixPath: "\(folder.path)/passed")
    let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #expect(address.withPointer { bind(raw, $0, $1) } == 0)
    #expect(listen(raw, 8) == 0)
    let listener = try UnixListener(passed: raw, loop: loop) { [service] in service.accept($0) }
    let client = try UnixClient(path: "\(folder.path)/passed", timeout: 1_000_000)
    try client.send("hello\0".utf8, timeout: 1_000_000)
    #expect(try loop.runUntil { service.messages == ["hello"] })
    listener.close()
    #expect(access("\(folder.path)/passed", F_OK) == 0, "systemd's socket stays")
    #expect(throws: SystemError.self) {
      try UnixListener(passed: -1, loop: loop) { _ in }
    }
  }

  @Test func dropsAClientThatSendsTooLongAMessage() throws {
    let listener = try listener(limits: .init(message: 10))
    for (text, isFine) in [
      ("0123456789\0", true), ("0123456789a\0", false), ("0123456789a", false),
    ] {
      let client = try UnixClient(path: path, timeout: 1_000_000)
      let before = service.messages.count + service.closed.count
      try client.send(text.utf8, timeout: 1_000_000)
      #expect(try loop.runUntil { service.messages.count + service.closed.count > before })
      #expect(service.closed.isEmpty == isFine)
      client.close()
      if isFine { #expect(try loop.runUntil { service.closed.count == 1 }) }
      if !isFine { #expect(service.closed == ["a message is longer than 10 bytes"]) }
      service.closed = []
    }
    listener.close()
  }

  @Test func dropsAClientThatReadsTooSlowly() throws {
    let listener = try listener(limits: .init(queue: 1_000_000))
    let client = try UnixClient(path: path, timeout: 1_000_000)
    #expect(try loop.runUntil { service.connections.count == 1 })
    let connection = service.connections[0]
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    var count = 0
    while connection.send(piece), count < 100 {
      count += 1
      #expect(connection.queuedBytes < 1_100_000)
    }
    #expect(count >= 10 && count < 100)
    #expect(service.closed == ["the client reads too slowly"])
    #expect(!connection.isOpen)
    client.close()
    listener.close()
  }

  /// The limit is for those who do not read, not for a large reply.
  @Test func sendsALargeMessageAndReportsTheSentBytes() throws {
    let listener = try listener(limits: .init(queue: 100_000))
    let client = try UnixClient(path: path, timeout: 1_000_000)
    #expect(try loop.runUntil { service.connections.count == 1 })
    let connection = service.connections[0]
    var told = 0
    var sent = 0
    var isRight = true
    connection.onSent = { [unowned connection] count in
      told += count
      isRight = isRight && count > 0 && told + connection.queuedBytes == sent
      // Answers that waited for room: each send calls this again.
      if connection.queuedBytes == 0, sent < 1_500_000 {
        sent += 500_001
        connection.send([UInt8](repeating: UInt8(ascii: "z"), count: 500_000) + [0])
      }
    }
    sent = 700_001
    #expect(connection.send([UInt8](repeating: UInt8(ascii: "y"), count: 700_000) + [0]))
    #expect(told > 0 && connection.queuedBytes > 100_000)
    for size in [700_000, 500_000, 500_000] { #expect(try next(client)?.count == size) }
    #expect(isRight && told == 1_700_003 && connection.isOpen)
    client.close()
    listener.close()
  }

  @Test func doesNotWaitForAClientWhoseQueueIsFull() throws {
    let listener = try listener(limits: .init(queue: 100_000))
    for isFinished in [true, false] {
      let client = try UnixClient(path: path, timeout: 1_000_000)
      service.connections = []
      service.closed = []
      #expect(try loop.runUntil { service.connections.count == 1 })
      let connection = service.connections[0]
      connection.send([UInt8](repeating: UInt8(ascii: "y"), count: 700_000) + [0])
      #expect(connection.isOpen && connection.queuedBytes > 100_000)
      if isFinished { connection.finish() } else { #expect(!connection.send("more".utf8)) }
      #expect(service.closed == ["the client reads too slowly"])
      #expect(!connection.isOpen)
      client.close()
    }
    listener.close()
  }

  @Test func mayBeClosedWhenTheSocketTookSomething() throws {
    let listener = try listener()
    let client = try UnixClient(path: path, timeout: 1_000_000)
    #expect(try loop.runUntil { service.connections.count == 1 })
    service.connections[0].onSent = { [service] _ in
      service.connections[0].close()
      service.connections = []
    }
    #expect(!service.connections[0].send("a\0".utf8))
    #expect(try client.receive(timeout: 1_000_000) == Array("a".utf8))
    #expect(try client.receive(timeout: 1_000_000) == nil)
    listener.close()
  }

  /// The client reads on this thread, too: the loop refills the socket whenever it is empty.
  private func next(_ client: UnixClient) throws -> [UInt8]? {
    while true {
      do {
        return try client.receive(timeout: 0)
      } catch {
        guard error.code == ETIMEDOUT else { throw error }
      }
      try loop.runOnce(timeout: 1_000_000)
    }
  }

  @Test func sendsAllThatIsQueuedBeforeItFinishes() throws {
    let listener = try listener()
    let client = try UnixClient(path: path, timeout: 1_000_000)
    #expect(try loop.runUntil { service.connections.count == 1 })
    let connection = service.connections[0]
    let message = [UInt8](repeating: UInt8(ascii: "y"), count: 600_000)
    #expect(connection.send(message + [0]))
    #expect(connection.queuedBytes > 0)
    connection.finish()
    connection.finish()
    #expect(!connection.send("more".utf8))
    #expect(try next(client)?.count == message.count)
    #expect(try next(client) == nil)
    #expect(service.closed == ["finished"])
    listener.close()
  }

  @Test func answersAClientThatHasStoppedSending() throws {
    let listener = try listener()
    service.answer = { connection, text in connection.send("<\(text)>\0".utf8) }
    let address = try SocketAddress(unixPath: path)
    let raw = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    #expect(address.withPointer { connect(raw.raw, $0, $1) } == 0)
    writeAll("bye\0", to: raw.raw)
    shutdown(raw.raw, Int32(SHUT_WR))
    #expect(try loop.runUntil { !service.closed.isEmpty })
    #expect(Peer(raw).read() == "<bye>\0")
    listener.close()
  }

  @Test func anUnreferencedConnectionIsClosed() throws {
    let listener = try UnixListener(path: path, loop: loop) { _ in }
    let client = try UnixClient(path: path, timeout: 1_000_000)
    try loop.runOnce(timeout: 1_000_000)
    #expect(try client.receive(timeout: 1_000_000) == nil)
    listener.close()
  }

  @Test func aFailedConnectionHasAReason() throws {
    #expect {
      _ = try UnixClient(path: path, timeout: 1000)
    } throws: {
      ($0 as? SystemError)?.description
        == "cannot connect to \(path): No such file or directory; see whether the daemon runs"
    }
    #expect { _ = try SocketAddress(unixPath: "") } throws: { "\($0)".contains("1 to 107 bytes") }
    #expect(throws: SystemError.self) {
      try SocketAddress(unixPath: String(repeating: "x", count: 108))
    }
  }
}
