import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

/// Receivers whose claims are wrong, parked on the edge of a circle, and the delay of departures.
/// `GEOREMIND_LONG_TESTS=1` runs all 108 settings, 18 days each, and prints the delays.
@Suite struct DecisionRuleSimulations {
  static let long = getenv("GEOREMIND_LONG_TESTS") != nil

  struct Setting: CustomTestStringConvertible {
    let number: Int
    /// Standard deviation of an axis, metres, and its correlation time, seconds.
    let sigma: Double
    let memory: Double
    /// The claimed error as a multiple of the true one.
    let claim: Double
    let hasReflections: Bool
    let hasSpeed: Bool
    let radius: Double
    var interval = 1.0
    /// Metres from the edge to the receiver, outside.
    var beyond = 0.0
    /// Increments of Student's t distribution with three degrees of freedom instead of the normal.
    var isHeavy = false

    var testDescription: String {
      "σ \(sigma) m, τ \(memory) s, claim × \(claim), R \(radius) m, each \(interval) s"
        + (hasReflections ? ", reflections" : "") + (hasSpeed ? ", speed" : "")
    }
  }

  static let settings: [Setting] = {
    var settings: [Setting] = []
    for sigma in [5.0, 10, 20] {
      for memory in [5.0, 60, 300] {
        for claim in [0.5, 1, 2] {
          for options in 0..<4 {
            settings.append(
              Setting(
                number: settings.count, sigma: sigma, memory: memory, claim: claim,
                hasReflections: options & 1 != 0, hasSpeed: options & 2 != 0,
                radius: [30.0, 100, 300][settings.count % 3]))
          }
        }
      }
    }
    return settings
  }()

  /// The transitions of a receiver at rest on the edge; to be found inside at first is none.
  func transitions(
    _ setting: Setting, seconds: Double, seed: UInt64, _ policy: MonitorPolicy
  )
    -> Int
  {
    var random = SeededGenerator(seed: 1_000 * seed + UInt64(setting.number))
    let center = random.temperatePlace()
    let place = center.moved(east: setting.radius + setting.beyond, north: 0)
    var rig = Rig(policy: policy)
    rig.monitor.add(.circle(circle(center, setting.radius)), id: 0)
    let memory = exp(-setting.interval / setting.memory)
    let fresh = setting.sigma * (1 - memory * memory).squareRoot()
    let fading = pow(0.97, setting.interval)
    func increment() -> Double {
      guard setting.isHeavy else { return fresh * random.normal() }
      let square = (0..<3).reduce(0.0) { sum, _ in sum + pow(random.normal(), 2) }
      return fresh * random.normal() / square.squareRoot()
    }
    var wander = (setting.sigma * random.normal(), setting.sigma * random.normal())
    var pull = (0.0, 0.0)
    for _ in 0..<Int(seconds / setting.interval) {
      wander.0 = memory * wander.0 + increment()
      wander.1 = memory * wander.1 + increment()
      if setting.hasReflections, random.uniform(0...1) < setting.interval / 1_800 {
        let (angle, metres) = (random.uniform(0...(2 * .pi)), random.uniform(20...60))
        pull = (metres * cos(angle), metres * sin(angle))
      }
      pull = (pull.0 * fading, pull.1 * fading)
      rig.feed(
        place.shifted(east: wander.0 + pull.0, north: wander.1 + pull.1), after: setting.interval,
        eph: 2.45 * setting.sigma * setting.claim,
        speed: setting.hasSpeed ? 0.3 * abs(random.normal()) : nil)
    }
    return rig.transitions.count { $0.kind != .found }
  }

  /// σ 20 m over 300 s, claim × 0.5, R 100 m, reflections, no speed.
  private static let hardest = 97

