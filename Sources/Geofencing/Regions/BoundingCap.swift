import Geodesy

/// A small circle that contains a set of directions.
struct BoundingCap: Equatable, Sendable {
  /// A unit vector.
  let center: Vector
  /// The square of the chord to the farthest of them.
  let chordSquared: Double

  /// Fails where the directions lie all around the Earth, or there is none.
  ///
  /// The smallest ball around points, by steps towards the farthest of them that grow shorter
  /// (Bădoiu and Clarkson, "Smaller Core-Sets for Balls", 2003): 64 of them come within a few
  /// per cent of the smallest.
  init?(of points: [Vector]) {
    guard let first = points.first else { return nil }
    var center = first
    for step in 1...64 {
      let far = BoundingCap.farthest(from: center, in: points)
      center = center + (1 / Double(step + 1)) * (far - center)
    }
    let length = center.length
    guard length > 1e-3 else { return nil }
    self.center = (1 / length) * center
    chordSquared = self.center.chordSquared(
      to: BoundingCap.farthest(from: self.center, in: points))
  }

  private static func farthest(from center: Vector, in points: [Vector]) -> Vector {
    var (farthest, greatest) = (center, -1.0)
    for point in points {
      let chordSquared = center.chordSquared(to: point)
      if chordSquared > greatest { (farthest, greatest) = (point, chordSquared) }
    }
    return farthest
  }

  /// The circle of all points within `margin` metres of the directions, at least one metre wide;
  /// nil above the maximum radius.
  func circle(margin: Double) -> Circle? {
    // A millimetre for the rounding of the centre.
    let radius = Vector.distance(chordSquared: chordSquared) + margin + 0.001
    return Circle(center: center.coordinate, radius: max(Circle.radii.lowerBound, radius))
  }
}

extension Vector {
  /// The directions of positions without consecutive duplicates: an edge shorter than 6 µm has no
  /// direction. In a ring the last position must not repeat the first either.
  static func path(_ positions: [Coordinate], isRing: Bool) -> [Vector] {
    var path: [Vector] = []
    path.reserveCapacity(positions.count)
    for position in positions {
      let point = Vector(position)
      if path.last?.isSame(as: point) != true { path.append(point) }
    }
    while isRing, path.count > 1, let first = path.first, path[path.count - 1].isSame(as: first) {
      path.removeLast()
    }
    return path
  }

  private func isSame(as other: Vector) -> Bool {
    chordSquared(to: other) < 1e-24
  }
}
