import CivilTime
import Geodesy
import Geofencing
import Glibc
import TestSupport
import Testing

/// The properties of the decisions, on seeded random receivers. `GEOREMIND_LONG_TESTS=1` runs
/// them at full length.
@Suite struct FenceMonitorSimulations {
  static let long = getenv("GEOREMIND_LONG_TESTS") != nil

  struct Parked: CustomTestStringConvertible {
    let sigma: Double
    let radius: Double
    let knowsError: Bool
    var testDescription: String {
      "σ \(sigma) m, R \(radius) m, error \(knowsError ? "known" : "unknown")"
    }
  }

  static let parked = [5.0, 10].flatMap { sigma in
    [30.0, 50, 100, 200, 500].flatMap { radius in
      [true, false].map { Parked(sigma: sigma, radius: radius, knowsError: $0) }
    }
  }

  /// A day at 1 Hz on the edge; a short run is two hours.
  @Test(arguments: parked)
  func parkedOnTheEdge(parked: Parked) {
    var worst = 0
    for seed in 0..<(Self.long ? 8 : 1) {
      var random = SeededGenerator(seed: UInt64(seed))
      let center = random.place()
      let place = center.destination(bearing: random.uniform(0...360), distance: parked.radius)
      var wander = Wander(sigma: parked.sigma, using: &random)
      var rig = Rig()
      rig.monitor.add(.circle(circle(center, parked.radius)), id: 0)
      for _ in 0..<(Self.long ? 86_400 : 2_000) {
        let eph = parked.knowsError ? parked.sigma * 2.45 : nil
        rig.feed(wander.step(from: place, using: &random), eph: eph)
      }
      worst = max(worst, rig.transitions.count)
    }
    #expect(worst <= 2)
  }

  /// Inside or outside, with one sample an hour 200 m off that claims an error of 2 m.
  @Test(arguments: [(30.0, 50.0), (150, 50), (240, 50), (0, 500), (690, 500)])
  func outliersDecideNothing(distance: Double, radius: Double) {
    var random = SeededGenerator(seed: 7)
    let center = random.place()
    let place = center.destination(bearing: 77, distance: distance)
    var wander = Wander(sigma: 3, using: &random)
    var rig = Rig()
    rig.monitor.add(
      .circle(circle(center, radius)), id: 0, presence: distance < radius ? .inside : .outside)
    for second in 0..<(Self.long ? 30 * 86_400 : 8 * 3_600) where Self.long || second % 10 < 4 {
      let isOutlier = second % 3_600 == 1_802
      let position = wander.step(from: place, using: &random)
      let jump = position.destination(bearing: random.uniform(0...360), distance: 200)
      rig.feed(isOutlier ? jump : position, after: 1, eph: isOutlier ? 2 : 7)
    }
    #expect(rig.transitions == [])
  }

  /// Straight visits of ten seconds and more at 1 Hz, at any speed and place on Earth.
  @Test func everyVisitIsFound() {
    var random = SeededGenerator(seed: 11)
    var late = 0
    var wrong: [String] = []
    for visit in 0..<(Self.long ? 10_000 : 300) {
      let radius = 20 * pow(500 / 20.0, random.uniform(0...1))
      let speed = min(random.uniform(1...45), 2 * radius / 11)
      let stay = random.uniform(10...max(10, min(60, 2 * radius / speed - 0.5)))
      let center = random.place()
      let halfChord = speed * stay / 2
      let offset = max(0, radius * radius - halfChord * halfChord).squareRoot()
      let heading = random.uniform(0...360)
      let middle = center.destination(bearing: heading + 90, distance: offset)
      let lead = 60.0 + random.uniform(0...1)
      var rig = Rig()
      rig.monitor.add(.circle(circle(center, radius)), id: 0)
      var samplesInside = 0
      var samplesBeyond = 0
      for second in 0...(Int(stay) + 140) {
        let along = (Double(second) - lead) * speed - halfChord
        let position = middle.destination(
          bearing: along < 0 ? heading + 180 : heading, distance: abs(along))
        let distance = position.distance(to: center)
        if distance <= radius { samplesInside += 1 }
        if distance > radius + max(20, 0.1 * radius), samplesInside > 0 { samplesBeyond += 1 }
        let decided = rig.feed(position, eph: 5)
        switch decided.first?.kind {
        case .arrive: late = max(late, samplesInside - 1)
        case .depart: late = max(late, samplesBeyond - 1)
        default: break
        }
      }
      if rig.transitions.first?.kind != .arrive {
        wrong.append("visit \(visit): \(stay) s in \(radius) m at \(speed) m/s")
      }
      let goesFar = 80 * speed > radius + 50
      if goesFar, rig.transitions.map(\.kind) != [.arrive, .depart] {
        wrong.append("visit \(visit): \(rig.transitions.map(\.kind))")
      }
    }
    #expect(wrong == [])
    #expect(late <= 2)
  }

