import CivilTime
import Geodesy
import Geofencing
import TestSupport

/// The rules of `docs/explanation/how-it-decides.md` without an index, a neighbour list or a safe
/// ball: all circles are measured at each sample, in degrees and by the haversine formula.
struct ReferenceMonitor {
  private enum State {
    case unseen, seenOutside, seenInside, outside, entering, inside, leaving
  }

  private struct Fence {
    let circle: Circle
    var state: State
  }

  private let policy = MonitorPolicy()
  private var fences: [FenceID: Fence] = [:]
  /// Believed samples, the newest last.
  private var track: [(sample: PositionSample, isLeg: Bool)] = []
  private var trail: [PositionSample] = []
  private var awaited: [Transition] = []
  private var suspects: [PositionSample] = []

  mutating func add(_ circle: Circle, id: FenceID, presence: Presence) {
    let state: State =
      switch presence {
      case .unknown: .unseen
      case .outside: .outside
      case .inside: .inside
      }
    awaited.removeAll { $0.fence == id }
    fences[id] = Fence(circle: circle, state: state)
  }

  mutating func remove(_ id: FenceID) {
    fences[id] = nil
    awaited.removeAll { $0.fence == id }
  }

  mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard let last = track.last?.sample else { return accept(sample, false, &transitions) }
    if isPlausible(last, sample) {
      suspects = []
      return accept(sample, true, &transitions)
    }
    if let jump = suspects.last, isPlausible(jump, sample) {
      suspects = []
      accept(jump, false, &transitions)
      accept(sample, true, &transitions)
    } else if suspects.count == 2 {
      suspects = []
      accept(sample, false, &transitions)
    } else {
      suspects.append(sample)
    }
  }

  private func error(_ sample: PositionSample) -> Double {
    sample.eph.flatMap { $0 > 0 ? $0 : nil } ?? policy.assumedError
  }

  private func isPlausible(_ a: PositionSample, _ b: PositionSample) -> Bool {
    let errors = min(error(a) + error(b), 2 * policy.assumedError)
    return a.position.distance(to: b.position)
      <= policy.plausibleSpeed * (b.time - a.time).seconds + errors
  }

  private func isMoving(_ sample: PositionSample) -> Bool {
    let threshold = policy.motionOfError * error(sample)
    let past =
      (track.last.map { [$0.sample] } ?? [])
      + trail.suffix(8).filter { sample.time - $0.time <= .seconds(64) }
    return past.contains { $0.position.distance(to: sample.position) > threshold }
  }

  private mutating func accept(
    _ sample: PositionSample, _ isConnected: Bool, _ transitions: inout [Transition]
  ) {
    let last = track.last?.sample
    let isLeg = isConnected && last.map { sample.time - $0.time <= policy.longestLeg } ?? false
    let start = transitions.count
    if !awaited.isEmpty {
      if track.count > 1, let last, !isOutlier(track[track.count - 2].sample, last, sample) {
        for pass in awaited {
          if let state = fences[pass.fence]?.state, state == .outside || state == .entering {
            transitions.append(pass)
          }
        }
      }
      awaited = []
    }
    for (id, fence) in fences {
      decide(id, fence, sample, isConnected, isLeg, &transitions)
    }
    track.append((sample, isLeg))
    if trail.last.map({ sample.time - $0.time >= .seconds(8) }) ?? true { trail.append(sample) }
    transitions[start...].sort(by: Transition.precedes)
  }

  private mutating func decide(
    _ id: FenceID, _ fence: Fence, _ sample: PositionSample, _ isConnected: Bool, _ isLeg: Bool,
    _ transitions: inout [Transition]
  ) {
    let circle = fence.circle
    let beyond = sample.position.distance(to: circle.center) - circle.radius
    let isSure = isConnected && abs(beyond) > policy.doubtDistance
    func event(_ kind: Transition.Kind) -> Transition {
      Transition(
        fence: id, kind: kind, time: sample.time, position: sample.position, eph: sample.eph)
    }
    switch fence.state {
    case .unseen, .seenOutside, .seenInside:
      let isConfirmed = fence.state == (beyond <= 0 ? .seenInside : .seenOutside)
      if isSure || isConfirmed {
        fences[id]?.state = beyond <= 0 ? .inside : .outside
        if beyond <= 0 { transitions.append(event(.found)) }
      } else {
        fences[id]?.state = beyond <= 0 ? .seenInside : .seenOutside
      }
    case .inside, .leaving:
      var margin = min(
        circle.radius, max(20, 0.1 * circle.radius, 1.5 * max(0, sample.eph ?? 0)))
      if beyond > margin, !isMoving(sample) {
        margin = max(margin, policy.motionOfError * error(sample))
      }
      if beyond <= margin {
        fences[id]?.state = .inside
      } else if fence.state == .leaving || isConnected && beyond > max(margin, 250) {
        fences[id]?.state = .outside
        transitions.append(event(.depart))
      } else {
        fences[id]?.state = .leaving
      }
    case .entering:
      fences[id]?.state = beyond <= 0 ? .inside : .outside
      if beyond <= 0 { return transitions.append(event(.arrive)) }
      guard isLeg, isMoving(sample), track.count > 1, track[track.count - 1].isLeg else { return }
      let (a, b) = (track[track.count - 2].sample, track[track.count - 1].sample)
      guard !isOutlier(a, b, sample) else { return }
      let passes = [pass(id, circle, a, b), pass(id, circle, b, sample)]
      let distances = passes.map { $0.position.distance(to: circle.center) }
      transitions.append(distances[0] <= distances[1] ? passes[0] : passes[1])
    case .outside:
      if beyond <= 0 {
        fences[id]?.state = isSure ? .inside : .entering
        if isSure { transitions.append(event(.arrive)) }
      } else if isLeg, let last = track.last?.sample, isMoving(sample) {
        let pass = pass(id, circle, last, sample)
        guard pass.position.distance(to: circle.center) <= circle.radius - 0.001 else { return }
        if goesOnSteadily(sample) { transitions.append(pass) } else { awaited.append(pass) }
      }
    }
  }

  private func pass(
    _ id: FenceID, _ circle: Circle, _ a: PositionSample, _ b: PositionSample
  ) -> Transition {
    let fraction = circle.center.closestApproach(
      ofSegmentFrom: a.position, to: b.position
    ).fraction
    return Transition(
      fence: id, kind: .pass, time: a.time + .seconds((b.time - a.time).seconds * fraction),
      position: a.position.interpolated(to: b.position, fraction: fraction), eph: b.eph)
  }

  private func goesOnSteadily(_ sample: PositionSample) -> Bool {
    guard track.count > 1, track[track.count - 1].isLeg else { return false }
    let (a, b) = (track[track.count - 2].sample, track[track.count - 1].sample)
    let ratio = (sample.time - b.time).seconds / (b.time - a.time).seconds
    let (x, y, z) = (Vector(a.position), Vector(b.position), Vector(sample.position))
    return (z - (y + ratio * (y - x))).length <= 0.5 * (z - y).length
  }

  private func isOutlier(
    _ a: PositionSample, _ b: PositionSample, _ c: PositionSample
  ) -> Bool {
    let ratio = (b.time - a.time).seconds / (c.time - a.time).seconds
    let (x, y, z) = (Vector(a.position), Vector(b.position), Vector(c.position))
    return (y - (x + ratio * (z - x))).length > 0.8 * max((y - x).length, (z - y).length)
  }
}
