import Glibc

/// A position in the UTM grid, or in the UPS grid beyond 80° S and 84° N: NGA.SIG.0012, 2014.
struct GridPosition {
  /// 1…60; 0 is UPS.
  var zone: Int
  var isNorth: Bool
  /// Metres, 500 000 on the central meridian; 2 000 000 at the pole in UPS.
  var easting: Double
  /// Metres from the equator, or from 10 000 km south of it; 2 000 000 at the pole in UPS.
  var northing: Double

  static let bands = Array("CDEFGHJKLMNPQRSTUVWX".unicodeScalars)
  private static let mercator = TransverseMercator(scale: 0.9996)
  private static let stereographic = PolarStereographic(scale: 0.994)
  private static let polarOrigin = 2_000_000.0

  init(zone: Int, isNorth: Bool, easting: Double, northing: Double) {
    self.zone = zone
    self.isNorth = isNorth
    self.easting = easting
    self.northing = northing
  }

  init(_ point: Coordinate) {
    isNorth = point.latitude >= 0
    zone = Self.zone(point)
    if zone == 0 {
      let radius = Self.stereographic.radius(latitude: abs(point.latitude))
      let lambda = SineCosine(degrees: point.longitude)
      easting = Self.polarOrigin + radius * lambda.sine
      northing = Self.polarOrigin + (isNorth ? -radius : radius) * lambda.cosine
    } else {
      var longitude = point.longitude - Self.centralMeridian(zone)
      if longitude < -180 { longitude += 360 }
      if longitude > 180 { longitude -= 360 }
      let (x, y) = Self.mercator.forward(latitude: point.latitude, longitude: longitude)
      easting = 500_000 + x
      northing = isNorth ? y : 10_000_000 + y
    }
  }

  var coordinate: Coordinate {
    guard zone > 0 else {
      let x = easting - Self.polarOrigin
      let y = northing - Self.polarOrigin
      let latitude = Self.stereographic.latitude(radius: (x * x + y * y).squareRoot())
      return Coordinate(
        clampingLatitude: isNorth ? latitude : -latitude,
        wrappingLongitude: atan2(x, isNorth ? -y : y) * 180 / Double.pi)
    }
    let (latitude, longitude) = Self.mercator.inverse(
      x: easting - 500_000, y: isNorth ? northing : northing - 10_000_000)
    return Coordinate(
      clampingLatitude: latitude, wrappingLongitude: longitude + Self.centralMeridian(zone))
  }

  private static func centralMeridian(_ zone: Int) -> Double { Double(zone * 6 - 183) }

  /// With the exceptions for south-western Norway and Svalbard.
  private static func zone(_ point: Coordinate) -> Int {
    let (latitude, longitude) = (point.latitude, point.longitude)
    guard latitude >= -80, latitude < 84 else { return 0 }
    if latitude >= 56, latitude < 64, longitude >= 3, longitude < 12 { return 32 }
    if latitude >= 72, longitude >= 0, longitude < 42 {
      return longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37
    }
    return Int((longitude + 180) / 6) % 60 + 1
  }

  /// The letter of the band of 8° (12° for X), or of the half of the cap around a pole.
  static func band(latitude: Double, longitude: Double) -> Unicode.Scalar {
    if latitude < -80 { return longitude < 0 ? "A" : "B" }
    if latitude >= 84 { return longitude < 0 ? "Y" : "Z" }
    return bands[max(0, min(bands.count - 1, Int((latitude + 80) / 8)))]
  }

  /// The latitudes of a band; nil for a letter that is none.
  static func latitudes(of band: Unicode.Scalar) -> ClosedRange<Double>? {
    guard let index = bands.firstIndex(of: band) else { return nil }
    let south = Double(index * 8 - 80)
    return south...(band == "X" ? 84 : south + 8)
  }

  /// The band of UPS of this position, by its easting.
  var polarBand: Unicode.Scalar {
    easting < Self.polarOrigin ? (isNorth ? "Y" : "A") : (isNorth ? "Z" : "B")
  }
}