  /// 100 km/h along a row of circles with radius 50 m, fixes now and then, with a hole in between.
  @Test(arguments: [1.0, 5, 10, 30])
  func everyCrossingOnce(interval: Double) {
    var random = SeededGenerator(seed: 13)
    var wrong: [String] = []
    var passes = 0
    for run in 0..<(Self.long ? 200 : 4) {
      let start = random.place()
      let heading = random.uniform(0...360)
      let speed = 100 / 3.6
      var rig = Rig()
      // Every 500 m or so, up to 48 m beside the road; none near the ends.
      var fences: [(along: Double, half: Double)] = []
      for id in 0..<60 {
        let along = 3_000 + 500 * Double(id) + random.uniform(-150...150)
        let beside = random.uniform(-48...48)
        let center = start.destination(bearing: heading, distance: along)
        let side = center.initialBearing(to: start) + (beside < 0 ? 90 : 270)
        rig.monitor.add(
          .circle(circle(center.destination(bearing: side, distance: abs(beside)), 50)),
          id: FenceID(id))
        fences.append((along, (2_500 - beside * beside).squareRoot()))
      }
      // The way over a gap is known up to three intervals.
      let longestLeg = 3 * interval
      let hole = 16_000.0...(16_000.0 + (max(60, longestLeg) + 5) * speed)
      var last = 0.0
      var gap = 0.0...0.0
      var along = random.uniform(0...100)
      var skipped = 0.0
      while along < 36_000 {
        skipped += interval
        if !hole.contains(along) {
          if skipped > longestLeg { gap = last...along }
          rig.feed(
            start.destination(bearing: heading, distance: along), after: skipped, eph: 5)
          skipped = 0
          last = along
        }
        along += speed * interval
      }
      for (id, fence) in fences.enumerated() {
        let kinds = rig.transitions.filter { $0.fence == FenceID(id) }.map(\.kind)
        if kinds == [.pass] { passes += 1 }
        let stretch = (fence.along - fence.half)...(fence.along + fence.half)
        // A fence that the gap begins or ends in was seen from one side alone.
        if gap.contains(stretch.lowerBound), gap.contains(stretch.upperBound) {
          if !kinds.isEmpty { wrong.append("run \(run), over the gap: \(kinds)") }
        } else if !gap.overlaps(stretch), kinds != [.pass], kinds != [.arrive, .depart] {
          wrong.append("run \(run), fence \(id): \(kinds)")
        }
      }
    }
    #expect(wrong == [])
    #expect(passes > 0 || interval == 1)
  }

  /// The quiet disc changes nothing: a monitor whose quiet is broken before each sample decides
  /// the same.
  @Test func quietChangesNothing() {
    var random = SeededGenerator(seed: 17)
    for start in [coordinate(52.5, 13.4), coordinate(-16.8, 179.98), coordinate(89.98, 40)] {
      var quick = FenceMonitor()
      var slow = FenceMonitor()
      for id in 0..<200 {
        let center = start.destination(
          bearing: random.uniform(0...360), distance: 9_000 * random.uniform(0...1))
        let region = Region.circle(circle(center, random.uniform(20...900)))
        quick.add(region, id: FenceID(id))
        slow.add(region, id: FenceID(id))
      }
      var (a, b): ([Transition], [Transition]) = ([], [])
      var place = start
      var heading = 0.0
      var speed = 10.0
      var wander = Wander(sigma: 4, using: &random)
      for second in 0..<(Self.long ? 50_000 : 1_500) {
        heading += 8 * random.normal()
        speed = max(0, min(40, speed + random.normal()))
        if place.distance(to: start) > 9_000 { heading = place.initialBearing(to: start) }
        place = place.destination(bearing: heading, distance: speed)
        let sample = PositionSample(
          time: Instant(seconds: Double(second)),
          position: wander.step(from: place, using: &random),
          eph: random.uniform(0...1) < 0.1 ? nil : random.uniform(3...15))
        quick.process(sample, into: &a)
        slow.add(.circle(circle(coordinate(0, 0), 1)), id: 200, presence: .outside)
        slow.process(sample, into: &b)
      }
      #expect(a == b)
      #expect(a.count > 20)
    }
  }
}
