import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// What the neighbour list finds, check by check, against all fences measured one by one.
@Suite struct NeighbourListTests {
  /// A list on its way, and what must be true after each check.
  struct Walk {
    let index: FenceIndex
    let circles: [Circle?]
    var list = NeighbourList()
    var held: Set<FenceID> = []
    var last: Coordinate?
    var wrong: [String] = []
    var crossings = 0
    var passes = 0
    var steps = 0

    mutating func check(_ here: Coordinate, hasLeg: Bool) {
      steps += 1
      let place = Vector(here)
      let start = hasLeg ? last : nil
      let safe =
        list.check(here, place, legFrom: start.map { Vector($0) }, in: index) * Sphere.radius
      let before = held
      held.subtract(list.left)
      held.formUnion(list.entered)
      crossings += before.symmetricDifference(held).count
      if held != Set(list.holding) { wrong.append("step \(steps): holding \(list.holding)") }
      for id in circles.indices {
        let fence = FenceID(id)
        let beyond = index.boundaryDistance(of: fence, from: here, place)
        if held.contains(fence) != (beyond <= 0) { wrong.append("step \(steps): \(id), \(beyond)") }
        if safe > abs(beyond) + 1e-6 { wrong.append("step \(steps): \(safe) m, not \(beyond)") }
        if let start, let circle = circles[id], beyond > 0,
          circle.center.closestApproach(ofSegmentFrom: start, to: here).distance
            < circle.radius - 0.001
        {
          passes += 1
          if !list.crossable.contains(fence) { wrong.append("step \(steps): \(id) was crossed") }
        }
      }
      last = here
    }
  }

  /// To and fro on both sides of places among fences, with some jumps.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func foundFencesAreConsistent(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let middle = [
      coordinate(48.1, 11.6), coordinate(0.0005, 180), coordinate(89.9, 20), coordinate(-90, 0),
    ][Int(seed % 4)]
    let spread = random.uniform(8_000...40_000)
    var index = FenceIndex()
    var circles: [Circle?] = []
    for id in 0..<250 {
      let center = random.beside(middle, distance: spread * random.uniform(0...1).squareRoot())
      let one = circle(center, power(10, random.uniform(2...3.6)))
      let isShape = id % 10 == 3
      index.insert(
        isShape ? random.shape(around: center, reach: one.radius) : .circle(one),
        id: FenceID(id))
      circles.append(isShape ? nil : one)
    }
    var walk = Walk(index: index, circles: circles)
    var site = middle
    for step in 0..<500 {
      if step % 60 == 0 { site = random.beside(middle, distance: spread * random.uniform(0...1)) }
      let here = random.beside(
        site, distance: step % 3 == 0 ? random.uniform(0...60) : random.uniform(950...1_400),
        bearing: Double(step % 3) * 180 + random.uniform(-20...20))
      walk.check(here, hasLeg: step % 60 != 0 && seed % 3 != 0)
    }
    #expect(walk.wrong.prefix(3) == [])
    #expect(walk.crossings > 100)
    #expect(walk.passes > 5 || seed % 3 == 0)
  }

  /// Legs of up to thousands of kilometres: the great circle bulges far above the straight line.
  @Test func longLegsMissNoFence() {
    var random = SeededGenerator(seed: 41)
    var index = FenceIndex()
    var circles: [Circle?] = []
    for id in 0..<400 {
      let one = circle(
        random.place(), power(10, random.uniform(4...5.7)))
      index.insert(.circle(one), id: FenceID(id))
      circles.append(one)
    }
    var walk = Walk(index: index, circles: circles)
    var here = random.place()
    for _ in 0..<300 {
      here = here.destination(
        bearing: random.uniform(0...360), distance: power(10, random.uniform(5...6.8)))
      walk.check(here, hasLeg: true)
    }
    #expect(walk.wrong.prefix(3) == [])
    #expect(walk.passes > 50)
  }

  /// Places a few millimetres beside edges.
  @Test(arguments: [
    coordinate(48.1, 11.6), coordinate(0.0005, 180), coordinate(79.998, 20), coordinate(90, 0),
  ])
  func closeToEdges(middle: Coordinate) throws {
    var random = SeededGenerator(seed: 29)
    var index = FenceIndex()
    var circles: [Circle] = []
    for id in 0..<160 {
      let radius = 3 * power(10, random.uniform(0...(id % 8 == 0 ? 4.5 : 2.3)))
      // The edge of each is near the middle.
      let site = random.beside(middle, distance: 700 * random.uniform(0...1).squareRoot())
      let one = circle(random.beside(site, distance: radius), radius)
      circles.append(one)
      index.insert(.circle(one), id: FenceID(id))
    }
    var walk = Walk(index: index, circles: circles)
    var here = middle
    for step in 0..<1_500 {
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
      walk.check(here, hasLeg: false)
    }
    #expect(walk.wrong.prefix(3) == [])
    #expect(walk.crossings > 300)
  }
}