  /// At most two transitions a day. In one of the hardest settings, three days of a thousand have
  /// three, as in the reference, and one of its days is here.
  @Test(arguments: long ? settings : settings.filter { $0.number % 9 == 4 })
  func parkedOnTheEdge(setting: Setting) {
    let days = (0..<(Self.long ? 18 : 1)).map {
      transitions(
        setting, seconds: Self.long ? 86_400 : 5_000, seed: UInt64($0), MonitorPolicy())
    }
    func check() { #expect(days.allSatisfy { $0 <= 2 }, "\(days)") }
    if Self.long, setting.number == Self.hardest { withKnownIssue { check() } } else { check() }
  }

  /// A neighbour of a circle of 100 m, with reflections into it.
  @Test(arguments: [10.0, 20, 40])
  func parkedBesideACircle(beyond: Double) {
    let hard = Self.settings.filter { $0.hasReflections && $0.memory == 60 && $0.claim < 2 }
    let counts = (Self.long ? hard : [hard[4]]).map {
      var setting = Setting(
        number: $0.number, sigma: $0.sigma, memory: $0.memory, claim: $0.claim,
        hasReflections: true, hasSpeed: $0.hasSpeed, radius: 100)
      setting.beyond = beyond
      return transitions(
        setting, seconds: Self.long ? 86_400 : 5_000, seed: 7, MonitorPolicy())
    }
    #expect(counts.allSatisfy { $0 <= 2 }, "\(counts)")
    if Self.long { print("\(beyond) m outside: \(counts)") }
  }

  /// Claims far below the truth, and noise with long tails: beyond what the rule is made for, which
  /// a few days may show.
  @Test(.enabled(if: long), arguments: [(0.35, false, 0), (0.25, false, 2), (1, true, 0)])
  func parkedWithWorseNoise(claim: Double, isHeavy: Bool, badDays: Int) {
    let counts = Self.settings.filter { $0.claim == 0.5 }.map {
      var setting = Setting(
        number: $0.number, sigma: $0.sigma, memory: $0.memory, claim: claim,
        hasReflections: $0.hasReflections, hasSpeed: $0.hasSpeed, radius: $0.radius)
      setting.isHeavy = isHeavy
      return transitions(setting, seconds: 86_400, seed: 3, MonitorPolicy())
    }
    #expect(counts.count { $0 > 2 } <= badDays, "\(counts)")
  }

  /// The same at other intervals.
  @Test(arguments: [0.1, 10, 30, 61, 100, 119, 300])
  func parkedOnTheEdgeAtOtherIntervals(interval: Double) {
    let settings = Self.long ? Self.settings.filter { $0.number % 5 == 2 } : [Self.settings[40]]
    for var setting in settings {
      setting.interval = interval
      let seconds = interval < 1 ? 20_000.0 : 86_400
      let count = transitions(
        setting, seconds: Self.long ? seconds : min(seconds, 2_000 * interval), seed: 1,
        MonitorPolicy())
      #expect(count <= 2, "\(setting.testDescription)")
    }
  }

  /// What the certainty costs and buys: days with more than two transitions of the hardest
  /// settings, in a table.
  @Test(.enabled(if: long)) func badDaysByCertainty() {
    let hard = Self.settings.filter { $0.claim == 0.5 && $0.hasReflections }
    for certainty in [0.999, 0.9999, 0.999999] {
      let counts = hard.flatMap { setting in
        (0..<4).map {
          transitions(
            setting, seconds: 86_400, seed: UInt64(100 + $0), MonitorPolicy(certainty: certainty))
        }
      }
      print(
        "\(certainty): \(counts.count { $0 > 2 }) bad of \(counts.count) days, at most "
          + "\(counts.max() ?? 0) transitions")
    }
  }

  // MARK: - Delays

  /// Seconds from the true edge of a circle of 100 m to the departure, after half an hour inside;
  /// medians of 20 walks, by a new receiver and one whose scale is learnt.
  func delay(
    speed: Double, sigma: Double, claim: Double, hasSpeed: Bool, isLearnt: Bool,
    _ policy: MonitorPolicy = MonitorPolicy()
  ) -> Double {
    let delays = (0..<20).map { seed in
      var random = SeededGenerator(seed: UInt64(seed))
      let center = random.temperatePlace()
      var rig = Rig(policy: policy)
      rig.monitor.add(.circle(circle(center, 100)), id: 0, presence: .inside)
      var wander = Wander(sigma: sigma, using: &random)
      func feed(east: Double, speed: Double) {
        rig.feed(
          wander.step(from: center.moved(east: east, north: 0), using: &random), eph: claim,
          speed: hasSpeed ? max(0, speed + 0.2 * random.normal()) : nil)
      }
      for _ in 0..<(isLearnt ? 43_200 : 1_800) { feed(east: 0, speed: 0) }
      var east = 0.0
      while rig.transitions.isEmpty, east < 2_000 {
        east += speed
        feed(east: east, speed: speed)
      }
      return (east - 100) / speed
    }
    return delays.sorted()[10]
  }

  @Test func aDepartureOnFootIsDecidedWithinAMinute() {
    #expect(
      delay(speed: 1.4, sigma: 3, claim: 17.1, hasSpeed: true, isLearnt: false) < 60)
    #expect(delay(speed: 14, sigma: 3, claim: 17.1, hasSpeed: true, isLearnt: false) < 10)
  }

  @Test(.enabled(if: long)) func delaysInATable() {
    for (name, speed) in [("walking", 1.4), ("cycling", 5), ("car", 14)] {
      for (sigma, claim) in [(3.0, 17.1), (10, 24.5)] {
        for hasSpeed in [true, false] {
          for certainty in [0.999, 0.9999, 0.999999] {
            let both = [false, true].map {
              delay(
                speed: speed, sigma: sigma, claim: claim, hasSpeed: hasSpeed, isLearnt: $0,
                MonitorPolicy(certainty: certainty)
              ).rounded()
            }
            print(
              "\(name), σ \(sigma), \(hasSpeed ? "with" : "without") speed, \(certainty): new "
                + "\(both[0]) s, learnt \(both[1]) s")
          }
        }
      }
    }
  }
}

extension Coordinate {
  /// Moved by some metres on a plane: fast, and good enough away from the poles.
  fileprivate func shifted(east: Double, north: Double) -> Coordinate {
    let degree = Sphere.radius * .pi / 180
    return coordinate(
      latitude + north / degree, longitude + east / (degree * cos(latitude * .pi / 180)))
  }
}
