import CivilTime
import Geodesy

/// Passes: the device was in a fence on its way between two samples, and is outside again.
extension FenceSet {
  /// Finds fences crossed by the leg to the believed place with both ends outside. A device that
  /// crosses a line was on it, however narrow it is.
  mutating func findPasses(_ evaluation: Evaluation) {
    guard let start = evaluation.leg else { return }
    let leg = Edge(from: start.place, to: evaluation.place)
    for fence in neighbours.crossable where presences[Int(fence)] == .outside {
      let region = index.region(of: fence)
      guard let fraction = region.passing(leg) else { continue }
      let place = leg.point(at: fraction)
      let beyond = region.signedBoundaryDistance(from: place.coordinate, place)
      // A way that ends on the edge is about to arrive. Which side of it such an end is on,
      // rounding decides.
      guard beyond <= -0.001,
        region.isLine || isProbable(fence, beyond: beyond, evaluation)
      else { continue }
      let elapsed = (evaluation.sample.time - start.time).seconds * fraction
      addPass(
        Transition(
          fence: fence, kind: .pass, time: start.time + .seconds(elapsed),
          position: place.coordinate, eph: evaluation.sample.eph))
    }
  }

  /// Notes a pass, the first one of a visit.
  mutating func addPass(_ pass: Transition) {
    if !awaited.contains(where: { $0.fence == pass.fence }) { awaited.append(pass) }
  }

  /// Reports the passes of fences that the device has departed from; an arrival has dropped others.
  mutating func reportPasses(_ evaluation: Evaluation, into transitions: inout [Transition]) {
    let passes = awaited
    awaited.removeAll()
    for pass in passes {
      let beyond = index.boundaryDistance(
        of: pass.fence, from: evaluation.position, evaluation.place)
      if isOutside(beyond: beyond, evaluation) {
        transitions.append(pass)
      } else {
        awaited.append(pass)
      }
    }
  }
}
