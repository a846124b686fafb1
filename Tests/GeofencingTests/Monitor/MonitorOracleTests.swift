import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

/// Random lives with the default policy against a monitor that measures all fences at each sample.
/// `GEOREMIND_LONG_TESTS=1` runs 2 000 of them, longer ones.
@Suite struct MonitorOracleTests {
  static let isLong = getenv("GEOREMIND_LONG_TESTS") != nil
  static let lives = isLong ? 2_000 : 60
  static let batches = 20

  @Test(arguments: 0..<batches)
  func decidesAsABruteForceMonitor(batch: Int) {
    var kinds: Set<Transition.Kind> = []
    for life in 0..<(Self.lives / Self.batches) {
      var life = RandomLife(
        seed: UInt64(500 + batch + Self.batches * life), segments: Self.isLong ? 8 : 2)
      if let difference = life.run() { Issue.record("\(difference)") }
      kinds.formUnion(life.kinds)
    }
    #expect(kinds.isSuperset(of: [.arrive, .depart]))
    if Self.isLong { #expect(kinds.count == 4) }
  }
}

/// A device that rests, walks and drives, with a receiver whose claims are wrong, and now and then
/// another one, or positions by Wi-Fi; with gaps, restarts and changes of fences.
struct RandomLife {
  private static let sites = [
    coordinate(52.5, 13.4), coordinate(-16.8, 179.98), coordinate(89.95, 40), coordinate(-90, 0),
    coordinate(0, 0),
  ]

  private let seed: UInt64
  private let segments: Int
  private var random: SeededGenerator
  private var monitor = FenceMonitor()
  private var reference = ReferenceMonitor()
  private var regions: [FenceID: Region] = [:]
  private let site: Coordinate
  private var place: Coordinate
  private var time = 1_000.0
  private(set) var kinds: Set<Transition.Kind> = []
  private(set) var decisions = 0

  init(seed: UInt64, segments: Int) {
    self.seed = seed
    self.segments = segments
    random = SeededGenerator(seed: seed)
    site = Self.sites[Int(seed) % Self.sites.count]
    place = site
    for id in 0..<(segments > 2 ? 40 : 20) { put(FenceID(id)) }
  }

  /// A circle of 20 m to 5 km, or in a fifth of the cases another shape of up to 1.5 km.
  private mutating func put(_ id: FenceID) {
    let isNear = Bool.random(using: &random)
    let center =
      isNear
      ? place.moved(east: random.uniform(-300...300), north: random.uniform(-300...300))
      : random.beside(site, distance: 6_000 * random.uniform(0...1).squareRoot())
    let reach = 20 * power(10, random.uniform(0...(isNear ? 1 : 2.4)))
    var shape = random.drawnShape(around: center, reach: reach, circles: 1)
    if reach < 1_500, random.uniform(0...1) < 0.25 {
      let other = random.drawnShape(around: center, reach: max(reach, 40))
      if ReferenceRegion(other).isProper { shape = other }
    }
    let presence = [Presence.unknown, .outside, .outside, .inside][
      Int.random(in: 0..<4, using: &random)]
    regions[id] = shape.region
    monitor.add(shape.region, id: id, presence: presence)
    reference.add(ReferenceRegion(shape), id: id, presence: presence)
  }

  /// Returns the first difference.
  mutating func run() -> String? {
    for _ in 0..<segments {
      if let difference = segment() { return "seed \(seed), \(time) s: \(difference)" }
    }
    if let fault = monitor.fences.index.checkInvariants() { return fault }
    let (found, expected) = (monitor.scale.scale, reference.scale)
    return abs(found - expected) < 1e-6
      ? nil : "seed \(seed): scale \(found) instead of \(expected)"
  }

  /// The errors of a receiver: with a memory, and for some with reflections or single jolts.
  private struct Noise {
    var wander: Wander
    let hasReflections: Bool
    let hasJolts: Bool
    private var pull = (east: 0.0, north: 0.0)

    init(sigma: Double, memory: Double, using random: inout SeededGenerator) {
      wander = Wander(sigma: sigma, memory: memory, using: &random)
      hasReflections = random.uniform(0...1) < 0.3
      hasJolts = random.uniform(0...1) < 0.3
    }

    mutating func step(
      from place: Coordinate, after interval: Double, using random: inout SeededGenerator
    ) -> Coordinate {
      let seen = wander.step(from: place, using: &random)
      let fading = power(0.97, interval)
      pull = (pull.east * fading, pull.north * fading)
      if hasReflections, random.uniform(0...1) < 0.02 {
        pull = (random.uniform(-60...60), random.uniform(-60...60))
      }
      let jolt = hasJolts && random.uniform(0...1) < 0.05 ? 4 * wander.sigma : 0
      return seen.moved(
        east: pull.east + jolt * random.normal(), north: pull.north + jolt * random.normal())
    }
  }

