import Geodesy

/// A region other than a circle, stored beside its bounding circle.
enum Shape: Sendable {
  case polygon(Polygon)
  case corridor(Corridor)

  /// Nil for a circle.
  init?(_ region: Region) {
    switch region {
    case .circle: return nil
    case .polygon(let polygon): self = .polygon(polygon)
    case .corridor(let corridor): self = .corridor(corridor)
    }
  }

  var size: Double {
    switch self {
    case .polygon(let polygon): polygon.size
    case .corridor(let corridor): corridor.halfWidth
    }
  }

  var byteCount: Int {
    switch self {
    case .polygon(let polygon): polygon.byteCount
    case .corridor(let corridor): corridor.byteCount
    }
  }

  func signedBoundaryDistance(from place: Vector) -> Double {
    switch self {
    case .polygon(let polygon): polygon.signedBoundaryDistance(from: place)
    case .corridor(let corridor): corridor.signedBoundaryDistance(from: place)
    }
  }

  func passing(_ path: Edge) -> Double? {
    switch self {
    case .polygon(let polygon): polygon.passing(path)
    case .corridor(let corridor): corridor.passing(path)
    }
  }

  /// The distance reported by transitions: from a corridor's line, or to a polygon's edge on either
  /// side.
  func distance(beyond: Double) -> Double {
    switch self {
    case .polygon: abs(beyond)
    case .corridor(let corridor): beyond + corridor.halfWidth
    }
  }
}
