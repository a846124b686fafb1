import CivilTime
import Geodesy
import Geofencing
import TestSupport

/// The rules of `docs/explanation/how-it-decides.md` without an index, a neighbour list, a safe
/// ball or deadlines: all circles are measured at each sample, in degrees and by the haversine
/// formula.
struct ReferenceMonitor {
  private struct Fence {
    let circle: Circle
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

  mutating func add(_ circle: Circle, id: FenceID, presence: Presence) {
    remove(id)
    fences[id] = Fence(circle: circle, presence: presence)
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
    let before = receiver.last?.sample
    let earlier = receiver.earlier?.sample
    receiver.follow(sample, isAnew: belief == .anew)
    receivers[id] = receiver
    lastGood = t
    lastSample = sample
    for id in fences.keys { fences[id]?.coarse = nil }
    let gap = before.map { (sample.time - $0.time).seconds } ?? .infinity
    let isLeg =
      belief == .follows
      && (gap <= 60 || gap <= 300 && gap <= 3 * receiver.usualInterval + 1e-7)
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
        circle: fence.circle, presence: kind == .arrive ? .inside : .outside, coarse: fence.coarse)
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
    let circle = fence.circle
    let beyond = sample.position.distance(to: circle.center) - circle.radius
    let far = max(75, 3 * receiver.error)
    func decide(_ presence: Presence, _ kind: Transition.Kind?) {
      fence = Fence(circle: circle, presence: presence)
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
      let margin = max(20, 0.1 * circle.radius, 1.5 * receiver.error)
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
        let passes = [pass(id, circle, earlier, before), pass(id, circle, before, sample)]
        let distances = passes.map { $0.position.distance(to: circle.center) }
        return transitions.append(distances[0] <= distances[1] ? passes[0] : passes[1])
      }
      let pass = pass(id, circle, before, sample)
      guard pass.position.distance(to: circle.center) <= circle.radius - 0.001 else { return }
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
    for (id, fence) in fences where fence.circle.radius >= eph {
      let beyond = sample.position.distance(to: fence.circle.center) - fence.circle.radius
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
      fences[id] = Fence(circle: fence.circle, presence: isInside ? .inside : .outside)
      if let kind {
        transitions.append(
          Transition(
            fence: id, kind: kind, time: sample.time, position: sample.position, eph: eph))
      }
    }
    transitions[start...].sort(by: Transition.precedes)
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
