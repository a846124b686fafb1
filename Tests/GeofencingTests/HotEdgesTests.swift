import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// A receiver that goes in small steps among many small fences: most looks see the nearest edges alone, and
/// each crossing must be told with the very sample that shows it.
@Suite struct HotEdgesTests {
  struct Town: CustomTestStringConvertible {
    let name: String
    let middle: Coordinate
    /// How many of a hundred fences are no circles.
    var shapes = 0
    var testDescription: String { name }

    init(_ name: String, _ latitude: Double, _ longitude: Double, shapes: Int = 0) {
      self.name = name
      middle = coordinate(latitude, longitude)
      self.shapes = shapes
    }
  }

  static let towns = [
    Town("middle latitude", 48.1, 11.6), Town("equator", 0.001, -60),
    Town("south of 80°", 79.9, 20), Town("north of 80°", 80.1, 20),
    Town("on 80°", -80, -70), Town("antimeridian", 52, 180), Town("pole", 89.999, 5),
    Town("antimeridian near 80°", 79.999, -179.999), Town("shapes", 45, 7, shapes: 30),
    Town("few shapes on the antimeridian", -20, -179.999, shapes: 3),
  ]

  /// A fence of 3 m to 3 km within 2 km of the middle of a town; most are small.
  private static func region(in town: Town, _ random: inout SeededGenerator) -> Region {
    let center = random.beside(
      town.middle, distance: 2_000 * random.uniform(0...1).squareRoot())
    let size = 3 * power(10, random.uniform(0...(random.uniform(0...1) < 0.1 ? 3 : 2)))
    guard Int.random(in: 0..<100, using: &random) < town.shapes else {
      return .circle(circle(center, size))
    }
    return random.shape(around: center, reach: max(10, size))
  }

  /// Walks and drives about a town and hands each place to `body`, with what is done to a fence before it.
  private static func drive(
    about town: Town, fences: Int, steps: Int, _ random: inout SeededGenerator,
    _ body: (_ here: Coordinate, _ change: (id: FenceID, region: Region?)?) -> Void
  ) {
    var here = town.middle
    var heading = 0.0
    var pace = 1.0
    for step in 0..<steps {
      if step % 50 == 0 { pace = power(10, random.uniform(-0.7...1.6)) }
      heading += random.uniform(-20...20)
      if random.uniform(0...1) < 0.02 { heading += 180 }
      if here.distance(to: town.middle) > 1_800 { heading = here.initialBearing(to: town.middle) }
      here = random.beside(here, distance: pace * random.uniform(0.2...1), bearing: heading)
      var change: (id: FenceID, region: Region?)?
      if random.uniform(0...1) < 0.01 {
        let id = FenceID.random(in: 0..<FenceID(fences), using: &random)
        change = (id, Bool.random(using: &random) ? region(in: town, &random) : nil)
      }
      body(here, change)
    }
  }

  /// What a fence by fence test says, for a policy without confirmation; the margin is that of a
  /// departure.
  @Test(arguments: towns, [0.0, 25]) func agreesWithEachFenceAlone(town: Town, margin: Double) {
    var policy = MonitorPolicy.plain
    policy.exitMargin = margin
    var random = SeededGenerator(seed: 7)
    var monitor = FenceMonitor(policy: policy)
    // One of the two goes the way of processors without wide vectors.
    if margin > 0 { monitor.surroundings = Surroundings(kernels: EdgeKernels(isWide: false)) }
    var held: [Bool?] = []
    for id in 0..<500 {
      monitor.add(Self.region(in: town, &random), id: FenceID(id), presence: .outside)
      held.append(false)
    }
    var seconds = 0.0
    var wrong: [String] = []
    var count = 0
    Self.drive(about: town, fences: held.count, steps: 1_200, &random) { here, change in
      if let change {
        if let region = change.region {
          monitor.add(region, id: change.id, presence: .outside)
          held[Int(change.id)] = false
        } else {
          monitor.remove(change.id)
          held[Int(change.id)] = nil
        }
      }
      seconds += 1
      var transitions: [Transition] = []
      monitor.process(
        PositionSample(time: Instant(seconds: seconds), position: here), into: &transitions)
      var expected: Set<String> = []
      for id in held.indices {
        guard let isHeld = held[id] else { continue }
        let beyond = monitor.distance(to: FenceID(id), from: here)
        let limit = isHeld ? monitor.exitMargin(of: FenceID(id), eph: nil) : 0
        guard (beyond <= limit) != isHeld else { continue }
        held[id] = !isHeld
        expected.insert("\(isHeld ? "depart" : "arrive") \(id)")
      }
      count += expected.count
      let told = transitions.map { "\($0.kind) \($0.fence)" }
      if told.count != expected.count || Set(told) != expected {
        wrong.append("after \(seconds) s: \(told), not \(expected)")
      }
    }
    #expect(wrong.prefix(3) == [])
    #expect(count > 40)
  }

