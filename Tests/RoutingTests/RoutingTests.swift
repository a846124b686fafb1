import CivilTime
import Configuration
import Control
import Departure
import Geodesy
import JSONText
import Testing

@testable import Routing

@Suite struct RoutingTests {
  private let query = RouteQuery(
    transport: .driving, origin: Coordinate(clampingLatitude: 53.55, wrappingLongitude: -0.0001),
    destinations: [
      Coordinate(clampingLatitude: 53.56, wrappingLongitude: 10),
      Coordinate(clampingLatitude: -0.5, wrappingLongitude: 10.25),
    ])

  // MARK: - Protocols

  @Test func osrmIsAskedForOneRow() {
    let request = RoutingEngine.osrm.request(query, base: "http://localhost:5000")
    #expect(
      request.url
        == "http://localhost:5000/table/v1/driving/-0.000100,53.550000;10.000000,53.560000;"
        + "10.250000,-0.500000?sources=0&destinations=1;2&annotations=duration"
        + "&generate_hints=false")
    #expect(request.body == nil)
  }

  @Test func valhallaIsAskedForOneRow() {
    let request = RoutingEngine.valhalla.request(query, base: "http://localhost:8002")
    #expect(request.url == "http://localhost:8002/sources_to_targets")
    #expect(
      request.body
        == #"{"sources":[{"lat":53.55,"lon":-0.0001}],"targets":[{"lat":53.56,"lon":10.0},"#
        + #"{"lat":-0.5,"lon":10.25}],"costing":"auto"}"#
        || request.body
          == #"{"sources":[{"lat":53.55,"lon":-0.0001}],"targets":[{"lat":53.56,"lon":10},"#
          + #"{"lat":-0.5,"lon":10.25}],"costing":"auto"}"#
    )
  }

  @Test func answersAreRead() throws {
    let osrm = #"{"code":"Ok","durations":[[61.5,null]],"sources":[],"destinations":[]}"#
    #expect(try RoutingEngine.osrm.times(in: Array(osrm.utf8), count: 2) == [61.5, nil])
    let valhalla =
      #"{"sources_to_targets":[[{"time":61,"distance":0.4},{"time":null,"distance":null}]]}"#
    #expect(try RoutingEngine.valhalla.times(in: Array(valhalla.utf8), count: 2) == [61, nil])
    let short = #"{"sources_to_targets":{"durations":[[61,null]]}}"#
    #expect(try RoutingEngine.valhalla.times(in: Array(short.utf8), count: 2) == [61, nil])
  }

  @Test(arguments: [
    "", "[]", "null", "<html>", #"{"code":"Ok"}"#, #"{"code":"Ok","durations":[]}"#,
    #"{"code":"Ok","durations":[[1]]}"#, #"{"code":"Ok","durations":[[1,2,3]]}"#,
    #"{"code":"Ok","durations":[[1,"x"]]}"#, #"{"code":"Ok","durations":[[1,-2]]}"#,
    #"{"code":"Ok","durations":[[1,1e9]]}"#, #"{"code":"Ok","durations":[[1,{}]]}"#,
    #"{"code":"NoTable","message":"Table\nof \u0007 nothing"}"#,
    #"{"sources_to_targets":[[{"time":1},{"time":-1}]]}"#, #"{"error":"No path could be found"}"#,
  ])
  func nonsenseIsRefusedInOneLine(text: String) {
    for engine in RoutingEngine.allCases {
      if engine == .osrm, text == #"{"code":"Ok","durations":[[1,{}]]}"# { continue }
      do throws(RouteFailure) {
        let times = try engine.times(in: Array(text.utf8), count: 2)
        Issue.record("\(engine) \(text): \(times)")
      } catch {
        #expect(!error.description.isEmpty && error.description.utf8.allSatisfy { $0 >= 0x20 })
      }
    }
  }

  // MARK: - Service

  private func service() -> RouteService {
    RouteService(engine: .osrm, bases: [.driving: "http://engine"])
  }

  private static let answer = Array(#"{"code":"Ok","durations":[[60,null]]}"#.utf8)

  @Test func anAnsweredQuestionIsNotRepeated() throws {
    var service = service()
    var asked = 0
    for now in [0, 1_000_000, RouteService.answerAge] as [Int64] {
      let times = try service.answer(query, at: now, random: 0) { _ throws(RouteFailure) in
        asked += 1
        return Self.answer
      }
      #expect(times == [60, nil])
    }
    #expect(asked == 1)
    _ = try service.answer(query, at: RouteService.answerAge + 1, random: 0) {
      _ throws(RouteFailure) in
      asked += 1
      return Self.answer
    }
    #expect(asked == 2)
  }

  /// To five minutes. Promise: routing-pause.
  @Test func theRetryPauseOfAFailingEngineGrows() {
    var service = service()
    var asked: [Int64] = []
    for second in 0..<1_000 as Range<Int64> {
      let now = second * 1_000_000
      do throws(RouteService.Refusal) {
        _ = try service.answer(query, at: now, random: 0.99) { _ throws(RouteFailure) in
          asked.append(second)
          throw RouteFailure("connection refused")
        }
        Issue.record("no failure")
      } catch {
        guard case .failure(let reason) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(reason.contains("connection refused"))
      }
    }
    #expect(asked == [0, 5, 15, 35, 75, 155, 315, 614, 913])
  }

  @Test func aModeWithoutAnEngineIsReported() {
    var service = service()
    var walk = query
    walk.transport = .walking
    #expect(throws: RouteService.Refusal.notConfigured) {
      _ = try service.answer(walk, at: 0, random: 0) { _ throws(RouteFailure) in
        throw RouteFailure("asked")
      }
    }
  }

  @Test func aBoatHasNoEngine() {
    var service = service()
    var sail = query
    sail.transport = .boat
    #expect(throws: RouteService.Refusal.notConfigured) {
      _ = try service.answer(sail, at: 0, random: 0) { _ throws(RouteFailure) in
        throw RouteFailure("asked")
      }
    }
  }

  @Test func theCacheIsBounded() throws {
    var service = service()
    var one = query
    for number in 0..<10_000 {
      one.destinations = [
        Coordinate(clampingLatitude: Double(number) / 1_000, wrappingLongitude: 1)
      ]
      let times = try service.answer(one, at: Int64(number), random: 0) {
        _ throws(RouteFailure) in Array(#"{"code":"Ok","durations":[[60]]}"#.utf8)
      }
      #expect(times == [60])
    }
  }

  // MARK: - Socket

  @Test func aRequestGoesOverTheSocketAndBack() throws {
    let request = RouteRequest(
      number: 1, transport: .driving, origin: query.origin, destinations: query.destinations)
    #expect(RouteInterface.query(RouteInterface.parameters(of: request)) == query)
    #expect(RouteInterface.query(["transport": "flying"]) == nil)
    let times = RouteInterface.times(.success(["times": [60, .null]]))
    #expect(times == .success([.minutes(1), nil]))
    let failure = VarlinkError(
      name: "org.georemind.route.EngineTrouble", parameters: ["reason": "it hangs"])
    #expect(RouteInterface.times(.failure(failure)) == .failure(RouteFailure("it hangs")))
  }

  @Test func theInterfaceDescribesItself() throws {
    _ = try VarlinkService(
      vendor: "v", product: "p", version: "1", url: "u", interfaces: [RouteInterface.text])
  }

  // MARK: - Settings

  private func settings(_ text: String) throws -> RouteSettings? {
    let file = try ConfigurationFile.parse(text, path: "georemind.conf")
    return try RouteSettings(Configuration([file], declared: RouteSettings.keys))
  }

  @Test func settingsAreRead() throws {
    #expect(try settings("") == nil)
    let read = try #require(
      try settings(
        "[Route]\nEngine=osrm\nDrivingURL=http://localhost:5000/\n"))
    #expect(read.engine == .osrm)
    #expect(read.bases == [.driving: "http://localhost:5000"])
  }

  @Test(arguments: [
    "Engine=google", "Engine=osrm", "Engine=osrm\nDrivingURL=localhost:5000",
    "Engine=osrm\nDrivingURL=http://a/?x",
  ])
  func wrongSettingsAreRefused(text: String) {
    #expect(throws: ConfigurationError.self) { _ = try settings("[Route]\n\(text)\n") }
  }
}
