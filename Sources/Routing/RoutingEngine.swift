package import Departure
import Geodesy
import JSONText

/// The protocols that routing engines speak.
package enum RoutingEngine: String, CaseIterable, Sendable {
  /// Project OSRM's table service, version 1
  /// (https://project-osrm.org/docs/v5.24.0/api/#table-service).
  case osrm
  /// Valhalla's matrix (https://valhalla.github.io/valhalla/api/matrix/api-reference/).
  case valhalla

  /// A request: POST if there is a body, else GET.
  package struct HTTPRequest: Equatable, Sendable {
    package var url: String
    package var body: String?

    package init(url: String, body: String? = nil) {
      self.url = url
      self.body = body
    }
  }

  /// The request for all destinations of a query.
  /// - Parameter base: such as `http://localhost:5000`, without a slash at the end.
  package func request(_ query: RouteQuery, base: String) -> HTTPRequest {
    switch self {
    case .osrm:
      let points = ([query.origin] + query.destinations).map {
        "\(Self.degrees($0.longitude)),\(Self.degrees($0.latitude))"
      }
      let numbers = (1...max(1, query.destinations.count)).map(String.init)
      return HTTPRequest(
        url: "\(base)/table/v1/\(query.transport.rawValue)/\(points.joined(separator: ";"))"
          + "?sources=0&destinations=\(numbers.joined(separator: ";"))&annotations=duration"
          + "&generate_hints=false")
    case .valhalla:
      let costing =
        switch query.transport {
        case .driving: "auto"
        case .cycling: "bicycle"
        case .walking: "pedestrian"
        case .boat: "motor_boat"  // No engine has it: the sea has no roads.
        }
      let body = JSONObject([
        "sources": .array([Self.point(query.origin)]),
        "targets": .array(query.destinations.map(Self.point)), "costing": .string(costing),
      ])
      return HTTPRequest(url: "\(base)/sources_to_targets", body: JSONValue.object(body).line)
    }
  }

  /// Six decimals are a tenth of a metre.
  private static func degrees(_ value: Double) -> String {
    let millionths = Int((value * 1e6).rounded())
    let fraction = String(millionths.magnitude % 1_000_000)
    return (millionths < 0 ? "-" : "") + "\(millionths.magnitude / 1_000_000)."
      + String(repeating: "0", count: 6 - fraction.count) + fraction
  }

  private static func point(_ position: Coordinate) -> JSONValue {
    .object(["lat": .double(position.latitude), "lon": .double(position.longitude)])
  }

  /// A week on the way is no answer.
  private static let plausible = 0.0...604_800

  /// Seconds to each destination in an answer, nil without a route.
  /// - Throws: a sentence about the error in the answer.
  package func times(in body: [UInt8], count: Int) throws(RouteFailure) -> [Double?] {
    let answer: JSONValue
    do throws(JSONError) {
      answer = try JSONParser.parse(body)
    } catch {
      throw RouteFailure("the answer is not JSON: \(error)")
    }
    guard let row = try row(answer) else {
      let words = answer["message"]?.string ?? answer["error"]?.string
      throw RouteFailure("the engine refuses: \(words.map(Self.plain) ?? "no times in its answer")")
    }
    guard row.count == count else {
      throw RouteFailure("the engine gave \(row.count) times for \(count) places")
    }
    var times: [Double?] = []
    for entry in row {
      let value = entry["time"] ?? entry
      guard value != .null, entry.object == nil || entry["time"] != nil else {
        times.append(nil)
        continue
      }
      guard let seconds = value.double, Self.plausible.contains(seconds) else {
        throw RouteFailure("the engine gave a time that cannot be: \(Self.plain(value.line))")
      }
      times.append(seconds)
    }
    return times
  }

  private func row(_ answer: JSONValue) throws(RouteFailure) -> [JSONValue]? {
    switch self {
    case .osrm:
      guard answer["code"]?.string == "Ok" else { return nil }
      return answer["durations"]?.array?.first?.array
    case .valhalla:
      let matrix = answer["sources_to_targets"]
      return (matrix?["durations"]?.array ?? matrix?.array)?.first?.array
    }
  }

  /// Words of a stranger, short and on one line.
  private static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { $0.value < 0x20 ? " " : $0 }))
  }
}
