import Companion
import Geodesy
import JSONText

/// A search for the places along a route, part by part from here on.
struct PlacesAlong {
  /// Farther from the route no place is on the way, metres.
  static let farthest = 5_000.0
  /// Parts of the route are about this long, metres.
  private static let part = 20_000.0
  /// The longest answer of the daemon.
  private static let page = 250

  let route: RouteLine
  /// Metres from the beginning of the route to here.
  let start: Double
  /// The parameters of `FindPlaces` that choose the places.
  let filter: JSONObject
  let daemon: DaemonConnection

  /// The first places from here on, each with its distance by the route and the detour.
  /// - Parameter reach: metres by the route and off it; nil is the end of the route.
  func first(_ limit: Int, within reach: Double?) throws -> [JSONValue] {
    var found: [String: (place: JSONValue, along: Double, off: Double)] = [:]
    var number = max(0, (route.along.firstIndex { $0 > start } ?? 1) - 1)
    let end = start + (reach ?? .infinity)
    while number < route.points.count - 1, route.along[number] < end {
      let from = number
      number =
        route.along.firstIndex { $0 - route.along[from] >= Self.part } ?? route.along.count - 1
      try search(from..<number) { name, place, along, off in
        guard along >= start, along + off <= end, off < found[name]?.off ?? .infinity else {
          return
        }
        found[name] = (place, along, off)
      }
      // Places of later parts are farther than the beginning of this one.
      let known = route.along[from]
      if found.values.count(where: { $0.along + $0.off <= known }) >= limit { break }
    }
    let sorted = found.map { (name: $0.key, way: $0.value.along + $0.value.off, $0.value) }
      .sorted { ($0.way, $0.name) < ($1.way, $1.name) }
    return sorted.prefix(limit).map { _, way, entry in
      var place = entry.place.object ?? JSONObject()
      place["distance_m"] = .double((way - start).rounded())
      place["detour_m"] = .double((2 * entry.off).rounded())
      return .object(place)
    }
  }

  private typealias Body = (_ name: String, JSONValue, _ along: Double, _ off: Double) -> Void

  /// Asks for the places around a part, in halves where they are too many for one answer.
  private func search(_ pieces: Range<Int>, _ body: Body) throws {
    let middle = route.points[(pieces.lowerBound + pieces.upperBound) / 2]
    let radius =
      route.points[pieces.lowerBound...pieces.upperBound]
      .map { middle.distance(to: $0) }.max() ?? 0
    var query = filter
    query["latitude"] = .double(middle.latitude)
    query["longitude"] = .double(middle.longitude)
    query["within_m"] = .double(radius + Self.farthest)
    query["limit"] = .int(Self.page)
    let places = try daemon.call("FindPlaces", query)["places"]?.array ?? []
    if places.count == Self.page, pieces.count > 1 {
      let half = pieces.lowerBound + pieces.count / 2
      try search(pieces.lowerBound..<half, body)
      return try search(half..<pieces.upperBound, body)
    }
    for place in places {
      guard let position = place.coordinate, let name = place["name"]?.string else { continue }
      let (along, off) = route.nearest(to: position, in: pieces)
      if off <= Self.farthest { body(name, place, along, off) }
    }
  }
}
