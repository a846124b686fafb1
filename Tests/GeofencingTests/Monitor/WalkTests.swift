import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// A receiver that wanders, strolls and jumps among fences that come, move and go: what looks have
/// shown before must never be mistaken for what there is now.
@Suite struct WalkTests {
  @Test(arguments: FenceIndexTests.worlds, [1, 2])
  func agreesWithScan(world: FenceIndexTests.World, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Enough of them for cells to be split on some levels.
    var circles = FenceIndexTests.circles(of: world, 400, &random).map { Optional($0) }
    var walk = Walk(among: circles)
    var here = FenceIndexTests.place(in: world, circles.compactMap { $0 }, &random)
    for step in 0..<500 {
      switch random.uniform(0...1) {
      case ..<0.02: here = FenceIndexTests.place(in: world, circles.compactMap { $0 }, &random)
      default:
        let length = power(10, random.uniform(-1...(step / 100 % 3 == 0 ? 4.3 : 2.5)))
        here = here.destination(bearing: random.uniform(0...360), distance: length)
      }
      if random.uniform(0...1) < 0.05 {
        let id = Int.random(in: circles.indices, using: &random)
        let isGone = random.uniform(0...1) < 0.3
        circles[id] = isGone ? nil : FenceIndexTests.circles(of: world, 1, &random)[0]
        walk.replace(id, by: circles[id])
      }
      walk.go(to: here, among: circles)
    }
    #expect(walk.wrong.prefix(5) == [])
    #expect(Set(walk.monitor.fences.inside) == walk.inside)
  }

  /// A drive across a city that thins out: cells that are split lie beside such that are not, and a
  /// fence on their border is told by different levels on its two sides.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func agreesWithScanWhereTheCityEnds(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let middle = try #require(Coordinate(latitude: 48.1, longitude: 11.6))
    var circles: [Circle?] = []
    while circles.count < 1_200 {
      let distance = 400 * power(10, random.uniform(0...1.2))
      let center = middle.destination(bearing: random.uniform(0...360), distance: distance)
      let radius = 30 * power(10, random.uniform(0...1.5))
      circles.append(Circle(center: center, radius: radius))
    }
    var walk = Walk(among: circles)
    var here = middle
    var bearing = 0.0
    for step in 0..<600 {
      if step % 40 == 0 {
        bearing = here.initialBearing(to: middle) + random.uniform(-60...60)
      }
      here = here.destination(bearing: bearing, distance: random.uniform(5...60))
      walk.go(to: here, among: circles)
    }
    #expect(walk.wrong.prefix(5) == [])
  }

  /// Jumps about a city with so many cells that they are in no cache.
  @Test func agreesWithScanInALargeCity() {
    var random = SeededGenerator(seed: 1)
    let world = FenceIndexTests.World(
      name: "large city", latitude: 50...50.6, longitude: 10...11, radius: 40...400)
    let circles = FenceIndexTests.circles(of: world, 40_000, &random)
    var walk = Walk(among: circles)
    for _ in 0..<20 {
      walk.go(to: FenceIndexTests.place(in: world, circles, &random), among: circles)
    }
    #expect(walk.wrong.prefix(5) == [])
  }

  /// Jumps between towns with small fences, some large ones over all of them, and nowhere, with a
  /// few steps between now and then; fences come and go on the way. With large ones a jump may lead
  /// to what held the last place.
  @Test(arguments: [1, 2] as [UInt64], [5_000.0, 400_000]) func agreesWithScanFromTownToTown(
    seed: UInt64, largest: Double
  ) throws {
    var random = SeededGenerator(seed: seed)
    let capital = try #require(Coordinate(latitude: 47, longitude: 8))
    let towns = (0..<12).map { _ in
      capital.destination(
        bearing: random.uniform(0...360), distance: random.uniform(0...600_000))
    }
    var circles = (0..<600).map { number -> Circle? in
      let radius =
        number % 40 == 0 ? random.uniform(largest / 10...largest) : random.uniform(50...3_000)
      return Circle(
        center: towns[number % 12].destination(
          bearing: random.uniform(0...360), distance: random.uniform(0...8_000)), radius: radius)
    }
    let first = circles
    var walk = Walk(among: circles)
    var here = capital
    for step in 0..<1_500 {
      let reach: Double
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        here = try #require(
          Coordinate(
            latitude: random.uniform(-90...90), longitude: random.uniform(-180...180)))
        reach = 1
      case 1, 2: reach = 300
      case 3: reach = 6_000
      default:
        here = towns[Int.random(in: 0..<12, using: &random)]
        reach = 30_000
      }
      here = here.destination(
        bearing: random.uniform(0...360), distance: random.uniform(0...reach))
      if step % 50 == 49 {
        let id = Int.random(in: circles.indices, using: &random)
        circles[id] = circles[id] == nil ? first[id] : nil
        walk.replace(id, by: circles[id])
      }
      walk.go(to: here, among: circles)
    }
    #expect(walk.wrong.prefix(5) == [])
  }

  /// A harbour where everybody has the same fence, in a line across many cells: more fences are
  /// near than one search returns.
  @Test(arguments: [1, 2] as [UInt64]) func agreesWithScanWhereFencesAreStacked(seed: UInt64) throws
  {
    var random = SeededGenerator(seed: seed)
    let middle = try #require(Coordinate(latitude: 48.1, longitude: 11.6))
    let circles = (0..<1_200).map { number -> Circle? in
      let center = middle.destination(bearing: 30, distance: Double(number % 8) * 130)
      return Circle(center: center, radius: number % 3 == 0 ? 100 : random.uniform(95...105))
    }
    var walk = Walk(among: circles)
    var here = middle
    for _ in 0..<300 {
      let bearing = here.initialBearing(to: middle.destination(bearing: 30, distance: 450))
      here = here.destination(
        bearing: bearing + random.uniform(-110...110), distance: random.uniform(1...60))
      walk.go(to: here, among: circles)
    }
    #expect(walk.wrong.prefix(5) == [])
  }
}

