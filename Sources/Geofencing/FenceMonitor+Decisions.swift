import CivilTime
import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// A believed sample as the decisions see it.
struct Look {
  let sample: PositionSample
  let view: Viewpoint
  /// The sample follows another at a plausible speed.
  let connected: Bool
  /// … and soon enough after it for the path between them to be known.
  let leg: Bool
}

extension FenceMonitor {
  /// Lets a believed sample decide what it can, and sets the quiet disc around it.
  mutating func accept(
    _ sample: PositionSample, connected: Bool, into transitions: inout [Transition]
  ) {
    let elapsed = lastSample.map { sample.time - $0.time } ?? .zero
    let soon = elapsed.microseconds <= policy.longestLeg.microseconds
    let look = Look(
      sample: sample, view: Viewpoint(sample.position), connected: connected,
      leg: connected && soon)
    let start = transitions.count
    if !settled.isEmpty { settled.removeAll(keepingCapacity: true) }

    bearOutAwaited(look, into: &transitions)
    var safe = lookAround(look)
    safe = min(safe, decideDepartures(look, into: &transitions))
    decideEntering(look, into: &transitions)
    decideUndecided(look, into: &transitions)
    decideHits(look, into: &transitions)
    if look.leg, policy.reportsPasses, isMoving(look.sample) {
      findPasses(look, into: &transitions)
    }
    remember(sample, connected: look.leg)
    let isPending =
      leavingCount > 0 || !entering.isEmpty || !undecided.isEmpty || !awaited.isEmpty
    quiet =
      isPending
      ? QuietDisc() : QuietDisc(around: sample.position, radius: safe, cosine: look.view.cosine)
    if transitions.count - start > 1, !policy.isPlain {
      transitions[start...].sort(by: Transition.precedes)
    }
  }

  /// Fills `hits` with the fences that hold the sample and did not hold the last, and brings
  /// `lingering` up to date. Returns how far the next edge is.
  private mutating func lookAround(_ look: Look) -> Double {
    if !hits.isEmpty { hits.removeAll(keepingCapacity: true) }
    if neighbourhood.holds(look.view.direction) {
      left.removeAll(keepingCapacity: true)
      let safe = neighbourhood.look(from: look.view, in: index, entered: &hits, left: &left)
      for fence in left where states[Int(fence)].isInside { lingering.append(fence) }
      return safe
    }
    let safe = index.look(from: look.view, into: &hits, near: &neighbourhood)
    sortHits()
    return safe
  }

  /// After a look all around: leaves in `hits` the fences that the receiver was not inside of, and
  /// in `lingering` those that it was inside of and that are no longer hit.
  private mutating func sortHits() {
    turn ^= FenceState.turnFlag
    var fresh = 0
    for i in hits.indices {
      let fence = hits[i]
      let state = states[Int(fence)]
      if state.isInside {
        if state.is(.leaving) { leavingCount -= 1 }
        states[Int(fence)] = FenceState(.inside, turn: turn)
      } else {
        hits[fresh] = fence
        fresh += 1
      }
    }
    let kept = hits.count - fresh
    hits.removeLast(kept)
    lingering.removeAll(keepingCapacity: true)
    guard kept < inside.count else { return }
    for fence in inside where states[Int(fence)].turn != turn {
      lingering.append(fence)
      // It must not look like one that is hit when the bit has come round again.
      states[Int(fence)] = FenceState(states[Int(fence)].phase, turn: turn)
    }
  }

  /// Whether the receiver has moved by more than its error explains, or says so itself.
  private func isMoving(_ sample: PositionSample) -> Bool {
    if let speed = sample.speed, speed >= policy.motionSpeed { return true }
    let threshold = policy.motionOfError * knownError(sample)
    if let last = lastSample, last.position.distance(to: sample.position) > threshold {
      return true
    }
    return trail.hasMoved(to: sample.position, at: sample.time, by: threshold)
  }

  /// Departures: of the fences that the sample is outside of. Returns how far the nearest point is
  /// where one of them might be left.
  private mutating func decideDepartures(
    _ look: Look, into transitions: inout [Transition]
  ) -> Double {
    guard !lingering.isEmpty else { return .infinity }
    if policy.isPlain {
      for fence in lingering { depart(fence, look, into: &transitions) }
      lingering.removeAll(keepingCapacity: true)
      compactInside()
      return .infinity
    }
    var safe = Double.infinity
    var kept = 0
    for fence in lingering {
      let isLeaving = states[Int(fence)].is(.leaving)
      let beyond = index.boundaryDistance(of: fence, from: look.view)
      let size = index.size(of: fence)
      var margin = policy.margin(size: size, eph: givenError(look.sample))
      // At rest, a margin cut short by a small radius is within reach of the receiver's wandering.
      if beyond > margin, !isMoving(look.sample) {
        margin = max(margin, policy.motionOfError * knownError(look.sample))
      }
      if beyond <= margin {
        if isLeaving {
          states[Int(fence)] = FenceState(.inside, turn: turn)
          leavingCount -= 1
        }
        guard beyond > 0 else { continue }
        safe = min(safe, policy.margin(size: size, eph: 0) - beyond)
      } else {
        let isDoubtless = look.connected && beyond > max(margin, policy.doubtDistance)
        if isLeaving || isDoubtless || !policy.confirms {
          if isLeaving { leavingCount -= 1 }
          depart(fence, look, into: &transitions)
          continue
        }
        states[Int(fence)] = FenceState(.leaving, turn: turn)
        leavingCount += 1
      }
      lingering[kept] = fence
      kept += 1
    }
    lingering.removeSubrange(kept...)
    compactInside()
    return safe
  }

