import Geodesy
import TestSupport
import Testing

@testable import Geofencing

@Suite struct ShapeTests {
  /// A square of `2 · half` metres, its sides towards the four winds, from its middle.
  static func square(around center: Coordinate, half: Double, turned: Bool = false) -> [Coordinate]
  {
    let ring = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map {
      center.moved(east: half * $0.0, north: half * $0.1)
    }
    return turned ? ring.reversed() : ring
  }

  static let middles = [
    coordinate(52.52, 13.4), coordinate(0, 0), coordinate(-16.8, 180), coordinate(-16.8, -179.9999),
    coordinate(89.99999, 0), coordinate(-89.9998, 9), coordinate(89.9995, 77),
    coordinate(-60, 179.9995),
  ]

  @Test(arguments: middles, [false, true])
  func aSquareIsTheSameEverywhere(middle: Coordinate, turned: Bool) throws {
    let ring = Self.square(around: middle, half: 100, turned: turned)
    let polygon = try Polygon(parts: [[ring]])
    #expect(abs(polygon.size - 100) < 0.1)
    #expect(abs(polygon.boundingCircle.radius - 100 * 2.0.squareRoot()) < 3)
    #expect(polygon.boundingCircle.center.distance(to: middle) < 3)
    #expect(abs(polygon.signedBoundaryDistance(from: middle) + 100) < 0.01)
    for bearing in stride(from: 0.0, to: 360, by: 15) {
      let place = middle.destination(bearing: bearing, distance: 250)
      #expect(!polygon.contains(place))
      #expect(polygon.contains(middle.destination(bearing: bearing, distance: 95)))
    }
    for corner in ring {
      #expect(polygon.contains(corner))
      #expect(abs(polygon.signedBoundaryDistance(from: corner)) < 1e-6)
      #expect(polygon.signedBoundaryDistance(from: middle.moved(east: 0, north: 400)) > 250)
    }
    // Due north of a corner in the frame of the middle: the nearest point is the corner.
    let beyond = middle.moved(east: 130, north: 140)
    #expect(abs(polygon.signedBoundaryDistance(from: beyond) - 50) < 0.05)
  }

  /// Blocks of edges leave out no edge that counts.
  @Test(arguments: middles, [300.0, 20_000, 3_000_000])
  func manyCornersAreMeasuredOneByOne(middle: Coordinate, reach: Double) throws {
    var random = SeededGenerator(seed: 11)
    let rings = [(950, 0.6...1.0), (230, 0.2...0.5)].map { count, share in
      (0..<count).map { corner in
        middle.destination(
          bearing: 360 * Double(corner) / Double(count),
          distance: reach * random.uniform(share))
      }
    }
    let region = Region.polygon(try Polygon(parts: [rings]))
    let reference = ReferenceRegion(DrawnShape(kind: .polygon(rings), region: region))
    let rounding = 1e-3 + 1e-9 * reach
    for _ in 0..<40 {
      let place = middle.destination(
        bearing: random.uniform(0...360), distance: reach * random.uniform(0...1.3))
      let (found, expected) = (region.signedBoundaryDistance(from: place), reference.beyond(place))
      if expected > 2_500 {
        #expect(found >= expected - rounding)
      } else {
        #expect(abs(found - expected) < rounding, "\(place)")
      }
    }
  }

  /// Blocks of edges leave out no edge that a path crosses.
  @Test(arguments: middles, [300.0, 20_000, 3_000_000])
  func noCrossingIsLeftOut(middle: Coordinate, reach: Double) throws {
    var random = SeededGenerator(seed: 12)
    func place(_ bearing: Double, _ share: ClosedRange<Double>) -> Coordinate {
      middle.destination(bearing: bearing, distance: reach * random.uniform(share))
    }
    let ring = (0..<950).map { place(360 * Double($0) / 950, 0.6...1) }
    let polygon = try Polygon(parts: [[ring]])
    let corners = ring.map { Vector($0) }
    let edges = zip(corners, corners[1...] + corners[..<1]).map { Edge(from: $0, to: $1) }
    for _ in 0..<40 {
      let ends = (0..<2).map { _ in Vector(place(random.uniform(0...360), 0...1.3)) }
      let path = Edge(from: ends[0], to: ends[1])
      var found: [Double] = []
      polygon.forEachEdge(near: path) { if let at = path.crossing($0) { found.append(at) } }
      #expect(found.sorted() == edges.compactMap { path.crossing($0) }.sorted())
    }
  }

  @Test func turnsAroundTheEarthWithItsPlaces() throws {
    var random = SeededGenerator(seed: 4)
    let outline = [(10.0, 50.0), (10.4, 50.1), (10.3, 50.3), (10.2, 50.15), (10.05, 50.35)]
    let places = (0..<300).map { _ in (random.uniform(9.9...10.5), random.uniform(49.9...50.4)) }
    var verdicts: [[Double]] = []
    for shift in [0.0, 100, 169.8, 170, 169.75, -190.1, 180] {
      let ring = outline.map { coordinate($0.1, $0.0 + shift) }
      let polygon = try Polygon(parts: [[ring]])
      verdicts.append(
        places.map { polygon.signedBoundaryDistance(from: coordinate($0.1, $0.0 + shift)) })
    }
    for other in verdicts.dropFirst() {
      #expect(zip(verdicts[0], other).allSatisfy { abs($0 - $1) < 1e-4 })
    }
    #expect(verdicts[0].contains { $0 < -1_000 } && verdicts[0].contains { $0 > 1_000 })
  }

