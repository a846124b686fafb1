package import Departure
import Geodesy
import LinuxRuntime

/// Limits queries to a routing engine: answers are cached for a few minutes, and a failing engine
/// gets pauses of increasing length.
///
/// It uses no network: `fetch` gets the request and returns the body, in bounded time.
package struct RouteService {
  package typealias Fetch = (RoutingEngine.HTTPRequest) throws(RouteFailure) -> [UInt8]

  private struct Way: Hashable {
    var transport: Transport
    /// Ten-thousandths of a degree, some 10 m.
    var from: [Int32]
    var to: [Int32]
  }

  private let engine: RoutingEngine
  private let bases: [Transport: String]
  private var answers: [Way: (seconds: Double?, time: Int64)] = [:]
  private var quiet: [Transport: (until: Int64, backoff: Backoff, reason: String)] = [:]

  /// Lifetime of a cached answer in microseconds.
  package static let answerAge: Int64 = 120_000_000
  package static let maximumAnswers = 4_096

  /// - Parameter bases: the URL for each mode that has one, without a slash at the end.
  package init(engine: RoutingEngine, bases: [Transport: String]) {
    self.engine = engine
    self.bases = bases
  }

  package enum Refusal: Error, Equatable {
    case notConfigured
    case failure(String)
  }

  /// Seconds to each destination, nil without a route.
  /// - Parameters:
  ///   - now: microseconds of a monotonic clock.
  ///   - random: 0..<1, for the length of a pause.
  package mutating func answer(
    _ query: RouteQuery, at now: Int64, random: Double, fetch: Fetch
  ) throws(Refusal) -> [Double?] {
    guard let base = bases[query.transport] else { throw .notConfigured }
    let ways = query.destinations.map {
      Way(transport: query.transport, from: Self.cell(query.origin), to: Self.cell($0))
    }
    let missing = query.destinations.indices.filter { index in
      answers[ways[index]].map { now - $0.time > Self.answerAge } ?? true
    }
    if !missing.isEmpty {
      if let pause = quiet[query.transport], now < pause.until {
        let seconds = (pause.until - now) / 1_000_000 + 1
        throw .failure("\(pause.reason); not asked again for \(seconds) s")
      }
      var rest = query
      rest.destinations = missing.map { query.destinations[$0] }
      do throws(RouteFailure) {
        let body = try fetch(engine.request(rest, base: base))
        let times = try engine.times(in: body, count: missing.count)
        makeRoom(for: missing.count, at: now)
        for (index, seconds) in zip(missing, times) { answers[ways[index]] = (seconds, now) }
        quiet[query.transport] = nil
      } catch {
        var backoff =
          quiet[query.transport]?.backoff
          ?? Backoff(first: 5_000_000, longest: 300_000_000)
        let pause = backoff.next(random: random)
        quiet[query.transport] = (now + pause, backoff, error.description)
        throw .failure(error.description)
      }
    }
    return ways.map { answers[$0]?.seconds }
  }

  private static func cell(_ position: Coordinate) -> [Int32] {
    [
      Int32((position.latitude * 1e4).rounded()), Int32((position.longitude * 1e4).rounded()),
    ]
  }

  private mutating func makeRoom(for count: Int, at now: Int64) {
    guard answers.count + count > Self.maximumAnswers else { return }
    answers = answers.filter { now - $0.value.time <= Self.answerAge }
    if answers.count + count > Self.maximumAnswers { answers.removeAll(keepingCapacity: true) }
  }
}
