import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

@Suite struct FenceIndexTests {
  /// A world to compare index and scan in: circles near `site`, and places at their edges.
  struct World: CustomTestStringConvertible {
    let name: String
    let latitude: ClosedRange<Double>
    let longitude: ClosedRange<Double>
    let radius: ClosedRange<Double>
    var testDescription: String { name }
  }

  static let worlds = [
    World(name: "city", latitude: 52.3...52.6, longitude: 13...13.6, radius: 1...2_000),
    World(
      name: "antimeridian", latitude: -17...(-16), longitude: 179.5...180.5, radius: 5...40_000),
    World(name: "north pole", latitude: 89.7...90, longitude: -180...180, radius: 1...30_000),
    World(name: "south pole", latitude: -90...(-89.99), longitude: -180...180, radius: 1...3_000),
    World(name: "polar circle", latitude: 70...88, longitude: -180...180, radius: 100...500_000),
    World(name: "world", latitude: -90...90, longitude: -180...180, radius: 1_000...5_000_000),
    World(name: "equator", latitude: -0.01...0.01, longitude: -0.02...0.02, radius: 1...1_500),
  ]

  static func circles(of world: World, _ count: Int, _ random: inout SeededGenerator) -> [Circle] {
    (0..<count).map { _ in
      let scale = world.radius.upperBound / world.radius.lowerBound
      let radius = world.radius.lowerBound * power(scale, random.uniform(0...1))
      return circle(
        coordinate(random.uniform(world.latitude), random.uniform(world.longitude)), radius)
    }
  }

  /// A place within or near the world, mostly close to the edge of a circle.
  static func place(
    in world: World, _ circles: [Circle], _ random: inout SeededGenerator
  ) -> Coordinate {
    guard let circle = circles.randomElement(using: &random), random.uniform(0...1) < 0.8 else {
      return coordinate(random.uniform(world.latitude), random.uniform(world.longitude))
    }
    let offset = random.uniform(-1...1) * power(10, random.uniform(-3...3))
    return circle.center.destination(
      bearing: random.uniform(0...360), distance: max(0, circle.radius + offset))
  }

  @Test(arguments: worlds)
  func agreesWithScan(world: World) {
    var random = SeededGenerator(seed: 1)
    let circles = Self.circles(of: world, 300, &random)
    var index = FenceIndex()
    for (id, circle) in circles.enumerated() { index.insert(.circle(circle), id: FenceID(id)) }
    #expect(index.checkInvariants() == nil)
    var wrong: [String] = []
    for _ in 0..<200 {
      let place = Self.place(in: world, circles, &random)
      var found: [FenceID] = []
      let safe = index.containing(place, into: &found)
      var nearestEdge = Double.infinity
      for (id, circle) in circles.enumerated() {
        let beyond = place.distance(to: circle.center) - circle.radius
        if abs(beyond) > 1e-5 {
          if found.contains(FenceID(id)) != (beyond < 0) { wrong.append("\(id) at \(place)") }
        }
        if beyond > 1e-5 { nearestEdge = min(nearestEdge, beyond) }
      }
      if found.count != Set(found).count { wrong.append("repetition at \(place)") }
      if safe > nearestEdge + 1e-5 { wrong.append("\(place) is not safe for \(safe) m") }
    }
    #expect(wrong == [])
  }

  @Test(arguments: worlds)
  func findsNearest(world: World) {
    var random = SeededGenerator(seed: 2)
    let circles = Self.circles(of: world, 100, &random)
    var index = FenceIndex()
    for (id, circle) in circles.enumerated() { index.insert(.circle(circle), id: FenceID(id)) }
    for limit in [1, 5, 200] {
      for metres in [0, 500, 1e5, .infinity] {
        let place = Self.place(in: world, circles, &random)
        let expected = circles.map { place.distance(to: $0.center) - $0.radius }
          .filter { $0 <= metres }.sorted().prefix(limit)
        let found = index.nearest(to: place, limit: limit, within: metres)
        #expect(found.count == expected.count)
        #expect(zip(found, expected).allSatisfy { abs($0.distance - $1) < 1e-4 })
      }
    }
  }

