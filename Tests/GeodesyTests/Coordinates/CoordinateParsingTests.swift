import Geodesy
import TestSupport
import Testing

@Suite struct CoordinateParsingTests {
  static let berlin = (52.52, 13.405)

  /// One place in every form the documentation names, and close relatives of these.
  @Test(arguments: [
    "52.52,13.405", "52.52, 13.405", "52.52 13.405", "52.52;13.405", "52.52 ; 13.405",
    "  52.52\t13.405\n", "+52.52 +13.405", "+52.52, +13.405", "52,52 13,405", "52,52; 13,405",
    "52,52;13,405", "52,52, 13,405", "52.520000,13.405", "052.52,013.405", "52.52° 13.405°",
    "52.52°, 13.405°", "52,52° 13,405°", "52.52°N 13.405°E", "52.52N 13.405E", "52.52N13.405E",
    "52.52 N, 13.405 E", "52.52,N,13.405,E", "N,52.52,E,13.405", "N52.52 E13.405", "N52.52E13.405",
    "N 52.52, E 13.405", "n 52.52 e 13.405", "13.405E 52.52N", "E 13.405, N 52.52",
    "52,52 N 13,405 E", "52,52N; 13,405E", "N 52,52 E 13,405", "52.52 North, 13.405 East",
    "lat 52.52 lon 13.405", "lat: 52.52, lon: 13.405", "latitude=52.52, longitude=13.405",
    "lon: 13.405, lat: 52.52", "lat=52.52 lng=13.405", "52.52deg N 13.405deg E",
    "N 52° 31.2' E 013° 24.3'", "N 52° 31,2' E 013° 24,3'", "N52°31.2'E13°24.3'",
    "N 52 31.2 E 13 24.3", "52 31.2 N 13 24.3 E", "52 31.2, 13 24.3", "52 31.2 13 24.3",
    "52 31,2 13 24,3", "52 31,2; 13 24,3", "52°31.2 13°24.3", "52° 31.2', 13° 24.3'",
    "52º31.2′ 13º24.3′", "52˚ 31.2’ N 13˚ 24.3’ E", "52°31,2'N, 13°24,3'E", "52d31.2m 13d24.3m",
    "52d31.2mN 13d24.3mE", "52deg 31.2min N, 13deg 24.3min E",
    "52°31′12″N 13°24′18″E", "52°31'12\"N 13°24'18\"E", "52°31'12''N 13°24'18''E",
    "52°31’12”N 13°24’18”E", "52° 31′ 12.0″ 13° 24′ 18.0″", "52 31 12 N, 13 24 18 E",
    "52 31 12 N 13 24 18 E", "52 31 12n 13 24 18e", "52 31 12, 13 24 18", "52 31 12 13 24 18",
    "N 52 31 12 E 13 24 18", "52d31m12s 13d24m18s", "52d31m12sN 13d24m18sE",
    "52d 31m 12s N 13d 24m 18s E", "N52d31m12s E13d24m18s", "52°31'12,0\"N 13°24'18,0\"E",
    "5231.200N01324.300E", "5231.200,N,01324.300,E", "5231.2 N 01324.3 E", "N5231.2 E01324.3",
    "523112N0132418E", "523112.0N 0132418.0E", "5231.2N, 01324.3E",
    "geo:52.52,13.405", "GEO:52.52,13.405;u=35", "geo:52.52,13.405,34", "geo:52.52,13.405?z=17",
    "geo:52.52,13.405;crs=wgs84;u=35", "geo:52.52,13.405;crs=WGS84", "geo:52.52,13.405;foo=bar",
    "geo:0,0?q=52.52,13.405(Berlin)", "geo:52.520,13.40500;u=0",
    "+52.52+013.405/", "+52.52+013.405", "+52.52+013.405+34.5/", "+52.52+013.405CRSWGS_84/",
    "+52.52+013.405+34CRSWGS_84/", "+5231.2+01324.3/", "+523112+0132418/",
    "+523112.0+0132418.0-12/", "+52,52+013,405/",
    "52:31:12N 13:24:18E", "52:31:12N,13:24:18E", "N52:31:12 E013:24:18", "52:31:12 13:24:18",
    "52:31:12, 13:24:18", "52:31:12,13:24:18", "52:31.2 13:24.3", "52:31.2N,13:24.3E",
    "52:31:12.0;13:24:18.0", "52-31-12N 13-24-18E", "52-31-12N,13-24-18E", "52-31.2N 013-24.3E",
    "N 52-31-12 E 13-24-18", "52-31-12.0 N, 13-24-18.0 E", "lat 52:31:12 lon 13:24:18",
  ]) func readsOnePlaceInManyForms(_ text: String) throws {
    let found = try Coordinate(parsing: text)
    #expect(abs(found.latitude - Self.berlin.0) < 1e-12)
    #expect(abs(found.longitude - Self.berlin.1) < 1e-12)
  }

