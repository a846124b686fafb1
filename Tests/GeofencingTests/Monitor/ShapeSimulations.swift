import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

/// The properties of the decisions again: for polygons and corridors, at ten samples a second, with
/// noise of heavy tails, and without the rules they rest on. `GEOREMIND_LONG_TESTS=1` runs them at
/// full length.
@Suite struct ShapeSimulations {
  static let long = getenv("GEOREMIND_LONG_TESTS") != nil

  enum Form: String, CaseIterable {
    case circle, polygon, corridor

    /// A region of a size around a place; its eastern edge is as far from there.
    func region(_ center: Coordinate, size: Double) -> Region {
      switch self {
      case .circle: break
      case .polygon:
        let ring = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map {
          center.moved(east: size * $0.0, north: size * $0.1)
        }
        if let polygon = try? Polygon(parts: [[ring]]) { return .polygon(polygon) }
      case .corridor:
        let line = [-5_000.0, 5_000].map { center.moved(east: 0, north: $0) }
        if let corridor = try? Corridor(lines: [line], width: 2 * size) {
          return .corridor(corridor)
        }
      }
      return .circle(GeofencingTests.circle(center, size))
    }
  }

  /// A receiver at rest: Gauss–Markov noise; with heavy tails, also a reflection each quarter of an
  /// hour that pulls it 25 m away on average, for half a minute.
  struct Receiver {
    var wander: Wander
    let hasReflections: Bool
    let rate: Double
    private var pull = (east: 0.0, north: 0.0)

    init(sigma: Double, hasReflections: Bool, rate: Double, using random: inout SeededGenerator) {
      wander = Wander(sigma: sigma, memory: exp(-1 / (60 * rate)), using: &random)
      self.hasReflections = hasReflections
      self.rate = rate
    }

    mutating func step(from place: Coordinate, using random: inout SeededGenerator) -> Coordinate {
      let seen = wander.step(from: place, using: &random)
      guard hasReflections else { return seen }
      if random.uniform(0...1) < 1 / (900 * rate) {
        let metres = -25 * log(1 - random.uniform(0...0.9999))
        let angle = random.uniform(0...(2 * .pi))
        pull = (metres * sin(angle), metres * cos(angle))
      }
      let decay = exp(-1 / (30 * rate))
      pull = (pull.east * decay, pull.north * decay)
      return seen.moved(east: pull.east, north: pull.north)
    }
  }

  struct Parked: CustomTestStringConvertible {
    let form: Form
    let sigma: Double
    let size: Double
    var rate = 1.0
    var hasReflections = false
    var testDescription: String {
      "\(form), σ \(sigma) m, R \(size) m, \(rate) Hz\(hasReflections ? ", reflections" : "")"
    }

    /// The arrivals and departures of a time on the edge; to be found inside at first is neither.
    func transitions(
      seconds: Int, seed: UInt64, policy: MonitorPolicy = MonitorPolicy()
    ) -> Int {
      var random = SeededGenerator(seed: seed)
      let center = random.temperatePlace()
      let place = center.moved(east: size, north: 0)
      var receiver = Receiver(
        sigma: sigma, hasReflections: hasReflections, rate: rate, using: &random)
      var rig = Rig(policy: policy)
      rig.monitor.add(form.region(center, size: size), id: 0)
      for _ in 0..<Int(Double(seconds) * rate) {
        rig.feed(
          receiver.step(from: place, using: &random), after: 1 / rate, eph: sigma * 2.45)
      }
      return rig.transitions.count { $0.kind != .found }
    }
  }

  static let parked =
    [Form.polygon, .corridor].flatMap { form in
      [5.0, 10].flatMap { sigma in
        [30.0, 100, 500].map { Parked(form: form, sigma: sigma, size: $0) }
      }
    } + Form.allCases.map { Parked(form: $0, sigma: 5, size: 100, rate: 10) }

  /// A day at rest on the edge makes at most two transitions.
  @Test(arguments: parked)
  func parkedOnTheEdge(parked: Parked) {
    let days = (0..<(Self.long ? 8 : 1)).map { seed in
      parked.transitions(
        seconds: Self.long ? 86_400 : Int(1_000 / parked.rate), seed: UInt64(seed))
    }
    #expect(days.allSatisfy { $0 <= 2 }, "\(days)")
  }

  /// A hundred reflections a day, of which the receiver's claimed error shows nothing.
  @Test(arguments: Form.allCases, [30.0, 100])
  func reflectionsMakeFewTransitions(form: Form, size: Double) {
    let parked = Parked(form: form, sigma: 5, size: size, hasReflections: true)
    let days = (0..<(Self.long ? 8 : 1)).map { seed in
      parked.transitions(seconds: Self.long ? 86_400 : 1_500, seed: UInt64(seed))
    }
    #expect(days.allSatisfy { $0 <= 2 }, "\(days)")
  }

  /// Plain containment makes what the rule is there to prevent.
  @Test(arguments: Form.allCases)
  func withoutMarginsItFlaps(form: Form) {
    let parked = Parked(form: form, sigma: 5, size: 100)
    #expect(parked.transitions(seconds: 1_000, seed: 1, policy: .plain) > 10)
  }

