package import Containers

extension StateTape {
  package mutating func pass(_ value: inout Vector) {
    pass(&value.x)
    pass(&value.y)
    pass(&value.z)
  }

  package mutating func pass(_ value: inout Coordinate) {
    var (latitude, longitude) = (value.latitude, value.longitude)
    pass(&latitude)
    pass(&longitude)
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else { return fail() }
    value = place
  }
}

extension Coordinate {
  /// Where latitude and longitude are 0; for a place that is to be read.
  package static let origin = Coordinate(clampingLatitude: 0, wrappingLongitude: 0)
}
