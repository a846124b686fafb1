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
    let leg = connected && isLeg(to: sample)
    // Where samples are looked at alone `process` has asked.
    if !leg, !policy.looksAtSamplesAlone, isFarFromAll(sample.position) { return skip(sample) }
    let look = Look(
      sample: sample, view: Viewpoint(sample.position), connected: connected, leg: leg)
    let start = transitions.count
    if !settled.isEmpty { settled.removeAll(keepingCapacity: true) }

    bearOutAwaited(look, into: &transitions)
    let safe = surroundings.look(from: look.view, in: index)
    conclude(look, safe: safe, into: &transitions)
    if transitions.count - start > 1, !policy.isPlain { Transition.sort(&transitions, from: start) }
  }

  /// The same where each sample decides alone what it is in and what not: what most looks bring is told at
  /// once, and most bring nothing.
  @inline(never)
  mutating func acceptPlainly(
    at time: Instant, _ position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    // Of what is trusted there is no need to ask: where it is not, nothing is known of the surroundings.
    if isSettled, let (safe, cosine) = surroundings.glance(at: position) {
      if surroundings.hasNews { tellCrossings(at: time, position, eph: eph, into: &transitions) }
      quiet.move(to: position, radius: safe, cosine: cosine)
      return
    }
    lookPlainly(at: time, position, eph: eph, into: &transitions)
  }

  /// The same where it takes more than a glance.
  @inline(never)
  private mutating func lookPlainly(
    at time: Instant, _ position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    surroundings.prefetchDoubtful(in: index)
    if isAdrift, isJump(to: position) {
      assert(hasToldCrossings)
      return jump(at: time, to: position, eph: eph, into: &transitions)
    }
    let sample = PositionSample(time: time, position: position, eph: eph)
    // Beside a sample that has been skipped `process` has asked.
    if !hasSkipped, isFarFromAll(position) {
      assert(hasToldCrossings)
      return skip(sample)
    }
    let view = Viewpoint(position)
    let safe = surroundings.look(from: view, in: index)
    guard isSettled, isPresenceTrusted, surroundings.hasOnlyCrossings || isNowhere else {
      let look = Look(sample: sample, view: view, connected: true, leg: false)
      return conclude(look, safe: safe, into: &transitions)
    }
    if surroundings.hasNews { tellCrossings(at: time, position, eph: eph, into: &transitions) }
    hasSkipped = false
    quiet.move(to: position, radius: safe, cosine: view.cosine)
  }

  /// Whether no crossing is listed that nobody will be told of. A glance that gives up may have listed some; then
  /// another look must follow.
  private var hasToldCrossings: Bool {
    surroundings.hasNews || surroundings.entered.isEmpty && surroundings.left.isEmpty
  }

  /// Whether nothing holds the sample, and nothing held the last.
  @inline(__always)
  private var isNowhere: Bool { !surroundings.hasNews && inside.isEmpty }

  /// Departures from what a look has shown to be left, and arrivals at what was entered.
  private mutating func tellCrossings(
    at time: Instant, _ position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    for i in surroundings.left.indices {
      let fence = surroundings.left[i]
      guard states[Int(fence)].isInside else { continue }
      states[Int(fence)] = FenceState(phase: .outside)
      inside.dropAny(fence)
      transitions.append(
        Transition(fence: fence, kind: .depart, time: time, position: position, eph: eph))
    }
    for i in surroundings.entered.indices {
      let fence = surroundings.entered[i]
      guard states[Int(fence)].is(.outside) else { continue }
      states[Int(fence)] = FenceState(phase: .inside)
      inside.append(fence)
      transitions.append(
        Transition(fence: fence, kind: .arrive, time: time, position: position, eph: eph))
    }
  }

  /// Lets what a look has shown decide what it can, and sets the quiet disc.
  private mutating func conclude(
    _ look: Look, safe: Double, into transitions: inout [Transition]
  ) {
    var safe = safe
    hasSkipped = false
    if surroundings.hasNews || surroundings.isFresh && !inside.isEmpty || !isPresenceTrusted
      || !lingering.isEmpty || isHalfDecided
    {
      takeNews()
      safe = min(safe, decideDepartures(look, into: &transitions))
      decideEntering(look, into: &transitions)
      decideUndecided(look, into: &transitions)
      decideHits(look, into: &transitions)
    }
    if look.leg, isMoving(look.sample) {
      findPasses(look, into: &transitions)
    }
    remember(look.sample, connected: look.leg)
    isSettled = !isHalfDecided && awaited.isEmpty && lingering.isEmpty
    if isHalfDecided || !awaited.isEmpty {
      quiet = QuietDisc()
    } else {
      quiet.move(to: look.sample.position, radius: safe, cosine: look.view.cosine)
    }
  }

  /// Takes in a sample that `isFarFromAll`.
  @inline(__always)
  mutating func skip(_ sample: PositionSample) {
    if !hasSkipped { forgetForSkip() }
    surroundings.skip(sample.position)
    lastSquare = index.square(of: sample.position)
    remember(sample, connected: false)
  }

  @inline(never)
  private mutating func forgetForSkip() {
    surroundings.leave()
    quiet = QuietDisc()
    hasSkipped = true
  }

  /// Whether a place is far from the last one, and no fence there or here.
  @inline(__always)
  func isFarFromAll(_ place: Coordinate) -> Bool {
    surroundings.isJump(toLatitude: place.latitude) && (hasSkipped || isIdle)
      && index.isVacant(at: place)
  }

  /// Whether no fence holds the receiver, as far as is decided, and nothing is pending.
  private var isIdle: Bool { inside.isEmpty && !isHalfDecided && awaited.isEmpty }

  /// Whether the next sample may decide something, wherever it is.
  private var isHalfDecided: Bool {
    leavingCount > 0 || !entering.isEmpty || !undecided.isEmpty
  }

  /// Fills `hits` with the fences that hold the sample, but for those that held the last as well as
  /// far as that costs nothing to know, and brings `lingering` up to date.
  private mutating func takeNews() {
    if !hits.isEmpty { hits.removeAll(keepingCapacity: true) }
    surroundings.takeHolders(into: &hits)
    guard !isPresenceTrusted || surroundings.isFresh else {
      for i in surroundings.left.indices { linger(surroundings.left[i]) }
      if !surroundings.former.isEmpty { compare(with: surroundings.former) }
      return
    }
    if !lingering.isEmpty { lingering.removeAll(keepingCapacity: true) }
    if isPresenceTrusted, surroundings.isElsewhere {
      // After a jump beyond the widest fence none that held the last place can hold this one.
      lingering.append(contentsOf: inside)
    } else {
      compare(with: inside)
      isPresenceTrusted = true
    }
  }

  /// Adds to `lingering` what is among `former` but not among `hits`, and what was about to
  /// be left.
  mutating func compare(with former: [FenceID]) {
    if former.count * hits.count <= 32 {
      for fence in former
      where !hits.contains(fence) || states[Int(fence)].is(.leaving) {
        linger(fence)
      }
      return
    }
    for fence in hits { states[Int(fence)].isMarked = true }
    for fence in former where !states[Int(fence)].isMarked || states[Int(fence)].is(.leaving) {
      linger(fence)
    }
    for fence in hits { states[Int(fence)].isMarked = false }
  }

  @inline(__always)
  private mutating func linger(_ fence: FenceID) {
    if states[Int(fence)].isInside { lingering.append(fence) }
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
      departFromAll(
        at: look.sample.time, look.sample.position, eph: look.sample.eph, into: &transitions)
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
          states[Int(fence)] = FenceState(phase: .inside)
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
        states[Int(fence)] = FenceState(phase: .leaving)
        leavingCount += 1
      }
      lingering[kept] = fence
      kept += 1
    }
    lingering.removeLast(lingering.count - kept)
    compactInside()
    return safe
  }

  private mutating func depart(
    _ fence: FenceID, _ look: Look, into transitions: inout [Transition]
  ) {
    states[Int(fence)] = FenceState(phase: .outside)
    if policy.reportsPasses { settled.append(fence) }
    transitions.append(transition(.depart, fence, look.sample))
  }

  /// The departures with a policy that leaves every fence at once that does not hold the sample.
  mutating func departFromAll(
    at time: Instant, _ position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    transitions.append(
      .depart, of: lingering, from: .inside, to: .outside, &states, at: time, position, eph: eph)
    // The one is a part of the other.
    if lingering.count == inside.count {
      inside.removeAll(keepingCapacity: true)
    } else if lingering.count <= 4 {
      for fence in lingering { inside.dropAny(fence) }
    } else {
      compactInside()
    }
    lingering.removeAll(keepingCapacity: true)
  }

  /// Drops from `inside` the fences that have been left.
  private mutating func compactInside() {
    var kept = 0
    for i in inside.indices where states[Int(inside[i])].isInside {
      inside[kept] = inside[i]
      kept += 1
    }
    if kept < inside.count { inside.removeLast(inside.count - kept) }
  }

  /// The fences the last sample was the first one inside of.
  private mutating func decideEntering(_ look: Look, into transitions: inout [Transition]) {
    guard !entering.isEmpty else { return }
    for fence in entering {
      let beyond = index.boundaryDistance(of: fence, from: look.view)
      if beyond <= 0 {
        arrive(.arrive, fence, look, into: &transitions)
      } else {
        states[Int(fence)] = FenceState(phase: .outside)
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
        states[Int(fence)] = FenceState(phase: seen)
        undecided[kept] = fence
        kept += 1
        continue
      }
      if isInside {
        arrive(.found, fence, look, into: &transitions)
        continue
      }
      states[Int(fence)] = FenceState(phase: .outside)
      if beyond < CellGrid.earthRadius * 0.01 { settled.append(fence) }
    }
    undecided.removeSubrange(kept...)
  }

  /// The fences that hold the sample: those the receiver was outside of are being entered.
  private mutating func decideHits(_ look: Look, into transitions: inout [Transition]) {
    guard !hits.isEmpty else { return }
    guard policy.confirms else {
      return arriveAtAll(
        at: look.sample.time, look.sample.position, eph: look.sample.eph, into: &transitions)
    }
    for fence in hits where states[Int(fence)].is(.outside) {
      if isDeep(fence, look) {
        arrive(.arrive, fence, look, into: &transitions)
      } else {
        states[Int(fence)] = FenceState(phase: .entering)
        entering.append(fence)
      }
    }
  }

  /// The arrivals with a policy that asks for no second sample: all together, for where a jump leads into
  /// many fences they are most of what it costs.
  mutating func arriveAtAll(
    at time: Instant, _ position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    let start = transitions.count
    transitions.append(
      .arrive, of: hits, from: .outside, to: .inside, &states, at: time, position, eph: eph)
    if transitions.count - start < hits.count {
      for arrival in transitions[start...] { inside.append(arrival.fence) }
    } else if inside.isEmpty {
      swap(&inside, &hits)
    } else {
      inside.append(contentsOf: hits)
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
    states[Int(fence)] = FenceState(phase: .inside)
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

extension [Transition] {
  /// Appends the same transition of those fences that are in a phase, and brings them into another.
  fileprivate mutating func append(
    _ kind: Transition.Kind, of fences: [FenceID], from old: FenceState.Phase,
    to new: FenceState.Phase, _ states: inout [FenceState], at time: Instant,
    _ position: Coordinate, eph: Double?
  ) {
    append(addingCapacity: fences.count) { output in
      var states = states.mutableSpan
      for fence in fences where states[Int(fence)].is(old) {
        states[Int(fence)] = FenceState(phase: new)
        output.append(
          Transition(fence: fence, kind: kind, time: time, position: position, eph: eph))
      }
    }
  }
}