  @Test(arguments: [
    ("-33.8688, 151.2093", -33.8688, 151.2093), ("33.8688S 151.2093E", -33.8688, 151.2093),
    ("−33.8688 −70.5", -33.8688, -70.5), ("-33.8688-070.5/", -33.8688, -70.5),
    ("S 33° 30' W 70° 30'", -33.5, -70.5), ("33 30 s 70 30 w", -33.5, -70.5),
    ("-33 30 -70 30", -33.5, -70.5), ("-33 30, -70 30", -33.5, -70.5),
    ("33°30'S 70°30'W", -33.5, -70.5), ("33d30m S 70d30m W", -33.5, -70.5),
    ("33d30mS 70d30mW", -33.5, -70.5), ("33d30m00sS 70d30m00sW", -33.5, -70.5),
    ("-0°30' -0°15'", -0.5, -0.25), ("-0 30, 0 15", -0.5, 0.25), ("0030.0S00015.0W", -0.5, -0.25),
    ("52 13", 52, 13), ("52,13", 52, 13), ("52, 13", 52, 13), ("52;13", 52, 13), ("0,0", 0, 0),
    ("-0,-0", 0, 0), (".5 -.25", 0.5, -0.25), ("90,180", 90, 180), ("-90,-180", -90, -180),
    ("90N 180W", 90, -180), ("0030N 13E", 0.5, 13), ("52,5;13", 52.5, 13), ("52.5,13", 52.5, 13),
    ("52,13.5", 52, 13.5),
    ("33:30:00S 70:30:00W", -33.5, -70.5), ("-33:30 -70:30", -33.5, -70.5),
    ("40:26:46N,79:58:56W", 40.446_111_111_111_1, -79.982_222_222_222_2),
    ("33-30S,70-30W", -33.5, -70.5),
    ("52° N 13° 30' E", 52, 13.5), ("59°59'59.9999999\" 0°0'0\"", 59.99999999997222, 0),
    ("geo:-33.8688,151.2093", -33.8688, 151.2093), ("geo:90,0", 90, 0),
    ("geo:48.2010,16.3695,183", 48.201, 16.3695),
  ]) func readsSignsAndLetters(_ text: String, _ latitude: Double, _ longitude: Double) throws {
    let found = try Coordinate(parsing: text)
    #expect(abs(found.latitude - latitude) < 1e-12)
    #expect(abs(found.longitude - longitude) < 1e-12)
  }

