import CivilTime
import Geodesy
import Positioning
import TestSupport
import Testing

/// Several receivers in one stream, told apart by their talkers.
struct TalkerTests {
  static let place = EpochTests.place
  static let otherPlace = EpochTests.otherPlace

  static func clock(_ step: Int, _ fraction: String = "00") -> String {
    "\(120_000 + step / 60 * 100 + step % 60).\(fraction)"
  }

  static func gga(_ step: Int) -> String { EpochTests.gga(clock(step)) }

  static func rmc(
    _ step: Int, _ talker: String = "GP", at fraction: String = "00", _ place: String = place
  ) -> String { "\(talker)RMC,\(clock(step, fraction)),A,\(place),10.0,90.0,010224,,,A" }

  static func denial(_ step: Int, _ talker: String, at fraction: String = "00") -> String {
    "\(talker)RMC,\(clock(step, fraction)),V,,,,,,,010224,,,N"
  }

  /// An AIS unit without an aerial beside the plotter: its word is about itself.
  @Test(arguments: ["AI", "II", "EC", "04"], ["00", "30"])
  func noFixSpeaksForItsOwnTalkerAlone(talker: String, fraction: String) {
    for order in 0..<3 {
      var decoder = FixDecoder(options: CycleEndTests.options)
      let text = (0..<40).flatMap { step -> [String] in
        var burst = [Self.gga(step), Self.rmc(step)]
        burst.insert(Self.denial(step, talker, at: fraction), at: fraction == "00" ? order : 2)
        return burst
      }
      let fixes = decoder.read(nmea(text)) + decoder.end()
      #expect(fixes.count == 40 && fixes.allSatisfy { $0.speed != nil && $0.mode == .threeD })
      #expect(fixes.allSatisfy { $0.device == 0 && $0.talker == nil })
      #expect(decoder.talkersWithoutPosition == [talker])
    }
  }

  /// Two receivers with one talker, told apart by the sources of their TAG blocks.
  @Test(arguments: ["", "\r\n"])
  func noFixSpeaksForItsOwnSourceAlone(end: String) {
    func tag(_ source: String) -> String {
      let text = "c:1706788800,s:\(source)"
      return "\\" + nmea(text, end: "").dropFirst() + "\\" + end
    }
    func fixes(_ first: String, _ second: String) -> [Fix] {
      decode(
        (0..<20).map {
          first + nmea(Self.rmc($0)) + second + nmea(Self.denial($0, "GP"))
        }.joined())
    }
    #expect(fixes(tag("A1"), tag("B2")).count == 20)
    #expect(fixes(tag("A1"), tag("A1")).isEmpty && fixes("", "").isEmpty)
    // A damaged block is none.
    let damaged = tag("A1").replacing("A1", with: "A2")
    #expect(fixes(damaged, damaged.replacing("A2", with: "C7")).isEmpty)
    expectSameFixes(
      of: Array(
        (0..<50).map {
          tag("A\($0 % 3)") + nmea(Self.rmc($0)) + "\\cut" + tag("B") + nmea(Self.denial($0, "GP"))
        }.joined().utf8), seed: 5)
  }

  /// What it says of itself holds.
  @Test(arguments: ["GP", "AI"])
  func noFixOfATalkerHolds(talker: String) {
    let text = (0..<9).flatMap {
      [Self.rmc($0, talker), $0 % 3 == 1 ? Self.denial($0, talker) : Self.rmc($0, talker)]
    }
    #expect(decode(text).count == 6)
  }

  @Test(arguments: ["00", "30", "70"])
  func eachTalkerWithPositionsIsAReceiver(fraction: String) {
    let fixes = decode(
      (0..<20).flatMap { [Self.rmc($0), Self.rmc($0, "AI", at: fraction, Self.otherPlace)] })
    for device in [nil, "AI"] {
      let own = fixes.filter { $0.talker == device }
      #expect(own.count == 20 && Set(own.map(\.position.longitude)).count == 1)
      #expect(own.compactMap(\.time).count == 20)
    }
    #expect(fixes.count == 40 && Set(fixes.map(\.position.longitude)).count == 2)
  }

  /// Values without a position complete the receiver that has one.
  @Test func valuesOfOtherTalkersComplete() {
    let fixes = decode(
      (0..<20).flatMap {
        [
          "IIZDA,\(Self.clock($0)),01,02,2024,00,00", Self.gga($0),
          "IIVTG,83.25,T,,M,20.00,N,37.04,K,A", "AIGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9",
          "AIGST,\(Self.clock($0)),9,2,1,45,300.0,400.0,9",
        ]
      })
    #expect(fixes.count == 20)
    #expect(fixes.allSatisfy { $0.track == 83.25 && $0.eph.map { $0 < 20 } == true })
    #expect(fixes.dropFirst().allSatisfy { $0.isoTime?.hasPrefix("2024-02-01T12:00") == true })
  }

  /// A receiver that never gives a date takes the one of another.
  @Test func aDateServesAllReceivers() {
    let fixes = decode(
      (0..<20).flatMap { [Self.rmc($0, "AI", at: "30", Self.otherPlace), Self.gga($0)] })
    let own = fixes.filter { $0.talker == nil }
    #expect(
      own.map(\.isoTime) == (0..<20).map { "2024-02-01T12:00:\(String($0 + 100).dropFirst()).000Z" }
    )
  }

  /// Random text, as one sentence of 256 has a right checksum.
  @Test func talkersAreBounded() {
    var random = SeededGenerator(seed: 3)
    let letters = Array("ACDEFHIJKLMNORSTUVWXYZ0123456789")
    func talker() -> String {
      String((0..<2).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
    let noise = decode((0..<500).flatMap { [Self.rmc($0, talker()), Self.denial($0, talker())] })
    #expect(Set(noise.map(\.device)).count <= 8)
    let fixes = decode((0..<500).flatMap { [Self.denial($0, talker()), Self.rmc($0)] })
    #expect(fixes.count == 500 && fixes.allSatisfy { $0.device == 0 })
  }

  @Test func piecesMakeNoDifference() {
    let text = (0..<100).flatMap {
      [
        Self.gga($0), Self.denial($0, "II"), Self.rmc($0, "AI", at: "30", Self.otherPlace),
        Self.rmc($0), "GPRMC,,A,\(Self.place),1,2,230394,,,A",
      ]
    }
    expectSameFixes(of: Array(nmea(text).utf8), seed: 7)
    expectSameFixes(of: Array(nmea(text).utf8), seed: 8, options: CycleEndTests.options)
  }
}
