import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

@Suite struct OccupancyTests {
  private static func isVacant(_ place: Coordinate, in occupancy: Occupancy) -> Bool {
    occupancy.isVacant(
      north: CellGrid.northing(degrees: place.latitude),
      east: CellGrid.easting(degrees: place.longitude))
  }

  /// The same for a square of 0.09°.
  private static func isVacant(_ row: UInt32, _ column: UInt32, in occupancy: Occupancy) -> Bool {
    occupancy.isVacant(north: row << 20 | 77, east: column << 20 | 99_999)
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
    let occupancy = Occupancy(draft)
    #expect(occupancy.byteCount < 20_000)
    #expect(!occupancy.isCrowded)
    #expect(circles.allSatisfy { !OccupancyTests.isVacant($0.center, in: occupancy) })
    var vacant = 0
    for _ in 0..<20_000 {
      let place = Coordinate(
        clampingLatitude: random.uniform(-80...80), wrappingLongitude: random.uniform(-180...180))
      if OccupancyTests.isVacant(place, in: occupancy) { vacant += 1 }
    }
    // Of 2^17 blocks 700 at most have a square or a few.
    #expect(vacant > 19_950)
  }

  /// More blocks than fit, up to one in each slot there can be: what finds no place is on the map of wide squares.
  @Test(arguments: [100, 550, 900, 1_500]) func noBlockIsLost(blocks: Int) {
    var random = SeededGenerator(seed: UInt64(blocks))
    var occupancy = Occupancy()
    var draft = Occupancy.Draft()
    var squares: Set<UInt64> = []
    for _ in 0..<blocks * 3 {
      let row = UInt32.random(in: 0..<2_048, using: &random)
      let column = UInt32.random(in: 0..<4_096, using: &random) & (blocks > 1_000 ? 511 : 4_095)
      let one = Occupancy.Squares(rows: row...row, firstColumn: column, columnCount: 1)
      occupancy.mark(one)
      draft.mark(one)
      squares.insert(UInt64(row) << 32 | UInt64(column))
      if squares.count == blocks { break }
    }
    let table = Occupancy(draft)
    var (lost, needless) = (0, 0)
    for row in UInt32(0)..<2_048 {
      for column in UInt32(0)..<4_096 {
        let isTouched = squares.contains(UInt64(row) << 32 | UInt64(column))
        if isTouched {
          if OccupancyTests.isVacant(row, column, in: occupancy) { lost += 1 }
          if OccupancyTests.isVacant(row, column, in: table) { lost += 1 }
        } else if !OccupancyTests.isVacant(row, column, in: table) {
          needless += 1
        }
      }
    }
    #expect(lost == 0)
    // Some blocks may have found no place: each has 1 024 squares of the wide map's one.
    #expect(needless <= 8 * 1_024)
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
    var squares: Set<UInt64> = []
    while !occupancy.isCrowded {
      let row = UInt32.random(in: 0..<2_048, using: &random)
      let column = UInt32.random(in: 0..<4_096, using: &random)
      occupancy.mark(Occupancy.Squares(rows: row...row, firstColumn: column, columnCount: 1))
      squares.insert(UInt64(row) << 32 | UInt64(column))
    }
    let before = occupancy
    occupancy.grow()
    #expect(!occupancy.isCrowded)
    var different = 0
    for row in UInt32(0)..<2_048 {
      for column in UInt32(0)..<4_096
      where OccupancyTests.isVacant(row, column, in: occupancy)
        != OccupancyTests.isVacant(row, column, in: before)
      {
        different += 1
      }
    }
    #expect(different == 0)
    #expect(
      squares.allSatisfy {
        !OccupancyTests.isVacant(UInt32($0 >> 32), UInt32(truncatingIfNeeded: $0), in: occupancy)
      })
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
}
