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
    return policy.margin(size: index.size(of: id), error: track.receiver.error)
  }

  /// Whether the last sample contradicts the decided presence, or none is decided.
  package func isHalfDecided(_ id: FenceID) -> Bool {
    guard index.contains(id) else { return false }
    return presence(of: id) == .unknown || hold(of: id) != nil
  }

  /// How many times its claimed error a receiver is taken to scatter, and the minutes at rest from
  /// which that was learnt (at most a day); nil for an unknown receiver.
  package func scale(of receiver: ReceiverID) -> (scale: Double, minutes: Int)? {
    track.noise(of: receiver).map { ($0.scale, Int($0.blocks)) }
  }

  /// The same of the followed receiver.
  package var scale: (scale: Double, minutes: Int) {
    let noise = track.receiver.noise
    return (noise.scale, Int(noise.blocks))
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
