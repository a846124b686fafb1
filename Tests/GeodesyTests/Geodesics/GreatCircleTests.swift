import Geodesy
import TestSupport
import Testing

@Suite struct UnitVectorTests {
  @Test func carriesACoordinateToANanometre() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let a = random.coordinate()
      #expect(Vector(a).coordinate.distance(to: a) < 5e-9, "\(a)")
    }
  }

  @Test func pointsAlongTheAxes() {
    #expect(Vector(point(90, 33)) == Vector(normalizing: 0, 0, 7))
    #expect(Vector(point(0, 90)) == Vector(normalizing: 0, 0.1, 0))
    #expect(Vector(point(0, -180)) == Vector(normalizing: -2, 0, 0))
    #expect(Vector(normalizing: 0, 0, 0) == nil)
    #expect(Vector(normalizing: .nan, 0, 1) == nil)
    #expect(Vector(normalizing: .infinity, 0, 1) == nil)
  }

  @Test func measuresAnglesAndChords() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<2000 {
      let a = random.coordinate()
      let b = random.coordinate()
      let distance = a.distance(to: b)
      // The haversine loses digits near the antipode; these do not.
      let tolerance = distance < 19_000_000 ? 1e-6 : 0.2
      let chord = Vector(a).chordSquared(to: Vector(b))
      #expect(abs(Vector(a).angle(to: Vector(b)) * Sphere.radius - distance) < tolerance)
      #expect(abs(Vector.distance(chordSquared: chord) - distance) < tolerance)
      #expect(abs(Vector.chordSquared(distance: distance) - chord) < 1e-12)
      #expect(abs(2 - 2 * Vector(a).dot(Vector(b)) - chord) < 1e-12)
    }
  }

  @Test func clampsDistancesToTheEarth() {
    #expect(Vector.chordSquared(distance: -5) == 0)
    #expect(Vector.chordSquared(distance: 30_000_000) == 4)
    #expect(Vector.distance(chordSquared: 5) == Sphere.radius * Double.pi)
    #expect(Vector.distance(chordSquared: -1e-20) == 0)
  }
}

@Suite struct GreatCircleTests {
  @Test func dividesAnArcInProportion() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let a = random.coordinate()
      let b = random.coordinate()
      let whole = a.distance(to: b)
      guard whole < 19_000_000 else { continue }
      let fraction = Double.random(in: 0...1, using: &random)
      let between = a.interpolated(to: b, fraction: fraction)
      #expect(abs(a.distance(to: between) - fraction * whole) < 1e-6, "\(a) \(b)")
      #expect(abs(between.distance(to: b) - (1 - fraction) * whole) < 1e-6, "\(a) \(b)")
    }
  }

  @Test func interpolatesOverSeamsAndPoles() {
    let seam = point(10, 179).interpolated(to: point(10, -179), fraction: 0.5)
    #expect(abs(abs(seam.longitude) - 180) < 1e-9)
    let pole = point(80, 0).interpolated(to: point(80, 180), fraction: 0.5)
    #expect(pole.distance(to: point(90, 0)) < 1e-6)
    let antipode = point(0, 20).interpolated(to: point(0, -160), fraction: 0.25)
    #expect(antipode.distance(to: point(45, 20)) < 1e-6)
    let poles = point(90, 0).interpolated(to: point(-90, 0), fraction: 0.5)
    #expect(abs(poles.latitude) < 1e-9)
  }

  @Test func keepsItsEnds() {
    let a = point(52.52, 13.405)
    let b = point(-33.87, 151.21)
    for fraction in [0, -1, -Double.infinity, Double.nan] {
      #expect(a.interpolated(to: b, fraction: fraction) == a)
    }
    for fraction in [1, 1.5, Double.infinity] {
      #expect(a.interpolated(to: b, fraction: fraction) == b)
    }
    #expect(a.interpolated(to: a, fraction: 0.3) == a)
  }

  @Test(arguments: [
    // start, end, point, fraction, distance in degrees of arc
    ((0.0, 0.0), (0.0, 10.0), (1.0, 5.0), 0.5, 1.0),
    ((0, 0), (0, 10), (-3, 2.5), 0.25, 3),
    ((0, 0), (0, 10), (0, 12), 1, 2),
    ((0, 0), (0, 10), (0, -4), 0, 4),
    ((0, 179), (0, -179), (2, 180), 0.5, 2),
    ((80, 0), (80, 180), (90, 55), 0.5, 0),
    ((80, 0), (80, 180), (85, 90), 0.5, 5),
    ((0, 0), (0, 0), (0, 3), 0, 3),
    ((0, 0), (0, 90), (90, 0), 0, 90),
    ((-90, 0), (90, 0), (0, 90), 0, 90),
    ((0, 0), (0, 180), (45, 1e-9), 0.25, 0),
  ]) func findsTheClosestApproach(
    _ start: (Double, Double), _ end: (Double, Double), _ at: (Double, Double), _ fraction: Double,
    _ degrees: Double
  ) {
    let found = point(at.0, at.1).closestApproach(
      ofSegmentFrom: point(start.0, start.1), to: point(end.0, end.1))
    let expected = degrees * Double.pi / 180 * Sphere.radius
    #expect(abs(found.fraction - fraction) < 1e-9)
    #expect(abs(found.distance - expected) < 1e-3)
  }

  @Test func neverMissesANearerPoint() {
    var random = SeededGenerator(seed: 4)
    for round in 0..<1000 {
      let a = random.coordinate()
      let reach = round.isMultiple(of: 2) ? 19_000_000 : pow10(round % 7)
      let b = a.destination(
        bearing: .random(in: 0..<360, using: &random),
        distance: .random(in: 0...reach, using: &random))
      let p = a.destination(
        bearing: .random(in: 0..<360, using: &random),
        distance: .random(in: 0...reach, using: &random))
      let found = p.closestApproach(ofSegmentFrom: a, to: b)
      #expect((0...1).contains(found.fraction))
      let there = a.interpolated(to: b, fraction: found.fraction)
      #expect(abs(there.distance(to: p) - found.distance) < 1e-6 || found.distance > 19_000_000)
      for step in 0...8 {
        let sample = a.interpolated(to: b, fraction: Double(step) / 8)
        #expect(found.distance <= sample.distance(to: p) + 1e-6, "\(a) \(b) \(p)")
      }
    }
  }

  private func pow10(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { product, _ in product * 10 }
  }
}
