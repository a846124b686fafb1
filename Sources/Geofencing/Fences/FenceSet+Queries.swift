package import Geodesy

extension FenceSet {
  /// The presence at a fence; `unknown` for an unknown number.
  package func presence(of id: FenceID) -> Presence {
    index.contains(id) ? presences[Int(id)] ?? .unknown : .unknown
  }

  /// Metres from a place to the edge of a fence, negative inside; infinite for an unknown number.
  package func distance(to id: FenceID, from position: Coordinate) -> Double {
    index.contains(id) ? index.region(of: id).signedBoundaryDistance(from: position) : .infinity
  }

  /// Metres from a place to the centre of a circle, the line of a corridor or the edge of a polygon
  /// (on either side); infinite for an unknown number.
  package func centerDistance(of id: FenceID, from position: Coordinate) -> Double {
    index.contains(id) ? index.region(of: id).distance(from: position) : .infinity
  }

  /// The middle of the smallest circle around a fence; nil for an unknown number.
  package func center(of id: FenceID) -> Coordinate? {
    index.contains(id) ? index.circles[Int(id)].center : nil
  }

  /// The `centerDistance` at the place of a transition.
  package func distance(of transition: Transition) -> Double {
    centerDistance(of: transition.fence, from: transition.position)
  }

  /// The fences nearest to a place by distance to their edge (negative inside), nearest first:
  /// at most `limit`, none farther than `metres`.
  package func nearest(
    to position: Coordinate, limit: Int, within metres: Double
  ) -> [(id: FenceID, distance: Double)] {
    index.nearest(to: position, limit: limit, within: metres)
  }

  /// Estimated heap use of shapes other than circles in bytes. Complexity: O(1).
  package var shapeBytes: Int { index.shapeBytes }

  /// Bytes of heap in use for fences, their states and the index.
  package var byteCount: Int {
    index.byteCount + presences.capacity * MemoryLayout<Presence?>.stride
  }
}