  @Test func cutAtTheAntimeridianIsWhole() throws {
    let whole = try Polygon(parts: [
      [
        [
          coordinate(-18, 178), coordinate(-18, 182), coordinate(-16, 182), coordinate(-16, 178),
        ]
      ]
    ])
    // The great circle between two corners bulges: the cut is where it crosses 180°.
    let south = coordinate(-18, 178).interpolated(to: coordinate(-18, 182), fraction: 0.5)
    let north = coordinate(-16, 178).interpolated(to: coordinate(-16, 182), fraction: 0.5)
    let west = [
      coordinate(-18, 178), coordinate(south.latitude, 180), coordinate(north.latitude, 180),
      coordinate(-16, 178),
    ]
    let east = [
      coordinate(south.latitude, -180), coordinate(-18, -178), coordinate(-16, -178),
      coordinate(north.latitude, -180),
    ]
    let cut = try Polygon(parts: [[west], [east]])
    for longitude in [178.5, 179.99, 180, -180, -179.999, -178.4, 177.9, -177.9] {
      for latitude in [-17.9, -17, -16.3, -15.9] {
        let place = coordinate(latitude, longitude)
        #expect(cut.contains(place) == whole.contains(place))
        let (a, b) = (
          cut.signedBoundaryDistance(from: place), whole.signedBoundaryDistance(from: place)
        )
        #expect(abs(a - b) < 1e-3, "\(place)")
      }
    }
  }

  /// A flat map's way around a pole: down the cut to the pole, along the edge of the map, and back.
  @Test func flatMapOfAPoleIsACap() throws {
    var ring = [coordinate(-90, -180)]
    for longitude in stride(from: -180.0, through: 180, by: 30) {
      ring.append(coordinate(-80, longitude))
    }
    ring.append(coordinate(-90, 180))
    let flat = try Polygon(parts: [[ring]])
    let cap = try Polygon(parts: [[(0..<12).map { coordinate(-80, Double($0) * 30) }]])
    for (latitude, longitude) in [
      (-90.0, 0.0), (-85, 180), (-85, -179.99), (-89, 12), (-79, 180), (-80.5, 15), (-79.9, 30),
    ] {
      let place = coordinate(latitude, longitude)
      let (a, b) = (
        flat.signedBoundaryDistance(from: place), cap.signedBoundaryDistance(from: place)
      )
      #expect(abs(a - b) < 1e-3, "\(place)")
    }
    #expect(cap.signedBoundaryDistance(from: coordinate(-90, 0)) < -1_000_000)
    #expect(!cap.contains(coordinate(90, 0)))
  }

