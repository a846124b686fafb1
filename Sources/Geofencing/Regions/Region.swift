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
    self.init(center, radius)
  }

  private init(_ center: Coordinate, _ radius: Double) {
    self.center = center
    self.radius = radius
  }

  /// The circle with another radius, one of `radii`.
  func resized(to radius: Double) -> Circle { Circle(center, radius) }

  /// In place of a circle that there is not, with a negative radius.
  static let none = Circle(Coordinate(clampingLatitude: 0, wrappingLongitude: 0), -1)
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
  var size: Double {
    switch self {
    case .circle(let circle): circle.radius
    case .polygon(let polygon): polygon.size
    case .corridor(let corridor): corridor.halfWidth
    }
  }

  /// Whether it is a corridor along a line.
  var isLine: Bool { if case .corridor = self { true } else { false } }

  /// Of heap, about.
  var byteCount: Int {
    switch self {
    case .circle: 0
    case .polygon(let polygon): polygon.byteCount
    case .corridor(let corridor): corridor.byteCount
    }
  }

  /// The distance reported by transitions, metres: from the centre of a circle, the line of a
  /// corridor or the edge of a polygon (on either side).
  package func distance(from position: Coordinate) -> Double {
    let beyond = signedBoundaryDistance(from: position)
    if case .polygon = self { return abs(beyond) }
    return max(0, beyond + size)
  }

  /// Metres to the edge, negative inside.
  package func signedBoundaryDistance(from position: Coordinate) -> Double {
    signedBoundaryDistance(from: position, Vector(position))
  }

  /// The same from a place in both forms.
  func signedBoundaryDistance(from position: Coordinate, _ place: Vector) -> Double {
    switch self {
    case .circle(let circle): position.distance(to: circle.center) - circle.radius
    case .polygon(let polygon): polygon.signedBoundaryDistance(from: place)
    case .corridor(let corridor): corridor.signedBoundaryDistance(from: place)
    }
  }

  /// The deepest point of a path, as a fraction of its length; nil if it does not touch a shape.
  /// It is nearest to the centre of a circle or the line of a corridor, or amid the longest stretch
  /// in a polygon.
  func passing(_ path: Edge) -> Double? {
    switch self {
    case .circle(let circle): path.nearestFraction(to: Vector(circle.center))
    case .polygon(let polygon): polygon.passing(path)
    case .corridor(let corridor): corridor.passing(path)
    }
  }
}
