import Departure
import Geodesy
import Routing
import Testing

@testable import georemind_route

/// libcurl as it is used, against a server on loopback.
@Suite struct HTTPFetcherTests {
  private let query = RouteQuery(
    transport: .walking, origin: Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99),
    destinations: [Coordinate(clampingLatitude: 53.56, wrappingLongitude: 10)])

  private func failure(
    of request: RoutingEngine.HTTPRequest, timeout: Int = 5_000
  ) throws -> String? {
    let fetcher = try HTTPFetcher(timeout: timeout)
    let error = #expect(throws: RouteFailure.self) { try fetcher.fetch(request) }
    return error?.description
  }

  @Test func readsATableOfOSRM() throws {
    let server = try LoopbackServer(
      .http(#"{"code":"Ok","durations":[[61.5]]}"#))
    defer { server.stop() }
    let fetcher = try HTTPFetcher(timeout: 5_000)
    let body = try fetcher.fetch(RoutingEngine.osrm.request(query, base: server.base))
    #expect(try RoutingEngine.osrm.times(in: body, count: 1) == [61.5])
    let asked = try #require(server.asked.first)
    #expect(
      asked.hasPrefix(
        "GET /table/v1/walking/9.990000,53.550000;10.000000,53.560000?sources=0&destinations=1"))
    #expect(asked.contains("User-Agent: georemind-route/"))
  }

  /// The handle is used again: what one request set must not stay for the next.
  @Test func aGetAfterAPostIsAGet() throws {
    let server = try LoopbackServer(
      .http(#"{"sources_to_targets":[[{"time":7}]]}"#))
    defer { server.stop() }
    let fetcher = try HTTPFetcher(timeout: 5_000)
    let body = try fetcher.fetch(RoutingEngine.valhalla.request(query, base: server.base))
    #expect(try RoutingEngine.valhalla.times(in: body, count: 1) == [7])
    _ = try fetcher.fetch(RoutingEngine.osrm.request(query, base: server.base))
    let asked = server.asked
    #expect(asked.count == 2)
    #expect(asked[0].hasPrefix("POST /sources_to_targets"))
    #expect(asked[0].contains("Content-Type: application/json"))
    #expect(asked[0].contains(#""costing":"pedestrian""#))
    #expect(asked[1].hasPrefix("GET /table"))
    #expect(!asked[1].contains("application/json") && asked[1].hasSuffix("\r\n\r\n"))
  }

  @Test func anErrorOfTheEngineIsItsAnswer() throws {
    let text = #"{"code":"InvalidQuery","message":"no"}"#
    let server = try LoopbackServer(.http(status: "400 Bad Request", text))
    defer { server.stop() }
    let body = try HTTPFetcher(timeout: 5_000).fetch(.init(url: server.base))
    #expect(String(decoding: body, as: UTF8.self) == text)
  }

  @Test(arguments: [
    (LoopbackServer.Answer.http(status: "500 Internal Server Error", ""), "HTTP status 500"),
    (.bytes([]), "cannot ask the engine"),
    (
      .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".utf8)), "cannot ask the engine"
    ),
    (.bytes(Array("\u{0}\u{1}nonsense\r\n\r\n".utf8)), "cannot ask the engine"),
    (.http(String(repeating: "[", count: 300_000)), "longer than 262144 bytes"),
    (.silence, "Timeout"),
  ])
  func aFailureIsASentence(answer: LoopbackServer.Answer, words: String) throws {
    let server = try LoopbackServer(answer)
    defer { server.stop() }
    let failure = try failure(of: .init(url: server.base), timeout: 1_000)
    #expect(failure?.contains(words) == true, "\(failure ?? "")")
  }

  @Test func aRefusedConnectionHasAReason() throws {
    let server = try LoopbackServer(.silence)
    let url = server.base
    server.stop()
    #expect(try failure(of: .init(url: url))?.contains("cannot ask") == true)
  }

  /// An engine on this machine must not lead elsewhere.
  @Test func redirectionsAreNotFollowed() throws {
    let other = try LoopbackServer(.http("elsewhere"))
    defer { other.stop() }
    let server = try LoopbackServer(
      .http(status: "302 Found", head: "Location: \(other.base)/x\r\n", ""))
    defer { server.stop() }
    let body = try HTTPFetcher(timeout: 5_000).fetch(.init(url: server.base))
    #expect(body.isEmpty && other.asked.isEmpty)
  }

  @Test func filesAreNotRead() throws {
    #expect(try failure(of: .init(url: "file:///etc/hostname")) != nil)
  }
}
