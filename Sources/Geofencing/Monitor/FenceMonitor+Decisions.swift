import CivilTime
import Geodesy

/// An estimate in the form needed by decisions.
struct Evaluation {
  let sample: PositionSample
  /// The believed place.
  let place: Vector
  /// Its standard deviation an axis, metres.
  var sigma = 0.0
  /// Whether the place owes nothing to samples before: then it decides with the one before alone.
  var isLone = false
  /// The start of a way: the believed place of a sample, and whether the device was going there.
  typealias Leg = (place: Vector, time: Instant, isGoing: Bool)
  /// Where the way to the place began, if it is known.
  var leg: Leg?

  init(sample: PositionSample, place: Vector) {
    self.sample = sample
    self.place = place
  }
}

extension FenceMonitor {
  /// The safe ball survives an error that becomes smaller by so much.
  private static let sigmaBand = 0.8

  /// Compares an estimate with the fences, and sets the safe ball around it.
  mutating func check(_ evaluation: Evaluation, into transitions: inout [Transition]) {
    let start = transitions.count
    let position = policy.isPlain ? evaluation.sample.position : evaluation.place.coordinate
    var safe = neighbours.check(
      position, evaluation.place, legFrom: evaluation.leg?.place, in: index)
    if !neighbours.crossable.isEmpty { findPasses(evaluation) }
    let (formerLingering, formerEntering) = (lingering.count, entering.count)
    updateLingering()
    for fence in neighbours.entered where phases[Int(fence)] == .outside {
      phases[Int(fence)] = .entering
      entering.append(fence)
    }
    let leastSigma = Self.sigmaBand * evaluation.sigma
    if !lingering.isEmpty {
      let slack = decideDepartures(
        evaluation, position, leastSigma, former: formerLingering, into: &transitions)
      safe = min(safe, NeighbourList.chord(atMost: max(0, slack)))
    }
    if !entering.isEmpty {
      decideArrivals(evaluation, position, former: formerEntering, into: &transitions)
    }
    if !undecided.isEmpty { decideUndecided(evaluation, position, into: &transitions) }
    if !awaited.isEmpty { reportPasses(evaluation, position, into: &transitions) }
    // There is no safe ball as long as the next sample can decide something.
    safeBall =
      undecided.isEmpty && awaited.isEmpty && entering.isEmpty
      ? SafeBall(
        around: evaluation.place, radius: safe, downTo: lingering.isEmpty ? 0 : leastSigma)
      : SafeBall()
    Transition.sort(&transitions, from: start)
  }

  /// Updates `lingering` from the neighbour list.
  private mutating func updateLingering() {
    if isPresenceTrusted {
      for fence in neighbours.left where phases[Int(fence)] == .inside { lingering.append(fence) }
    } else {
      let known = Set(neighbours.holding).union(lingering)
      for fence in inside where !known.contains(fence) { lingering.append(fence) }
      isPresenceTrusted = true
    }
  }

  func boundaryDistance(
    of fence: FenceID, _ evaluation: Evaluation, _ position: Coordinate
  ) -> Double {
    index.boundaryDistance(of: fence, from: position, evaluation.place)
  }

  /// Decides departures: by so many standard deviations beyond the edge. Returns metres to the
  /// nearest place where more can be decided.
  /// - Parameter former: how many of `lingering` the sample before was outside of as well.
  private mutating func decideDepartures(
    _ evaluation: Evaluation, _ position: Coordinate, _ leastSigma: Double, former: Int,
    into transitions: inout [Transition]
  ) -> Double {
    var slack = Double.infinity
    var kept = 0
    let count = transitions.count
    let sigmas = policy.departureSigmas
    for (number, fence) in lingering.enumerated() {
      let beyond = boundaryDistance(of: fence, evaluation, position)
      guard beyond > 0 else { continue }
      if beyond >= sigmas * evaluation.sigma, !evaluation.isLone || number < former {
        phases[Int(fence)] = .outside
        transitions.append(Transition(.depart, fence, evaluation.sample))
        continue
      }
      slack = min(slack, sigmas * leastSigma - beyond)
      lingering[kept] = fence
      kept += 1
    }
    lingering.removeLast(lingering.count - kept)
    if transitions.count > count { inside.removeAll { phases[Int($0)] != .inside } }
    return slack
  }

  /// Decides arrivals at fences that hold the believed place.
  /// - Parameter former: how many of `entering` held that of the sample before as well.
  private mutating func decideArrivals(
    _ evaluation: Evaluation, _ position: Coordinate, former: Int,
    into transitions: inout [Transition]
  ) {
    var kept = 0
    for (number, fence) in entering.enumerated() {
      let beyond = boundaryDistance(of: fence, evaluation, position)
      guard beyond <= 0 else {
        phases[Int(fence)] = .outside
        continue
      }
      if isProbable(fence, beyond: beyond, evaluation) {
        if !evaluation.isLone || number < former {
          arrive(.arrive, fence, evaluation, into: &transitions)
          continue
        }
        addPass(Transition(.pass, fence, evaluation.sample))
      }
      entering[kept] = fence
      kept += 1
    }
    entering.removeLast(entering.count - kept)
  }

  /// Whether the device is rather in a fence than not.
  func isProbable(_ fence: FenceID, beyond: Double, _ evaluation: Evaluation) -> Bool {
    InsideProbability.inside(
      beyond: beyond, sigma: evaluation.sigma, size: index.size(of: fence))
      >= InsideProbability.arrival
  }

  /// Decides fences of unknown presence: by two samples in a row on the same side. It is an arrival
  /// where one sample was clearly outside before.
  private mutating func decideUndecided(
    _ evaluation: Evaluation, _ position: Coordinate, into transitions: inout [Transition]
  ) {
    let metresPerDegree = Sphere.radius * .pi / 180
    var kept = 0
    for var next in undecided {
      let circle = index.circles[Int(next.fence)]
      // The difference of latitude alone shows that most of a world of fences are far away.
      let coarse =
        abs(circle.center.latitude - position.latitude) * metresPerDegree - circle.radius
      let beyond = coarse > 1_000 ? coarse : boundaryDistance(of: next.fence, evaluation, position)
      let isInside = beyond <= 0
      if next.isInside == isInside || policy.isPlain {
        if isInside {
          arrive(
            next.wasOutside ? .arrive : .found, next.fence, evaluation, into: &transitions)
        } else {
          phases[Int(next.fence)] = .outside
        }
        continue
      }
      next.isInside = isInside
      if beyond >= policy.departureSigmas * evaluation.sigma, !isInside {
        next.wasOutside = true
      }
      undecided[kept] = next
      kept += 1
    }
    undecided.removeSubrange(kept...)
  }

  /// - Parameter kind: `arrive` or `found`.
  private mutating func arrive(
    _ kind: Transition.Kind, _ fence: FenceID, _ evaluation: Evaluation,
    into transitions: inout [Transition]
  ) {
    phases[Int(fence)] = .inside
    inside.append(fence)
    if !awaited.isEmpty { awaited.removeAll { $0.fence == fence } }
    transitions.append(Transition(kind, fence, evaluation.sample))
  }
}