  private mutating func depart(
    _ fence: FenceID, _ look: Look, into transitions: inout [Transition]
  ) {
    states[Int(fence)] = FenceState(.outside, turn: turn)
    if policy.reportsPasses { settled.append(fence) }
    transitions.append(transition(.depart, fence, look.sample))
  }

  /// Drops from `inside` the fences that have been left.
  private mutating func compactInside() {
    var kept = 0
    for i in inside.indices where states[Int(inside[i])].isInside {
      inside[kept] = inside[i]
      kept += 1
    }
    inside.removeLast(inside.count - kept)
  }

  /// The fences the last sample was the first one inside of.
  private mutating func decideEntering(_ look: Look, into transitions: inout [Transition]) {
    guard !entering.isEmpty else { return }
    for fence in entering {
      let beyond = index.boundaryDistance(of: fence, from: look.view)
      if beyond <= 0 {
        arrive(.arrive, fence, look, into: &transitions)
      } else {
        states[Int(fence)] = FenceState(.outside, turn: turn)
        settled.append(fence)
        if policy.reportsPasses, look.leg, isMoving(look.sample) {
          reportBriefVisit(fence, look, into: &transitions)
        }
      }
    }
    entering.removeAll(keepingCapacity: true)
  }

  /// The fences of which nothing is known yet: two samples that agree, or one beyond doubt.
  private mutating func decideUndecided(_ look: Look, into transitions: inout [Transition]) {
    guard !undecided.isEmpty else { return }
    var kept = 0
    for fence in undecided {
      let circle = index.circles[Int(fence)]
      // The difference of latitude alone shows most of a world of fences to be far away.
      let coarse = abs(circle.latitude - look.view.latitude) * CellGrid.earthRadius - circle.radius
      let beyond =
        coarse > policy.doubtDistance ? coarse : index.boundaryDistance(of: fence, from: look.view)
      let isInside = beyond <= 0
      let seen: FenceState.Phase = isInside ? .seenInside : .seenOutside
      let isSure =
        !policy.confirms || states[Int(fence)].is(seen)
        || (look.connected && abs(beyond) > policy.doubtDistance)
      guard isSure else {
        states[Int(fence)] = FenceState(seen, turn: turn)
        undecided[kept] = fence
        kept += 1
        continue
      }
      if isInside {
        arrive(.found, fence, look, into: &transitions)
        continue
      }
      states[Int(fence)] = FenceState(.outside, turn: turn)
      if beyond < CellGrid.earthRadius * 0.01 { settled.append(fence) }
    }
    undecided.removeSubrange(kept...)
  }

  /// The fences that hold the sample: those the receiver was outside of are being entered.
  private mutating func decideHits(_ look: Look, into transitions: inout [Transition]) {
    for fence in hits where states[Int(fence)].is(.outside) {
      if policy.confirms, !isDeep(fence, look) {
        states[Int(fence)] = FenceState(.entering, turn: turn)
        entering.append(fence)
      } else {
        arrive(.arrive, fence, look, into: &transitions)
      }
    }
  }

  /// Whether a single sample inside of a fence is beyond doubt.
  private func isDeep(_ fence: FenceID, _ look: Look) -> Bool {
    look.connected
      && -index.boundaryDistance(of: fence, from: look.view) > policy.doubtDistance
  }

  /// - Parameter kind: `arrive` or `found`.
  @inline(__always)
  private mutating func arrive(
    _ kind: Transition.Kind, _ fence: FenceID, _ look: Look, into transitions: inout [Transition]
  ) {
    states[Int(fence)] = FenceState(.inside, turn: turn)
    inside.append(fence)
    transitions.append(transition(kind, fence, look.sample))
  }

  @inline(__always)
  func transition(
    _ kind: Transition.Kind, _ fence: FenceID, _ sample: PositionSample
  ) -> Transition {
    Transition(
      fence: fence, kind: kind, time: sample.time, position: sample.position, eph: sample.eph)
  }
}