  /// A rest, a walk or a drive, with one interval.
  private mutating func segment() -> String? {
    let interval: Double =
      [0.1, 0.2, 1, 1, 1, 2, 5, 20, 45, 100, 300].randomElement(using: &random) ?? 1
    let mode = Int.random(in: 0..<5, using: &random)
    let speed = mode < 3 ? 0 : mode == 3 ? random.uniform(0.6...2) : random.uniform(5...60)
    let hasSpeed = Bool.random(using: &random)
    let sigma = random.uniform(1...20)
    let claim = random.uniform(0.3...2) * 2.45 * sigma
    let knowsError = random.uniform(0...1) < 0.8
    var noise = Noise(
      sigma: sigma, memory: exp(-interval / random.uniform(5...300)), using: &random)
    var heading = random.uniform(0...360)
    let steps = mode < 3 && interval == 1 ? 900 : interval < 1 ? 250 : 90
    for step in 0..<steps {
      time += (interval * random.uniform(0.9...1.1) * 10).rounded() / 10
      if random.uniform(0...1) < 0.01 { time += random.uniform(2...2_000).rounded() }
      heading += 8 * random.normal()
      if place.distance(to: site) > 6_000 { heading = place.initialBearing(to: site) }
      place = place.destination(bearing: heading, distance: speed * interval)
      if step % 83 == 82 { place = random.beside(place, distance: random.uniform(0...9_000)) }
      if step % 31 == 30 { change() }
      var sample = PositionSample(
        time: Instant(seconds: time),
        position: noise.step(from: place, after: interval, using: &random),
        eph: knowsError ? claim * random.uniform(0.8...1.2) : nil,
        speed: hasSpeed ? max(0, speed + 0.3 * random.normal()) : nil)
      if step % 29 == 28 {
        sample.position = random.beside(place, distance: random.uniform(100...4_000))
      } else if random.uniform(0...1) < 0.02 {
        sample.eph = [0, 101, 500, 2_000].randomElement(using: &random)
      }
      if let difference = compare(sample) { return difference }
      guard step % 200 == 199, Bool.random(using: &random) else { continue }
      if let difference = coarsePositions() { return difference }
    }
    return nil
  }

  /// Nothing better than positions by mobile networks for some minutes.
  private mutating func coarsePositions() -> String? {
    for _ in 0..<10 {
      time += 30
      let eph = [150.0, 400, 1_500][Int.random(in: 0..<3, using: &random)]
      let sample = PositionSample(
        time: Instant(seconds: time),
        position: random.beside(place, distance: eph * random.uniform(0...1)), eph: eph)
      if let difference = compare(sample) { return difference }
    }
    return nil
  }

  /// A fence comes or goes, another receiver takes over, or the program or its clock begins anew.
  private mutating func change() {
    let id = FenceID.random(in: 0..<30, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: put(id)
    case 1:
      regions[id] = nil
      monitor.remove(id)
      reference.remove(id)
    case 2:
      let receiver = ReceiverID(feed: Int.random(in: 0..<3, using: &random))
      monitor.follow(receiver)
      reference.follow(receiver)
    case 3 where random.uniform(0...1) < 0.3: restart(keepsScales: Bool.random(using: &random))
    default: break
    }
  }

  private mutating func restart(keepsScales: Bool) {
    reference.restart(keepsScales: keepsScales)
    if keepsScales {
      monitor = monitor.restarted(policy: monitor.policy)
    } else {
      let former = monitor
      monitor = FenceMonitor()
      for (id, region) in regions {
        monitor.add(region, id: id, presence: former.fences.presence(of: id))
      }
    }
  }

  /// Gives a sample to both.
  private mutating func compare(_ sample: PositionSample) -> String? {
    var (found, expected): ([Transition], [Transition]) = ([], [])
    monitor.process(sample, into: &found)
    reference.process(sample, into: &expected)
    kinds.formUnion(found.map(\.kind))
    decisions += found.count
    guard found.elementsEqual(expected, by: Self.agree) else {
      return "\(found) instead of \(expected)"
    }
    return nil
  }

  /// The same decision; of a pass the moment and the place to a millimetre or so.
  private static func agree(_ a: Transition, _ b: Transition) -> Bool {
    a.fence == b.fence && a.kind == b.kind && abs((a.time - b.time).seconds) < 1e-3
      && a.position.distance(to: b.position) < 0.01
      && (a.eph == b.eph)
  }
}
