import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// What surroundings tell of themselves, look by look, beside a fence by fence reckoning.
@Suite struct SurroundingsTests {
  /// To and fro on both sides of a place, with steps of up to 2.8 km: more than the disc of the hot edges is wide, or a
  /// jump.
  @Test(arguments: 0..<24 as Range<UInt64>) func whatTheyTellAddsUp(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let middle = coordinate(48.1, 11.6)
    let spread = random.uniform(8_000...40_000)
    var index = GridIndex()
    let fences = (0..<250).map(FenceID.init)
    for fence in fences {
      let center = random.beside(middle, distance: spread * random.uniform(0...1).squareRoot())
      index.insert(.circle(circle(center, power(10, random.uniform(2...3.6)))), id: fence)
    }
    var surroundings = Surroundings()
    var held: Set<FenceID> = []
    var site = middle
    var wrong: [String] = []
    for step in 0..<600 {
      if step % 60 == 0 { site = random.beside(middle, distance: spread * random.uniform(0...1)) }
      let here = random.beside(
        site, distance: step % 3 == 0 ? random.uniform(0...60) : random.uniform(950...1_400),
        bearing: Double(step % 3) * 180 + random.uniform(-20...20))
      let view = Viewpoint(here)
      let safe =
        surroundings.glance(at: view.direction, latitude: here.latitude)
        ?? surroundings.look(from: view, in: index)
      let entered = surroundings.entered.elements
      let left = surroundings.left.elements
      let isSilent =
        entered.isEmpty && left.isEmpty && surroundings.found.isEmpty && surroundings.former.isEmpty
      if surroundings.hasNews == isSilent { wrong.append("step \(step): hasNews") }
      held =
        surroundings.isFresh
        ? [] : held.subtracting(left).subtracting(surroundings.former)
      held.formUnion(entered)
      held.formUnion(surroundings.found)
      let beyond = fences.map { index.boundaryDistance(of: $0, from: view) }
      if held != Set(fences.filter { beyond[Int($0)] <= 0 }) {
        wrong.append("step \(step): \(held)")
      }
      let nearest = beyond.map(abs).min() ?? .infinity
      if safe > nearest + 1e-6 { wrong.append("step \(step): \(safe) m, not \(nearest)") }
    }
    #expect(wrong.prefix(3) == [])
  }
}
