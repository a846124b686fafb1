import CivilTime
import Geodesy

/// An estimate in the form needed by decisions.
struct Evaluation {
  let sample: PositionSample
  /// The believed place.
  let place: Vector
  let position: Coordinate
  /// Its standard deviation an axis, metres.
  let sigma: Double
  /// Whether the place owes nothing to samples before: then it decides with the one before alone.
  let isLone: Bool
  /// Where the way to the place began, if it is known.
  var leg: Track.Leg?

  /// The estimate of the newest sample of a track; nil before the first.
  init?(_ track: borrowing Track, _ policy: MonitorPolicy) {
    guard let last = track.last else { return nil }
    self.init(of: last, track.counted, policy)
    leg = track.leg(policy)
  }

  /// The estimate of a sample, without the way to it.
  init(of sample: PositionSample, _ belief: Belief, _ policy: MonitorPolicy) {
    self.sample = sample
    place = belief.place
    position = policy.isPlain ? sample.position : belief.place.coordinate
    sigma = belief.sigma
    isLone = belief.isLone
  }
}

/// A fence that the next samples may decide: of unknown presence, inside without the believed place
/// in it, or outside with the believed place in it.
struct PendingFence {
  var fence: FenceID
  /// Whether the sample before was inside; nil if it was not measured.
  var wasInside: Bool?
  /// Whether a sample was far enough outside for a departure.
  var wasOutside = false
}

extension FenceSet {
  /// The safe ball survives an error that becomes smaller by so much.
  private static let sigmaBand = 0.8

  /// Compares an estimate with the fences, and sets the safe ball around it.
  mutating func check(_ evaluation: Evaluation, into transitions: inout [Transition]) {
    let start = transitions.count
    var safe = neighbours.check(
      evaluation.position, evaluation.place, legFrom: evaluation.leg?.place, in: index)
    if !neighbours.crossable.isEmpty { findPasses(evaluation) }
    findPending()
    let leastSigma = Self.sigmaBand * evaluation.sigma
    var (kept, isLeaving, isDecidable) = (0, false, false)
    for var next in pending {
      let isInside = presences[Int(next.fence)] == .inside
      let beyond = distance(to: next.fence, evaluation)
      if decide(&next, beyond: beyond, evaluation, into: &transitions) { continue }
      if isInside {
        isLeaving = true
        let slack = max(0, policy.departureSigmas * leastSigma - beyond)
        safe = min(safe, NeighbourList.chord(atMost: slack))
      } else {
        isDecidable = true
      }
      pending[kept] = next
      kept += 1
    }
    pending.removeLast(pending.count - kept)
    // An import makes all of its places pending for a moment.
    if pending.capacity > max(1_000, 4 * kept) { pending = pending.map { $0 } }
    if !awaited.isEmpty { reportPasses(evaluation, into: &transitions) }
    // There is no safe ball as long as the next sample can decide something.
    safeBall =
      isDecidable || !awaited.isEmpty
      ? SafeBall()
      : SafeBall(around: evaluation.place, radius: safe, downTo: isLeaving ? leastSigma : 0)
    transitions[start...].sort(by: Transition.precedes)
  }

  /// Evaluates the last sample of a track for fences that were added since.
  package mutating func seed(from track: Track, into transitions: inout [Transition]) {
    guard let last = track.last, let belief = track.belief else { return }
    check(Evaluation(of: last, belief, policy), into: &transitions)
  }

  /// Updates `pending` from the neighbour list. After fences have changed, all that hold the place
  /// count as entered there.
  private mutating func findPending() {
    var known: Set<FenceID> = []
    var left = neighbours.left
    if !isPresenceTrusted {
      isPresenceTrusted = true
      for next in pending where presences[Int(next.fence)] != .unknown { known.insert(next.fence) }
      let holding = Set(neighbours.holding)
      left = inside.filter { !holding.contains($0) }
    }
    for fence in left where presences[Int(fence)] == .inside && !known.contains(fence) {
      pending.append(PendingFence(fence: fence))
    }
    for fence in neighbours.entered
    where presences[Int(fence)] == .outside && !known.contains(fence) {
      pending.append(PendingFence(fence: fence))
    }
  }

  /// Metres from the believed place to the edge of a pending fence, negative inside.
  private func distance(to fence: FenceID, _ evaluation: Evaluation) -> Double {
    if presences[Int(fence)] == .unknown {
      // The difference of latitude alone shows that most of a world of fences are far away.
      let circle = index.circle(of: fence)
      let degrees = abs(circle.center.latitude - evaluation.position.latitude)
      let least = degrees * (Sphere.radius * .pi / 180) - circle.radius
      if least > 1_000 { return least }
    }
    return index.boundaryDistance(of: fence, from: evaluation.position, evaluation.place)
  }

  /// Compares an estimate with a pending fence, to whose edge it is so far. Returns whether the
  /// fence is pending no more.
  private mutating func decide(
    _ next: inout PendingFence, beyond: Double, _ evaluation: Evaluation,
    into transitions: inout [Transition]
  ) -> Bool {
    let fence = next.fence
    let isInside = beyond <= 0
    let isClear = isOutside(beyond: beyond, evaluation)
    let agrees = next.wasInside == isInside
    switch presences[Int(fence)] {
    case .inside:
      if isInside { return true }
      if isClear, agrees || !evaluation.isLone {
        presences[Int(fence)] = .outside
        inside.removeAll { $0 == fence }
        transitions.append(Transition(.depart, fence, evaluation.sample))
        return true
      }
    case .outside:
      if !isInside { return true }
      if isProbable(fence, beyond: beyond, evaluation) {
        if agrees || !evaluation.isLone {
          arrive(.arrive, fence, evaluation, into: &transitions)
          return true
        }
        addPass(Transition(.pass, fence, evaluation.sample))
      }
    case .unknown, nil:
      // It is an arrival where one sample was clearly outside before.
      if agrees || policy.isPlain {
        if isInside {
          arrive(next.wasOutside ? .arrive : .found, fence, evaluation, into: &transitions)
        } else {
          presences[Int(fence)] = .outside
        }
        return true
      }
      next.wasOutside = next.wasOutside || isClear
    }
    next.wasInside = isInside
    return false
  }

  /// Whether the device is surely outside an edge.
  func isOutside(beyond: Double, _ evaluation: Evaluation) -> Bool {
    beyond > 0 && beyond >= policy.departureSigmas * evaluation.sigma
  }

  /// Whether the device is rather in a fence than not.
  func isProbable(_ fence: FenceID, beyond: Double, _ evaluation: Evaluation) -> Bool {
    InsideProbability.inside(
      beyond: beyond, sigma: evaluation.sigma, size: index.region(of: fence).size)
      >= InsideProbability.arrival
  }

  /// - Parameter kind: `arrive` or `found`.
  private mutating func arrive(
    _ kind: Transition.Kind, _ fence: FenceID, _ evaluation: Evaluation,
    into transitions: inout [Transition]
  ) {
    presences[Int(fence)] = .inside
    inside.append(fence)
    awaited.removeAll { $0.fence == fence }
    transitions.append(Transition(kind, fence, evaluation.sample))
  }
}