  @Test(arguments: [
    ("", CoordinateError.Reason.empty, 1), ("   ", .empty, 1),
    ("52:31:12", .incomplete, 1), ("52-31-12 13-24-18", .misplacedSign, 3),
    ("52:61:12 13:24:18", .minutesOutOfRange, 4), ("52:31:12:5 13:24:18", .unexpectedCharacter, 9),
    ("52: 31 13: 24", .unexpectedCharacter, 3), ("52-13", .misplacedSign, 3),
    ("52.52", .incomplete, 1), ("52.52,", .incomplete, 6), (",13.4", .incomplete, 1),
    ("N 52.52", .missingLetter, 1), ("52.52N 13.405", .missingLetter, 6),
    ("52.52, 13.405 E", .missingLetter, 15), ("52°31'", .incomplete, 1),
    ("52° 13", .incomplete, 1), ("N 52.52 E", .incomplete, 9), ("N E", .incomplete, 1),
    ("N 52.52 13.405 E", .misplacedLetter, 16), ("N 52 E 13 N", .misplacedLetter, 1),
    ("52 N E 13", .misplacedLetter, 4), ("52.5N 13.4N", .sameAxis, 11),
    ("E 52 W 13", .sameAxis, 6), ("-52.52N 13.405E", .signWithLetter, 1),
    ("52.52N -13.405E", .signWithLetter, 8), ("+52.52S 13.405E", .signWithLetter, 1),
    ("52.5N 13.4O", .ambiguousLetter, 11), ("52.5X 13.4E", .unexpectedCharacter, 5),
    ("hello", .unexpectedCharacter, 1), ("Berlin 52.5 13.4", .unexpectedCharacter, 1),
    ("52.5/13.4", .unexpectedCharacter, 5), ("[13.4, 52.5]", .unexpectedCharacter, 1),
    ("52.52,13.405 foo", .unexpectedCharacter, 14), ("52.52,13.405!", .unexpectedCharacter, 13),
    ("1,2,3", .ambiguousComma, 4), ("52,520,13,405", .ambiguousComma, 7),
    ("52,52 13", .ambiguousComma, 3), ("52,13°", .ambiguousComma, 3),
    ("52,52, 13", .ambiguousComma, 3),
    ("52 13,4", .ambiguousComma, 6), ("52 31,13 24", .ambiguousComma, 6),
    ("52,31,12 N 13,24,18 E", .ambiguousComma, 6), ("52.52,13.405,34", .ambiguousNumbers, 13),
    ("52.52,13.405,", .ambiguousNumbers, 13), ("52.5, 13.4, 7", .ambiguousNumbers, 11),
    ("52 31 13", .ambiguousNumbers, 1), ("52 31 12 13 24", .ambiguousNumbers, 1),
    ("1 2 3 4 5 6 7", .ambiguousNumbers, 1), ("52 31.2, 13", .ambiguousNumbers, 10),
    ("52 31 12 7 N 13 E", .ambiguousNumbers, 10), ("52,31.2 N 13,24.3 E", .ambiguousNumbers, 3),
    ("52.52+13.405", .misplacedSign, 6), ("52.52-13.405", .misplacedSign, 6),
    ("- 52.5, 13.4", .misplacedSign, 1), ("52 -31 13 -24", .misplacedSign, 11),
    ("--52.5, 13.4", .misplacedSign, 1), ("52 -31, 13 24", .misplacedSign, 4),
    ("52' 13'", .misplacedMark, 3), ("52°31\" 13°24\"", .misplacedMark, 6),
    ("° 52 13", .misplacedMark, 1), ("52°° 13°", .misplacedMark, 4),
    ("52.5 31 N 13 E", .fractionNotLast, 1), ("52 31.5 10, 13 24 10", .fractionNotLast, 4),
    ("52.5° 30' N 13 E", .fractionNotLast, 1),
    ("91,13", .latitudeOutOfRange, 1), ("-90.000001, 13", .latitudeOutOfRange, 1),
    ("90 0.1 N 13 E", .latitudeOutOfRange, 1), ("N 91 E 13", .latitudeOutOfRange, 3),
    ("52, 181", .longitudeOutOfRange, 5), ("52,-180.5", .longitudeOutOfRange, 4),
    ("E 181 N 52", .longitudeOutOfRange, 3), ("180 1 E 52 0 N", .longitudeOutOfRange, 1),
    ("5231.2, 01324.3", .latitudeOutOfRange, 1), ("151.2093 -33.8688", .latitudeOutOfRange, 1),
    ("N 52° 60' E 13°", .minutesOutOfRange, 7), ("52 61 12 N, 13 24 18 E", .minutesOutOfRange, 4),
    ("52°31'60\" 13°24'18\"", .secondsOutOfRange, 7), ("5261.2N01324.3E", .minutesOutOfRange, 1),
    ("523160N0132418E", .secondsOutOfRange, 1), ("9100.0N00000.0E", .latitudeOutOfRange, 1),
    ("00052N 13E", .badNumber, 1),
    ("52. 13.4", .badNumber, 3), ("52.5.1 13.4", .badNumber, 5), ("1e3 4", .missingLetter, 2),
    ("nan,13", .unexpectedCharacter, 1), ("0x10,13", .unexpectedCharacter, 2),
    ("+52.52+13.405/", .badISO6709, 7), ("+5.5+013.4/", .badISO6709, 1),
    ("+52.52+01324.3/", .badISO6709, 7), ("+52.52+013.405x", .unexpectedCharacter, 15),
    ("+52.52+013.405CRSEPSG_3857/", .unsupportedReferenceSystem, 15),
    ("+52.52+013.405/+1", .unexpectedCharacter, 16), ("+91+013/", .latitudeOutOfRange, 1),
    ("+52+181/", .longitudeOutOfRange, 4), ("+5260+01324/", .minutesOutOfRange, 2),
    ("geo:52.52", .incomplete, 10), ("geo:", .badNumber, 5), ("geo:x,y", .badNumber, 5),
    ("geo:52.52, 13.405", .badNumber, 11), ("geo:52.52,13.405;", .badGeoURI, 18),
    ("geo:52.52,13.405 hi", .badGeoURI, 17), ("geo:52.52,13.405;u", .badGeoURI, 18),
    ("geo:52.52,13.405;u=-3", .badNumber, 20), ("geo:52.52,13.405;u=1;u=2", .badGeoURI, 22),
    ("geo:52.52,13.405;crs=nad27", .unsupportedReferenceSystem, 18),
    ("geo:91,0", .latitudeOutOfRange, 5), ("geo:52,200", .longitudeOutOfRange, 8),
    ("geo:0,0?q=Berlin", .linkWithoutCoordinate, 11), ("geo:+52,13", .badNumber, 5),
  ]) func refuses(_ text: String, _ reason: CoordinateError.Reason, _ position: Int) {
    #expect(throws: CoordinateError(reason, at: position)) { try Coordinate(parsing: text) }
  }

