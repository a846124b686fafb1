package import Geodesy

extension FenceMonitor {
  /// A monitor with the same fences and another policy. The track so far is forgotten, and with it
  /// what was half decided; where the receiver is with respect to each fence is not.
  /// - Complexity: O(fences), without building the index anew.
  package func restarted(policy: MonitorPolicy) -> FenceMonitor {
    var fresh = FenceMonitor(policy: policy)
    fresh.index = index
    fresh.states = states
    for id in states.indices where !states[id].is(.vacant) {
      let presence = states[id].presence
      fresh.states[id] = FenceState(presence)
      switch presence {
      case .unknown: fresh.undecided.append(FenceID(id))
      case .inside: fresh.inside.append(FenceID(id))
      case .outside: break
      }
    }
    return fresh
  }

  /// Metres from a place to the centre of a circle or the line of a corridor; infinite where there is no
  /// fence of that number.
  package func centerDistance(of id: FenceID, from position: Coordinate) -> Double {
    guard index.contains(id) else { return .infinity }
    let beyond = index.boundaryDistance(of: id, from: Viewpoint(position))
    return max(0, index.distance(of: id, beyond: beyond))
  }

  /// How far beyond its edge a fence is left, given the error of a sample; 0 where there is no fence
  /// of that number.
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
}
