import CivilTime
import Geodesy
import JSONText
import Positioning
import Testing

/// What single sentences say.
struct SentenceTests {
  static let place = "4807.038,N,01131.000,E"

  @Test func aFullBurstIsOneFix() throws {
    let fixes = decode([
      "GPGGA,123519.50,\(Self.place),2,08,0.9,545.4,M,46.9,M,,",
      "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1",
      "GPRMC,123519.50,A,\(Self.place),022.4,084.4,230394,003.1,W,D",
      "GPVTG,084.5,T,034.4,M,022.5,N,041.6,K,D",
    ])
    let fix = try #require(fixes.first)
    #expect(fixes.count == 1)
    #expect(fix.isoTime == "1994-03-23T12:35:19.500Z")
    #expect(fix.position == Coordinate(latitude: 48 + 7.038 / 60, longitude: 11 + 31.0 / 60))
    #expect(fix.mode == .threeD && fix.source == .differential)
    #expect(fix.altitudeMSL == 545.4 && abs((fix.altitudeHAE ?? 0) - 592.3) < 1e-9)
    #expect(abs((fix.speed ?? 0) - 22.4 * 1852 / 3600) < 1e-12 && fix.track == 84.4)
    #expect(abs((fix.eph ?? 0) - 0.9 * 4.75) < 1e-12)
    #expect(fix.climb == nil && fix.timeOfDay == nil)
  }

  @Test(arguments: [
    ("4807.038,N,01131.000,E", 48.1173, 11.516666666666667),
    ("4807.038,S,01131.000,W", -48.1173, -11.516666666666667),
    ("0030.00000001,N,00000.0,W", 0.5000000001666667, 0),
    ("9000.0000,N,18000.0000,W", 90, -180),
    ("807.5,N,131.5,E", 8.125, 1.525),
    ("0030.,S,00.6,E", -0.5, 0.01),
  ])
  func aPositionIsRead(_ text: String, _ latitude: Double, _ longitude: Double) throws {
    let fix = try #require(decode(["GPGGA,120000,\(text),1,08,0.9,5,M,,M,,"]).first)
    #expect(abs(fix.position.latitude - latitude) < 1e-12)
    #expect(abs(fix.position.longitude - longitude) < 1e-12)
    #expect(fix.position.longitude.sign == .plus || fix.position.longitude < 0)
  }

  @Test(arguments: [
    ",,,", "4807.038,,01131.000,E", "4807.038,N,01131.000,", "4807.038,E,01131.000,N",
    "4807,N,01131,E", "4860.000,N,01131.000,E", "9000.0001,N,01131.000,E",
    "4807.038,N,18000.0001,E", "36000.0000,N,72000.0000,E", "-4807.038,N,01131.000,E",
    "48x7.038,N,01131.000,E", "4807.0.38,N,01131.000,E", "4807.038,NN,01131.000,E",
    "0000.0000,N,00000.0000,E", "0007.9800,S,00000.0000,W", "0000.1330,S,00000.0000,W",
    "99999999999999999999.0,N,01131.000,E", ".,N,.,E",
  ])
  func aPositionIsRefused(_ text: String) {
    #expect(decode(["GPGGA,120000,\(text),1,08,0.9,5,M,,M,,"]).isEmpty)
    #expect(decode(["GPRMC,120000,A,\(text),1,2,230394,,,A"]).isEmpty)
    #expect(decode(["GPGLL,\(text),120000,A,A"]).isEmpty)
  }

  /// Zero and zero counts for a ship that is sailing there.
  @Test func aPositionNearTheOriginIsAccepted() {
    let fixes = decode([
      "GPGLL,0030.0100,N,00000.0000,E,120000,A", "GPGLL,0000.0000,S,00000.0000,W,120001,A",
    ])
    #expect(fixes.map { $0.position.latitude.sign } == [.plus, .plus])
    #expect(fixes.map { $0.position.longitude.sign } == [.plus, .plus])
  }

  /// "Not available" of NMEA 2000 in the units of a gateway, and what no receiver can reach.
  @Test(arguments: [
    "GPRMC,120000,A,\(place),1273.9,327.67,230394,,,A",
    "GPRMC,120000,A,\(place),1273.83,-1,230394,,,A",
    "GPRMC,120000,A,\(place),9999.9,999.9,230394,,,A",
  ])
  func aMotionWithoutAMeaningIsUnknown(_ sentence: String) {
    let vtg = "GPVTG,327.67,T,,M,1273.9,N,2359.3,K"
    for fix in decode([sentence]) + decode(["GPGLL,\(Self.place),120000,A", vtg]) {
      #expect(fix.speed == nil && fix.track == nil)
    }
    #expect(decode([sentence]).count == 1)
  }

