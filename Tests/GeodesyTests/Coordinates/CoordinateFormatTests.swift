import Geodesy
import TestSupport
import Testing

@Suite struct CoordinateFormatTests {
  @Test(arguments: [
    (52.52, 13.405, CoordinateFormat.decimalDegrees, "52.520000, 13.405000"),
    (52.52, 13.405, .degreesMinutes, "N 52° 31.2000' E 013° 24.3000'"),
    (52.52, 13.405, .degreesMinutesSeconds, "52°31′12.00″N 13°24′18.00″E"),
    (52.52, 13.405, .geoURI, "geo:52.52,13.405"),
    (-33.8688, -151.2093, .decimalDegrees, "-33.868800, -151.209300"),
    (-33.8688, -151.2093, .degreesMinutes, "S 33° 52.1280' W 151° 12.5580'"),
    (-33.8688, -151.2093, .degreesMinutesSeconds, "33°52′07.68″S 151°12′33.48″W"),
    (-33.8688, -151.2093, .geoURI, "geo:-33.8688,-151.2093"),
    (0, 0, .decimalDegrees, "0.000000, 0.000000"), (0, 0, .geoURI, "geo:0,0"),
    (-0.0000001, -0.0000001, .decimalDegrees, "0.000000, 0.000000"),
    (-0.0000001, -0.0000001, .degreesMinutes, "N 00° 00.0000' E 000° 00.0000'"),
    (-0.0000001, -0.0000001, .degreesMinutesSeconds, "0°00′00.00″N 0°00′00.00″E"),
    (-0.0000001, -0.0000001, .geoURI, "geo:0,0"),
    (59.9999999, 12.9999999, .decimalDegrees, "60.000000, 13.000000"),
    (59.9999999, 12.9999999, .degreesMinutes, "N 60° 00.0000' E 013° 00.0000'"),
    (59.9999999, -12.9999999, .degreesMinutesSeconds, "60°00′00.00″N 13°00′00.00″W"),
    (52.9999988, 13.0166666, .degreesMinutesSeconds, "53°00′00.00″N 13°01′00.00″E"),
    (90, 180, .degreesMinutes, "N 90° 00.0000' E 180° 00.0000'"),
    (-90, -180, .degreesMinutesSeconds, "90°00′00.00″S 180°00′00.00″W"),
    (90, 45, .geoURI, "geo:90,0"), (10, 100, .geoURI, "geo:10,100"),
  ]) func prints(
    _ latitude: Double, _ longitude: Double, _ format: CoordinateFormat, _ expected: String
  ) throws {
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    #expect(coordinate.formatted(format) == expected)
  }

  @Test(arguments: [
    (0, "53, 13", "N 52° 32' E 013° 25'", "52°31′30″N 13°25′29″E", "geo:53,13"),
    (1, "52.5, 13.4", "N 52° 31.5' E 013° 25.5'", "52°31′30.0″N 13°25′28.9″E", "geo:52.5,13.4"),
    (
      9, "52.525000000, 13.424700000", "N 52° 31.500000000' E 013° 25.482000000'",
      "52°31′30.000000000″N 13°25′28.920000000″E", "geo:52.525,13.4247"
    ),
  ]) func roundsToTheDecimalsAskedFor(
    _ decimals: Int, _ dd: String, _ dm: String, _ dms: String, _ geo: String
  ) {
    let place = point(52.525, 13.4247)
    #expect(place.formatted(.decimalDegrees, decimals: decimals) == dd)
    #expect(place.formatted(.degreesMinutes, decimals: decimals) == dm)
    #expect(place.formatted(.degreesMinutesSeconds, decimals: decimals) == dms)
    #expect(place.formatted(.geoURI, decimals: decimals) == geo)
  }

  @Test func clampsTheDecimals() {
    #expect(point(1, 2).formatted(.decimalDegrees, decimals: -3) == "1, 2")
    #expect(
      point(1, 2).formatted(.decimalDegrees, decimals: 99) == "1.000000000, 2.000000000")
  }

  @Test(arguments: [
    CoordinateFormat.decimalDegrees, .degreesMinutes, .degreesMinutesSeconds, .geoURI,
  ])
  func printedCoordinatesReadBack(_ format: CoordinateFormat) throws {
    var random = SeededGenerator(seed: 31)
    let unit: Double =
      switch format {
      case .degreesMinutes: 60
      case .degreesMinutesSeconds: 3600
      default: 1
      }
    var misses: [String] = []
    for round in 0..<1250 {
      let place = random.coordinate()
      let decimals = round.isMultiple(of: 2) ? format.defaultDecimals : round % 10
      let text = place.formatted(format, decimals: decimals)
      let back = try Coordinate(parsing: text)
      let step = (0..<decimals).reduce(0.5 / unit) { step, _ in step / 10 } + 1e-12
      // A geo URI gives a pole the longitude 0.
      let isPole = text.hasPrefix("geo:90,") || text.hasPrefix("geo:-90,")
      let isClose =
        abs(back.latitude - place.latitude) <= step
        && (isPole || abs(back.longitude - place.longitude) <= step)
      // Once rounded, it stays as it is. (Sixty minutes or seconds would not be read at all.)
      if !isClose || back.formatted(format, decimals: decimals) != text { misses.append(text) }
    }
    #expect(misses.isEmpty)
  }
}

@Suite struct SixtiethsTests {
  @Test(arguments: ["N 52° 31.2' E 013° 24.3'", "52°31′12″N 13°24′18″E", "5231.200N01324.300E"])
  func readAsTheDecimalTheyAre(_ text: String) throws {
    let coordinate = try Coordinate(parsing: text)
    #expect(coordinate.latitude == 52.52)
    #expect(coordinate.longitude == 13.405)
  }
}
