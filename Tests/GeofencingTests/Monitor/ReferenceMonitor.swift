import CivilTime
import Geodesy
import Glibc
import TestSupport

@testable import Geofencing

/// The comparison of `docs/explanation/how-it-decides.md` without an index, a neighbour list or a
/// safe ball: all fences are measured at each sample, by formulas of their own. The estimate is the
/// monitor's own; `ReferenceEstimator` is its oracle.
struct ReferenceMonitor {
  private struct Fence {
    let region: ReferenceRegion
    var presence: Presence
    /// Of an unknown presence: whether the last sample was inside.
    var seen: Bool?
    /// Of an unknown presence: whether a sample was clearly outside.
    var wasOutside = false
    /// Whether the region held the place of the last sample; nil before the first.
    var held: Bool?
    var pass: Transition?
  }

  private var fences: [FenceID: Fence] = [:]
  private var track = Track()
  private var former: (place: Coordinate, time: Instant, isGoing: Bool)?

  var scale: Double { track.noise.scale }

  mutating func add(_ region: ReferenceRegion, id: FenceID, presence: Presence) {
    remove(id)
    fences[id] = Fence(region: region, presence: presence)
  }

  mutating func remove(_ id: FenceID) {
    fences[id] = nil
  }

  mutating func follow(_ next: ReceiverID) { track.follow(next) }

  /// Begins anew, as after a restart of the program or a step of the clock.
  mutating func restart(keepsScales: Bool) {
    for (id, fence) in fences { add(fence.region, id: id, presence: fence.presence) }
    track = keepsScales ? track.restarted() : Track()
    former = nil
  }

  mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard sample.time > track.newest else { return }
    guard let belief = track.take(sample, fastest: 100) else { return }
    let place = belief.place.coordinate
    var leg: (place: Coordinate, time: Instant)?
    if let former, former.isGoing, belief.isGoing, belief.end != .jump {
      let gap = (sample.time - former.time).seconds
      if gap <= min(300, 3 * max(1, belief.interval)) { leg = (former.place, former.time) }
    }
    let start = transitions.count
    for id in fences.keys { decide(id, sample, place, belief, leg, into: &transitions) }
    transitions[start...].sort(by: Transition.precedes)
    former = (place, sample.time, belief.isGoing)
  }

  /// Φ(x), by its series (Abramowitz and Stegun, 26.2.10), good to 1e-9 within ±6.
  static func normal(_ x: Double) -> Double {
    guard abs(x) < 6 else { return x < 0 ? 0 : 1 }
    var (sum, term, n) = (x, x, 0.0)
    while abs(term) > 1e-17 {
      n += 1
      term *= -x * x * (2 * n - 1) / (2 * n * (2 * n + 1))
      sum += term
    }
    return 0.5 + sum / (2 * .pi).squareRoot()
  }

  private static func isProbable(_ beyond: Double, _ sigma: Double, _ size: Double) -> Bool {
    normal(-beyond / sigma) / (1 + 0.1 * sigma * sigma / (size * size)) >= 0.5
  }

  private mutating func decide(
    _ id: FenceID, _ sample: PositionSample, _ place: Coordinate, _ belief: Belief,
    _ leg: (place: Coordinate, time: Instant)?, into transitions: inout [Transition]
  ) {
    guard var fence = fences[id] else { return }
    defer { fences[id] = fence }
    let beyond = fence.region.beyond(place)
    let held = fence.held
    fence.held = beyond <= 0
    let isLeft = beyond >= 3.719 * belief.sigma
    switch fence.presence {
    case .unknown:
      if fence.seen == (beyond <= 0) {
        fence.presence = beyond <= 0 ? .inside : .outside
        if beyond <= 0 {
          transitions.append(Transition(fence.wasOutside ? .arrive : .found, id, sample))
        }
      }
      fence.wasOutside = fence.wasOutside || isLeft
      fence.seen = beyond <= 0
    case .inside:
      guard isLeft, !belief.isLone || held == false else { return }
      fence.presence = .outside
      transitions.append(Transition(.depart, id, sample))
    case .outside:
      let isProbable = beyond <= 0 && Self.isProbable(beyond, belief.sigma, fence.region.size)
      if isProbable, !belief.isLone || held == true {
        (fence.presence, fence.pass) = (.inside, nil)
        transitions.append(Transition(.arrive, id, sample))
        return
      }
      fence.pass =
        fence.pass ?? leg.flatMap { pass(id, fence.region, $0, sample, place, belief.sigma) }
        ?? (isProbable ? Transition(.pass, id, sample) : nil)
      if isLeft, let pass = fence.pass {
        transitions.append(pass)
        fence.pass = nil
      }
    }
  }

  private func pass(
    _ id: FenceID, _ region: ReferenceRegion, _ leg: (place: Coordinate, time: Instant),
    _ sample: PositionSample, _ place: Coordinate, _ sigma: Double
  ) -> Transition? {
    guard region.beyond(leg.place) > 0, region.beyond(place) > 0,
      let fraction = region.pass(from: leg.place, to: place)
    else { return nil }
    let nearest = leg.place.interpolated(to: place, fraction: fraction)
    guard region.isLine || Self.isProbable(region.beyond(nearest), sigma, region.size) else {
      return nil
    }
    let elapsed = (sample.time - leg.time).seconds * fraction
    return Transition(
      fence: id, kind: .pass, time: leg.time + .seconds(elapsed), position: nearest,
      eph: sample.eph)
  }
}
