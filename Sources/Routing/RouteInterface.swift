package import CivilTime
package import Control
package import Departure
package import Geodesy
package import JSONText

/// The interface of `georemind-route` on its socket, for both ends.
package enum RouteInterface {
  package static let name = "org.georemind.route"

  package static let text = """
    # Travel times from a routing engine. The daemon asks for the ways of those reminders
    # that are near their time to leave, all of one mode at once.
    interface org.georemind.route

    type Point (lat: float, lon: float)

    # Seconds on the way from one point to each of up to 100 others; null where there is
    # no way. transport is driving, cycling or walking.
    method Table(
      transport: string,
      origin: Point,
      destinations: []Point
    ) -> (times: []?float)

    # The engine is away, slow, or has answered nonsense; nothing is asked of it for
    # a while after.
    error EngineTrouble (reason: string)

    # No engine is configured for this mode.
    error NotConfigured (transport: string)

    """

  /// The call for a request.
  package static func parameters(of request: RouteRequest) -> JSONObject {
    [
      "transport": .string(request.transport.rawValue), "origin": point(request.origin),
      "destinations": .array(request.destinations.map(point)),
    ]
  }

  private static func point(_ position: Coordinate) -> JSONValue {
    .object(["lat": .double(position.latitude), "lon": .double(position.longitude)])
  }

  /// The question in a call, which has been checked against the interface.
  package static func query(_ parameters: JSONObject) -> RouteQuery? {
    guard let transport = parameters["transport"]?.string.flatMap(Transport.init),
      let origin = position(parameters["origin"]),
      let given = parameters["destinations"]?.array, (1...100).contains(given.count)
    else { return nil }
    let destinations = given.compactMap(position)
    guard destinations.count == given.count else { return nil }
    return RouteQuery(transport: transport, origin: origin, destinations: destinations)
  }

  private static func position(_ value: JSONValue?) -> Coordinate? {
    guard let latitude = value?["lat"]?.double, let longitude = value?["lon"]?.double else {
      return nil
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The answer as the other end reads it.
  package static func times(
    _ result: Result<JSONObject, VarlinkError>
  ) -> Result<[TimeSpan?], RouteFailure> {
    switch result {
    case .success(let answer):
      guard let times = answer["times"]?.array else {
        return .failure(RouteFailure("georemind-route gave no times"))
      }
      return .success(times.map { $0.double.map { TimeSpan(seconds: $0) } })
    case .failure(let error):
      let reason = error.parameters["reason"]?.string
      return .failure(RouteFailure(reason ?? "georemind-route refuses: \(error)"))
    }
  }
}

/// The ways from one point to several others.
package struct RouteQuery: Equatable, Sendable {
  package var transport: Transport
  package var origin: Coordinate
  package var destinations: [Coordinate]

  package init(transport: Transport, origin: Coordinate, destinations: [Coordinate]) {
    self.transport = transport
    self.origin = origin
    self.destinations = destinations
  }
}
