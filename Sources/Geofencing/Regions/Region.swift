package import Geodesy

/// A circle on the sphere: all points at most `radius` metres from `center`, including the edge.
package struct Circle: Equatable, Sendable {
  /// Permitted radii, metres.
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
  case polygon(Polygon)
  case corridor(Corridor)

  /// A circle that contains the region.
  package var boundingCircle: Circle {
    switch self {
    case .circle(let circle): circle
    case .polygon(let polygon): polygon.boundingCircle
    case .corridor(let corridor): corridor.boundingCircle
    }
  }

  /// The scale of margins in metres: the radius of a circle, a polygon's `size`, half the width of
  /// a corridor.
  package var size: Double {
    switch self {
    case .circle(let circle): circle.radius
    case .polygon(let polygon): polygon.size
    case .corridor(let corridor): corridor.halfWidth
    }
  }

  /// The distance reported by transitions, metres: from the centre of a circle, the line of a
  /// corridor or the edge of a polygon (on either side).
  package func distance(from position: Coordinate) -> Double {
    switch self {
    case .circle(let circle): position.distance(to: circle.center)
    case .polygon(let polygon): abs(polygon.signedBoundaryDistance(from: position))
    case .corridor(let corridor):
      corridor.signedBoundaryDistance(from: position) + corridor.halfWidth
    }
  }

  /// Metres to the edge, negative inside.
  package func signedBoundaryDistance(from position: Coordinate) -> Double {
    switch self {
    case .circle(let circle): position.distance(to: circle.center) - circle.radius
    case .polygon(let polygon): polygon.signedBoundaryDistance(from: position)
    case .corridor(let corridor): corridor.signedBoundaryDistance(from: position)
    }
  }
}
