import BaseMap
import CSQLite
import Configuration
import Control
import JSONText
import LinuxRuntime
import Phones
import TestSupport
import Testing

@testable import georemind_web

/// The map by HTTP: who is let in, what is answered, and what a page hears.
@Suite struct MapServerTests {
  private static let token = String(repeating: "T", count: 43)
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon
  private let map: MapService
  private let server: WebServer
  private let port: UInt16

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/daemon", loop: loop)
    daemon.links = [Self.token: true]
    let listener = try WebServer.listen(at: .init(host: "127.0.0.1", port: 0))
    port = Server.port(of: listener)
    let path = daemon.path
    map = try MapService(names: ["boat.lan"], port: port, loop: loop) { path }
    server = try WebServer(
      listener: listener, feedPath: "\(folder.path)/positions",
      access: PhoneAccess(shared: nil), loop: loop, map: map
    ) { _, _ in }
  }

  private func request(
    _ method: String, _ path: String, _ changes: [String: String] = [:], body: String? = nil
  ) -> String {
    var headers: [String: String] = [
      "Host": "127.0.0.1:\(port)", "Cookie": "georemind-\(port)=\(Self.token)",
    ]
    if let body {
      headers["Content-Length"] = "\(body.utf8.count)"
      headers["Content-Type"] = "application/json"
      headers["Origin"] = "http://127.0.0.1:\(port)"
    }
    for (name, value) in changes { headers[name] = value }
    // An empty value leaves the header out.
    let lines = headers.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.sorted()
    return "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body ?? "")"
  }

  private func ask(
    _ method: String, _ path: String, _ changes: [String: String] = [:], body: String? = nil
  ) throws -> (status: Int, text: String) {
    let browser = try Phone(port: port)
    browser.send(request(method, path, changes, body: body))
    _ = try loop.runUntil {
      !browser.statuses.isEmpty && Self.isWhole(browser.text) || browser.isClosed
    }
    return (browser.statuses.first ?? 0, browser.text)
  }

  /// Whether the body is as long as the head says.
  private static func isWhole(_ text: String) -> Bool {
    guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
    let length = text.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
    let count = length.flatMap { Int($0.dropFirst("Content-Length: ".count)) } ?? 0
    return text[end.upperBound...].utf8.count >= count
  }

  @Test func theMapIsFoundWithoutItsLastSlash() throws {
    let answer = try ask("GET", "/map", ["Cookie": ""])
    #expect(answer.status == 308 && answer.text.contains("\r\nLocation: /map/\r\n"))
    #expect(try ask("GET", "/mapp").status == 404)
  }

  struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    var method = "GET"
    let path: String
    var headers: [String: String] = [:]
    var body: String?
  }

  private static let done = #"{"id":"tea"}"#
  static let attacks = [
    Attack(
      testDescription: "foreign host", status: 421, path: "/map/",
      headers: ["Host": "evil.example"]),
    Attack(
      testDescription: "rebound name", status: 421, path: "/map/api/reminders",
      headers: ["Host": "evil.example:8088"]),
    Attack(
      testDescription: "no link", status: 401, path: "/map/api/reminders",
      headers: ["Cookie": ""]),
    Attack(
      testDescription: "no token", status: 401, path: "/map/api/reminders",
      headers: ["Cookie": "georemind=x"]),
    Attack(
      testDescription: "no link for tiles", status: 401, path: "/map/tiles/0/0/0",
      headers: ["Cookie": ""]),
    Attack(
      testDescription: "no link for events", status: 401, path: "/map/events",
      headers: ["Cookie": ""]),
    Attack(
      testDescription: "other origin", status: 403, method: "POST", path: "/map/api/done",
      headers: ["Origin": "http://evil.example"], body: done),
    Attack(
      testDescription: "no origin", status: 403, method: "POST", path: "/map/api/done",
      headers: ["Origin": ""], body: done),
    Attack(
      testDescription: "null origin", status: 403, method: "POST", path: "/map/api/done",
      headers: ["Origin": "null"], body: done),
    Attack(
      testDescription: "a form", status: 403, method: "POST", path: "/map/api/done",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: "id=tea"),
    Attack(
      testDescription: "text", status: 403, method: "POST", path: "/map/api/done",
      headers: ["Content-Type": "text/plain"], body: done),
    Attack(
      testDescription: "fetch metadata", status: 403, method: "POST", path: "/map/api/done",
      headers: ["Sec-Fetch-Site": "cross-site"], body: done),
    Attack(
      testDescription: "another method of the daemon", status: 404, method: "POST",
      path: "/map/api/MakeLink", body: "{}"),
    Attack(testDescription: "traversal", status: 404, path: "/map/../etc/passwd"),
    Attack(testDescription: "encoded traversal", status: 404, path: "/map/%2e%2e/etc/passwd"),
    Attack(testDescription: "no tiles", status: 404, path: "/map/tiles/3/1/1"),
    Attack(testDescription: "no JSON", status: 400, path: "/map/api/why?%22%7D,%22x"),
    Attack(testDescription: "a list", status: 400, path: "/map/api/why?[1]"),
    Attack(
      testDescription: "no JSON in a body", status: 400, method: "POST", path: "/map/api/done",
      body: "{{{"),
    Attack(testDescription: "PUT", status: 405, method: "PUT", path: "/map/api/done", body: done),
    Attack(testDescription: "a change by GET", status: 405, path: "/map/api/done?{}"),
    Attack(
      testDescription: "preflight", status: 405, method: "OPTIONS", path: "/map/api/done",
      headers: ["Access-Control-Request-Method": "POST"]),
    Attack(
      testDescription: "a body over 64 KiB", status: 413, method: "POST", path: "/map/api/done",
      headers: ["Content-Length": "70000"], body: ""),
    Attack(
      testDescription: "the daemon refuses", status: 404, method: "POST", path: "/map/api/done",
      body: done),
    Attack(
      testDescription: "a bad link", status: 401, method: "POST", path: "/map/session",
      headers: ["Cookie": ""], body: #"{"link":"guess"}"#),
  ]

  @Test(arguments: attacks) func aForeignRequestIsRefused(attack: Attack) throws {
    defer { server.stop() }
    let answer = try ask(attack.method, attack.path, attack.headers, body: attack.body)
    #expect(answer.status == attack.status)
    #expect(!answer.text.contains("Access-Control"))
    // What is refused by its head never reaches the daemon.
    if ![404].contains(attack.status) || attack.body == nil {
      #expect(!daemon.calls.contains { $0.methodName == "Done" })
    }
  }

  @Test func thePageNeedsNoLinkAndHoldsNoData() throws {
    defer { server.stop() }
    for file in PageFile.allCases {
      let answer = try ask("GET", "/map/\(file.rawValue)", ["Cookie": ""])
      #expect(answer.status == 200 && answer.text.contains("default-src 'none'"))
      #expect(answer.text.contains("Content-Type: \(file.type)"))
    }
    #expect(daemon.calls.isEmpty)
    #expect(try ask("GET", "/map/", ["Host": "boat.lan"]).status == 200)
    #expect(try ask("GET", "/map/", ["Host": "[::1]:\(port)"]).status == 200)
  }

  @Test func aTokenIsChangedForACookie() throws {
    defer { server.stop() }
    let body = #"{"link":"\#(Self.token)"}"#
    let answer = try ask("POST", "/map/session", ["Cookie": ""], body: body)
    #expect(answer.status == 204)
    #expect(
      answer.text.contains(
        "Set-Cookie: georemind-\(port)=\(Self.token); HttpOnly; SameSite=Strict; Path=/map/;"))
    #expect(try ask("GET", "/map/session").text.contains(#""may_change":true"#))
    // Another token, of the right form, is of no link.
    let wrong = String(repeating: "x", count: 43)
    let refused = try ask(
      "POST", "/map/session", ["Cookie": ""], body: #"{"link":"\#(wrong)"}"#)
    #expect(refused.status == 401 && !refused.text.contains("Set-Cookie"))
  }

  @Test func aBodyIsParsedAndBuiltAnew() throws {
    defer { server.stop() }
    _ = try ask("POST", "/map/api/undo", body: " {\n\"number\" : 1 } ")
    let call = try #require(daemon.calls.last { $0.methodName == "Undo" })
    #expect(call.parameters == ["number": 1])
    #expect(daemon.calls.first?.methodName == "ActAs")
    let why = try ask("GET", "/map/api/why?%7B%22id%22:%22tea%22%7D")
    #expect(why.status == 200 && daemon.calls.last?.parameters == ["id": "tea"])
  }

  /// The button of a notification has neither cookie nor origin.
  @Test func aTokenInTheHeaderNeedsNoPage() throws {
    defer { server.stop() }
    func status(_ authorization: String, host: String? = nil) throws -> Int {
      let headers = [
        "Cookie": "", "Origin": "", "Content-Type": "", "Authorization": authorization,
        "Host": host ?? "127.0.0.1:\(port)",
      ]
      return try ask("POST", "/map/api/undo", headers, body: "{}").status
    }
    #expect(try status("Bearer \(Self.token)") == 200)
    #expect(try status("bearer \(Self.token)", host: "boat.lan") == 200)
    #expect(try status("Bearer \(String(repeating: "x", count: 43))") == 401)
    for wrong in ["Bearer", "Bearer x", "Basic \(Self.token)", Self.token] {
      #expect(try status(wrong) == 401, "\(wrong)")
    }
    #expect(try status("Bearer \(Self.token)", host: "evil.example") == 421)
  }

  @Test func changesAreLimited() throws {
    defer { server.stop() }
    let statuses = try (0..<21).map { _ in try ask("POST", "/map/api/undo", body: "{}").status }
    #expect(statuses == [Int](repeating: 200, count: 20) + [429])
  }

  // MARK: - Events

  @Test func aPageHearsPositionsFiringsAndChanges() throws {
    defer { server.stop() }
    daemon.fire("one")
    let page = try Phone(port: port)
    page.send(request("GET", "/map/events?after=0"))
    #expect(
      try loop.runUntil {
        page.read()
        return page.text.contains("event: firing") && daemon.isWatched("WatchFixes")
          && daemon.isWatched("WatchChanges")
      })
    #expect(page.text.contains("id: 1\r\n") || page.text.contains("id: 1\n"))
    daemon.push("WatchFixes", ["fix": ["lat": 52], "lost": false])
    daemon.fire("two")
    daemon.push("WatchChanges", ["what": "firings", "ids": []])
    #expect(
      try loop.runUntil {
        page.read()
        return page.text.contains("event: fix\ndata: {\"fix\":{\"lat\":52},\"lost\":false}")
          && page.text.contains("id: 2\nevent: firing")
      })
    // Another page goes on behind what it has.
    let other = try Phone(port: port)
    other.send(request("GET", "/map/events", ["Last-Event-ID": "1"]))
    #expect(
      try loop.runUntil {
        other.read()
        return other.text.contains("\"firing_id\":\"two\"") && other.text.contains("event: fix")
      })
    #expect(!other.text.contains("\"firing_id\":\"one\""))
    daemon.stop()
    #expect(
      try loop.runUntil {
        page.read()
        return page.text.contains("event: away")
      })
  }

  @Test func aSeventeenthPageWaits() throws {
    defer { server.stop() }
    var pages: [Phone] = []
    for number in 0..<LinkSession.maximumStreams {
      let page = try Phone(port: port, source: "127.0.0.\(number % 4 + 1)")
      page.send(request("GET", "/map/events"))
      _ = try loop.runUntil { page.statuses == [200] }
      pages.append(page)
    }
    #expect(pages.allSatisfy { $0.statuses == [200] })
    #expect(try ask("GET", "/map/events").status == 503)
    pages[0].close()
    #expect(try loop.runUntil { (try? ask("GET", "/map/session").status) == 200 })
  }

  @Test func withoutADaemonTheAnswerSaysSo() throws {
    defer { server.stop() }
    daemon.stop()
    let answer = try ask("GET", "/map/api/reminders")
    #expect(answer.status == 503 && answer.text.contains("Retry-After: 1"))
  }

  // MARK: - Tiles

  private func tileFile(_ script: String) throws -> TileFile {
    let path = "\(folder.path)/map.mbtiles"
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    return try TileFile(path: path, attribution: nil)
  }

  private static let tables = """
    CREATE TABLE metadata (name TEXT, value TEXT);
    CREATE TABLE tiles (zoom_level INT, tile_column INT, tile_row INT, tile_data BLOB);
    """

  @Test func rowsOfAFileCountFromTheSouth() throws {
    defer { server.stop() }
    map.tiles = try tileFile(
      Self.tables + "INSERT INTO metadata VALUES ('format', 'png'), ('minzoom', '-7');"
        + "INSERT INTO tiles VALUES (2, 1, 3, x'89504E47')")
    let answer = try ask("GET", "/map/tiles/2/1/0")
    #expect(answer.status == 200 && answer.text.contains("Content-Type: image/png"))
    #expect(try ask("GET", "/map/tiles/2/1/3").status == 204)
    for path in [
      "2/1/4", "2/4/0", "23/0/0", "2/-1/0", "2/99999999999999999999/1", "2/1", "2/1/0/0",
    ] {
      #expect(try ask("GET", "/map/tiles/\(path)").status == 404)
    }
    let base = try ask("GET", "/map/base").text
    #expect(base.contains(#""kind":"raster""#) && base.contains(#""min":0"#))
  }

  @Test func oneHostMayServeImagesAndNoOther() throws {
    defer { server.stop() }
    let own = "img-src 'self' data: blob:; connect-src 'self'"
    #expect(try ask("GET", "/map/").text.contains(own))
    map.online = ("https://tiles.example.org/{z}/{x}/{y}.png", "© them")
    let page = try ask("GET", "/map/").text
    #expect(
      page.contains("img-src 'self' data: blob: https://tiles.example.org; connect-src 'self'"))
    let base = try ask("GET", "/map/base").text
    #expect(base.contains(#""kind":"online""#) && base.contains("© them"))
    // A file comes first, and then no other host is asked.
    map.tiles = try tileFile(Self.tables)
    #expect(try ask("GET", "/map/").text.contains(own))
  }
}
