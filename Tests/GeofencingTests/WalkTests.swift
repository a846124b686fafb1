import CivilTime
import Geodesy
import Geofencing
import TestSupport
import Testing

/// A receiver that wanders, strolls and jumps among fences that come, move and go: what looks have
/// shown before must never be mistaken for what there is now.
@Suite struct WalkTests {
  private static let start = Instant(seconds: 1_800_000_000)

  @Test(arguments: GridIndexTests.worlds, [1, 2])
  func agreesWithScan(world: GridIndexTests.World, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Enough of them for cells to be split on some levels.
    var circles = GridIndexTests.circles(of: world, 400, &random).map { Optional($0) }
    var monitor = FenceMonitor(policy: .plain)
    for (id, circle) in circles.enumerated() {
      if let circle { monitor.add(.circle(circle), id: FenceID(id), presence: .outside) }
    }
    var here = GridIndexTests.place(in: world, circles.compactMap { $0 }, &random)
    var transitions: [Transition] = []
    var inside: Set<FenceID> = []
    var wrong: [String] = []
    for step in 0..<500 {
      switch random.uniform(0...1) {
      case ..<0.02: here = GridIndexTests.place(in: world, circles.compactMap { $0 }, &random)
      default:
        let length = power(10, random.uniform(-1...(step / 100 % 3 == 0 ? 4.3 : 2.5)))
        here = here.destination(bearing: random.uniform(0...360), distance: length)
      }
      if random.uniform(0...1) < 0.05 {
        let id = Int.random(in: circles.indices, using: &random)
        let isGone = random.uniform(0...1) < 0.3
        circles[id] = isGone ? nil : GridIndexTests.circles(of: world, 1, &random)[0]
        inside.remove(FenceID(id))
        if let circle = circles[id] {
          monitor.add(.circle(circle), id: FenceID(id), presence: .outside)
        } else {
          monitor.remove(FenceID(id))
        }
      }
      transitions.removeAll()
      monitor.process(
        PositionSample(time: Self.start + .seconds(Double(step)), position: here),
        into: &transitions)
      wrong += Self.faults(of: transitions, at: here, among: circles, &inside).map {
        "step \(step): \($0)"
      }
    }
    #expect(wrong.prefix(5) == [])
    #expect(Set(monitor.insideFences()) == inside)
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
    var monitor = FenceMonitor(policy: .plain)
    for (id, circle) in circles.enumerated() {
      monitor.add(.circle(try #require(circle)), id: FenceID(id), presence: .outside)
    }
    var inside: Set<FenceID> = []
    var wrong: [String] = []
    var transitions: [Transition] = []
    var here = middle
    var bearing = 0.0
    for step in 0..<600 {
      if step % 40 == 0 {
        bearing = here.initialBearing(to: middle) + random.uniform(-60...60)
      }
      here = here.destination(bearing: bearing, distance: random.uniform(5...60))
      transitions.removeAll()
      monitor.process(
        PositionSample(time: Self.start + .seconds(Double(step)), position: here),
        into: &transitions)
      wrong += Self.faults(of: transitions, at: here, among: circles, &inside).map {
        "step \(step): \($0)"
      }
    }
    #expect(wrong.prefix(5) == [])
  }

  /// Keeps `inside` by the transitions, and tells where that is not what a scan of all circles shows.
  private static func faults(
    of transitions: [Transition], at here: Coordinate, among circles: [Circle?],
    _ inside: inout Set<FenceID>
  ) -> [String] {
    var faults: [String] = []
    for transition in transitions {
      let isNews =
        transition.kind == .arrive
        ? inside.insert(transition.fence).inserted : inside.remove(transition.fence) != nil
      if !isNews { faults.append("\(transition.fence) twice") }
    }
    for (id, circle) in circles.enumerated() {
      guard let circle else { continue }
      let beyond = here.distance(to: circle.center) - circle.radius
      if abs(beyond) > 1e-5, inside.contains(FenceID(id)) != (beyond < 0) {
        faults.append("\(id) at \(here), \(beyond) m")
      }
    }
    return faults
  }
}
