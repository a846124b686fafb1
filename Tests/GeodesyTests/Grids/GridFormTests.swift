import TestSupport
import Testing

@testable import Geodesy

@Suite struct GridFormTests {
  @Test(arguments: GridVectors.points)
  func agreesWithOthers(_ vector: GridVectors.Point) throws {
    let place = point(vector.latitude, vector.longitude)
    #expect(place.formatted(.plusCode) == vector.plusCode)
    #expect(place.formatted(.mgrs) == vector.mgrs)
    // The band S is written N, since S could be south.
    #expect(place.formatted(.utm, decimals: 3) == vector.utm.replacing("S ", with: "N "))
    let cell = try Coordinate(parsing: vector.plusCode)
    #expect(abs(cell.latitude - place.latitude) <= 0.000_062_6)
    #expect(turn(cell.longitude, place.longitude) <= 0.000_062_6)
    // Half the diagonal of a square metre, which the scale of a grid stretches a little.
    #expect(try Coordinate(parsing: vector.mgrs).distance(to: place) < 0.72)
    let utm = place.formatted(.utm, decimals: 3)
    #expect(try Coordinate(parsing: utm).distance(to: place) < 0.000_8)
  }

  @Test(arguments: [
    "33U 391779 5820072", "33 U 391779 5820072", "33u 391779mE 5820072mN", "33U 391779E 5820072N",
    "UTM 33U 391779, 5820072", "33N 391779 5820072", "33U 391779.26 5820072.16 ",
    "33U 391779 m E 5820072 m N", "33UUU9177920072", "33U UU 91779 20072", "33uuu 91779 20072",
    "9F4MGCC4+22", "9f4mgcc4+22", "GCC4+22 52.5,13.4", "GCC4+22, N 52° 30' E 13° 24'",
    "9F4MGCC4+2222", "9F4MGCC4+222222222222", "+222F 52.52,13.405", "+222f, 52.52,13.405",
  ]) func readsOnePlaceInManyForms(_ text: String) throws {
    #expect(try Coordinate(parsing: text).distance(to: point(52.52, 13.405)) < 12)
  }

  /// By the Python package maidenhead 1.8.0.
  @Test(arguments: [
    ("JO62qm", 52.520833333333336, 13.375), ("JO62QM84", 52.51875, 13.404166666666667),
    ("fn31pr", 41.729166666666664, -72.70833333333333),
    ("RR99xx", 89.97916666666667, 179.95833333333334),
    ("AA00aa", -89.97916666666667, -179.95833333333334),
    ("JO62qm84ab", 52.516927083333336, 13.40017361111111),
  ]) func readsMaidenheadLocators(
    _ text: String, _ latitude: Double, _ longitude: Double
  ) throws {
    let found = try Coordinate(parsing: text)
    #expect(abs(found.latitude - latitude) < 1e-9)
    #expect(abs(found.longitude - longitude) < 1e-9)
  }

  @Test(arguments: ["SO62qm", "JO62yz", "JO62qm84zz"])
  func refusesLettersBeyondMaidenhead(_ text: String) throws {
    let error = #expect(throws: CoordinateError.self) { try Coordinate(parsing: text) }
    #expect(error?.reason == .badMaidenhead)
  }

  @Test(arguments: [
    ("33UUU", 52.34, 13.31, 80_000.0), ("33UUU92", 52.519, 13.41, 8000),
    ("33UUU917200", 52.519, 13.404, 100),
    ("9F4M0000+", 52.5, 13.5, 80_000), ("9F000000+", 50, 10, 2_000_000), ("6FG22222+22", 0, 0, 20),
    ("ZAH0000000000", 90, 0, 1),
  ]) func readsLargerCells(
    _ text: String, _ latitude: Double, _ longitude: Double, _ within: Double
  ) throws {
    let found = try Coordinate(parsing: text)
    #expect(found.distance(to: point(latitude, longitude)) < within)
  }

  /// From the test data of the Open Location Code project: a code, where it is asked for, its short
  /// form.
  @Test(arguments: [
    ("9C3W9QCJ+2VX", 51.3701125, -1.217765625, "+2VX"),
    ("9C3W9QCJ+2VX", 51.3708675, -1.217765625, "CJ+2VX"),
    ("9C3W9QCJ+2VX", 51.3693575, -1.217765625, "CJ+2VX"),
    ("9C3W9QCJ+2VX", 51.3852125, -1.217765625, "9QCJ+2VX"),
    ("9C3W9QCJ+2VX", 51.3550125, -1.217765625, "9QCJ+2VX"),
    ("8FJFW222+", 42.899, 9.012, "22+"), ("796RXG22+", 14.95125, -23.5001, "22+"),
    ("8FVC2GGG+GG", 46.976, 8.526, "2GGG+GG"), ("9F4MGCC4+22", -52.5, 13.4, "9F4MGCC4+22"),
  ]) func shortCodesAreCompletedByAPlaceNearBy(
    _ full: String, _ latitude: Double, _ longitude: Double, _ short: String
  ) throws {
    let text = short.utf8.count > 9 ? short : "\(short) \(latitude),\(longitude)"
    let found = try Coordinate(parsing: text)
    #expect(found.distance(to: try Coordinate(parsing: full)) < 0.01)
  }

