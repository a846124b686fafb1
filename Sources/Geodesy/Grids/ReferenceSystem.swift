import Glibc

/// The coordinate systems that files of places name, by their EPSG codes (https://epsg.org). The
/// continental systems ETRS89 and NAD83 count as WGS 84, from which they differ by some metres.
package enum ReferenceSystem: Equatable, Sendable {
  /// Longitude and latitude in degrees.
  case geographic
  /// The sphere of web maps, in metres (EPSG guidance note 7-2, method 1024).
  case webMercator
  /// Metres east and north in a zone of UTM.
  case utm(zone: Int, isNorth: Bool)

  private static let equatorialRadius = 6_378_137.0

  /// nil for a system that is not converted.
  package init?(epsg code: Int) {
    switch code {
    case 4326, 4258, 4269: self = .geographic
    case 3857, 3785, 900_913, 102_100: self = .webMercator
    case 32_601...32_660: self = .utm(zone: code - 32_600, isNorth: true)
    case 32_701...32_760: self = .utm(zone: code - 32_700, isNorth: false)
    case 25_828...25_838: self = .utm(zone: code - 25_800, isNorth: true)
    case 26_901...26_923: self = .utm(zone: code - 26_900, isNorth: true)
    default: return nil
    }
  }

  /// Reads a name such as `urn:ogc:def:crs:OGC:1.3:CRS84`, `urn:ogc:def:crs:EPSG::3857` or
  /// `EPSG:25832`; nil for a system that is not converted.
  package init?(named name: String) {
    let upper = name.uppercased()
    if upper.hasSuffix("CRS84") || upper.hasSuffix("CRS83") {
      self = .geographic
      return
    }
    let digits = String(upper.reversed().prefix { $0.isWholeNumber }.reversed())
    guard upper.contains("EPSG"), let code = Int(digits) else { return nil }
    self.init(epsg: code)
  }

  /// The position; nil beyond the bounds of the system.
  package func coordinate(x: Double, y: Double) -> Coordinate? {
    switch self {
    case .geographic: return Coordinate(latitude: y, longitude: x)
    case .webMercator:
      let latitude = atan(sinh(y / Self.equatorialRadius)) * 180 / Double.pi
      return Coordinate(
        latitude: latitude, longitude: x / Self.equatorialRadius * 180 / Double.pi)
    case .utm(let zone, let isNorth):
      guard (100_000...900_000).contains(x), (0...10_000_000).contains(y) else { return nil }
      return GridPosition(zone: zone, isNorth: isNorth, easting: x, northing: y).coordinate
    }
  }
}
