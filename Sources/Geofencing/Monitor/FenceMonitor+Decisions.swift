import Geodesy

/// An accepted sample in the form needed by decisions.
struct Evaluation {
  let sample: PositionSample
  let place: Vector
  /// Whether the sample follows another at a plausible speed.
  let connected: Bool
  /// Whether it also follows soon enough for the leg between them to be known.
  let leg: Bool
}

extension FenceMonitor {
  /// Evaluates an accepted sample and sets the safe ball around it.
  mutating func accept(
    _ located: LocatedSample, connected: Bool, into transitions: inout [Transition]
  ) {
    let leg = connected && isLeg(to: located)
    let evaluation = Evaluation(
      sample: located.sample, place: located.place, connected: connected, leg: leg)
    let start = transitions.count
    settled.removeAll(keepingCapacity: true)

    bearOutAwaited(evaluation, into: &transitions)
    var safe = neighbours.check(
      located.sample.position, located.place, legFrom: leg ? last?.place : nil, in: index)
    updateLingering()
    if !lingering.isEmpty {
      let metres = decideDepartures(evaluation, into: &transitions)
      safe = min(safe, NeighbourList.chord(atMost: metres))
    }
    if !entering.isEmpty { decideEntering(evaluation, into: &transitions) }
    if !undecided.isEmpty { decideUndecided(evaluation, into: &transitions) }
    if !neighbours.entered.isEmpty { decideEntered(evaluation, into: &transitions) }
    if !neighbours.crossable.isEmpty { findPasses(evaluation, into: &transitions) }
    remember(located, connected: leg)
    let isPending = leavingCount > 0 || !entering.isEmpty || !undecided.isEmpty || !awaited.isEmpty
    safeBall = isPending ? SafeBall() : SafeBall(around: located.place, radius: safe)
    Transition.sort(&transitions, from: start)
  }

  /// Updates `lingering` from the neighbour list.
  private mutating func updateLingering() {
    if isPresenceTrusted {
      for fence in neighbours.left where states[Int(fence)].isInside { lingering.append(fence) }
    } else {
      let holding = Set(neighbours.holding)
      lingering = inside.filter { !holding.contains($0) || states[Int($0)].is(.leaving) }
      isPresenceTrusted = true
    }
  }

  /// Whether the receiver has moved by more than its error explains, or says so itself.
  func isMoving(_ evaluation: Evaluation) -> Bool {
    if let speed = evaluation.sample.speed, speed >= policy.motionSpeed { return true }
    let threshold = policy.motionOfError * knownError(evaluation.sample)
    if let last, last.place.isFarther(than: threshold, from: evaluation.place) { return true }
    return trail.hasMoved(to: evaluation.place, at: evaluation.sample.time, by: threshold)
  }

  private func boundaryDistance(of fence: FenceID, _ evaluation: Evaluation) -> Double {
    index.boundaryDistance(of: fence, from: evaluation.sample.position, evaluation.place)
  }

  /// Decides departures. Returns metres to the nearest place where a fence might be left.
  private mutating func decideDepartures(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) -> Double {
    var safe = Double.infinity
    var kept = 0
    let count = transitions.count
    for fence in lingering {
      let isLeaving = states[Int(fence)].is(.leaving)
      let beyond = boundaryDistance(of: fence, evaluation)
      let size = index.size(of: fence)
      var margin = policy.margin(size: size, eph: givenError(evaluation.sample))
      // At rest, a margin cut short by a small radius is within reach of the receiver's wandering.
      if beyond > margin, !isMoving(evaluation) {
        margin = max(margin, policy.motionOfError * knownError(evaluation.sample))
      }
      if beyond <= margin {
        if isLeaving {
          states[Int(fence)] = FenceState(phase: .inside)
          leavingCount -= 1
        }
        guard beyond > 0 else { continue }
        safe = min(safe, policy.margin(size: size, eph: 0) - beyond)
      } else {
        let isDoubtless = evaluation.connected && beyond > max(margin, policy.doubtDistance)
        if isLeaving || isDoubtless || !policy.confirms {
          if isLeaving { leavingCount -= 1 }
          states[Int(fence)] = FenceState(phase: .outside)
          settled.append(fence)
          transitions.append(transition(.depart, fence, evaluation.sample))
          continue
        }
        states[Int(fence)] = FenceState(phase: .leaving)
        leavingCount += 1
      }
      lingering[kept] = fence
      kept += 1
    }
    lingering.removeLast(lingering.count - kept)
    if transitions.count > count { inside.removeAll { !states[Int($0)].isInside } }
    return max(0, safe)
  }