  /// A sentence whose position is none does not date the others.
  @Test(arguments: ["0000.0000,N,00000.0000,E", "0007.9800,S,00000.0000,W", "9900.0,N,01131.0,E"])
  func aRefusedPositionDatesNothing(_ nowhere: String) {
    let refused = "GPRMC,120000,A,\(nowhere),1,2,060180,,,A"
    for sentences in [
      [refused, "GPGLL,\(Self.place),120000,A"], ["GPGLL,\(Self.place),120000,A", refused],
    ] {
      #expect(decode(sentences).map(\.time) == [nil])
    }
  }

  @Test(arguments: [
    "GPRMC,120000,V,\(place),1,2,230394,,,N", "GPRMC,120000,A,\(place),1,2,230394,,,N",
    "GPRMC,120000,V,\(place),1,2,230394,,,A", "GPRMC,120000,,\(place),1,2,230394,,,",
    "GPRMC,,V,\(place),1,2,230394,,,A", "GPRMC,,A,\(place),1,2,230394,,,N",
    "GPGGA,,\(place),0,08,0.9,5,M,,M,,",
    "GPGGA,120000,\(place),0,08,0.9,5,M,,M,,", "GPGGA,120000,\(place),,08,0.9,5,M,,M,,",
    "GPGLL,\(place),120000,V,A", "GPGLL,\(place),120000,A,N", "GPGLL,\(place)",
    "GNGNS,120000,\(place),NN,08,0.9,5,,,", "GNGNS,120000,\(place),,08,0.9,5,,,",
    "GPWPL,\(place),HOME", "GPBWC,120000,\(place),1,T,2,M,3,N,A", "PGRMC,A,218.8,100",
    "GPRMB,A,0.66,L,003,004,\(place),001.3,052.5,000.5,V", "GPRMCX,120000", "GPRMC", "GP",
  ])
  func thereIsNoFix(_ text: String) { #expect(decode([text]).isEmpty) }

  @Test(arguments: [
    ("GPRMC,120000,A,\(place),1,2,230394,,", Fix.Source.gnss),
    ("GPRMC,120000,D,\(place),1,2,230394,,", .differential),
    ("GPRMC,120000,A,\(place),1,2,230394,,,F", .rtkFloat),
    ("GPRMC,120000,A,\(place),1,2,230394,,,E,V", .deadReckoning),
    ("04RMC,120000,A,\(place),1,2,230394,,,A", .gnss),
    ("GPGLL,\(place),120000,A,S", .simulated),
    ("GPGGA,120000,\(place),4,00,0.9,5,M,,M,,", .rtkFixed),
    ("GPGGA,120000,\(place),6,00,0.9,5,M,,M,,", .deadReckoning),
    ("GPGGA,120000,\(place),7,00,0.9,5,M,,M,,", .manual),
    ("GPGGA,120000,\(place),8,00,0.9,5,M,,M,,", .simulated),
    ("GNGNS,120000,\(place),NRA,08,0.9,5,,,", .rtkFixed),
    ("GNGNS,120000,\(place),NE,08,0.9,5,,,,V", .deadReckoning),
  ])
  func theSourceIsSaid(_ text: String, _ source: Fix.Source) {
    #expect(decode([text]).map(\.source) == [source])
  }

  @Test func estimatesAreCountedAndNeverOrdinary() {
    var decoder = FixDecoder()
    let fixes =
      decoder.read(
        nmea([
          "GPGGA,120000,\(Self.place),1,00,0.9,5,M,,M,,",
          "GPRMC,120000,A,\(Self.place),1,2,230394,,,E",
        ])) + decoder.end()
    #expect(fixes.map(\.source) == [.deadReckoning])
    #expect(decoder.statistics.estimatedFixes == 1)
  }

  static let motions: [(String, Double, Double?)] = [
    ("GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,A", 2.829444444444444, 54.7),
    ("GPVTG,054.7,034.4,005.5,010.2", 2.829444444444444, 54.7),
    ("GPVTG,054.7,,005.5,010.2", 2.829444444444444, 54.7),
    ("GPVTG,054.7,,034.4,,005.5,,010.2,", 2.829444444444444, 54.7),
    ("GPVTG,,T,,M,005.5,N,,K", 2.829444444444444, nil),
    ("GPVTG,360,T,,M,,N,36.0,K", 10, 0),
  ]

  @Test(arguments: motions)
  func speedAndTrackComeFromVTG(_ text: String, _ speed: Double, _ track: Double?) throws {
    let fix = try #require(decode(["GPGLL,\(Self.place),120000,A", text]).first)
    #expect(abs((fix.speed ?? -1) - speed) < 1e-12 && fix.track == track)
  }

  @Test(arguments: ["GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,N", "GPVTG", "GPVTG,,,,,,,,", "GPVTG,N"])
  func anEmptyVTGSaysNothing(_ text: String) throws {
    let fix = try #require(decode(["GPGLL,\(Self.place),120000,A", text]).first)
    #expect(fix.speed == nil && fix.track == nil)
  }

  static let errors: [([String], Double?)] = [
    (["GPGST,120000,9,2,1,45,3.0,4.0,9", "GPGBS,120000,1,1,1"], 8.65),
    (["GPGBS,120000,3.0,4.0,9,,,,", "PGRME,15.0,M,45.0,M,25.0,M"], 8.65),
    (["PGRME,15.0,M,45.0,M,25.0,M"], 31.14406779661017),
    (["GPGSA,A,3,,,,,,,,,,,,,2.0,1.5,1.0"], 28.5),
    (["GPGSA,A,3,,,,,,,,,,,,,2.0,1.5,1.0,1"], 28.5),
    (["GPGSA,A,3,,,,,,,,,,,,,99.9,99.99,99.9"], 1899.81),
    (["GPGSA,A,3,,,,,,,,,,,,,50,50.0,50"], 950),
    (["GPGSA,A,3,,,,,,,,,,,,,50,9999.0,50"], 189_981),
    (["GPGSA,A,3,,,,,,,,,,,,,50,-0.01,50"], nil),
    (["GPGSA,A,3,,,,,,,,,,,,,50,327.67,50"], nil), (["GPGSA,A,3,,,,,,,,,,,,,50,655.3,50"], nil),
    (["GPGSA,A,3,,,,,,,,,,,,,50,327.66,50"], 6225.54),
    // One of several systems may be without a fix.
    (["GNGSA,A,3,,,,,,,,,,,,,1.5,0.9,1.2,1", "GNGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9,2"], 17.1),
    (["GPGSA,A,3,,,,,,,,,,,,,0.0,0.0,0.0"], nil), ([], nil),
  ]

  /// The best statement about the error wins. A large error is large; unknown is what is absent.
  @Test(arguments: errors)
  func theErrorIsOf95Percent(_ more: [String], _ eph: Double?) throws {
    let fix = try #require(decode(["GPGLL,\(Self.place),120000,A"] + more).first)
    #expect((fix.eph == nil) == (eph == nil))
    #expect(abs((fix.eph ?? 0) - (eph ?? 0)) < 1e-9)
  }

  @Test func garminAltitudeIsInFeet() throws {
    let fix = try #require(decode(["GPGLL,\(Self.place),120000,A", "PGRMZ,1000,f,3"]).first)
    #expect(abs((fix.altitudeMSL ?? 0) - 304.8) < 1e-9 && fix.mode == .threeD)
  }

  @Test func aForeignDatumIsCounted() {
    var decoder = FixDecoder()
    _ = decoder.read(nmea(["GPDTM,W84,,0.0,N,0.0,E,0.0,W84", "GPDTM,P90,,0.0,N,0.0,E,0.0,W84"]))
    #expect(decoder.statistics.foreignDatums == 1 && decoder.statistics.count(of: "dtm") == 2)
  }

  @Test func theReportIsThatOfGpsd() throws {
    var fix = Fix(
      time: Instant(microseconds: 951_782_400_250_999),
      position: try #require(Coordinate(latitude: 1.0 / 3, longitude: -180)), mode: .threeD,
      source: .manual)
    fix.altitudeMSL = -0.00001
    fix.eph = 12.34567
    var text = ""
    fix.tpv(device: "/dev/gps0").write(to: &text)
    #expect(
      text == #"{"class":"TPV","device":"/dev/gps0","time":"2000-02-29T00:00:00.250Z","mode":3,"#
        + #""status":7,"lat":0.333333333,"lon":-180,"altMSL":0,"eph":12.346}"#)
  }
}