  @Test func passesOnTheUncertainty() throws {
    #expect(try ParsedCoordinate(parsing: "geo:52.52,13.405;u=35").uncertainty == 35)
    #expect(try ParsedCoordinate(parsing: "geo:52.52,13.405;crs=wgs84;u=3.5").uncertainty == 3.5)
    #expect(try ParsedCoordinate(parsing: "geo:52.52,13.405").uncertainty == nil)
    #expect(try ParsedCoordinate(parsing: "52.52,13.405").uncertainty == nil)
  }

  @Test func refusesATooLongText() {
    let digits = String(repeating: "1", count: 33)
    #expect(throws: CoordinateError(.badNumber, at: 1)) { try Coordinate(parsing: digits + ",1") }
    let long = String(repeating: "1 ", count: 2000)
    #expect(throws: CoordinateError(.tooLong, at: 2049)) { try Coordinate(parsing: long) }
  }

  @Test(arguments: CoordinateError.Reason.allCases)
  func errorsAreOneLine(_ reason: CoordinateError.Reason) {
    let text = CoordinateError(reason, at: 7).description
    #expect(!text.contains("\n") && text.contains(";") && !text.hasSuffix("."))
    #expect(text.hasPrefix("at character 7: ") || reason == .empty)
  }

  /// Any text ends in a coordinate or an error, and what is read is in range.
  @Test func survivesAnyText() {
    var random = SeededGenerator(seed: 21)
    var misses: [String] = []
    let pieces = [
      "52", "13.4", "5231.2", ",", ";", " ", "N", "E", "S", "W", "°", "'", "\"", "-", "+", ".",
      "geo:",
      "http://osm.org/", "#map=1/2/3", "?q=", "@", "/", "m", "s", "d", "lat", "𝟝", "\u{0}", "%2",
      "!3d",
      "https://www.google.com/maps/", "data=", "&", "=", "(", "0", "٣",
    ]
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        text += pieces[Int.random(in: pieces.indices, using: &random)]
      }
      do throws(CoordinateError) {
        let found = try Coordinate(parsing: text)
        if abs(found.latitude) > 90 || abs(found.longitude) > 180 { misses.append(text) }
      } catch {
        let isInside = (1...text.unicodeScalars.count + 1).contains(error.position)
        if !isInside { misses.append(text) }
      }
    }
    #expect(misses.isEmpty)
  }
}