  /// With all rules, passes among them, what has been seen before changes nothing: another monitor that is made
  /// to forget it ahead of each sample tells the same, without wide vectors.
  @Test(arguments: towns) func remembersNothingButWhatHolds(town: Town) {
    var random = SeededGenerator(seed: 11)
    var monitor = FenceMonitor()
    var forgetful = FenceMonitor()
    forgetful.surroundings = Surroundings(kernels: EdgeKernels(isWide: false))
    for id in 0..<600 {
      let region = Self.region(in: town, &random)
      monitor.add(region, id: FenceID(id), presence: .outside)
      forgetful.add(region, id: FenceID(id), presence: .outside)
    }
    let farAway = Region.circle(circle(coordinate(-town.middle.latitude, 90), 10))
    var seconds = 0.0
    var wrong: [String] = []
    var count = 0
    Self.drive(about: town, fences: 600, steps: 1_500, &random) { here, change in
      if let change {
        if let region = change.region {
          monitor.add(region, id: change.id, presence: .outside)
          forgetful.add(region, id: change.id, presence: .outside)
        } else {
          monitor.remove(change.id)
          forgetful.remove(change.id)
        }
      }
      seconds += 1
      forgetful.add(farAway, id: 600, presence: .outside)
      let sample = PositionSample(
        time: Instant(seconds: seconds), position: here, eph: 4, speed: 12)
      var told: [Transition] = []
      monitor.process(sample, into: &told)
      var expected: [Transition] = []
      forgetful.process(sample, into: &expected)
      count += expected.count
      if told != expected { wrong.append("after \(seconds) s: \(told), not \(expected)") }
    }
    #expect(wrong.prefix(3) == [])
    #expect(count > 20)
  }

  /// Fixes up and down a straight road that are far apart, a large circle across it and small ones beside: what
  /// a level rests on must not outlive a crossing that was decided among the hot edges.
  @Test(arguments: [140.0, 220, 260, 300]) func farFixesOnOneRoad(spacing: Double) {
    var random = SeededGenerator(seed: UInt64(spacing))
    let start = coordinate(48, 11)
    var monitor = FenceMonitor(policy: .plain)
    func add(_ radius: Double, east: Double, north: Double) {
      let center = start.destination(bearing: 90, distance: east)
        .destination(bearing: 0, distance: north)
      monitor.add(.circle(circle(center, radius)), id: fences, presence: .outside)
      fences += 1
    }
    var fences: FenceID = 0
    add(3_000, east: 4_000, north: 0)
    for row in -6..<6 {
      for column in -4..<30 {
        add(
          random.uniform(5...25), east: Double(column) * spacing,
          north: (Double(row) + 0.5) * spacing)
      }
    }
    var held: Set<FenceID> = []
    var wrong: [String] = []
    var count = 0
    for step in 0..<4_000 {
      let here = start.destination(bearing: 90, distance: random.uniform(0...1_400))
        .destination(bearing: 0, distance: random.uniform(-10...10))
      var transitions: [Transition] = []
      monitor.process(
        PositionSample(time: Instant(seconds: Double(step)), position: here), into: &transitions)
      let now = Set((0..<fences).filter { monitor.distance(to: $0, from: here) <= 0 })
      func told(_ kind: Transition.Kind) -> [FenceID] {
        transitions.filter { $0.kind == kind }.map(\.fence).sorted()
      }
      if told(.arrive) != now.subtracting(held).sorted()
        || told(.depart) != held.subtracting(now).sorted()
      {
        wrong.append("after \(step) s: \(transitions)")
      }
      count += transitions.count
      held = now
    }
    #expect(wrong.prefix(3) == [])
    #expect(count > 1_000)
  }
}
