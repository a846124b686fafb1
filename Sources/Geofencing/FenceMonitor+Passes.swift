import CivilTime
import Geodesy

extension FenceMonitor {
  /// Fences that the path from the last sample crosses, both of its ends outside.
  ///
  /// The path is believed at once when it goes on as the leg before it did; after a start, a stop
  /// or a sharp turn its end may be an outlier, and the next sample has to bear it out.
  mutating func findPasses(_ look: Look, into transitions: inout [Transition]) {
    guard let last = lastSample else { return }
    let arc = Arc(from: Vector(last.position), to: look.view.direction)
    hits.removeAll(keepingCapacity: true)
    if surroundings.know(from: arc.start, to: arc.end) {
      surroundings.crossable(from: arc.start, to: arc.end, into: &hits)
    } else {
      let length = arc.angle * CellGrid.earthRadius
      let middle = Viewpoint(arc.point(at: 0.5).coordinate)
      index.candidates(around: middle, radius: length / 2 + 1, into: &hits)
    }
    for fence in hits where states[Int(fence)].is(.outside) && !settled.contains(fence) {
      guard let pass = pass(fence, last, look.sample, arc) else { continue }
      if goesOnSteadily(to: look.sample) {
        transitions.append(pass)
      } else {
        awaited.append(pass)
      }
    }
  }

  /// A visit of one sample: a pass, unless that sample was an outlier or the way to it is unknown.
  mutating func reportBriefVisit(
    _ fence: FenceID, _ look: Look, into transitions: inout [Transition]
  ) {
    guard earlierConnected, let last = lastSample, let before = earlier,
      !isOutlier(last, before: before, after: look.sample)
    else { return }
    guard index.shape(fence) == nil else {
      return transitions.append(transition(.pass, fence, last))
    }
    let circle = index.circles[Int(fence)]
    let center = Vector(latitude: circle.latitude, longitude: circle.longitude)
    let way = Arc(from: Vector(before.position), to: Vector(last.position))
    let on = Arc(from: Vector(last.position), to: Vector(look.sample.position))
    let start = PositionSample(time: before.time, position: before.position)
    let passes = [
      pass(fence, start, last, way, at: way.nearestFraction(to: center)),
      pass(fence, last, look.sample, on, at: on.nearestFraction(to: center)),
    ]
    transitions.append(distance(of: passes[0]) <= distance(of: passes[1]) ? passes[0] : passes[1])
  }

  /// Reports the passes of the last leg, unless the sample at its end was an outlier.
  mutating func bearOutAwaited(_ look: Look, into transitions: inout [Transition]) {
    guard !awaited.isEmpty else { return }
    if let last = lastSample, let before = earlier,
      !isOutlier(last, before: before, after: look.sample)
    {
      for pass in awaited where states[Int(pass.fence)].presence == .outside {
        transitions.append(pass)
      }
    }
    awaited.removeAll(keepingCapacity: true)
  }

  /// The pass of the way from one sample to the next, nil where it does not touch the fence.
  private func pass(
    _ fence: FenceID, _ a: PositionSample, _ b: PositionSample, _ arc: Arc
  ) -> Transition? {
    if let shape = index.shape(fence) {
      return shape.passing(Edge(from: arc.start, to: arc.end)).map {
        pass(fence, a, b, arc, at: $0)
      }
    }
    let circle = index.circles[Int(fence)]
    let center = Vector(latitude: circle.latitude, longitude: circle.longitude)
    let nearest = pass(fence, a, b, arc, at: arc.nearestFraction(to: center))
    // A way that ends on the edge is about to arrive. Which side of it such an end is on, rounding decides.
    return distance(of: nearest) <= circle.radius - 0.001 ? nearest : nil
  }

  private func pass(
    _ fence: FenceID, _ a: PositionSample, _ b: PositionSample, _ arc: Arc, at fraction: Double
  ) -> Transition {
    let position = arc.point(at: fraction).coordinate
    let elapsed = (b.time - a.time).seconds * fraction
    return Transition(
      fence: fence, kind: .pass, time: a.time + .seconds(elapsed), position: position,
      eph: b.eph)
  }

  /// Whether a sample lies where the leg before it, gone on with, would have led: off by no more
  /// than half the way. Written in place, for a call copies the monitor.
  @inline(__always)
  private func goesOnSteadily(to sample: PositionSample) -> Bool {
    guard earlierConnected, let last = lastSample, let before = earlier else { return false }
    let elapsed = (last.time - before.time).seconds
    guard elapsed > 0 else { return false }
    let (a, b, c) = (
      Vector(before.position), Vector(last.position), Vector(sample.position)
    )
    let expected = b + ((sample.time - last.time).seconds / elapsed) * (b - a)
    return (c - expected).length <= 0.5 * (c - b).length
  }

  /// Whether a sample sticks out of the path from the one before to the one after it, there and
  /// back: by more than 0.8 of the longer of the two ways. A right-angled turn is 0.7.
  private func isOutlier(
    _ sample: PositionSample, before: TrailPoint, after: PositionSample
  ) -> Bool {
    let whole = (after.time - before.time).seconds
    guard whole > 0 else { return false }
    let (a, b, c) = (
      Vector(before.position), Vector(sample.position), Vector(after.position)
    )
    let expected = a + ((sample.time - before.time).seconds / whole) * (c - a)
    return (b - expected).length > 0.8 * max((b - a).length, (c - b).length)
  }
}
