package import Geodesy

extension FenceMonitor {
  /// The presence at a fence; `unknown` for an unknown number.
  package func presence(of id: FenceID) -> Presence {
    id >= 0 && Int(id) < states.count ? states[Int(id)].presence : .unknown
  }

  /// The containing fences by number.
  package func insideFences() -> [FenceID] { inside.sorted() }

  /// Metres from a place to the edge of a fence, negative inside; infinite for an unknown number.
  package func distance(to id: FenceID, from position: Coordinate) -> Double {
    guard index.contains(id) else { return .infinity }
    return index.boundaryDistance(of: id, from: position, Vector(position))
  }

  /// Metres from a place to the centre of a circle, the line of a corridor or the edge of a polygon
  /// (on either side); infinite for an unknown number.
  package func centerDistance(of id: FenceID, from position: Coordinate) -> Double {
    guard index.contains(id) else { return .infinity }
    return max(0, index.distance(of: id, beyond: distance(to: id, from: position)))
  }

  /// The `centerDistance` at the place of a transition.
  package func distance(of transition: Transition) -> Double {
    centerDistance(of: transition.fence, from: transition.position)
  }

  /// Metres beyond its edge at which a fence is left, by the last sample; 0 for an unknown number.
  package func exitMargin(of id: FenceID) -> Double {
    guard index.contains(id) else { return 0 }
    let size = index.size(of: id)
    guard let last else { return policy.margin(size: size, eph: 0) }
    let margin = policy.margin(size: size, eph: givenError(last.sample))
    let isMoving = isMoving(
      Evaluation(sample: last.sample, place: last.place, connected: true, leg: true))
    return isMoving ? margin : max(margin, policy.motionOfError * knownError(last.sample))
  }

  /// Whether the last sample contradicts the decided presence, or none is decided.
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

  /// Estimated heap use of shapes other than circles in bytes. Complexity: O(1).
  package var shapeBytes: Int { index.shapeBytes }

  /// Bytes of heap in use for fences, their states and the index.
  package var byteCount: Int {
    index.byteCount + states.capacity * MemoryLayout<FenceState>.stride
  }
}
