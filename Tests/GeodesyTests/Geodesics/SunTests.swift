import Testing

@testable import Geodesy

@Suite struct SunTests {
  /// Latitude, longitude, midnight of the local mean sun, sunrise and sunset after it: seconds since
  /// 1970, computed with libastro (PyEphem 4.2.1, horizon −0°34′), which is no formula of NOAA's.
  private static let table: [(Double, Double, Double, Double, Double)] = [
    (53.55, 9.99, 1_768_432_802, 1_768_462_102, 1_768_491_056),
    (53.55, 9.99, 1_781_997_602, 1_782_010_226, 1_782_071_596),
    (53.55, 9.99, 1_797_808_802, 1_797_838_457, 1_797_865_314),
    (0, 0, 1_768_435_200, 1_768_457_144, 1_768_500_784),
    (0, 0, 1_782_000_000, 1_782_021_490, 1_782_065_129),
    (0, 0, 1_797_811_200, 1_797_832_458, 1_797_876_110),
    (-33.87, 151.21, 1_768_398_909, 1_768_417_168, 1_768_468_140),
    (-33.87, 151.21, 1_781_963_709, 1_781_989_199, 1_782_024_827),
    (-33.87, 151.21, 1_797_774_909, 1_797_792_037, 1_797_843_926),
    (59.91, 10.75, 1_768_432_620, 1_768_464_236, 1_768_488_562),
    (59.91, 10.75, 1_781_997_420, 1_782_006_831, 1_782_074_625),
    (59.91, 10.75, 1_797_808_620, 1_797_841_082, 1_797_862_324),
    (40.71, -74.01, 1_768_452_962, 1_768_479_472, 1_768_514_007),
    (40.71, -74.01, 1_782_017_762, 1_782_033_905, 1_782_088_243),
    (40.71, -74.01, 1_797_828_962, 1_797_855_394, 1_797_888_711),
    (21.3, -157.86, 1_768_473_086, 1_768_497_091, 1_768_536_637),
    (21.3, -157.86, 1_782_037_886, 1_782_057_026, 1_782_105_376),
    (21.3, -157.86, 1_797_849_086, 1_797_872_674, 1_797_911_692),
    (-54.8, -68.3, 1_768_451_592, 1_768_465_345, 1_768_525_312),
    (-54.8, -68.3, 1_782_016_392, 1_782_046_733, 1_782_072_674),
    (-54.8, -68.3, 1_797_827_592, 1_797_839_484, 1_797_901_880),
    (65, -18, 1_768_439_520, 1_768_474_197, 1_768_492_410),
    (65, -18, 1_782_004_320, 1_782_007_972, 1_782_087_284),
    (65, -18, 1_797_815_520, 1_797_852_155, 1_797_865_055),
    (35.68, 139.69, 1_768_401_674, 1_768_427_427, 1_768_463_448),
    (35.68, 139.69, 1_781_966_474, 1_781_983_541, 1_782_036_016),
    (35.68, 139.69, 1_797_777_674, 1_797_803_211, 1_797_838_282),
    (-41.29, 174.78, 1_768_393_252, 1_768_410_311, 1_768_463_672),
    (-41.29, 174.78, 1_781_958_052, 1_781_984_814, 1_782_017_897),
    (-41.29, 174.78, 1_797_769_252, 1_797_785_028, 1_797_839_618),
  ]

  @Test func sunriseAndSunsetAgreeWithAnEphemeris() throws {
    for (latitude, longitude, midnight, sunrise, sunset) in Self.table {
      let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
      let rises = try #require(Sun.next(.sunrise, after: midnight, at: place))
      let sets = try #require(Sun.next(.sunset, after: midnight, at: place))
      #expect((rises - sunrise).magnitude < 30, "\(latitude), \(longitude): \(rises - sunrise)")
      #expect((sets - sunset).magnitude < 30, "\(latitude), \(longitude): \(sets - sunset)")
    }
  }

  @Test func thereIsNoneInThePolarNight() throws {
    let north = try #require(Coordinate(latitude: 80, longitude: 15))
    // 2026-12-21 and 2026-06-21.
    for midnight in [1_797_811_200.0, 1_782_000_000] {
      #expect(Sun.next(.sunrise, after: midnight, at: north) == nil)
      #expect(Sun.next(.sunset, after: midnight, at: north) == nil)
    }
    let pole = try #require(Coordinate(latitude: 90, longitude: 0))
    #expect(Sun.next(.sunset, after: 1_782_000_000, at: pole) == nil)
    #expect(Sun.next(.sunset, after: .infinity, at: north) == nil)
  }

  @Test func theNextOneIsAfterTheTime() throws {
    let place = try #require(Coordinate(latitude: 53.55, longitude: 9.99))
    var time = 1_780_000_000.0
    for _ in 0..<40 {
      let next = try #require(Sun.next(.sunset, after: time, at: place))
      #expect(next > time && next - time < 86_700)
      time = next
    }
  }
}