  @Test func staysSoundThroughChanges() {
    var random = SeededGenerator(seed: 3)
    var index = FenceIndex()
    var model: [FenceID: Circle] = [:]
    for step in 0..<3_000 {
      let id = FenceID.random(in: 0..<200, using: &random)
      if random.uniform(0...1) < 0.45 {
        index.remove(id)
        model[id] = nil
      } else {
        let world = Self.worlds[step % Self.worlds.count]
        let circle = Self.circles(of: world, 1, &random)[0]
        index.insert(.circle(circle), id: id)
        model[id] = circle
      }
      if step % 300 == 0 { #expect(index.checkInvariants() == nil) }
    }
    #expect(index.checkInvariants() == nil)
    #expect(index.count == model.count)
    for id in model.keys { index.remove(id) }
    #expect(index.count == 0)
    #expect(index.checkInvariants() == nil)
  }

  @Test func anEmptyIndexHoldsNothing() {
    let index = FenceIndex()
    #expect(index.checkInvariants() == nil)
    var found: [FenceID] = []
    #expect(index.containing(coordinate(1, 1), into: &found) > 0)
    #expect(found == [])
    #expect(index.nearest(to: coordinate(1, 1), limit: 3, within: .infinity).isEmpty)
  }

  @Test func ignoresNumbersOutOfRange() {
    var index = FenceIndex()
    index.insert(.circle(circle(coordinate(1, 1), 10)), id: -1)
    index.remove(-1)
    index.remove(7)
    #expect(index.count == 0)
    #expect(!index.contains(-1) && !index.contains(7))
  }

  @Test(arguments: [0, 0.999, -5, 5_000_000.1, .nan, .infinity])
  func refusesRadius(radius: Double) {
    #expect(Circle(center: coordinate(0, 0), radius: radius) == nil)
  }

  /// The series of the hot path against the haversine formula, near and far.
  @Test func measuresOnTheSphere() {
    var monitor = FenceMonitor()
    monitor.add(.circle(circle(coordinate(10, 20), 1_000)), id: 0)
    for (latitude, longitude) in [(10.0, 20.5), (10.3, 20), (-40, 100), (12, 20.1), (10, -160)] {
      let place = coordinate(latitude, longitude)
      let expected = place.distance(to: coordinate(10, 20)) - 1_000
      #expect(abs(monitor.fences.distance(to: 0, from: place) - expected) < 1e-5)
    }
  }

  /// Crowds that come and go make cubes and drop them again.
  @Test(arguments: worlds)
  func staysSoundThroughCrowds(world: World) {
    var random = SeededGenerator(seed: 4)
    let circles = Self.circles(of: world, 500, &random)
    var index = FenceIndex()
    for (id, circle) in circles.enumerated() { index.insert(.circle(circle), id: FenceID(id)) }
    #expect(index.checkInvariants() == nil)
    var left = Array(circles.indices)
    left.shuffle(using: &random)
    while left.count > 5 {
      for id in left[(left.count / 3)...] { index.remove(FenceID(id)) }
      left.removeSubrange((left.count / 3)...)
      #expect(index.checkInvariants() == nil)
      let place = Self.place(in: world, circles, &random)
      var found: [FenceID] = []
      _ = index.containing(place, into: &found)
      let expected = left.filter { place.distance(to: circles[$0].center) <= circles[$0].radius }
      #expect(found.sorted() == expected.map { FenceID($0) }.sorted())
    }
    for id in left { index.remove(FenceID(id)) }
    #expect(index.count == 0)
    #expect(index.checkInvariants() == nil)
  }

  @Test func aCrowdInOneSpotIsFound() {
    var index = FenceIndex()
    for id in 0..<500 { index.insert(.circle(circle(coordinate(48, 11), 50)), id: FenceID(id)) }
    var inside: [FenceID] = []
    _ = index.containing(coordinate(48, 11), into: &inside)
    #expect(inside.sorted() == (0..<500).map { FenceID($0) })
    for id in 0..<500 where id % 2 == 0 { index.remove(FenceID(id)) }
    #expect(index.checkInvariants() == nil)
    inside = []
    _ = index.containing(coordinate(48, 11), into: &inside)
    #expect(inside.count == 250)
  }
}

extension FenceIndex {
  /// Appends the fences that hold a place, and returns how many metres one can travel from there,
  /// in any direction, without crossing an edge.
  func containing(_ position: Coordinate, into inside: inout [FenceID]) -> Double {
    var neighbours = NeighbourList()
    let safe = neighbours.check(position, Vector(position), legFrom: nil, in: self)
    inside += neighbours.holding
    return max(0, safe) * Sphere.radius
  }
}

func power(_ base: Double, _ exponent: Double) -> Double {
  Glibc.pow(base, exponent)
}
