package import Geodesy

/// A circle on the sphere: all points at most `radius` metres from `center`, its edge included.
package struct Circle: Equatable, Sendable {
  /// The radii a circle may have, in metres.
  package static let radii: ClosedRange<Double> = 1...5_000_000

  package private(set) var center: Coordinate
  /// Metres, 1…5 000 000.
  package private(set) var radius: Double

  /// Fails when `radius` is not a number or outside `radii`.
  package init?(center: Coordinate, radius: Double) {
    guard Circle.radii.contains(radius) else { return nil }
    self.center = center
    self.radius = radius
  }
}

/// The area a fence encloses.
package enum Region: Equatable, Sendable {
  case circle(Circle)
}
