import Geodesy

extension Polygon {
  /// Where a path whose ends are outside passes through, as a fraction of its length: the middle of
  /// the longest stretch inside. Nil where it does not touch.
  /// - Complexity: as `forEachEdge`.
  func passing(_ path: Edge) -> Double? {
    var crossings: [Double] = []
    forEachEdge(near: path) { edge in
      if let fraction = path.crossing(edge) { crossings.append(fraction) }
    }
    guard !crossings.isEmpty else { return nil }
    crossings.sort()
    var stretches = zip(crossings, crossings.dropFirst()).map {
      (length: $1 - $0, middle: ($0 + $1) / 2)
    }
    stretches.sort { ($0.length, $1.middle) > ($1.length, $0.middle) }
    // Where the longest are outside, between two arms of the shape, others follow; a shape of very
    // many arms is passed at its first crossing.
    for stretch in stretches.prefix(8)
    where signedBoundaryDistance(from: path.point(at: stretch.middle)) <= 0 {
      return stretch.middle
    }
    return crossings[0]
  }
}

extension Corridor {
  /// Where a path whose ends are outside passes through, as a fraction of its length: where it
  /// comes nearest to the line, first if that is at more than one place. Nil where it stays
  /// outside.
  /// - Complexity: O(positions).
  func passing(_ path: Edge) -> Double? {
    var (least, at) = (4.0, 0.0)
    forEachEdge { edge in
      if let fraction = path.crossing(edge) {
        if least > 0 || fraction < at { (least, at) = (0, fraction) }
        return
      }
      for end in [edge.start, edge.start + edge.chord] {
        let chord = path.chordSquared(to: end)
        if chord < least { (least, at) = (chord, path.nearestFraction(to: end)) }
      }
      // The path's own ends are outside, but one may be nearest where it only grazes the edge.
      for (fraction, end) in [(0.0, path.start), (1, path.start + path.chord)] {
        let chord = edge.chordSquared(to: end)
        if chord < least { (least, at) = (chord, fraction) }
      }
    }
    return Vector.distance(chordSquared: least) <= halfWidth ? at : nil
  }
}
