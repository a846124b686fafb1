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
    let isFull = !nearby.contains(sample.position)
    if !hits.isEmpty { hits.removeAll(keepingCapacity: true) }
    var safe = lookAround(look, isFull: isFull)
    safe = decideDepartures(look, isFull: isFull, within: safe, into: &transitions)
    let stayed = inside.count
    decideEntering(look, into: &transitions)
    decideUndecided(look, into: &transitions)
    decideHits(look, into: &transitions)
    for fence in inside[stayed...] { safe = min(safe, leeway(fence, look)) }
    if look.leg, policy.reportsPasses, isMoving(look.sample) {
      findPasses(look, into: &transitions)
    }

    if transitions.count - start > 1 {
      transitions[start...].sort(by: Transition.precedes)
    }
    remember(sample, connected: look.leg)
    let isPending =
      leavingCount > 0 || !entering.isEmpty || !undecided.isEmpty || !awaited.isEmpty
    quiet =
      isPending
      ? QuietDisc() : QuietDisc(around: sample.position, radius: safe, cosine: look.view.cosine)
  }

  /// Fills `hits` with the fences that hold the sample, and returns how far the next edge is.
  private mutating func lookAround(_ look: Look, isFull: Bool) -> Double {
    if !isFull {
      let moved = nearby.bound(to: look.sample.position)
      return index.look(from: look.view, into: &hits, within: neighbourhood, moved: moved)
    }
    let safe = index.look(from: look.view, into: &hits, near: &neighbourhood)
    nearby = QuietDisc(
      around: look.sample.position, radius: neighbourhood.reach,
      cosine: look.view.cosine)
    return safe
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

  /// Departures. Returns how far the nearest edge of the others is, or `limit` where that is less.
  ///
  /// A look all around, `isFull`, sorts the fences too deep inside of to be left within the
  /// neighbourhood to the front of the list; the looks within it pass over them.
  private mutating func decideDepartures(
    _ look: Look, isFull: Bool, within limit: Double, into transitions: inout [Transition]
  ) -> Double {
    var safe = limit
    if isFull { deepCount = 0 }
    var i = deepCount
    while i < inside.count {
      let fence = inside[i]
      let isLeaving = states[Int(fence)] == .leaving
      let size = index.size(of: fence)
      let least = policy.margin(size: size, eph: 0)
      // The larger of what is to be told: deep or not, the next edge or not.
      let reach = isFull ? max(safe, Neighbourhood.skin) : safe
      if !isLeaving, isDeep(fence, by: reach - least, look) {
        if isFull {
          inside.swapAt(i, deepCount)
          deepCount += 1
        }
        i += 1
        continue
      }
      let beyond = index.boundaryDistance(of: fence, from: look.view)
      var margin = policy.margin(size: size, eph: givenError(look.sample))
      // At rest, a margin cut short by a small radius is within reach of the receiver's wandering.
      if beyond > margin, !isMoving(look.sample) {
        margin = max(margin, policy.motionOfError * knownError(look.sample))
      }
      if beyond <= margin {
        if isLeaving {
          states[Int(fence)] = .inside
          leavingCount -= 1
        }
        safe = min(safe, least - beyond)
        i += 1
        continue
      }
      let isDoubtless = look.connected && beyond > max(margin, policy.doubtDistance)
      if policy.confirms, !isLeaving, !isDoubtless {
        states[Int(fence)] = .leaving
        leavingCount += 1
        i += 1
        continue
      }
      if isLeaving { leavingCount -= 1 }
      states[Int(fence)] = .outside
      inside.swapAt(i, inside.count - 1)
      inside.removeLast()
      settled.append(fence)
      transitions.append(transition(.depart, fence, look.sample, beyond))
      safe = min(safe, beyond)
    }
    return safe
  }

  /// The fences the last sample was the first one inside of.
  private mutating func decideEntering(_ look: Look, into transitions: inout [Transition]) {
    guard !entering.isEmpty else { return }
    for fence in entering {
      let beyond = index.boundaryDistance(of: fence, from: look.view)
      if beyond <= 0 {
        states[Int(fence)] = .inside
        inside.append(fence)
        transitions.append(transition(.arrive, fence, look.sample, beyond))
      } else {
        states[Int(fence)] = .outside
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
      let state = states[Int(fence)]
      let isSure =
        !policy.confirms || state == (isInside ? .seenInside : .seenOutside)
        || (look.connected && abs(beyond) > policy.doubtDistance)
      guard isSure else {
        states[Int(fence)] = isInside ? .seenInside : .seenOutside
        undecided[kept] = fence
        kept += 1
        continue
      }
      states[Int(fence)] = isInside ? .inside : .outside
      if isInside {
        inside.append(fence)
        transitions.append(transition(.found, fence, look.sample, beyond))
      } else if beyond < CellGrid.earthRadius * 0.01 {
        settled.append(fence)
      }
    }
    undecided.removeSubrange(kept...)
  }

  /// The fences that hold the sample: those the receiver was outside of are being entered.
  private mutating func decideHits(_ look: Look, into transitions: inout [Transition]) {
    for fence in hits where states[Int(fence)] == .outside {
      let beyond = index.boundaryDistance(of: fence, from: look.view)
      if policy.confirms, !(look.connected && -beyond > policy.doubtDistance) {
        states[Int(fence)] = .entering
        entering.append(fence)
      } else {
        states[Int(fence)] = .inside
        inside.append(fence)
        transitions.append(transition(.arrive, fence, look.sample, beyond))
      }
    }
  }

  /// Metres that can be travelled before a fence could be left, whatever the samples' errors.
  private func leeway(_ fence: FenceID, _ look: Look) -> Double {
    policy.margin(size: index.size(of: fence), eph: 0)
      - index.boundaryDistance(of: fence, from: look.view)
  }

  /// Whether a sample is certainly more than `depth` metres inside of a circle; bounds alone tell.
  @inline(__always)
  private func isDeep(_ fence: FenceID, by depth: Double, _ look: Look) -> Bool {
    guard index.shape(fence) == nil else {
      return -index.boundaryDistance(of: fence, from: look.view) > depth
    }
    let circle = index.circles[Int(fence)]
    let core = circle.radius - depth
    return core > 0
      && look.view.squaredDistanceBounds(latitude: circle.latitude, longitude: circle.longitude)
        .high < core * core
  }

  /// - Parameter beyond: metres to the edge, negative inside.
  func transition(
    _ kind: Transition.Kind, _ fence: FenceID, _ sample: PositionSample, _ beyond: Double
  ) -> Transition {
    Transition(
      fence: fence, kind: kind, time: sample.time, position: sample.position,
      distance: max(0, index.distance(of: fence, beyond: beyond)), eph: sample.eph)
  }
}
