import CivilTime
import Geodesy
import Geofencing
import TestSupport

/// The rules of `docs/explanation/how-it-decides.md` without an index, a neighbour list, a safe
/// ball or deadlines: all fences are measured at each sample, by formulas of its own.
struct ReferenceMonitor {
  private struct Fence {
    let region: ReferenceRegion
    var presence: Presence
    /// Of an unknown presence: what was seen, and since when.
    var seen: (isInside: Bool, since: Double)?
    /// Times of the samples that contradict the presence: beyond the margin or the edge, far from
    /// it, and beyond the margin on the move.
    var near: [Double] = []
    var far: [Double] = []
    var moving: [Double] = []
    var isDeep = false
    var coarse: (isInside: Bool, since: Double)?
  }

  private var fences: [FenceID: Fence] = [:]
  private var receivers: [ReceiverID: ReferenceReceiver] = [:]
  private var id = ReceiverID()
  private var awaited: [Transition] = []
  private var isEarlierLeg = false
  private var newest = -Double.infinity
  private var lastGood = -Double.infinity
  private var lastSample: PositionSample?

  private var receiver: ReferenceReceiver { receivers[id] ?? ReferenceReceiver() }
  var scale: Double { receiver.scale }

  mutating func add(_ region: ReferenceRegion, id: FenceID, presence: Presence) {
    remove(id)
    fences[id] = Fence(region: region, presence: presence)
  }

  mutating func remove(_ id: FenceID) {
    fences[id] = nil
    awaited.removeAll { $0.fence == id }
  }

  mutating func follow(_ next: ReceiverID) {
    guard next != id else { return }
    var other = receivers[next] ?? ReferenceReceiver()
    other.takeOver(from: receiver)
    receivers[next] = other
    id = next
    awaited = []
    isEarlierLeg = false
  }

  /// Begins anew, as after a restart of the program or a step of the clock.
  mutating func restart(keepsScales: Bool) {
    for (id, fence) in fences { add(fence.region, id: id, presence: fence.presence) }
    receivers = keepsScales ? receivers.mapValues { $0.withoutTrack() } : [:]
    if !keepsScales { id = ReceiverID() }
    isEarlierLeg = false
    (newest, lastGood, lastSample) = (-.infinity, -.infinity, nil)
  }

  mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    let t = sample.time.seconds
    guard t > newest else { return }
    endHolds(by: sample.time, into: &transitions)
    newest = t
    if let eph = sample.eph, eph > 100 {
      return processCoarse(sample, eph, into: &transitions)
    }
    var receiver = self.receiver
    let belief = receiver.believe(sample)
    guard belief != .aside else {
      receivers[id] = receiver
      return
    }
    let lastInterval = receiver.last?.interval ?? 0
    let before = receiver.last?.sample
    let earlier = receiver.earlier?.sample
    receiver.follow(sample, isAnew: belief == .anew)
    receivers[id] = receiver
    lastGood = t
    lastSample = sample
    for id in fences.keys { fences[id]?.coarse = nil }
    let gap = before.map { (sample.time - $0.time).seconds } ?? .infinity
    let interval = max(lastInterval, receiver.usualInterval)
    let isLeg = belief == .follows && gap <= min(300, 3 * interval)
    let start = transitions.count
    if !awaited.isEmpty {
      if receiver.isMoving, let before, let earlier, !isOutlier(earlier, before, sample) {
        transitions += awaited.filter { fences[$0.fence]?.presence == .outside }
      }
      awaited = []
    }
    let way = Way(earlier: earlier, before: before, isLeg: isLeg, wasLeg: isEarlierLeg)
    for id in fences.keys { decide(id, sample, way, into: &transitions) }
    isEarlierLeg = isLeg
    transitions[start...].sort(by: Transition.precedes)
  }

  /// Ends the holds that have lasted long enough by a time; called before each sample.
  mutating func endHolds(by time: Instant, into transitions: inout [Transition]) {
    guard let lastSample else { return }
    let start = transitions.count
    for (id, fence) in fences {
      guard let end = end(of: fence), end <= time.seconds + 1e-7 else { continue }
      let kind: Transition.Kind = fence.presence == .inside ? .depart : .arrive
      fences[id] = Fence(
        region: fence.region, presence: kind == .arrive ? .inside : .outside, coarse: fence.coarse)
      transitions.append(
        Transition(
          fence: id, kind: kind, time: Instant(seconds: end), position: lastSample.position,
          eph: lastSample.eph))
    }
    transitions[start...].sort {
      $0.time != $1.time ? $0.time < $1.time : Transition.precedes($0, $1)
    }
  }

  private static func agree(_ times: [Double]) -> Bool {
    guard let first = times.first, let last = times.last else { return false }
    return last - first >= 0.95 - 1e-7
  }

  /// When a contradiction will have lasted long enough.
  private func end(of fence: Fence) -> Double? {
    var ends: [Double] = []
    if fence.presence == .outside {
      guard Self.agree(fence.near) else { return nil }
      let isResting = receiver.isSettled && !receiver.isMoving
      return fence.near[0] + (isResting ? fence.isDeep ? 20 : 120 : 0)
    }
    if Self.agree(fence.moving) { ends.append(fence.moving[0]) }
    if Self.agree(fence.near) { ends.append(fence.near[0] + 120) }
    if Self.agree(fence.far) { ends.append(fence.far[0] + 20) }
    return ends.min()
  }

  private struct Way {
    let earlier: PositionSample?
    let before: PositionSample?
    let isLeg: Bool
    let wasLeg: Bool
  }

  private mutating func decide(
    _ id: FenceID, _ sample: PositionSample, _ way: Way, into transitions: inout [Transition]
  ) {
    guard var fence = fences[id] else { return }
    defer { fences[id] = fence }
    let t = sample.time.seconds
    let receiver = receiver
    let region = fence.region
    let beyond = region.beyond(sample.position)
    let far = max(75, 3 * receiver.error)
    func decide(_ presence: Presence, _ kind: Transition.Kind?) {
      fence = Fence(region: region, presence: presence)
      guard let kind else { return }
      transitions.append(
        Transition(
          fence: id, kind: kind, time: sample.time, position: sample.position, eph: sample.eph))
    }
    switch fence.presence {
    case .unknown:
      let isInside = beyond <= 0
      if fence.seen?.isInside != isInside { fence.seen = (isInside, t) }
      if let seen = fence.seen, t - seen.since >= 0.95 - 1e-7 {
        decide(isInside ? .inside : .outside, isInside ? .found : nil)
      }
    case .inside:
      let margin = max(20, 0.1 * region.size, 1.5 * receiver.error)
      fence.near = beyond > margin ? fence.near + [t] : []
      fence.far = beyond > max(far, margin) ? fence.far + [t] : []
      fence.moving = beyond > margin && receiver.isMoving ? fence.moving + [t] : []
      if let end = end(of: fence), end <= t + 1e-7 { decide(.outside, .depart) }
    case .outside where beyond <= 0:
      fence.near.append(t)
      fence.isDeep = -beyond > far
      if let end = end(of: fence), end <= t + 1e-7 { decide(.inside, .arrive) }
    case .outside:
      let wasInside = !fence.near.isEmpty
      fence.near = []
      guard way.isLeg, let before = way.before else { return }
      if wasInside {
        guard receiver.isMoving, way.wasLeg, let earlier = way.earlier,
          !isOutlier(earlier, before, sample)
        else { return }
        return transitions.append(briefVisit(id, region, earlier, before, sample))
      }
      guard let fraction = region.pass(from: before.position, to: sample.position) else { return }
      let pass = pass(id, before, sample, at: fraction)
      if receiver.isMoving, goesOnSteadily(way, sample) {
        transitions.append(pass)
      } else {
        awaited.append(pass)
      }
    }
  }

  private mutating func processCoarse(
    _ sample: PositionSample, _ eph: Double, into transitions: inout [Transition]
  ) {
    let t = sample.time.seconds
    guard t - lastGood >= 120 - 1e-7 else { return }
    let start = transitions.count
    for (id, fence) in fences where fence.region.size >= eph {
      let beyond = fence.region.beyond(sample.position)
      let isInside = beyond < 0
      guard abs(beyond) > eph, fence.presence != (isInside ? .inside : .outside) else {
        fences[id]?.coarse = nil
        continue
      }
      guard let seen = fence.coarse, seen.isInside == isInside else {
        fences[id]?.coarse = (isInside, t)
        continue
      }
      guard t - seen.since >= 0.95 - 1e-7 else { continue }
      let kind: Transition.Kind? =
        isInside
        ? fence.presence == .unknown ? .found : .arrive
        : fence.presence == .inside ? .depart : nil
      fences[id] = Fence(region: fence.region, presence: isInside ? .inside : .outside)
      if let kind {
        transitions.append(
          Transition(
            fence: id, kind: kind, time: sample.time, position: sample.position, eph: eph))
      }
    }
    transitions[start...].sort(by: Transition.precedes)
  }

  private func pass(
    _ id: FenceID, _ a: PositionSample, _ b: PositionSample, at fraction: Double
  ) -> Transition {
    Transition(
      fence: id, kind: .pass, time: a.time + .seconds((b.time - a.time).seconds * fraction),
      position: a.position.interpolated(to: b.position, fraction: fraction), eph: b.eph)
  }

  /// The pass of a fence that holds one sample: at that sample, or where the way is nearest to the
  /// centre of a circle.
  private func briefVisit(
    _ id: FenceID, _ region: ReferenceRegion, _ a: PositionSample, _ b: PositionSample,
    _ c: PositionSample
  ) -> Transition {
    let first = pass(
      id, a, b, at: region.fractionNearestToCenter(from: a.position, to: b.position))
    let fraction = region.fractionNearestToCenter(from: b.position, to: c.position)
    let second = pass(id, b, c, at: fraction)
    guard let center = region.center, fraction > 0 else { return first }
    let isFirst = first.position.distance(to: center) <= second.position.distance(to: center)
    return isFirst ? first : second
  }

  private func goesOnSteadily(_ way: Way, _ sample: PositionSample) -> Bool {
    guard way.wasLeg, let a = way.earlier, let b = way.before else { return false }
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
