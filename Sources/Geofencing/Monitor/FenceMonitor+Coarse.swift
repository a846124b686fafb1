import CivilTime
import Geodesy

/// The use of a sample.
package enum SampleQuality: Sendable {
  case good
  /// Worse than 100 m: for fences larger than its error, as long as there is nothing better.
  case coarse
  /// Worse than the user wants.
  case excluded
}

extension MonitorPolicy {
  package func quality(of eph: Double?) -> SampleQuality {
    guard let eph else { return .good }
    return eph > maximumError ? .excluded : eph > trackError ? .coarse : .good
  }
}

/// Positions by Wi-Fi, mobile networks or addresses: they jump by kilometres, and are right about a
/// country.
extension FenceMonitor {
  /// Takes in a sample that is no part of the track.
  ///
  /// It decides about a fence at least as large as its error, if it is deeper inside or farther
  /// outside than that error. Another coarse sample must agree, and no good one may have come for a
  /// while.
  /// - Complexity: O(fences that hold the place + fences inside or undecided).
  @inline(never)
  mutating func processCoarse(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard let eph = sample.eph, policy.quality(of: eph) == .coarse, eph < .infinity else { return }
    if let good = track.newestGood, sample.time - good < policy.coarseAfter { return }
    let start = transitions.count
    let near = index.nearest(to: sample.position, limit: .max, within: -eph)
    let candidates = Set(near.map(\.id)).union(inside).union(undecided.lazy.map(\.fence))
      .union(coarse.keys)
    let place = Vector(sample.position)
    var decided: [FenceID: Bool] = [:]
    for fence in candidates where index.size(of: fence) >= eph {
      let beyond = index.boundaryDistance(of: fence, from: sample.position, place)
      let state = states[Int(fence)].presence
      guard abs(beyond) > eph, state != (beyond < 0 ? .inside : .outside) else {
        coarse[fence] = nil
        continue
      }
      let run = coarse[fence]
      guard let run, run.isInside == (beyond < 0) else {
        coarse[fence] = (beyond < 0, sample.time)
        continue
      }
      guard sample.time - run.since >= policy.agreement else { continue }
      decided[fence] = run.isInside
    }
    guard !decided.isEmpty else { return }
    decideCoarse(decided, sample, into: &transitions)
    Transition.sort(&transitions, from: start)
  }

  /// - Parameter decided: fences, and whether the device is inside.
  private mutating func decideCoarse(
    _ decided: [FenceID: Bool], _ sample: PositionSample, into transitions: inout [Transition]
  ) {
    undecided.removeAll { decided[$0.fence] != nil }
    entering.removeAll { decided[$0.fence] != nil }
    lingering.removeAll { decided[$0.fence] != nil }
    inside.removeAll { decided[$0] == false }
    for (fence, isInside) in decided {
      let former = states[Int(fence)].presence
      coarse[fence] = nil
      if isInside {
        let kind: Transition.Kind = former == .unknown ? .found : .arrive
        arrive(kind, fence, Transition(kind, fence, sample), into: &transitions)
      } else {
        if former == .inside {
          depart(fence, Transition(.depart, fence, sample), into: &transitions)
        }
        states[Int(fence)] = FenceState(phase: .outside)
      }
    }
    safeBall = SafeBall()
    forgetNeighbours()
  }
}