  /// The fences the last sample was the first one inside of.
  private mutating func decideEntering(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) {
    for fence in entering {
      if boundaryDistance(of: fence, evaluation) <= 0 {
        arrive(.arrive, fence, evaluation, into: &transitions)
      } else {
        states[Int(fence)] = FenceState(phase: .outside)
        settled.append(fence)
        if policy.reportsPasses, evaluation.leg, isMoving(evaluation) {
          reportBriefVisit(fence, evaluation, into: &transitions)
        }
      }
    }
    entering.removeAll(keepingCapacity: true)
  }

  /// Decides fences of unknown presence: by two samples that agree, or one deep inside or outside.
  private mutating func decideUndecided(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) {
    let metresPerDegree = Sphere.radius * .pi / 180
    var kept = 0
    for fence in undecided {
      let circle = index.circles[Int(fence)]
      // The difference of latitude alone shows that most of a world of fences are far away.
      let coarse =
        abs(circle.center.latitude - evaluation.sample.position.latitude) * metresPerDegree
        - circle.radius
      let beyond = coarse > policy.doubtDistance ? coarse : boundaryDistance(of: fence, evaluation)
      let isInside = beyond <= 0
      let seen: FenceState.Phase = isInside ? .seenInside : .seenOutside
      let isSure =
        !policy.confirms || states[Int(fence)].is(seen)
        || (evaluation.connected && abs(beyond) > policy.doubtDistance)
      guard isSure else {
        states[Int(fence)] = FenceState(phase: seen)
        undecided[kept] = fence
        kept += 1
        continue
      }
      if isInside {
        arrive(.found, fence, evaluation, into: &transitions)
        continue
      }
      states[Int(fence)] = FenceState(phase: .outside)
      // No leg is longer.
      if beyond < Sphere.radius * 0.01 { settled.append(fence) }
    }
    undecided.removeSubrange(kept...)
  }

  /// The fences that hold this sample and did not hold the last: those the receiver was outside of
  /// are being entered.
  private mutating func decideEntered(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) {
    for fence in neighbours.entered where states[Int(fence)].is(.outside) {
      if !policy.confirms || isDeep(fence, evaluation) {
        arrive(.arrive, fence, evaluation, into: &transitions)
      } else {
        states[Int(fence)] = FenceState(phase: .entering)
        entering.append(fence)
      }
    }
  }

  /// Whether one sample inside a fence is enough.
  private func isDeep(_ fence: FenceID, _ evaluation: Evaluation) -> Bool {
    evaluation.connected && -boundaryDistance(of: fence, evaluation) > policy.doubtDistance
  }

  /// - Parameter kind: `arrive` or `found`.
  private mutating func arrive(
    _ kind: Transition.Kind, _ fence: FenceID, _ evaluation: Evaluation,
    into transitions: inout [Transition]
  ) {
    states[Int(fence)] = FenceState(phase: .inside)
    inside.append(fence)
    transitions.append(transition(kind, fence, evaluation.sample))
  }

  func transition(
    _ kind: Transition.Kind, _ fence: FenceID, _ sample: PositionSample
  ) -> Transition {
    Transition(
      fence: fence, kind: kind, time: sample.time, position: sample.position, eph: sample.eph)
  }
}
