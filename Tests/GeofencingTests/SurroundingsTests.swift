import CProcessor
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// What surroundings tell of themselves, look by look, beside a fence by fence reckoning.
@Suite struct SurroundingsTests {
  /// To and fro on both sides of a place, with steps of up to 2.8 km: more than the disc of the hot edges is wide, or a
  /// jump.
  @Test(arguments: 0..<24 as Range<UInt64>, [false, true])
  func whatTheyTellAddsUp(seed: UInt64, isWide: Bool) {
    var random = SeededGenerator(seed: seed)
    let middle = coordinate(48.1, 11.6)
    let spread = random.uniform(8_000...40_000)
    var index = GridIndex()
    let fences = (0..<250).map(FenceID.init)
    for fence in fences {
      let center = random.beside(middle, distance: spread * random.uniform(0...1).squareRoot())
      index.insert(.circle(circle(center, power(10, random.uniform(2...3.6)))), id: fence)
    }
    var surroundings = Surroundings(
      kernels: EdgeKernels(isWide: isWide && has_wide_vectors()))
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
        surroundings.glance(at: here)?.safe
        ?? surroundings.look(from: view, in: index)
      let entered = surroundings.entered.elements
      let left = surroundings.left.elements
      let isSilent =
        entered.isEmpty && left.isEmpty && surroundings.found.isEmpty
        && surroundings.former.isEmpty
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

  /// Fixes that are a few millimetres or centimetres beside edges, metres to hundreds of metres apart: what a glance
  /// brings must be what each fence says of itself.
  @Test(
    arguments: [
      coordinate(48.1, 11.6), coordinate(0.0005, 180), coordinate(79.998, 20),
      coordinate(-79.999, -179.9999),
    ], [false, true])
  func closeToEdges(middle: Coordinate, isWide: Bool) throws {
    var random = SeededGenerator(seed: 29)
    var index = GridIndex()
    var circles: [Circle] = []
    let fences = (0..<160).map(FenceID.init)
    for fence in fences {
      let radius = 3 * power(10, random.uniform(0...(fence % 8 == 0 ? 4.5 : 2.3)))
      // The edge of each is near the middle.
      let site = random.beside(middle, distance: 700 * random.uniform(0...1).squareRoot())
      let circle = circle(random.beside(site, distance: radius), radius)
      circles.append(circle)
      let region =
        fence % 10 == 3
        ? random.shape(around: site, reach: max(30, min(radius, 300))) : .circle(circle)
      index.insert(region, id: fence)
    }
    var surroundings = Surroundings(
      kernels: EdgeKernels(isWide: isWide && has_wide_vectors()))
    var held: Set<FenceID> = []
    var wrong: [String] = []
    var glances = 0
    var crossings = 0
    var here = middle
    for step in 0..<4_000 {
      // Some steps on, then beside the edge that is nearest among some.
      here =
        step % 40 == 0
        ? random.beside(middle, distance: 500 * random.uniform(0...1))
        : random.beside(here, distance: power(10, random.uniform(-1...2)))
      if step % 3 != 0 {
        let nearest = try #require(
          circles.min {
            abs($0.center.distance(to: here) - $0.radius)
              < abs($1.center.distance(to: here) - $1.radius)
          })
        here = nearest.center.destination(
          bearing: nearest.center.initialBearing(to: here),
          distance: nearest.radius + random.uniform(-1...1) * power(10, random.uniform(-4...(-1.3)))
        )
      }
      let view = Viewpoint(here)
      let glance = surroundings.glance(at: here)?.safe
      if glance != nil { glances += 1 }
      let safe = glance ?? surroundings.look(from: view, in: index)
      let before = held
      held =
        surroundings.isFresh
        ? [] : held.subtracting(surroundings.left.elements).subtracting(surroundings.former)
      held.formUnion(surroundings.entered.elements)
      held.formUnion(surroundings.found)
      crossings += before.symmetricDifference(held).count
      let beyond = fences.map { index.boundaryDistance(of: $0, from: view) }
      let truth = Set(fences.filter { beyond[Int($0)] <= 0 })
      if held != truth { wrong.append("step \(step): \(held.symmetricDifference(truth))") }
      let nearest = beyond.map(abs).min() ?? .infinity
      if safe > nearest + 1e-6 { wrong.append("step \(step): \(safe) m, not \(nearest)") }
    }
    #expect(wrong.prefix(3) == [])
    #expect(glances > 500)
    #expect(crossings > 500)
  }
}
