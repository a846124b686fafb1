import LinuxRuntime
import TestSupport
import Testing

@testable import georemind_web

/// Who may hold how many connections, and for how long.
extension WebServerTests {
  /// A byte now and then, for longer than a request may take.
  @Test(arguments: [
    "GET / HTTP/1.1\r\nX: ", "POST /pub HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n",
  ])
  func aSlowRequestIsEnded(begin: String) throws {
    let (server, port) = try server(limits: .init(time: 200_000, strangerTime: 200_000))
    defer { server.stop() }
    let phone = try Phone(port: port)
    phone.send(begin)
    var sent = 0
    var tick: TimerSource?
    tick = try loop.addTimer(.monotonic) { _ in
      phone.send("x")
      sent += 1
      tick?.arm(in: 5_000)
    }
    tick?.arm(in: 0)
    #expect(
      try loop.runUntil {
        phone.read()
        return phone.isClosed
      })
    tick?.close()
    #expect(sent > 1 && phone.text.isEmpty)
    #expect(try loop.runUntil { server.connectionCount == 0 })
  }

  @Test func anAddressHasItsShareOfConnections() throws {
    let (server, port) = try server(
      limits: .init(connections: 6, connectionsOfAddress: 4, strangers: 6))
    defer { server.stop() }
    let phones = try (0..<4).map { _ in try Phone(port: port) }
    phones.forEach { $0.send(RecordedRequest.osmAnd.http) }
    #expect(try loop.runUntil { phones.allSatisfy { $0.statuses == [503] } })
    let fifth = try Phone(port: port)
    #expect(
      try loop.runUntil {
        fifth.read()
        return fifth.isClosed
      })
    // Another address has room, until all connections are taken.
    let others = try (0..<2).map { _ in try Phone(port: port, source: "127.0.0.2") }
    #expect(try loop.runUntil { server.connectionCount == 6 })
    let waiting = try Phone(port: port, source: "127.0.0.3")
    waiting.send(RecordedRequest.osmAnd.http)
    while try loop.runOnce(timeout: 0) {}
    #expect(waiting.statuses == [] && !waiting.isClosed)
    phones[0].close()
    #expect(try loop.runUntil { waiting.statuses == [503] })
    withExtendedLifetime((phones, others)) {}
  }

  private static let token = "Kq3vX9mT2pLs8aYd"
  private static let withoutToken = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  private static var withToken: String {
    var request = RecordedRequest.osmAnd
    request.target = "/\(token)" + request.target
    return request.http
  }

  /// Of one address, of the phone's own, and of many.
  @Test(arguments: [["127.0.0.1"], ["127.0.0.2"], (2..<66).map { "127.0.0.\($0)" }])
  func connectionsWithoutTheTokenLockNoPhoneOut(addresses: [String]) throws {
    let (server, port) = try server(token: Self.token)
    defer { server.stop() }
    let early = try Phone(port: port)
    early.send(Self.withToken)
    #expect(try loop.runUntil { early.statuses == [503] })
    let strangers = try (0..<64).map {
      try Phone(port: port, source: addresses[$0 % addresses.count])
    }
    strangers.forEach { $0.send(Self.withoutToken) }
    let late = try Phone(port: port)
    late.send(Self.withToken)
    #expect(try loop.runUntil { late.statuses == [503] })
    // The ones with the token stay.
    for phone in [early, late] { phone.send(Self.withToken) }
    #expect(try loop.runUntil { early.statuses.count == 2 && late.statuses.count == 2 })
    #expect(try loop.runUntil { server.connectionCount <= 18 })
    #expect(strangers.count { !$0.statuses.isEmpty && !$0.isClosed } <= 16)
  }

  /// Requests without the token do not lengthen its time.
  @Test func aConnectionWithoutTheTokenIsEnded() throws {
    let (server, port) = try server(token: Self.token, limits: .init(strangerTime: 200_000))
    defer { server.stop() }
    let phone = try Phone(port: port)
    phone.send(Self.withToken)
    #expect(try loop.runUntil { phone.statuses == [503] })
    let stranger = try Phone(port: port)
    var sent = 0
    #expect(
      try loop.runUntil {
        if stranger.statuses.count == sent {
          stranger.send(Self.withoutToken)
          sent += 1
        }
        return stranger.isClosed
      })
    #expect(sent > 1 && stranger.statuses.allSatisfy { $0 == 401 })
    phone.send(Self.withToken)
    #expect(try loop.runUntil { phone.statuses == [503, 503] })
  }

  /// A proxy on this machine has this address for everybody; others are locked out.
  @Test func aGuesserOnThisMachineLocksNobodyOut() throws {
    let (server, port) = try server(token: Self.token)
    defer { server.stop() }
    let guess = "GET /Kq3vX9mT2pLs8aYe/ HTTP/1.1\r\nHost: a\r\n\r\n"
    let guesser = try Phone(port: port)
    for number in 1...10 {
      guesser.send(guess)
      #expect(try loop.runUntil { guesser.statuses == Array(repeating: 401, count: number) })
    }
    guesser.send(Self.withToken)
    #expect(try loop.runUntil { guesser.statuses.last == 503 })
  }
}