  /// An outlier an hour of 200 m that claims 2 m; without the rules against it, it is believed.
  @Test(arguments: Form.allCases, [-40.0, 100])
  func outliersDecideNothing(form: Form, beyond: Double) {
    func transitions(_ policy: MonitorPolicy) -> Int {
      var random = SeededGenerator(seed: 8)
      let center = random.temperatePlace()
      let place = center.moved(east: 50 + beyond, north: 0)
      var wander = Wander(sigma: 3, using: &random)
      var rig = Rig(policy: policy)
      rig.monitor.add(
        form.region(center, size: 50), id: 0, presence: beyond < 0 ? .inside : .outside)
      for second in 0..<(Self.long ? 30 * 86_400 : 8 * 3_600)
      where Self.long || second % 1_800 < 20 {
        let isOutlier = second % 3_600 == 1_802
        let seen = wander.step(from: place, using: &random)
        // Towards the region and beyond, or out of it.
        rig.feed(isOutlier ? seen.moved(east: -150, north: 0) : seen, eph: isOutlier ? 2 : 7)
      }
      return rig.transitions.count
    }
    #expect(transitions(MonitorPolicy()) == 0)
    #expect(transitions(.plain) > 4)
  }

  /// Straight visits of ten seconds and more, at one sample a second and at ten.
  @Test(arguments: [Form.polygon, .corridor], [1.0, 10])
  func everyVisitIsFound(form: Form, rate: Double) {
    var random = SeededGenerator(seed: 31)
    var wrong: [String] = []
    var late = 0
    for visit in 0..<(Self.long ? 10_000 : Int(120 / rate)) {
      let size = 20 * pow(25, random.uniform(0...1))
      let speed = min(random.uniform(1...45), 2 * size / 11)
      let center = random.temperatePlace()
      let north = random.uniform(-0.9...0.9) * size
      var rig = Rig()
      rig.monitor.add(form.region(center, size: size), id: 0)
      let start = -size - speed * (20 + random.uniform(0...1))
      let end = size + 60 + speed * 8
      var (samplesInside, samplesBeyond) = (0, 0)
      for tick in 0...Int((end - start) / speed * rate) {
        let east = start + speed * Double(tick) / rate
        if abs(east) <= size - 0.01 { samplesInside += 1 }
        if east > size + max(20, 0.1 * size) + 0.01 { samplesBeyond += 1 }
        switch rig.feed(
          center.moved(east: east, north: north), after: 1 / rate, eph: 5
        ).first?.kind {
        case .arrive: late = max(late, samplesInside - 1)
        case .depart: late = max(late, samplesBeyond - 1)
        default: break
        }
      }
      if rig.transitions.map(\.kind) != [.arrive, .depart] {
        wrong.append("visit \(visit): \(size) m at \(speed) m/s: \(rig.transitions.map(\.kind))")
      }
    }
    #expect(wrong == [])
    // Two samples agree after a second.
    #expect(late <= max(2, Int(rate)))
  }

  /// Eastwards at 100 km/h through a row of shapes 500 m apart, with a gap: each crossing is
  /// reported once, none in the gap, and without the test of the path most are missed.
  @Test(arguments: [Form.polygon, .corridor], [1.0, 5, 10, 30])
  func everyCrossingOnce(form: Form, interval: Double) {
    let speed = 100 / 3.6
    // The way over a gap is known up to three intervals.
    let longestLeg = 3 * interval
    func drive(_ policy: MonitorPolicy, seed: UInt64) -> (wrong: [String], passes: Int) {
      var random = SeededGenerator(seed: seed)
      var rig = Rig(policy: policy)
      let start = coordinate(random.uniform(-1...1), random.uniform(-180...180))
      var middles: [Double] = []
      for id in 0..<30 {
        let middle = 3_000 + 500 * Double(id) + random.uniform(-150...150)
        middles.append(middle)
        let north = form == .polygon ? random.uniform(-48...48) : 0
        rig.monitor.add(
          form.region(start.moved(east: middle, north: north), size: 50), id: FenceID(id))
      }
      var (east, last, skipped) = (random.uniform(0...100), 0.0, 0.0)
      var gap = 0.0...0.0
      while east < 21_000 {
        skipped += interval
        if !(8_000...(8_000 + (max(60, longestLeg) + 5) * speed)).contains(east) {
          if skipped > longestLeg { gap = last...east }
          rig.feed(start.moved(east: east, north: 0), after: skipped, eph: 5)
          (last, skipped) = (east, 0)
        }
        east += speed * interval
      }
      var wrong: [String] = []
      var passes = 0
      for (id, middle) in middles.enumerated() {
        let kinds = rig.transitions.filter { $0.fence == FenceID(id) }.map(\.kind)
        let stretch = (middle - 51)...(middle + 51)
        if kinds == [.pass] { passes += 1 }
        if gap.contains(stretch.lowerBound), gap.contains(stretch.upperBound) {
          if !kinds.isEmpty { wrong.append("\(id), over the gap: \(kinds)") }
        } else if !gap.overlaps(stretch), kinds != [.pass], kinds != [.arrive, .depart] {
          wrong.append("\(id): \(kinds)")
        }
      }
      return (wrong, passes)
    }
    for seed in 0..<(Self.long ? 100 : 1) {
      let run = drive(MonitorPolicy(), seed: UInt64(seed))
      #expect(run.wrong == [], "seed \(seed)")
      #expect(run.passes > 0 || interval == 1)
    }
    var blind = MonitorPolicy()
    blind.longestLeg = .zero
    #expect(interval < 5 || drive(blind, seed: 0).wrong.count > 5)
  }
}

extension SeededGenerator {
  /// Off the poles, where eastwards means something.
  mutating func temperatePlace() -> Coordinate {
    coordinate(uniform(-70...70), uniform(-180...180))
  }
}
