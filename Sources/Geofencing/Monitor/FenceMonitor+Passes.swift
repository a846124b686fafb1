import CivilTime
import Geodesy

/// Passes: the device was in a fence on its way between two samples, and is outside again.
extension FenceMonitor {
  /// Finds fences crossed by the leg to the believed place with both ends outside. A device that
  /// crosses a line was on it, however narrow it is.
  mutating func findPasses(_ evaluation: Evaluation) {
    guard let start = evaluation.leg else { return }
    let leg = Edge(from: start.place, to: evaluation.place)
    for fence in neighbours.crossable where phases[Int(fence)] == .outside {
      guard let fraction = nearestFraction(of: leg, to: fence) else { continue }
      let place = leg.point(at: fraction)
      let beyond = index.boundaryDistance(of: fence, from: place.coordinate, place)
      // A way that ends on the edge is about to arrive. Which side of it such an end is on,
      // rounding decides.
      guard beyond <= -0.001,
        index.isLine(fence) || isProbable(fence, beyond: beyond, evaluation)
      else { continue }
      let elapsed = (evaluation.sample.time - start.time).seconds * fraction
      addPass(
        Transition(
          fence: fence, kind: .pass, time: start.time + .seconds(elapsed),
          position: place.coordinate, eph: evaluation.sample.eph))
    }
  }

  /// Where a leg is nearest to the centre of a circle or the line of a corridor, or amid its
  /// longest stretch in a polygon; nil if it does not touch it.
  private func nearestFraction(of leg: Edge, to fence: FenceID) -> Double? {
    guard let shape = index.shape(fence) else {
      return leg.nearestFraction(to: Vector(index.circles[Int(fence)].center))
    }
    return shape.passing(leg)
  }

  /// Notes a pass, the first one of a visit.
  mutating func addPass(_ pass: Transition) {
    if !awaited.contains(where: { $0.fence == pass.fence }) { awaited.append(pass) }
  }

  /// Reports the passes of fences that the device has departed from; an arrival has dropped others.
  mutating func reportPasses(
    _ evaluation: Evaluation, _ position: Coordinate, into transitions: inout [Transition]
  ) {
    var kept = 0
    for pass in awaited {
      let beyond = boundaryDistance(of: pass.fence, evaluation, position)
      if beyond > 0, beyond >= policy.departureSigmas * evaluation.sigma {
        transitions.append(pass)
      } else {
        awaited[kept] = pass
        kept += 1
      }
    }
    awaited.removeLast(awaited.count - kept)
  }
}