  @Test func holesAndPartsCount() throws {
    let middle = coordinate(48, 11)
    let hole = Self.square(around: middle, half: 50)
    let islet = Self.square(around: middle, half: 10)
    let polygon = try Polygon(parts: [
      [Self.square(around: middle, half: 200), hole], [islet],
      [Self.square(around: middle.moved(east: 1_000, north: 0), half: 20)],
    ])
    #expect(abs(polygon.signedBoundaryDistance(from: middle) + 10) < 0.01)
    #expect(abs(polygon.signedBoundaryDistance(from: middle.moved(east: 30, north: 0)) - 20) < 0.01)
    #expect(abs(polygon.signedBoundaryDistance(from: middle.moved(east: 80, north: 0)) + 30) < 0.01)
    #expect(polygon.contains(middle.moved(east: 1_010, north: 0)))
    #expect(
      abs(polygon.signedBoundaryDistance(from: middle.moved(east: 600, north: 0)) - 380) < 0.05)
    // A hole at the edge of its outline is a bay, not an area behind a line.
    let bay = try Polygon(parts: [
      [
        Self.square(around: middle, half: 100),
        [
          middle.moved(east: -100, north: -100), middle.moved(east: 100, north: -100),
          middle.moved(east: 0, north: 0),
        ],
      ]
    ])
    #expect(abs(bay.signedBoundaryDistance(from: middle.moved(east: 0, north: -110)) - 78) < 1)
  }

  @Test func spikesAndRepetitionsChangeNothing() throws {
    let middle = coordinate(48, 11)
    let ring = Self.square(around: middle, half: 100)
    let spike = middle.moved(east: 400, north: 30)
    let plain = try Polygon(parts: [[ring]])
    let odd = try Polygon(parts: [
      [
        [ring[0], ring[0], ring[1], spike, ring[1], ring[2], ring[2], ring[3], ring[3], ring[0]]
      ]
    ])
    for (east, north) in [(0.0, 0.0), (90, 20), (110, -90), (300, 0), (399, 30), (-130, 0)] {
      let place = middle.moved(east: east, north: north)
      #expect(
        abs(odd.signedBoundaryDistance(from: place) - plain.signedBoundaryDistance(from: place))
          < 1e-6)
    }
    // The same part twice is still that part.
    let twice = try Polygon(parts: [[ring], [ring]])
    #expect(abs(twice.signedBoundaryDistance(from: middle) + 100) < 0.01)
    #expect(abs(twice.signedBoundaryDistance(from: spike) - 300) < 0.1)
  }

  @Test func corridorIsRoundAtItsEnds() throws {
    for middle in Self.middles {
      let line = [-500.0, 0, 0, 300, 700].map { middle.moved(east: $0, north: 0) }
      let corridor = try Corridor(lines: [line], width: 60)
      #expect(corridor.halfWidth == 30)
      #expect(abs(corridor.signedBoundaryDistance(from: middle) + 30) < 1e-3)
      let end = middle.moved(east: 740, north: 0)
      #expect(abs(corridor.signedBoundaryDistance(from: end) - 10) < 0.01)
      #expect(corridor.contains(middle.moved(east: 400, north: 29.9)))
      #expect(!corridor.contains(middle.moved(east: 400, north: 30.1)))
      #expect(abs(corridor.boundingCircle.radius - 630) < 15)
    }
    let lines = [
      [coordinate(1, 1), coordinate(1, 1.01)], [coordinate(2, 1), coordinate(2.01, 1)],
    ]
    let two = try Corridor(lines: lines, width: 25)
    #expect(two.contains(coordinate(2.005, 1)) && !two.contains(coordinate(1.5, 1)))
  }

  @Test func boundingCircleHoldsAll() throws {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      let center = random.place()
      let reach = 10 * power(10, random.uniform(0...5))
      let places = (0..<Int.random(in: 3...40, using: &random)).map { _ in
        center.destination(
          bearing: random.uniform(0...360), distance: reach * random.uniform(0...1))
      }
      guard let polygon = try? Polygon(parts: [[places]]) else { continue }
      let circle = polygon.boundingCircle
      #expect(circle.radius < 1.05 * reach + 1)
      for place in places { #expect(place.distance(to: circle.center) <= circle.radius) }
    }
  }

  @Test func senselessShapesAreRefused() {
    let a = coordinate(1, 1)
    let b = coordinate(1, 2)
    let c = coordinate(2, 2)
    #expect(throws: ShapeError.noArea) { try Polygon(parts: []) }
    #expect(throws: ShapeError.noRing(part: 0, ring: 0)) { try Polygon(parts: [[[a, b, a]]]) }
    #expect(throws: ShapeError.noRing(part: 1, ring: 1)) {
      try Polygon(parts: [[[a, b, c]], [[a, b, c], []]])
    }
    #expect(throws: ShapeError.noArea) { try Polygon(parts: [[[a, b, a, b]]]) }
    // A bow tie of two equal halves.
    #expect(throws: ShapeError.noArea) {
      try Polygon(parts: [
        [
          [
            coordinate(-1, -1), coordinate(1, 1), coordinate(1, -1), coordinate(-1, 1),
          ]
        ]
      ])
    }
    #expect(throws: ShapeError.tooLarge) {
      try Polygon(parts: [[[coordinate(0, 0), coordinate(0, 120), coordinate(0, -120)]]])
    }
    #expect(throws: ShapeError.tooLarge) {
      try Polygon(parts: [[[coordinate(0, 0), coordinate(60, 60), coordinate(-70, 100)]]])
    }
    #expect(throws: ShapeError.tooManyPositions(10_001)) {
      try Polygon(parts: [[Array(repeating: a, count: 10_001)]])
    }
    #expect(throws: ShapeError.noLine(1)) { try Corridor(lines: [[a, b], [c, c]], width: 10) }
    #expect(throws: ShapeError.noLine(0)) { try Corridor(lines: [], width: 10) }
    for width in [0, -5, Double.nan, .infinity, 1_000_001] {
      #expect(throws: ShapeError.self) { try Corridor(lines: [[a, b]], width: width) }
    }
    for error in [ShapeError.noArea, .tooLarge, .noLine(0), .badWidth(0), .tooManyPositions(9)] {
      #expect(error.description.count > 20)
    }
  }

  /// Thousands of doubled edges are looked at for a bounded time, and nothing traps.
  @Test func hostileRingEnds() throws {
    var random = SeededGenerator(seed: 21)
    let center = coordinate(10, 10)
    var ring = [center]
    for _ in 0..<4_000 {
      ring.append(center.moved(east: random.uniform(0...100), north: random.uniform(0...100)))
      ring.append(center)
    }
    ring += [center.moved(east: 900, north: 0), center.moved(east: 900, north: 900)]
    let polygon = try Polygon(parts: [[ring]])
    #expect(polygon.contains(center.moved(east: 800, north: 400)))
  }
}
