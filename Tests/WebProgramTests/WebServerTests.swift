import CivilTime
import Configuration
import Geodesy
import LinuxRuntime
import Phones
import Positioning
import TestSupport
import Testing

@testable import georemind_web

/// libmicrohttpd as it is used: phones and the daemon on real sockets, on one loop.
@Suite struct WebServerTests {
  private let folder: TemporaryFolder
  let loop: EventLoop
  private let feedPath: String

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    feedPath = "\(folder.path)/positions"
  }

  final class Log { var lines: [String] = [] }

  func server(
    token: String? = nil, limits: ConnectionLimits = .init(), log: Log = Log()
  ) throws -> (server: WebServer, port: UInt16) {
    let listener = try WebServer.listen(at: .init(host: "127.0.0.1", port: 0))
    let port = Server.port(of: listener)
    let server = try WebServer(
      listener: listener, feedPath: feedPath,
      access: PhoneAccess(shared: token.flatMap { AccessToken($0) }), loop: loop, limits: limits,
      realTime: { Instant(seconds: RecordedRequest.seconds + 2) },
      log: { log.lines.append($1) })
    return (server, port)
  }

  /// Sends bytes on a connection of its own and answers the statuses.
  private func ask(_ port: UInt16, _ text: String, answers: Int = 1) throws -> [Int] {
    let phone = try Phone(port: port)
    phone.send(text)
    _ = try loop.runUntil { phone.statuses.count >= answers || phone.isClosed }
    return phone.statuses
  }

  private func fixes(in bytes: [UInt8]) -> [Fix] {
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    decoder.consume(bytes.span, into: &fixes)
    decoder.quiet(into: &fixes)
    return fixes
  }

  // MARK: - Phones and the daemon

  @Test(arguments: RecordedRequest.all)
  func aPhoneWaitsForTheDaemonAndThenAllArrives(request: RecordedRequest) throws {
    let log = Log()
    let (server, port) = try server(log: log)
    defer { server.stop() }
    let phone = try Phone(port: port)
    phone.send(request.http)
    #expect(try loop.runUntil { phone.statuses == [503] })
    let reader = try FeedReader(path: feedPath)
    #expect(try loop.runUntil { log.lines == ["The daemon reads the positions"] })
    // The same connection, as apps keep it.
    phone.send(request.http)
    #expect(try loop.runUntil { phone.statuses == [503, 200] })
    reader.read()
    let fixes = fixes(in: reader.bytes)
    #expect(fixes.count == 1)
    let fix = try #require(fixes.first)
    #expect(fix.time == Instant(seconds: RecordedRequest.seconds))
    #expect(fix.position.latitude == RecordedRequest.latitude)
    #expect(fix.position.longitude == RecordedRequest.longitude)
    #expect(fix.mode == .twoD && fix.source == .gnss)
    #expect(fix.speed.map { abs($0 - request.speed) < 1e-6 } == true && fix.track == 271)
    #expect(fix.eph.map { (21...21.2).contains($0) } == true)
    reader.close()
    #expect(try loop.runUntil { log.lines.last == "The daemon is away: phones must wait" })
    phone.send(request.http)
    #expect(try loop.runUntil { phone.statuses == [503, 200, 503] })
  }

  @Test func eachPhoneIsAReceiverOfItsOwn() throws {
    let (server, port) = try server()
    defer { server.stop() }
    let reader = try FeedReader(path: feedPath)
    #expect(try loop.runOnce(timeout: 5_000_000))
    for request in RecordedRequest.all { #expect(try ask(port, request.http) == [200]) }
    reader.read()
    // All versions of Traccar Client have one number.
    #expect(Set(fixes(in: reader.bytes).map(\.device)).count == 4)
  }

  @Test func aReaderThatDoesNotReadIsAway() throws {
    let (server, port) = try server()
    defer { server.stop() }
    let reader = try FeedReader(path: feedPath)
    #expect(try loop.runOnce(timeout: 5_000_000))
    let phone = try Phone(port: port)
    // Names change, so that no limit of a phone counts.
    var statuses: [Int] = []
    for number in 0..<20_000 where statuses.last != 503 {
      var request = RecordedRequest.ownTracks
      request.device = String(repeating: "x", count: 50) + "\(number)"
      phone.send(request.http)
      #expect(try loop.runUntil { phone.statuses.count == number + 1 })
      statuses = phone.statuses
    }
    #expect(statuses.last == 503)
    let sent = statuses.count { $0 == 200 }
    while !reader.bytes.filter({ $0 == 0x0A }).isEmpty || reader.bytes.isEmpty {
      reader.read()
      if reader.bytes.count(where: { $0 == 0x0A }) >= sent { break }
      try loop.runOnce(timeout: 5_000_000)
    }
    #expect(reader.bytes.count(where: { $0 == 0x0A }) == sent)
    phone.send(RecordedRequest.osmAnd.http)
    #expect(try loop.runUntil { phone.statuses.count == statuses.count + 1 })
    #expect(phone.statuses.last == 200)
  }

  // MARK: - Bad requests

  @Test func pipelinedRequestsAreAnsweredInTurn() throws {
    let (server, port) = try server()
    defer { server.stop() }
    let reader = try FeedReader(path: feedPath)
    #expect(try loop.runOnce(timeout: 5_000_000))
    let requests = [
      RecordedRequest.ownTracks.http, "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
      RecordedRequest.osmAnd.http, RecordedRequest.gpsLogger.http,
    ]
    #expect(try ask(port, requests.joined(), answers: 4) == [200, 404, 200, 200])
    reader.read()
    #expect(reader.bytes.count { $0 == 0x0A } == 3)
  }

  private static func chunked(_ pieces: Int, of size: Int) -> String {
    let piece = "\(String(size, radix: 16))\r\n\(String(repeating: " ", count: size))\r\n"
    return "POST /pub HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      + String(repeating: piece, count: pieces) + "0\r\n\r\n"
  }

  @Test func aBodyOverTheLimitIsRefused() throws {
    let (server, port) = try server()
    defer { server.stop() }
    let head = "POST /pub HTTP/1.1\r\nHost: a\r\nContent-Length: "
    #expect(try ask(port, "\(head)65537\r\n\r\n") == [413])
    #expect(try ask(port, "\(head)99999999999999999999999\r\n\r\n").first.map { $0 >= 400 } == true)
    #expect(try ask(port, Self.chunked(16, of: 4_096)) == [200])
    #expect(try ask(port, Self.chunked(17, of: 4_096)) == [413])
  }

  /// Its answer would wait without end.
  @Test func aBodyWithoutEndEndsTheConnection() throws {
    let (server, port) = try server()
    defer { server.stop() }
    let phone = try Phone(port: port)
    let piece = Array("1000\r\n\(String(repeating: " ", count: 4_096))\r\n".utf8)
    phone.send("POST /pub HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(
      try loop.runUntil {
        phone.send(piece)
        phone.read()
        return phone.isClosed
      })
    #expect(phone.text.isEmpty)
  }

  @Test(arguments: [
    ("GET /osmand?lat=%00&lon=1&timestamp=1 HTTP/1.1", 200),
    ("GET /osmand?lat=1%00.5&lon=1&timestamp=1 HTTP/1.1", 200),
    ("GET /osmand?id=%E2%80%AE%0A&lat=NaN&lon=1 HTTP/1.1", 200),
    ("GET /pub%00 HTTP/1.1", 404), ("GET /../pub HTTP/1.1", 404), ("PUT /pub HTTP/1.1", 405),
    ("OPTIONS * HTTP/1.1", 404), ("GET //////// HTTP/1.1", 200),
  ])
  func oddRequestsHaveAnAnswer(line: String, status: Int) throws {
    let (server, port) = try server()
    defer { server.stop() }
    #expect(try ask(port, "\(line)\r\nHost: a\r\n\r\n") == [status])
  }

  /// A proxy could find another end than the server: the bytes behind would be a request of their
  /// own.
  @Test(arguments: [
    "Content-Length: 0\r\nContent-Length: 0", "Content-Length: 0\r\ncontent-length: 40",
    "Content-Length : 0", "Content-Length\t: 0", " Content-Length: 0", "Content-Length: +0",
    "Content-Length: -0", "Content-Length: 0x0", "Content-Length: 0, 0", "Content-Length:",
    "Content-Length: 0\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 0",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: identity",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding : chunked",
    "Host: b", "Content-Length: 0\r\n 0", "Content-Len: 0\r\n gth", "X: a\r\n\tContent-Length: 0",
    "Content-Length: 0\r\nX: a\r\n b\r\nY: c", "X: a\r\n b", "X: a\r\n ",
  ])
  func aHeadThatCanBeReadInTwoWaysEndsTheConnection(lines: String) throws {
    let (server, port) = try server()
    defer { server.stop() }
    for method in ["GET", "POST"] {
      let phone = try Phone(port: port)
      phone.send(
        "\(method) /osmand HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n0\r\n\r\n"
          + RecordedRequest.osmAnd.http)
      #expect(
        try loop.runUntil {
          phone.read()
          return phone.isClosed
        })
      // libmicrohttpd 0.9.75 writes the head of its own errors twice.
      #expect(Set(phone.statuses) == [400], "\(method)")
    }
  }

  @Test(arguments: [
    "Content-Length: 0", "content-length:0", "Content-Length:\t 00", "X:", "X: a b",
  ])
  func aPlainHeadKeepsTheConnection(lines: String) throws {
    let (server, port) = try server()
    defer { server.stop() }
    let head = "POST /osmand HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n"
    #expect(try ask(port, head + RecordedRequest.osmAnd.http, answers: 2) == [200, 503])
  }

  @Test func bytesThatAreNoHTTPHarmNobody() throws {
    let (server, port) = try server()
    defer { server.stop() }
    var random = SeededGenerator(seed: 36)
    for _ in 0..<50 {
      let phone = try Phone(port: port)
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      phone.send(bytes + [13, 10, 13, 10])
      try loop.runOnce(timeout: 5_000_000)
      phone.close()
    }
    #expect(try ask(port, RecordedRequest.osmAnd.http) == [503])
    #expect(try loop.runUntil { server.connectionCount == 0 })
  }

  @Test func theTokenIsAskedForBeforeTheBody() throws {
    let log = Log()
    let (server, port) = try server(token: "Kq3vX9mT2pLs8aYd", log: log)
    let phone = try Phone(port: port)
    phone.send("POST /pub HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
    #expect(try loop.runUntil { phone.statuses == [401] })
    #expect(phone.text.contains("WWW-Authenticate: Basic realm=\"georemind\""))
    var request = RecordedRequest.gpsLogger
    request.target = "/Kq3vX9mT2pLs8aYd/gpslogger"
    #expect(try ask(port, request.http) == [503])
    server.stop()
    #expect(log.lines == ["Refused 1 request without a valid token"])
  }

  @Test func aThousandStoredPositionsAreTaken() throws {
    let (server, port) = try server()
    defer { server.stop() }
    let reader = try FeedReader(path: feedPath)
    #expect(try loop.runOnce(timeout: 5_000_000))
    let phone = try Phone(port: port)
    for number in 0..<1_000 {
      var request = RecordedRequest.ownTracks
      let time = Int(RecordedRequest.seconds) - (999 - number) * 60
      request.body.replace("\"tst\":1781279100", with: "\"tst\":\(time)")
      phone.send(request.http)
      #expect(try loop.runUntil { phone.statuses.count == number + 1 })
    }
    #expect(phone.statuses.allSatisfy { $0 == 200 })
    reader.read()
    // The last five minutes.
    #expect(reader.bytes.count { $0 == 0x0A } == 5)
  }
}
