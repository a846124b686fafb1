import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

@Suite struct QuietDiscTests {
  /// No way about a pole is taken to be shorter than it is, nor one that is short for much longer.
  @Test(arguments: [90.0, 89.999, -89.9, 85, -80.001]) func waysAboutAPoleAreBounded(
    latitude: Double
  ) {
    var random = SeededGenerator(seed: UInt64(abs(latitude) * 1_000))
    var (tooShort, tooLong) = (0, 0)
    for _ in 0..<20_000 {
      let center = Coordinate(
        clampingLatitude: latitude, wrappingLongitude: random.uniform(-180...180))
      var disc = QuietDisc()
      disc.move(to: center, radius: 100_000, cosine: cos(latitude * .pi / 180))
      let reach = pow(10, random.uniform(0...5))
      let place = center.destination(
        bearing: random.uniform(0...360), distance: random.uniform(0...reach))
      let way = Arc(from: Vector(center), to: Vector(place)).angle * CellGrid.earthRadius
      let bound = disc.bound(from: center, to: place)
      if bound < way * (1 - 1e-9) - 1e-6 { tooShort += 1 }
      if bound > way * 1.06 + 1e-3 { tooLong += 1 }
      if way > 100_000, disc.contains(place) { tooShort += 1 }
    }
    #expect(tooShort == 0)
    #expect(tooLong == 0)
  }
}
