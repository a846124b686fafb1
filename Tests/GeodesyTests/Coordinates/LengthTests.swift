import Geodesy
import Testing

@Suite struct LengthTests {
  @Test(arguments: [
    ("150", 150.0), ("150m", 150), ("150 m", 150), (" 150 metres ", 150), ("1.5km", 1500),
    ("1,5 km", 1500), ("1.5 KM", 1500), ("0.1nmi", 185.2), ("2 NM", 3704), ("200ft", 60.96),
    ("2mi", 3218.688), ("1 mile", 1609.344), ("100yd", 91.44), ("0", 0), (".5km", 500),
    ("+20m", 20), ("1.500km", 1500), ("1 nautical mile", 1852), ("3 feet", 0.9144),
  ]) func reads(_ text: String, _ metres: Double) throws {
    #expect(abs(try Length.metres(parsing: text) - metres) < 1e-9)
  }

  @Test(arguments: [
    ("", LengthError.Reason.empty, 1), ("  ", .empty, 1), ("-5m", .negative, 1),
    ("−5m", .negative, 1), ("m", .badNumber, 1), ("5.m", .badNumber, 2), ("nan", .badNumber, 1),
    ("1,500m", .ambiguousComma, 2), ("150M", .unknownUnit, 4), ("5 parsec", .unknownUnit, 3),
    ("1.5.2km", .unknownUnit, 4), ("5 m m", .unknownUnit, 3), ("1 500 m", .unknownUnit, 3),
    ("1e3", .unknownUnit, 2), ("0x10", .unknownUnit, 2),
    (String(repeating: "9", count: 33), .badNumber, 1),
    (String(repeating: "9", count: 65), .badNumber, 65),
  ]) func refuses(_ text: String, _ reason: LengthError.Reason, _ position: Int) {
    do throws(LengthError) {
      let metres = try Length.metres(parsing: text)
      Issue.record("\(text) was read as \(metres)")
    } catch {
      #expect(error.reason == reason && error.position == position)
      #expect(!error.description.contains("\n") && error.description.contains(";"))
    }
  }

  @Test(arguments: [
    (34.2, "34 m"), (0, "0 m"), (0.4, "0 m"), (-0.4, "0 m"), (999.4, "999 m"), (999.5, "1.0 km"),
    (2345, "2.3 km"), (99_949, "99.9 km"), (99_950, "100 km"), (20_003_931.5, "20004 km"),
    (-50, "-50 m"), (.nan, "unknown"), (.infinity, "unknown"),
  ]) func prints(_ metres: Double, _ expected: String) {
    #expect(Length.formatted(metres: metres) == expected)
  }
}

@Suite struct CompassPointTests {
  @Test(arguments: [
    (0.0, "N"), (11.24, "N"), (11.25, "NNE"), (45, "NE"), (90, "E"), (101.25, "ESE"), (180, "S"),
    (224.9, "SW"), (270, "W"), (348.74, "NNW"), (348.75, "N"), (359.999, "N"), (360, "N"),
    (-90, "W"), (-0.0, "N"), (-1e-20, "N"), (405, "NE"),
  ]) func namesABearing(_ bearing: Double, _ name: String) {
    #expect(CompassPoint(bearing: bearing)?.rawValue == name)
  }

  @Test func knowsItsOwnBearing() {
    for point in CompassPoint.allCases {
      #expect(CompassPoint(bearing: point.bearing) == point)
    }
    #expect(CompassPoint(bearing: 1e300) != nil)
    #expect(CompassPoint(bearing: .nan) == nil)
    #expect(CompassPoint(bearing: .infinity) == nil)
  }

  @Test(arguments: [
    (34.2, LengthUnits.imperial, "112 ft"), (2_345, .imperial, "1.5 mi"),
    (305, .imperial, "0.2 mi"), (34.2, .nautical, "34 m"), (230, .nautical, "230 m"),
    (926, .nautical, "0.5 nmi"),
    (2_345, .nautical, "1.3 nmi"),
    (200_000, .nautical, "108 nmi"), (2_345, .metric, "2.3 km"),
  ]) func printsInTheUnitsThatAreSet(_ metres: Double, _ units: LengthUnits, _ expected: String) {
    #expect(Length.formatted(metres: metres, in: units) == expected)
  }

  @Test(arguments: [
    (LengthUnits.metric, "50 km/h"), (.imperial, "31 mph"), (.nautical, "27 kn"),
  ]) func speedsHaveTheUnitsThatAreSet(_ units: LengthUnits, _ expected: String) {
    #expect(units.speed(metresPerSecond: 13.9) == expected)
  }
}
