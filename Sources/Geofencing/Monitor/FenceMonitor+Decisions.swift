import CivilTime
import Geodesy

/// A believed sample in the form needed by decisions.
struct Evaluation {
  let sample: PositionSample
  let place: Vector
  /// Whether it follows another soon enough, and at a plausible speed, for the leg between them to
  /// be known.
  let leg: Bool
}

extension FenceMonitor {
  /// Margins hold for errors from this part of the last one to that multiple, so that the safe ball
  /// survives a receiver whose claims change a little.
  private static let errorBand = (lower: 0.8, upper: 1.25)

  /// Evaluates a believed sample and sets the safe ball around it.
  mutating func accept(_ evaluation: Evaluation, into transitions: inout [Transition]) {
    let start = transitions.count
    decided.removeAll(keepingCapacity: true)
    deadline = Instant(microseconds: .max)

    bearOutAwaited(evaluation, into: &transitions)
    var safe = neighbours.check(
      evaluation.sample.position, evaluation.place,
      legFrom: evaluation.leg ? track.receiver.last?.place : nil, in: index)
    updateLingering()
    for fence in neighbours.entered where states[Int(fence)].is(.outside) {
      states[Int(fence)] = FenceState(phase: .entering)
      entering.append(Entering(fence))
    }
    var slack = Double.infinity
    if !lingering.isEmpty { slack = decideDepartures(evaluation, into: &transitions) }
    if !entering.isEmpty { slack = min(slack, decideEntering(evaluation, into: &transitions)) }
    if !undecided.isEmpty { decideUndecided(evaluation, into: &transitions) }
    if !neighbours.crossable.isEmpty { findPasses(evaluation, into: &transitions) }
    if slack < .infinity { safe = min(safe, NeighbourList.chord(atMost: max(0, slack))) }
    setSafeBall(around: evaluation.place, radius: safe)
    Transition.sort(&transitions, from: start)
  }

  private mutating func setSafeBall(around place: Vector, radius: Double) {
    safeBall = SafeBall()
    guard undecided.isEmpty, awaited.isEmpty else { return }
    safeBall = SafeBall(around: place, radius: radius)
    if !lingering.isEmpty || !entering.isEmpty {
      let error = track.receiver.error
      safeBall.require(errors: Self.errorBand.lower * error...Self.errorBand.upper * error)
    }
    if deadline.microseconds < .max {
      safeBall.require(
        isMoving: track.receiver.isMoving, isSettled: track.receiver.isSettled)
    }
  }

  /// Updates `lingering` from the neighbour list.
  private mutating func updateLingering() {
    if isPresenceTrusted {
      for fence in neighbours.left where states[Int(fence)].isInside {
        lingering.append(Leaving(fence))
      }
    } else {
      let known = Set(neighbours.holding).union(lingering.lazy.map(\.fence))
      for fence in inside where !known.contains(fence) { lingering.append(Leaving(fence)) }
      isPresenceTrusted = true
    }
  }

  private func boundaryDistance(of fence: FenceID, _ evaluation: Evaluation) -> Double {
    index.boundaryDistance(of: fence, from: evaluation.sample.position, evaluation.place)
  }

  /// Metres that one can travel before a distance from an edge, of `value`, passes a margin that
  /// depends on the error; 0 where the error alone may do so.
  @inline(__always)
  private func slack(_ value: Double, _ margin: (Double) -> Double) -> Double {
    let error = track.receiver.error
    let lower = margin(Self.errorBand.lower * error)
    if value <= lower { return lower - value }
    return max(0, value - margin(Self.errorBand.upper * error))
  }

  /// Decides departures. Returns metres to the nearest place where more can be decided.
  private mutating func decideDepartures(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) -> Double {
    var safe = Double.infinity
    var kept = 0
    let count = transitions.count
    let time = evaluation.sample.time
    let (error, isMoving) = (track.receiver.error, isMoving)
    for i in lingering.indices {
      let fence = lingering[i].fence
      let beyond = boundaryDistance(of: fence, evaluation)
      guard beyond > 0 else { continue }
      let size = index.size(of: fence)
      let near = policy.margin(size: size, error: error)
      let far = policy.farMargin(size: size, error: error)
      lingering[i].add(beyond: beyond, near, far, isMoving: isMoving, at: time)
      let leaving = lingering[i]
      if let end = leaving.end(policy), end <= time {
        depart(fence, Transition(.depart, fence, evaluation.sample), into: &transitions)
        decided.append(fence)
        continue
      }
      safe = min(safe, slack(of: leaving, beyond: beyond, size: size))
      lingering[kept] = leaving
      kept += 1
    }
    lingering.removeLast(lingering.count - kept)
    if transitions.count > count { inside.removeAll { !states[Int($0)].isInside } }
    return safe
  }

