import CivilTime
import Geodesy
import Positioning
import Testing

/// Positions whose sentences have no time, or none that can be read.
struct UntimedTests {
  static let place = EpochTests.place

  static func rmc(_ time: String, _ place: String = place) -> String {
    "GPRMC,\(time),A,\(place),10.0,90.0,230394,,,A"
  }

  static func zda(_ second: Int) -> String { "GPZDA,12000\(second),05,06,2014,00,00" }

  static func place(_ step: Int) -> String { "4807.03\(step),N,01131.000,E" }

  /// `hhmmss` has six digits: fewer or more are another number.
  @Test(arguments: [
    "", ".00", "0", "1200", "12000", "0120000", "1789380001.279", "246000", "126100", "120061",
    "-20000", "12:00:00",
  ])
  func aPositionWithoutATimeIsAFixWithoutATime(_ time: String) {
    var decoder = FixDecoder()
    let sentences = [
      Self.rmc(time), "GPGGA,\(time),\(Self.place),1,08,0.9,5,M,,M,,",
      "GPGLL,\(Self.place),\(time),A,A",
    ]
    for (count, sentence) in sentences.enumerated() {
      let fixes = decoder.read(nmea(sentence)) + decoder.silence()
      #expect(fixes.count == 1 && fixes.allSatisfy { $0.time == nil && $0.timeOfDay == nil })
      #expect(decoder.statistics.unreadableTimes == count + 1)
    }
    #expect(
      decoder.statistics.reasonWithoutTime == "3 positions have no time, or none that can be read")
  }

  /// Of one burst they are one fix, and each burst is one.
  @Test func eachBurstIsOneFix() {
    let fixes = decode(
      (0..<5).flatMap { step in
        [Self.rmc("", Self.place(step)), "GPGGA,,\(Self.place(step)),1,08,1.0,5,M,,M,,"]
      })
    #expect(fixes.count == 5 && fixes.allSatisfy { $0.speed != nil && $0.eph == 19 })
    #expect(Set(fixes.map(\.position.latitude)).count == 5)
  }

  /// A chart plotter writes an empty time and the date of another day into RMC, and ZDA beside it.
  @Test(arguments: [true, false])
  func aClockBesideThemDatesThem(isAhead: Bool) {
    let fixes = decode(
      (0..<6).flatMap { step in
        let pair = [Self.zda(step), Self.rmc("", Self.place(step))]
        return isAhead ? pair : pair.reversed()
      })
    #expect(fixes.map(\.isoTime) == (0..<6).map { "2014-06-05T12:00:0\($0).000Z" })
    let minutes = fixes.map { ($0.position.latitude * 60e3).rounded() }
    #expect(minutes == (0..<6).map { 2_887_030 + Double($0) })
  }

  @Test func anEmptyTimeBelongsToTheBurst() {
    for order in [false, true] {
      let fixes = decode(
        (0..<5).flatMap { step in
          let pair = [EpochTests.gga("12000\(step)"), Self.rmc("")]
          return order ? pair : pair.reversed()
        })
      #expect(fixes.count == 5 && fixes.allSatisfy { $0.speed != nil && $0.timeOfDay != nil })
    }
  }

  @Test func liveTheyComeAtOnce() {
    var options = FixDecoder.Options()
    options.learnsCycleEnd = true
    var decoder = FixDecoder(options: options)
    for step in 0..<30 {
      #expect(decoder.read(nmea(Self.rmc("", Self.place(step % 10)))).isEmpty)
      #expect(decoder.hasOpenEpoch == true)
      #expect(decoder.silence().map(\.time) == [nil])
    }
  }

  /// A logger writes the year in full: the date cannot be misread.
  @Test(
    arguments: [
      ("14092026", "2026-09-14T12:00:00.000Z"), ("31122026", "2026-12-31T12:00:00.000Z"),
      ("14132026", nil), ("20260914", nil), ("14090026", nil), ("1492026", nil), ("50694", nil),
      ("0140926", nil),
    ] as [(String, String?)])
  func datesHaveSixOrEightDigits(_ date: String, _ time: String?) {
    #expect(decode(["GPRMC,120000,A,\(Self.place),1,2,\(date),,,A"]).map(\.isoTime) == [time])
  }
}
