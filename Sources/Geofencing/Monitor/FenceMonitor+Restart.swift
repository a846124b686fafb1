extension FenceMonitor {
  /// A monitor with the same fences and presences and another policy, without the track and pending
  /// decisions. The scales of the receivers stay.
  /// - Complexity: O(fences), without building the index anew.
  package func restarted(policy: MonitorPolicy) -> FenceMonitor {
    var fresh = FenceMonitor(policy: policy, track: track.restarted())
    fresh.index = index
    fresh.states = states
    for id in states.indices where !states[id].is(.vacant) {
      let presence = states[id].presence
      fresh.states[id] = FenceState(presence)
      switch presence {
      case .unknown: fresh.undecided.append(Undecided(FenceID(id)))
      case .inside: fresh.inside.append(FenceID(id))
      case .outside: break
      }
    }
    return fresh
  }
}
