/// A point on the Earth's surface, WGS 84, in degrees.
///
/// A `Coordinate` is always valid: latitude −90…90, longitude −180…180 (180 is kept as given, so
/// that a value prints as it was read), both finite. Negative zero is stored as zero.
package struct Coordinate: Hashable, Sendable {
  /// Degrees north of the equator, −90…90.
  package let latitude: Double
  /// Degrees east of Greenwich, −180…180.
  package let longitude: Double

  /// Fails when a value is out of range or not a number.
  package init?(latitude: Double, longitude: Double) {
    guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return nil }
    self.latitude = latitude + 0
    self.longitude = longitude + 0
  }

  /// Fails also when a value is missing.
  package init?(latitude: Double?, longitude: Double?) {
    guard let latitude, let longitude else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Brings any finite pair into range: latitude is clamped, longitude wrapped to −180..<180.
  package init(clampingLatitude latitude: Double, wrappingLongitude longitude: Double) {
    let wrapped = longitude - 360 * ((longitude + 180) / 360).rounded(.down)
    self.latitude = latitude.isFinite ? max(-90, min(90, latitude)) + 0 : 0
    self.longitude = wrapped.isFinite ? max(-180, min(180, wrapped)) + 0 : 0
  }
}
