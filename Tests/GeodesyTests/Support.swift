import Geodesy
import Glibc
import TestSupport

extension SeededGenerator {
  /// A point anywhere, with poles, equator, antimeridian and round numbers more often than chance.
  mutating func coordinate() -> Coordinate {
    let latitudes = [-90, -89.999_999_9, -45, -0.000_000_4, 0, 0.000_000_4, 59.999_999_99, 90]
    let longitudes = [-180, -179.999_999_99, -0.000_000_4, 0, 12.999_999_99, 90, 180]
    let special = Int.random(in: 0..<8, using: &self)
    let latitude =
      special & 3 == 1
      ? latitudes[Int.random(in: latitudes.indices, using: &self)]
      : Double.random(in: -90...90, using: &self)
    let longitude =
      special & 3 == 2 || special == 1
      ? longitudes[Int.random(in: longitudes.indices, using: &self)]
      : Double.random(in: -180...180, using: &self)
    return Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
  }
}

/// A coordinate the test knows to be in range.
func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
  Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
}

/// The angle between two bearings, 0…180.
func turn(_ a: Double, _ b: Double) -> Double {
  let difference = abs(a - b).truncatingRemainder(dividingBy: 360)
  return min(difference, 360 - difference)
}

/// Whether the tests that take long are asked for.
let isLongRun = getenv("GEOREMIND_LONG_TESTS").map { String(cString: $0) } == "1"