  /// How far one can travel before a fence that is being left, or may be, needs another check.
  private mutating func slack(of leaving: Leaving, beyond: Double, size: Double) -> Double {
    let near = slack(beyond) { policy.margin(size: size, error: $0) }
    guard !leaving.outside.isEmpty else { return near }
    guard let end = leaving.end(policy) else { return 0 }
    deadline = min(deadline, end)
    // The next sample can decide as long as two do not agree yet.
    guard leaving.moving.isEmpty, leaving.far.isEmpty || leaving.far.spans(policy.agreement) else {
      return 0
    }
    return min(near, slack(beyond) { policy.farMargin(size: size, error: $0) })
  }

  /// Decides arrivals. Returns metres to the nearest place where more can be decided.
  private mutating func decideEntering(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) -> Double {
    var safe = Double.infinity
    var kept = 0
    let time = evaluation.sample.time
    let far = policy.farMargin(error: track.receiver.error)
    for i in entering.indices {
      let fence = entering[i].fence
      let beyond = boundaryDistance(of: fence, evaluation)
      guard beyond <= 0 else {
        states[Int(fence)] = FenceState(phase: .outside)
        decided.append(fence)
        if evaluation.leg, isMoving {
          reportBriefVisit(fence, evaluation, into: &transitions)
        }
        continue
      }
      entering[i].inside.add(true, at: time)
      entering[i].isDeep = -beyond > far
      let end = entering[i].end(isResting: isResting, policy)
      if let end, end <= time {
        arrive(.arrive, fence, Transition(.arrive, fence, evaluation.sample), into: &transitions)
        continue
      }
      if let end {
        deadline = min(deadline, end)
        safe = min(safe, slack(-beyond) { policy.farMargin(error: $0) })
      } else {
        safe = 0
      }
      entering[kept] = entering[i]
      kept += 1
    }
    entering.removeLast(entering.count - kept)
    return safe
  }

  /// Whether the device has rested for a while and does not move: an arrival needs a hold.
  var isResting: Bool { track.receiver.isSettled && !track.receiver.isMoving }

  /// Decides fences of unknown presence: by two samples that agree.
  private mutating func decideUndecided(
    _ evaluation: Evaluation, into transitions: inout [Transition]
  ) {
    let metresPerDegree = Sphere.radius * .pi / 180
    let time = evaluation.sample.time
    var kept = 0
    for i in undecided.indices {
      let fence = undecided[i].fence
      let circle = index.circles[Int(fence)]
      // The difference of latitude alone shows that most of a world of fences are far away.
      let coarse =
        abs(circle.center.latitude - evaluation.sample.position.latitude) * metresPerDegree
        - circle.radius
      let beyond = coarse > 1_000 ? coarse : boundaryDistance(of: fence, evaluation)
      let isInside = beyond <= 0
      let seen: FenceState.Phase = isInside ? .seenInside : .seenOutside
      if !states[Int(fence)].is(seen) {
        states[Int(fence)] = FenceState(phase: seen)
        undecided[i].since = time
      }
      guard time - undecided[i].since >= policy.agreement else {
        undecided[kept] = undecided[i]
        kept += 1
        continue
      }
      if isInside {
        arrive(.found, fence, Transition(.found, fence, evaluation.sample), into: &transitions)
        continue
      }
      states[Int(fence)] = FenceState(phase: .outside)
      // No leg is longer, unless the settings have longer ones.
      if beyond < Sphere.radius * 0.02 { decided.append(fence) }
    }
    undecided.removeSubrange(kept...)
  }

  /// - Parameter kind: `arrive` or `found`.
  mutating func arrive(
    _ kind: Transition.Kind, _ fence: FenceID, _ transition: Transition,
    into transitions: inout [Transition]
  ) {
    states[Int(fence)] = FenceState(phase: .inside)
    inside.append(fence)
    transitions.append(transition)
  }

  /// The caller removes the fence from `inside`.
  mutating func depart(
    _ fence: FenceID, _ transition: Transition, into transitions: inout [Transition]
  ) {
    states[Int(fence)] = FenceState(phase: .outside)
    transitions.append(transition)
  }
}
