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

  @Test func foldingKeepsEverySquareAndFewMore() throws {
    var random = SeededGenerator(seed: 6)
    var occupancy = Occupancy.unfolded
    var circles: [Circle] = []
    for _ in 0..<700 {
      let circle = try OccupancyTests.circle(&random, largest: 2_000)
      let record = CircleRecord(circle)
      circles.append(circle)
      DiscCover(latitude: record.latitude, longitude: record.longitude, metres: record.radius)
        .mark(in: &occupancy)
    }
    let folded = occupancy.folded()
    #expect(folded.byteCount < occupancy.byteCount / 16)
    #expect(!folded.isCrowded)
    #expect(circles.allSatisfy { !OccupancyTests.isVacant($0.center, in: folded) })
    var (vacant, stillVacant) = (0, 0)
    for _ in 0..<20_000 {
      let place = Coordinate(
        clampingLatitude: random.uniform(-80...80), wrappingLongitude: random.uniform(-180...180))
      guard OccupancyTests.isVacant(place, in: occupancy) else { continue }
      vacant += 1
      if OccupancyTests.isVacant(place, in: folded) { stillVacant += 1 }
    }
    #expect(vacant > 18_000)
    #expect(stillVacant * 20 > vacant * 19)
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
}
