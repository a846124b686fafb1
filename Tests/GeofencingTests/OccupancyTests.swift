import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

@Suite struct OccupancyTests {
  private static func isVacant(_ place: Coordinate, in occupancy: Occupancy) -> Bool {
    occupancy.isVacant(occupancy.square(of: place), around: place)
  }

  /// Whether the middle of a square of 0.09° is vacant.
  private static func isVacant(_ row: UInt32, _ column: UInt32, in occupancy: Occupancy) -> Bool {
    let degrees = 360.0 / 4_096
    let longitude = (Double(column) + 0.5) * degrees
    return isVacant(
      Coordinate(
        clampingLatitude: (Double(row) + 0.5) * degrees - 90,
        wrappingLongitude: longitude > 180 ? longitude - 360 : longitude), in: occupancy)
  }

  private static func circle(_ random: inout SeededGenerator, largest: Double) throws -> Circle {
    let latitude =
      Bool.random(using: &random)
      ? random.uniform(-90...90) : [-90, 90, 0, 84.375][Int.random(in: 0..<4, using: &random)]
    let longitude =
      Bool.random(using: &random)
      ? random.uniform(-180...180)
      : random.uniform(-0.1...0.1) + [0, 180][Int.random(in: 0..<2, using: &random)]
    let radius = 1 + (largest - 1) * pow(random.uniform(0...1), 3)
    return try #require(
      Circle(
        center: Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude),
        radius: radius))
  }

  @Test(arguments: [300.0, 40_000, 5_000_000])
  func noPlaceInAFenceIsVacantInATableOfAnySize(largest: Double) throws {
    var random = SeededGenerator(seed: 33_550_336)
    var vacant = 0
    for _ in 0..<2_000 {
      let circle = try OccupancyTests.circle(&random, largest: largest)
      let record = CircleRecord(circle)
      let cover = DiscCover(
        latitude: record.latitude, longitude: record.longitude, metres: record.radius)
      var occupancy = Occupancy()
      cover.mark(in: &occupancy)
      for _ in 0..<20 {
        let place = circle.center.destination(
          bearing: random.uniform(0...360), distance: random.uniform(0...circle.radius * 0.999_999))
        if OccupancyTests.isVacant(place, in: occupancy) { vacant += 1 }
      }
    }
    #expect(vacant == 0)
  }

  @Test func aTableKeepsEverySquareAndHardlyMore() throws {
    var random = SeededGenerator(seed: 6)
    var draft = Occupancy.Draft()
    var circles: [Circle] = []
    for _ in 0..<700 {
      let circle = try OccupancyTests.circle(&random, largest: 2_000)
      let record = CircleRecord(circle)
      circles.append(circle)
      DiscCover(latitude: record.latitude, longitude: record.longitude, metres: record.radius)
        .mark(in: &draft)
    }
    let occupancy = Occupancy(draft, fences: 700)
    #expect(occupancy.exponent == Occupancy.finest)
    #expect(occupancy.byteCount < 20 * 700)
    #expect(!occupancy.isCrowded)
    #expect(circles.allSatisfy { !OccupancyTests.isVacant($0.center, in: occupancy) })
    var vacant = 0
    for _ in 0..<20_000 {
      let place = Coordinate(
        clampingLatitude: random.uniform(-80...80), wrappingLongitude: random.uniform(-180...180))
      if OccupancyTests.isVacant(place, in: occupancy) { vacant += 1 }
    }
    // Of 2²³ squares some thousand are touched, and some in a thousand of the others taken for touched.
    #expect(vacant > 19_800)
  }

  /// Where fences lie side by side larger squares do, of which hardly more is touched.
  @Test(arguments: [0.0, 47, 84.375, -89.6])
  func denseSquaresAreKeptAsLargerOnes(latitude: Double) throws {
    var random = SeededGenerator(seed: 28)
    var draft = Occupancy.Draft()
    var circles: [Circle] = []
    let site = Coordinate(clampingLatitude: latitude, wrappingLongitude: 179)
    for _ in 0..<3_000 {
      let circle = try #require(
        Circle(
          center: site.destination(
            bearing: random.uniform(0...360), distance: 300_000 * random.uniform(0...1)),
          radius: random.uniform(10...9_000)))
      let record = CircleRecord(circle)
      circles.append(circle)
      DiscCover(latitude: record.latitude, longitude: record.longitude, metres: record.radius)
        .mark(in: &draft)
    }
    let occupancy = Occupancy(draft, fences: circles.count)
    #expect(occupancy.exponent > Occupancy.finest)
    // Near the pole a square is no wider than it is high by far.
    #expect(occupancy.byteCount < (abs(latitude) < 80 ? 4 : 24) * circles.count)
    var (lost, needless) = (0, 0)
    for circle in circles {
      for _ in 0..<10 {
        let place = circle.center.destination(
          bearing: random.uniform(0...360), distance: random.uniform(0...circle.radius * 0.999_999))
        if OccupancyTests.isVacant(place, in: occupancy) { lost += 1 }
      }
      let far = Coordinate(
        clampingLatitude: random.uniform(-75...75), wrappingLongitude: random.uniform(-150...150))
      if !OccupancyTests.isVacant(far, in: occupancy) { needless += 1 }
    }
    #expect(lost == 0)
    #expect(needless < 30)
  }

  /// A fence that reaches a millimetre, or some, into a square touches it, however wide squares are.
  @Test(arguments: [20, 21, 22] as [UInt32]) func aFenceTouchesASquareItHardlyReaches(
    exponent: UInt32
  ) throws {
    var random = SeededGenerator(seed: UInt64(exponent))
    var lost = 0
    for _ in 0..<3_000 {
      var occupancy = Occupancy(exponent: exponent, words: 1_024)
      let width = Double(1 << exponent) / CellGrid.unitsPerDegree
      let border = width * Double(Int.random(in: -900..<900, using: &random) >> (exponent - 20))
      let other = random.uniform(-60...60)
      let metresPerDegree = CellGrid.earthRadius * (.pi / 180)
      let depth = pow(10, random.uniform(-3...0))
      let radius = random.uniform(5...3_000)
      let away = (radius - depth) / metresPerDegree
      let isFromSouth = Bool.random(using: &random)
      // The border of a row, or at the equator of a column, from either side.
      let isRow = Bool.random(using: &random)
      let (edge, center) = (border, border + (isFromSouth ? -away : away))
      let circle = try #require(
        Circle(
          center: Coordinate(
            clampingLatitude: isRow ? center : 0, wrappingLongitude: isRow ? other : center),
          radius: radius))
      let record = CircleRecord(circle)
      DiscCover(latitude: record.latitude, longitude: record.longitude, metres: record.radius)
        .mark(in: &occupancy)
      let beyond = (isFromSouth ? 1 : -1) * (depth - 1e-4) / metresPerDegree
      let place = Coordinate(
        clampingLatitude: isRow ? edge + beyond : 0,
        wrappingLongitude: isRow ? other : edge + beyond)
      if OccupancyTests.isVacant(place, in: occupancy) { lost += 1 }
    }
    #expect(lost == 0)
  }

  @Test(arguments: [100, 550, 900, 3_000]) func noSquareIsLost(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var occupancy = Occupancy()
    var draft = Occupancy.Draft()
    var squares: Set<UInt64> = []
    for _ in 0..<count {
      let row = UInt32.random(in: 0..<2_048, using: &random)
      let column = UInt32.random(in: 0..<4_096, using: &random) & (count > 1_000 ? 511 : 4_095)
      let one = Occupancy.Squares(rows: row...row, firstColumn: column, columnCount: 1)
      occupancy.mark(one)
      draft.mark(one)
      squares.insert(UInt64(row) << 32 | UInt64(column))
    }
    let table = Occupancy(draft, fences: count)
    var (lost, needless) = (0, 0)
    for row in UInt32(0)..<2_048 {
      for column in UInt32(0)..<4_096 {
        let isTouched = squares.contains(UInt64(row) << 32 | UInt64(column))
        let isVacant = OccupancyTests.isVacant(row, column, in: table)
        if isTouched {
          if isVacant || OccupancyTests.isVacant(row, column, in: occupancy) { lost += 1 }
        } else if !isVacant {
          needless += 1
        }
      }
    }
    #expect(lost == 0)
    #expect(needless < (2_048 * 4_096) / 200)
  }

  @Test func theTableGrowsWithFencesAddedOneByOne() throws {
    var random = SeededGenerator(seed: 12)
    var index = GridIndex()
    for id in 0..<3_000 {
      index.insert(try OccupancyTests.circle(&random, largest: 500), id: FenceID(id))
    }
    #expect(index.checkInvariants() == nil)
    var vacant = 0
    for _ in 0..<10_000 {
      let place = Coordinate(
        clampingLatitude: random.uniform(-80...80), wrappingLongitude: random.uniform(-170...170))
      if index.isVacant(at: place) { vacant += 1 }
    }
    #expect(vacant > 9_700)
    for id in 0..<3_000 { index.remove(FenceID(id)) }
    #expect(index.isVacant(at: Coordinate(clampingLatitude: 0, wrappingLongitude: 180)))
  }

  @Test func aTableThatGrowsKeepsWhatItHas() {
    var random = SeededGenerator(seed: 496)
    var occupancy = Occupancy()
    var squares: [(row: UInt32, column: UInt32)] = []
    while !occupancy.isCrowded {
      let row = UInt32.random(in: 0..<2_048, using: &random)
      let column = UInt32.random(in: 0..<4_096, using: &random)
      occupancy.mark(Occupancy.Squares(rows: row...row, firstColumn: column, columnCount: 1))
      squares.append((row, column))
    }
    let before = occupancy
    occupancy.grow(for: 1_000)
    #expect(!occupancy.isCrowded)
    #expect(
      squares.allSatisfy { !OccupancyTests.isVacant($0.row, $0.column, in: occupancy) })
    var different = 0
    for row in UInt32(0)..<2_048 {
      for column in stride(from: UInt32(0), to: 4_096, by: 7)
      where OccupancyTests.isVacant(row, column, in: occupancy)
        != OccupancyTests.isVacant(row, column, in: before)
      {
        different += 1
      }
    }
    #expect(different == 0)
  }

  /// However many fences there are, the table takes little for each.
  @Test(arguments: [700, 1_100, 2_200, 9_000]) func fencesFarFromEachOtherTakeLittle(
    count: Int
  )
    throws
  {
    var random = SeededGenerator(seed: 77)
    var oneByOne = GridIndex()
    var atOnce = GridIndex()
    atOnce.beginFilling(count: count)
    oneByOne.reserveCapacity(count)
    for id in 0..<count {
      let center = Coordinate(
        clampingLatitude: asin(random.uniform(-1...1)) * (180 / .pi),
        wrappingLongitude: random.uniform(-180...180))
      let circle = try #require(Circle(center: center, radius: 100))
      atOnce.insert(circle, id: FenceID(id))
      oneByOne.insert(circle, id: FenceID(id))
    }
    atOnce.endFilling()
    #expect(Double(atOnce.byteCount) < 70 * Double(count))
    #expect(Double(oneByOne.byteCount) < 80 * Double(count))
  }

  /// One fence that is always elsewhere, among many that fill half of a table: what it has touched is forgotten now
  /// and then, and not all are marked anew each time.
  @Test func aFenceThatMovesAboutLeavesRoom() throws {
    var random = SeededGenerator(seed: 8_128)
    var index = GridIndex()
    func circle(_ row: Int, _ column: Int) throws -> Circle {
      try #require(
        Circle(
          center: Coordinate(
            clampingLatitude: Double(row) * 0.75 - 60, wrappingLongitude: Double(column) * 0.75),
          radius: 50))
    }
    let count = 2_000
    for id in 0..<count { index.insert(try circle(id % 20, id % 511 / 20), id: FenceID(id)) }
    for _ in 0..<3_000 {
      index.insert(
        try circle(
          Int.random(in: 20..<160, using: &random), Int.random(in: 0..<400, using: &random)),
        id: FenceID(count))
    }
    #expect(index.checkInvariants() == nil)
    #expect(Double(index.byteCount) < 110 * Double(count))
    for id in 0..<count {
      #expect(!index.isVacant(at: try circle(id % 20, id % 511 / 20).center))
    }
  }

  /// The same where fences by the thousand share few squares: a table that is soon full of what has been left becomes
  /// larger, and the fences are not marked anew, which could be felt.
  @Test func amongManyNoneIsMarkedAnewForOne() throws {
    let count = 16_000
    var index = GridIndex()
    func circle(_ row: Int, _ column: Int) throws -> Circle {
      try #require(
        Circle(
          center: Coordinate(
            clampingLatitude: (Double(row) + 0.5) * 0.703125,
            wrappingLongitude: (Double(column) + 0.5) * 0.703125), radius: 100))
    }
    index.beginFilling(count: count)
    for id in 0..<count {
      index.insert(try circle(id % 511 / 32, id % 511 % 32), id: FenceID(id))
    }
    index.endFilling()
    var markings = 0
    for move in 0..<3_000 {
      let before = index.additions
      index.insert(try circle(-6 - move / 200, move % 200 - 100), id: FenceID(count))
      if index.additions < before { markings += 1 }
    }
    #expect(markings == 0)
    #expect(index.checkInvariants() == nil)
    let last = try circle(-6 - 2_999 / 200, 2_999 % 200 - 100)
    #expect(!index.isVacant(at: last.center))
    var needless = 0
    for row in 40..<100 {
      for column in -200..<200 where !index.isVacant(at: try circle(row, column).center) {
        needless += 1
      }
    }
    #expect(needless < 60 * 400 / 20)
  }
}