/// A monitor on its way, and a scan of all circles beside it.
private struct Walk {
  private(set) var monitor = FenceMonitor(policy: .plain)
  /// By the transitions.
  private(set) var inside: Set<FenceID> = []
  /// Where that is not what the scan shows.
  private(set) var wrong: [String] = []
  private var steps = 0
  private var transitions: [Transition] = []

  init(among circles: [Circle?]) {
    for (id, circle) in circles.enumerated() { replace(id, by: circle) }
  }

  mutating func replace(_ id: Int, by circle: Circle?) {
    inside.remove(FenceID(id))
    if let circle {
      monitor.add(.circle(circle), id: FenceID(id), presence: .outside)
    } else {
      monitor.remove(FenceID(id))
    }
  }

  mutating func go(to here: Coordinate, among circles: [Circle?]) {
    transitions.removeAll()
    let time = Instant(seconds: 1_800_000_000) + .seconds(Double(steps))
    monitor.process(PositionSample(time: time, position: here), into: &transitions)
    if Set(transitions.map(\.fence)).count < transitions.count {
      wrong.append("step \(steps): a fence is left and entered at once")
    }
    for transition in transitions {
      let isNews =
        transition.kind == .arrive
        ? inside.insert(transition.fence).inserted : inside.remove(transition.fence) != nil
      if !isNews { wrong.append("step \(steps): \(transition.fence) twice") }
    }
    for (id, circle) in circles.enumerated() {
      guard let circle else { continue }
      let beyond = here.distance(to: circle.center) - circle.radius
      if abs(beyond) > 1e-5, inside.contains(FenceID(id)) != (beyond < 0) {
        wrong.append("step \(steps): \(id) at \(here), \(beyond) m")
      }
    }
    steps += 1
  }
}
