import Bytes
import CivilTime
import Configuration
import JSONText
import LinuxRuntime
import Phones
import TestSupport
import Testing

@testable import georemind_web

/// The page of a phone by HTTP, with the daemon that names the phones.
@Suite struct PhonePageTests {
  private static let anna = String(repeating: "a", count: 42) + "A"

  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon
  private let server: WebServer
  private let port: UInt16
  private let log = WebServerTests.Log()

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/daemon", loop: loop)
    daemon.phones = [SecretToken.hash(Self.anna.utf8): "anna"]
    let listener = try WebServer.listen(at: .init(host: "127.0.0.1", port: 0))
    port = Server.port(of: listener)
    let (path, log) = (daemon.path, log)
    server = try WebServer(
      listener: listener, feedPath: "\(folder.path)/positions",
      access: PhoneAccess(shared: nil, phones: nil), loop: loop,
      phones: try PhoneList(loop: loop, log: { log.lines.append($1) }) { path },
      realTime: { Instant(seconds: RecordedRequest.seconds + 2) },
      log: { log.lines.append($1) })
  }

  private func ask(
    _ path: String, method: String = "GET", token: String? = nil, more: String = ""
  ) throws -> (status: Int, text: String, body: JSONValue?) {
    let browser = try Phone(port: port)
    let pair = token.map { Base64.encoded(Array("phone:\($0)".utf8)) }
    let authorization = pair.map { "Authorization: Basic \($0)\r\n" } ?? ""
    browser.send("\(method) \(path) HTTP/1.1\r\nHost: boat\r\n\(authorization)\(more)\r\n")
    _ = try loop.runUntil {
      browser.read()
      return browser.text.contains("\r\n\r\n") || browser.isClosed
    }
    let body = browser.text.firstRange(of: "\r\n\r\n").map { browser.text[$0.upperBound...] } ?? ""
    return (browser.statuses.first ?? 0, browser.text, try? JSONParser.parse(Array(body.utf8)))
  }

  /// Waits until the daemon has named the phones.
  private func connect() throws {
    #expect(try loop.runUntil { daemon.isWatched("WatchPhones") })
    var status = 503
    for _ in 0..<50 where status == 503 {
      status = try ask("/phone/state", token: Self.anna).status
    }
    #expect(status == 200)
  }

  private func sendPosition(_ request: RecordedRequest = .osmAnd) throws -> Int {
    var request = request
    request.target = "/\(Self.anna)\(request.target)"
    let phone = try Phone(port: port)
    phone.send(request.http)
    _ = try loop.runUntil { !phone.statuses.isEmpty }
    return phone.statuses.first ?? 0
  }

  @Test func theFilesAreForEverybodyAndStrict() throws {
    defer { server.stop() }
    for file in PhonePage.File.allCases {
      let (status, text, _) = try ask("/phone/\(file.rawValue)")
      #expect(status == 200, "\(file)")
      #expect(text.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
      let tag = try #require(text.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
      let again = try ask("/phone/\(file.rawValue)", more: "If-None-Match: \(tag.dropFirst(6))\r\n")
      #expect(again.status == 304)
    }
    // The page asks for its data with the token, and has no other source.
    #expect(!String(decoding: PhonePage.File.page.bytes, as: UTF8.self).contains("http"))
  }

  @Test func itSaysWhetherAPositionHasArrived() throws {
    defer { server.stop() }
    try connect()
    #expect(try ask("/phone/state", token: Self.anna).body == ["name": "anna"])
    #expect(try sendPosition() == 503)
    let away = try ask("/phone/state", token: Self.anna).body
    #expect(away?["problem"]?.string?.contains("does not read") == true)
    let reader = try FeedReader(path: "\(folder.path)/positions")
    #expect(try loop.runUntil { log.lines.contains("The daemon reads the positions") })
    #expect(try sendPosition() == 200)
    let good = try ask("/phone/state", token: Self.anna).body
    #expect(good?["problem"] == nil)
    #expect(good?["position"]?["age_s"]?.double.map { (0...30).contains($0) } == true)
    #expect(good?["position"]?["accuracy_m"]?.double.map { (21...21.2).contains($0) } == true)
    reader.read()
    #expect(String(decoding: reader.bytes, as: UTF8.self).contains(#""device":"phone:anna""#))
  }

  @Test func itHasTheSettingsWithTheAddressOfThePage() throws {
    defer { server.stop() }
    try connect()
    let path = "/phone/setup?origin=https://boat.example.org"
    let setups = try #require(try ask(path, token: Self.anna).body?["setups"]?.array)
    #expect(
      setups.compactMap { $0["app"]?.string } == [
        "OwnTracks", "Traccar Client", "OsmAnd", "GPSLogger",
      ])
    #expect(setups[0]["link"]?.string?.hasPrefix("owntracks:///config?inline=") == true)
    #expect(setups[0]["code"]?.array?.count ?? 0 > 50)
    #expect(
      setups[1]["fields"]?.array?.last
        == ["Server URL", .string("https://boat.example.org/\(Self.anna)/")])
    for origin in [
      "", "javascript:1", "http://a/b", "http://", "http://" + String(repeating: "a", count: 130),
    ] {
      #expect(try ask("/phone/setup?origin=\(origin)", token: Self.anna).status == 400, "\(origin)")
    }
    #expect(try ask("/phone/setup", token: Self.anna).status == 400)
  }

  @Test func withoutTheTokenThereAreNoData() throws {
    defer { server.stop() }
    try connect()
    for path in ["/phone/state", "/phone/setup?origin=http://boat"] {
      for token in [nil, "", String(repeating: "x", count: 43), SecretToken.hash(Self.anna.utf8)] {
        let answer = try ask(path, token: token)
        #expect(answer.status == 401)
        #expect(!answer.text.contains("anna") && !answer.text.contains("WWW-Authenticate"))
      }
    }
    #expect(try ask("/phone/other", token: Self.anna).status == 404)
    #expect(try ask("/phone/state", method: "POST", token: Self.anna).status == 405)
    #expect(try ask("/phone/state", method: "PUT", token: Self.anna).status == 405)
  }

  @Test func aRevokedPhoneIsRefusedAtOnce() throws {
    defer { server.stop() }
    try connect()
    daemon.phones = [:]
    #expect(try loop.runUntil { (try? ask("/phone/state", token: Self.anna).status) == 401 })
    // Without any phone everybody may send, by their own names, to this machine alone.
    #expect(try sendPosition() == 404)
  }

  /// The daemon restarts: the phones stay known, and a phone that is added then counts.
  @Test func aLostDaemonIsFoundAgain() throws {
    defer { server.stop() }
    try connect()
    daemon.stop()
    #expect(try ask("/phone/state", token: Self.anna).status == 200)
    let again = try LoopDaemon(path: daemon.path, loop: loop)
    let ben = String(repeating: "b", count: 42) + "A"
    again.phones = [SecretToken.hash(ben.utf8): "ben"]
    #expect(try loop.runUntil { again.isWatched("WatchPhones") })
    #expect(try loop.runUntil { (try? ask("/phone/state", token: ben).status) == 200 })
    #expect(try ask("/phone/state", token: Self.anna).status == 401)
  }
}