  @Test(arguments: [
    ("9F4MGC94+2", CoordinateError.Reason.badPlusCode, 10), ("9F4MGC94+2A", .badPlusCode, 11),
    ("9F4M0C94+22", .badPlusCode, 6), ("9F4MGC90+", .badPlusCode, 9),
    ("9F4M0000+22", .badPlusCode, 10), ("GC94+2X", .shortPlusCode, 1),
    ("GC94+2X Berlin", .unexpectedCharacter, 9), ("GC94+2X 52.5", .incomplete, 9),
    ("9F4MGC94+2X 1", .unexpectedCharacter, 13), ("XX4MGC94+22", .badPlusCode, 1),
    ("8X4MGC94+22", .badPlusCode, 2),
    ("9F4MGC94+22222222U", .badPlusCode, 18), ("G0000000+", .badPlusCode, 9),
    ("33I 391779 5820072", .badUTM, 3), ("61U 391779 5820072", .badUTM, 1),
    ("0U 391779 5820072", .badUTM, 1), ("33U 391779", .badUTM, 11),
    ("33U 391779 x", .badUTM, 12), ("33U 991779 5820072", .outsideGrid, 5),
    ("33U 391779 4820072", .outsideGrid, 12), ("33U 391779 58200720", .outsideGrid, 12),
    ("33U 391779 5820072 7", .unexpectedCharacter, 20),
    ("37S 400000 4000000", .ambiguousHemisphere, 3),
    ("Z 391779 5820072", .outsideGrid, 3), ("Y 2900000 2900000", .outsideGrid, 3),
    ("33N 391779 9900000", .outsideGrid, 12), ("UTM", .badUTM, 4), ("UTM 33", .badUTM, 7),
    ("33UUU917792007", .badMGRS, 6), ("61UUU9177920072", .badMGRS, 1),
    ("33IUU9177920072", .badMGRS, 3), ("18S UJ 83 0140", .badMGRS, 8),
    ("33UUU 91 779 200 72", .badMGRS, 7),
    ("33UAU9177920072", .outsideGrid, 4), ("33UUI9177920072", .badMGRS, 5),
    ("33UUE9177920072", .outsideGrid, 5), ("33UUU917792007212", .badMGRS, 6),
    ("ZZZ", .outsideGrid, 2), ("ZAZ", .outsideGrid, 3),
    ("52 lat 13", .missingLetter, 4), ("33UU9177920072", .unexpectedCharacter, 3),
  ]) func refusesWithReasonAndPosition(
    _ text: String, _ reason: CoordinateError.Reason, _ position: Int
  ) {
    let error = #expect(throws: CoordinateError.self) { try Coordinate(parsing: text) }
    #expect(error == CoordinateError(reason, at: position))
  }

  /// The letters of some squares are words that stand in other forms.
  @Test(arguments: ["38LNG1234567890", "32MIN1234567890", "52SEC1234567890"])
  func lettersThatAreAWordByChance(_ text: String) {
    #expect(MGRS.resemblesReference(TextCursor(Array(text.unicodeScalars))))
    #expect(!MGRS.resemblesReference(TextCursor(Array("52deg 31".unicodeScalars))))
    #expect(!MGRS.resemblesReference(TextCursor(Array("52deg31".unicodeScalars))))
  }

  /// Every form leads back to the point, within what it can say; a hundred thousand points where
  /// GEOREMIND_LONG_TESTS=1.
  @Test(arguments: CoordinateFormat.allCases)
  func leadsBackToThePoint(_ format: CoordinateFormat) throws {
    let seed: UInt64 = 2026
    var random = SeededGenerator(seed: seed)
    // Metres: half the diagonal of the last unit's square, and for Plus Codes that of the cell.
    let resolution: Double =
      switch format {
      case .decimalDegrees, .geoURI: 0.08
      case .degreesMinutes: 0.14
      case .degreesMinutesSeconds: 0.23
      case .plusCode: 9.9
      case .utm, .mgrs: 0.72
      }
    for _ in 0..<(isLongRun ? 100_000 : 500) {
      let place = random.coordinate()
      let text = place.formatted(format)
      let found = try Coordinate(parsing: text)
      #expect(found.distance(to: place) <= resolution, "\(place) \(text), seed \(seed)")
    }
  }

  /// The grids themselves, without the rounding of text.
  @Test func projectionsAreExact() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<(isLongRun ? 100_000 : 500) {
      let place = random.coordinate()
      #expect(GridPosition(place).coordinate.distance(to: place) < 1e-6, "\(place)")
    }
  }
}
