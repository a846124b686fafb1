package import Geodesy

extension FenceMonitor {
  /// What is known of a fence; `unknown` where there is none of that number.
  package func presence(of id: FenceID) -> Presence {
    id >= 0 && Int(id) < states.count ? states[Int(id)].presence : .unknown
  }

  /// The fences the receiver is inside of, by number.
  package func insideFences() -> [FenceID] { inside.sorted() }

  /// Metres from a place to the edge of a fence, negative inside; infinite where there is no fence
  /// of that number.
  package func distance(to id: FenceID, from position: Coordinate) -> Double {
    guard index.contains(id) else { return .infinity }
    return index.boundaryDistance(of: id, from: position, Vector(position))
  }

  /// Metres from a place to the centre of a circle or the line of a corridor; of a polygon, to its
  /// edge, on whichever side. Infinite where there is no fence of that number.
  package func centerDistance(of id: FenceID, from position: Coordinate) -> Double {
    guard index.contains(id) else { return .infinity }
    return max(0, index.distance(of: id, beyond: distance(to: id, from: position)))
  }

  /// What a transition reports of its place: the `centerDistance`.
  package func distance(of transition: Transition) -> Double {
    centerDistance(of: transition.fence, from: transition.position)
  }

  /// How far beyond its edge a fence is left, given the error of a sample; 0 where there is no
  /// fence of that number.
  package func exitMargin(of id: FenceID, eph: Double?) -> Double {
    guard index.contains(id) else { return 0 }
    return policy.margin(size: index.size(of: id), eph: max(0, eph ?? 0))
  }

  /// Whether the last sample says otherwise than what is decided of a fence, or nothing is decided.
  package func isHalfDecided(_ id: FenceID) -> Bool {
    guard index.contains(id) else { return false }
    switch states[Int(id)].phase {
    case .vacant, .outside, .inside: return false
    case .unseen, .seenOutside, .seenInside, .entering, .leaving: return true
    }
  }

  /// The fences nearest to a place by distance to their edge (negative inside), nearest first:
  /// at most `limit`, none farther than `metres`.
  package func nearest(
    to position: Coordinate, limit: Int, within metres: Double
  ) -> [(id: FenceID, distance: Double)] {
    index.nearest(to: position, limit: limit, within: metres)
  }

  /// Bytes of heap that fences take which are no circles, about. Complexity: O(1).
  package var shapeBytes: Int { index.shapeBytes }

  /// Bytes of heap in use for fences, their states and the index.
  package var byteCount: Int {
    index.byteCount + states.capacity * MemoryLayout<FenceState>.stride
  }
}
