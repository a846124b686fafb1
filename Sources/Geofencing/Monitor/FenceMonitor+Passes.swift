import CivilTime
import Geodesy

extension FenceMonitor {
  /// Finds fences crossed by the leg from the last sample with both ends outside.
  ///
  /// The leg counts at once if the device moves and it continues the previous leg. After a start, a
  /// stop or a sharp turn its end may be an outlier, and the next sample has to confirm it.
  mutating func findPasses(_ evaluation: Evaluation, into transitions: inout [Transition]) {
    guard evaluation.leg, let last = track.receiver.last else { return }
    let leg = Edge(from: last.place, to: evaluation.place)
    for fence in neighbours.crossable
    where states[Int(fence)].is(.outside) && !decided.contains(fence) {
      guard let pass = pass(fence, last.sample.time, evaluation.sample, leg) else { continue }
      if isMoving, goesOnSteadily(to: evaluation) {
        transitions.append(pass)
      } else {
        awaited.append(pass)
      }
    }
  }

  /// A visit of one sample: a pass, unless that sample was an outlier or the way to it is unknown.
  mutating func reportBriefVisit(
    _ fence: FenceID, _ evaluation: Evaluation, into transitions: inout [Transition]
  ) {
    guard track.receiver.earlierConnected, let last = track.receiver.last,
      let before = track.receiver.earlier,
      !isOutlier(last, before: before, after: evaluation)
    else { return }
    guard index.shape(fence) == nil else {
      return transitions.append(Transition(.pass, fence, last.sample))
    }
    let center = Vector(index.circles[Int(fence)].center)
    let way = Edge(from: before.place, to: last.place)
    let on = Edge(from: last.place, to: evaluation.place)
    let first = pass(fence, before.time, last.sample, way, at: way.nearestFraction(to: center))
    let fraction = on.nearestFraction(to: center)
    let second = pass(fence, last.sample.time, evaluation.sample, on, at: fraction)
    // Where the sample itself is nearest, it is the end of both ways, and its error counts.
    let isFirst = fraction == 0 || distance(of: first) <= distance(of: second)
    transitions.append(isFirst ? first : second)
  }

  /// Reports the passes of the previous leg, unless its last sample was an outlier or the device
  /// does not move.
  mutating func bearOutAwaited(_ evaluation: Evaluation, into transitions: inout [Transition]) {
    guard !awaited.isEmpty else { return }
    if isMoving, let last = track.receiver.last, let before = track.receiver.earlier,
      !isOutlier(last, before: before, after: evaluation)
    {
      for pass in awaited where states[Int(pass.fence)].presence == .outside {
        transitions.append(pass)
      }
    }
    awaited.removeAll(keepingCapacity: true)
  }

  /// The pass of a leg; nil if it does not touch the fence.
  private func pass(
    _ fence: FenceID, _ start: Instant, _ end: PositionSample, _ leg: Edge
  ) -> Transition? {
    if let shape = index.shape(fence) {
      return shape.passing(leg).map { pass(fence, start, end, leg, at: $0) }
    }
    let circle = index.circles[Int(fence)]
    let nearest = pass(fence, start, end, leg, at: leg.nearestFraction(to: Vector(circle.center)))
    // A way that ends on the edge is about to arrive. Which side of it such an end is on, rounding
    // decides.
    return distance(of: nearest) <= circle.radius - 0.001 ? nearest : nil
  }

  private func pass(
    _ fence: FenceID, _ start: Instant, _ end: PositionSample, _ leg: Edge, at fraction: Double
  ) -> Transition {
    let elapsed = (end.time - start).seconds * fraction
    return Transition(
      fence: fence, kind: .pass, time: start + .seconds(elapsed),
      position: leg.point(at: fraction).coordinate, eph: end.eph)
  }

  /// Whether a sample continues the previous leg: off by at most half the distance.
  private func goesOnSteadily(to evaluation: Evaluation) -> Bool {
    guard track.receiver.earlierConnected, let last = track.receiver.last,
      let before = track.receiver.earlier
    else { return false }
    let elapsed = (last.sample.time - before.time).seconds
    guard elapsed > 0 else { return false }
    let (a, b, c) = (before.place, last.place, evaluation.place)
    let expected = b + ((evaluation.sample.time - last.sample.time).seconds / elapsed) * (b - a)
    return (c - expected).length <= 0.5 * (c - b).length
  }

  /// Whether a sample sticks out of the way from the one before to the one after it, there and
  /// back: by more than 0.8 of the longer of the two ways. A right-angled turn is 0.7.
  private func isOutlier(_ sample: LocatedSample, before: Waypoint, after: Evaluation) -> Bool {
    let whole = (after.sample.time - before.time).seconds
    guard whole > 0 else { return false }
    let (a, b, c) = (before.place, sample.place, after.place)
    let expected = a + ((sample.sample.time - before.time).seconds / whole) * (c - a)
    return (b - expected).length > 0.8 * max((b - a).length, (c - b).length)
  }
}
