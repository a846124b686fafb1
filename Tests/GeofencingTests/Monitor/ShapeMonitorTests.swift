import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// The monitor's decisions about polygons and corridors.
@Suite struct ShapeMonitorTests {
  let home = coordinate(52.52, 13.405)

  func at(_ east: Double, _ north: Double = 0) -> Coordinate {
    home.moved(east: east, north: north)
  }

  /// An L: 300 m east and 300 m north, 100 m wide, from the corner at home.
  func angle() throws -> Region {
    .polygon(
      try Polygon(parts: [
        [
          [
            at(0, 0), at(300, 0), at(300, 100), at(100, 100), at(100, 300), at(0, 300),
          ]
        ]
      ]))
  }

  func road(width: Double = 60) throws -> Region {
    .corridor(
      try Corridor(lines: [[at(0, -2_000), at(0, 2_000)]], width: width))
  }

  func rig(_ region: Region, presence: Presence = .unknown) -> Rig {
    var rig = Rig()
    rig.monitor.add(region, id: 0, presence: presence)
    return rig
  }

  @Test func arrivesInTheShapeAndNotInItsCircle() throws {
    var rig = rig(try angle(), presence: .outside)
    // The inner corner of the L is well within the circle around it.
    for i in 0..<5 { #expect(rig.feed(at(200 + Double(i), 200)) == []) }
    for _ in 0..<5 { #expect(rig.feed(at(120, 200), after: 5) == []) }
    for east in stride(from: 115.0, through: 70, by: -5) { rig.feed(at(east, 200), after: 3) }
    #expect(rig.transitions.map(\.kind) == [.arrive])
    #expect(rig.transitions.first.map { rig.monitor.fences.distance(of: $0) < 15 } == true)
    #expect(rig.monitor.fences.inside.sorted() == [0])
    // 10 m beyond the edge is not sure to be outside.
    for _ in 0..<3 { #expect(rig.feed(at(110, 200), after: 5) == []) }
    for _ in 0..<20 { rig.feed(at(190, 200), after: 5) }
    #expect(rig.transitions.map(\.kind) == [.arrive, .depart])
  }

  @Test func isFoundInside() throws {
    var rig = rig(try angle())
    rig.feed(at(50, 50))
    #expect(rig.feed(at(50, 51)).map(\.kind) == [.found])
    #expect(abs(rig.monitor.fences.distance(to: 0, from: at(50, 50)) + 50) < 0.01)
    #expect(abs(rig.monitor.fences.distance(to: 0, from: at(-40, 50)) - 40) < 0.01)
    let nearest = rig.monitor.fences.nearest(to: at(200, 160), limit: 1, within: 61)
    #expect(nearest.map(\.id) == [0])
    #expect(rig.monitor.fences.nearest(to: at(200, 160), limit: 1, within: 59).isEmpty)
  }

  /// On the way from far away the distances of shapes, on the ground, are compared with straight
  /// lines.
  @Test func arrivesAtAShapeThatWasFarOffWhenItWasFirstSeen() throws {
    let far = 500_000.0
    var rig = Rig()
    let ends = [0.0, 180].map { home.destination(bearing: $0, distance: 450_000) }
    let corridor = try Corridor(lines: [[ends[0], home, ends[1]]], width: 100)
    rig.monitor.add(.corridor(corridor), id: 0, presence: .outside)
    // Something to look at every mile, so that nobody jumps.
    for number in 1...500 {
      let beside = home.destination(bearing: 270, distance: Double(number) * 1_000)
      rig.monitor.add(
        .circle(
          try #require(Circle(center: beside.destination(bearing: 0, distance: 900), radius: 300))),
        id: FenceID(number), presence: .outside)
    }
    var distance = far
    while distance > -200 {
      distance -= distance > 2_000 ? 900 : 20
      rig.feed(
        home.destination(bearing: 270, distance: distance), after: distance > 2_000 ? 30 : 1,
        speed: 25)
      if rig.transitions.contains(where: { $0.fence == 0 }) { break }
    }
    #expect(rig.transitions.last.map { $0.kind } == .arrive)
    #expect((-50...50).contains(distance), "told at \(distance) m")
  }

  @Test func passesThroughAPolygonAreReported() throws {
    var rig = rig(try angle(), presence: .outside)
    for i in 0..<3 { rig.feed(at(-900 + 250 * Double(i), 50), after: 10) }
    rig.feed(at(-150, 50), after: 10)
    let decided = rig.feed(at(450, 50), after: 24)
    #expect(decided.map(\.kind) == [.pass])
    // 300 m of the L lie on the way: its middle is 300 m from the start.
    #expect(decided.first.map { abs($0.time.seconds - rig.seconds + 12) < 0.01 } == true)
    #expect(decided.first.map { abs(rig.monitor.fences.distance(of: $0) - 50) < 0.05 } == true)
    #expect(decided.first.map { $0.position.distance(to: at(150, 50)) < 0.1 } == true)
  }

  @Test func pathsBesideAPolygonAreNotReported() throws {
    var rig = rig(try angle(), presence: .outside)
    // Through the empty corner of the L, within its circle.
    for i in 0..<6 { rig.feed(at(600 - 100 * Double(i), -200 + 140 * Double(i)), after: 8) }
    for i in 0..<4 { rig.feed(at(-500 + 300 * Double(i), -5), after: 8) }
    #expect(rig.transitions == [])
  }

  @Test func crossingACorridorIsAPass() throws {
    var rig = rig(try road(), presence: .outside)
    for i in 0..<4 { rig.feed(at(-1_000 + 300 * Double(i), 120), after: 10) }
    let decided = rig.feed(at(200, 120), after: 10)
    #expect(decided.map(\.kind) == [.pass])
    #expect(decided.first.map { rig.monitor.fences.distance(of: $0) < 0.01 } == true)
    #expect(decided.first.map { $0.position.distance(to: at(0, 120)) < 0.1 } == true)
    // Past its end, at less than half the width and at more.
    for (north, kinds) in [(2_025.0, [Transition.Kind.pass]), (2_035, [])] {
      var rig = self.rig(try road(), presence: .outside)
      for i in 0..<6 { rig.feed(at(-1_000 + 310 * Double(i), north), after: 10) }
      #expect(rig.transitions.map(\.kind) == kinds)
    }
  }

  @Test func visitOfOneSampleIsAPass() throws {
    var rig = rig(try road(), presence: .outside)
    for i in 0..<9 { rig.feed(at(-1_000 + 250 * Double(i), 120), after: 10) }
    #expect(rig.transitions.map(\.kind) == [.pass])
  }

  @Test func replacedAndRemovedShapesAreForgotten() throws {
    var rig = rig(try road())
    rig.monitor.add(.circle(circle(at(5_000), 100)), id: 0)
    #expect(abs(rig.monitor.fences.distance(to: 0, from: home) - 4_900) < 0.1)
    rig.monitor.add(try angle(), id: 0)
    rig.monitor.remove(0)
    rig.monitor.add(.circle(circle(home, 100)), id: 0)
    #expect(abs(rig.monitor.fences.distance(to: 0, from: home) + 100) < 0.01)
  }

  /// The quiet disc and the neighbourhood change nothing.
  @Test func quietChangesNothing() throws {
    var random = SeededGenerator(seed: 23)
    for start in [home, coordinate(-16.8, 179.98), coordinate(89.98, 40)] {
      var quick = FenceMonitor()
      var slow = FenceMonitor()
      for id in 0..<60 {
        let center = start.destination(
          bearing: random.uniform(0...360), distance: 9_000 * random.uniform(0...1))
        let region = random.shape(around: center, reach: random.uniform(30...1_500))
        quick.add(region, id: FenceID(id))
        slow.add(region, id: FenceID(id))
      }
      var (a, b): ([Transition], [Transition]) = ([], [])
      var place = start
      var (heading, speed) = (0.0, 15.0)
      for second in 0..<600 {
        heading += 8 * random.normal()
        speed = max(0, min(40, speed + random.normal()))
        if place.distance(to: start) > 9_000 { heading = place.initialBearing(to: start) }
        place = place.destination(bearing: heading, distance: speed)
        let noisy = place.moved(east: 4 * random.normal(), north: 4 * random.normal())
        let sample = PositionSample(
          time: Instant(seconds: Double(second)), position: noisy, eph: random.uniform(3...15))
        quick.process(sample, into: &a)
        slow.add(.circle(circle(coordinate(0, 0), 1)), id: 200, presence: .outside)
        slow.process(sample, into: &b)
      }
      #expect(a == b)
      #expect(a.count > 2)
    }
  }
}
