package import CivilTime
package import Geodesy

/// A request to a routing engine: the ways from here to several places.
package struct RouteRequest: Equatable, Sendable {
  /// Counts up; the answer carries it back.
  package var number: Int
  package var transport: Transport
  package var origin: Coordinate
  /// 1…100 of them.
  package var destinations: [Coordinate]

  package init(
    number: Int, transport: Transport, origin: Coordinate, destinations: [Coordinate]
  ) {
    self.number = number
    self.transport = transport
    self.origin = origin
    self.destinations = destinations
  }
}

/// The result of a `RouteRequest`.
package struct RouteAnswer: Equatable, Sendable {
  package var number: Int
  /// For each destination in order, nil without a way; or why there are none at all.
  package var times: Result<[TimeSpan?], RouteFailure>

  package init(number: Int, times: Result<[TimeSpan?], RouteFailure>) {
    self.number = number
    self.times = times
  }
}

/// Why a routing engine gave no times, as a sentence without a final stop.
package struct RouteFailure: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
