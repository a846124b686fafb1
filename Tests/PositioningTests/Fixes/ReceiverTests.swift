import CivilTime
import Geodesy
import Positioning
import TestSupport
import Testing

/// Receivers, multiplexers and loggers with habits of their own, each as a stream of many bursts:
/// what single sentences mean is in `SentenceTests`, what epochs are in `EpochTests`.
struct ReceiverTests {
  /// The place moves north by 0.001′ (1.85 m) with each step.
  static func place(_ step: Int) -> String {
    let fraction = String(step + 1000)
    return "4807.\(fraction.dropFirst()),N,01131.000,E"
  }

  static func clock(_ step: Int) -> String {
    let seconds = 43_200 + step
    let hms = seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60
    return "\(hms).00"
  }

  static func gga(_ step: Int, talker: String = "GP", quality: Int = 1) -> String {
    "\(talker)GGA,\(clock(step)),\(place(step)),\(quality),08,0.9,545.4,M,46.9,M,,"
  }

  static func rmc(_ step: Int, talker: String = "GP", status: String = "A") -> String {
    "\(talker)RMC,\(clock(step)),\(status),\(place(step)),\(step).0,90.0,010224,,,A"
  }

  static func vtg(_ step: Int) -> String { "GPVTG,90.0,T,,M,\(step).0,N,,K,A" }

  /// Each epoch once and in its place, with its time of day.
  static func expectAll(_ fixes: [Fix], _ steps: Range<Int>, dated: Bool = true) {
    #expect(fixes.count == steps.count)
    for (fix, step) in zip(fixes, steps) {
      let latitude = 48 + (7 + Double(step) / 1000) / 60
      #expect(abs(fix.position.latitude - latitude) < 1e-9, "step \(step)")
      let milliseconds = fix.time.map { $0.microseconds / 1000 % 86_400_000 }
      #expect(milliseconds ?? Int64(fix.timeOfDay ?? -1) == Int64(43_200 + step) * 1000)
      #expect((fix.time != nil) == dated)
    }
  }

  static func stream(_ burst: (Int) -> [String]) -> [Fix] { decode((0..<20).flatMap(burst)) }

  @Test(arguments: [
    "GP", "GN", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI", "GY", "SN", "II", "IN", "EC", "AI", "04",
  ])
  func anyTalker(_ talker: String) {
    Self.expectAll(
      Self.stream { [Self.gga($0, talker: talker), Self.rmc($0, talker: talker)] }, 0..<20)
    #expect(decode([Self.gga(0, talker: talker.lowercased())]).count == (talker == "04" ? 1 : 0))
  }

  /// Talkers that change with the satellites in use, or report each epoch twice.
  @Test func talkersThatTakeTurns() {
    Self.expectAll(
      Self.stream { [Self.gga($0, talker: ["GP", "GN", "GL"][$0 % 3]), Self.rmc($0)] }, 0..<20)
    Self.expectAll(
      Self.stream {
        [Self.gga($0), Self.gga($0, talker: "GL"), Self.rmc($0, talker: "GA"), Self.rmc($0)]
      }, 0..<20)
  }

  @Test func sentencesOfQuectelsQZSS() {
    let fixes = Self.stream {
      [Self.rmc($0), "PQGSA,A,3,01,02,03,,,,,,,,,,1.6,0.9,1.3,5", "PQGSV,1,1,00,1"]
    }
    #expect(fixes.allSatisfy { $0.mode == .threeD && $0.eph == 0.9 * 19 })
  }

  @Test func positionsOfOtherVesselsAreIgnored() {
    let others = "!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*23\r\n"
    let fixes = decode(
      (0..<20).map { step in
        nmea([
          "GPWPL,\(Self.place(step + 500)),HOME",
          "GPRMB,A,0.66,L,003,004,\(Self.place(9)),1.3,52.5,0.5,V",
          "GPBWC,\(Self.clock(step)),\(Self.place(77)),1,T,2,M,3,N,A",
          "PUBX,00,\(Self.clock(step)),\(Self.place(7)),5,G3,2.1,2.0",
        ]) + others + nmea(Self.gga(step))
      }.joined())
    Self.expectAll(fixes, 0..<20, dated: false)
  }

  @Test func someNeverSayRMC() {
    Self.expectAll(Self.stream { [Self.gga($0)] }, 0..<20, dated: false)
    Self.expectAll(
      Self.stream { ["ECGLL,\(Self.place($0)),\(Self.clock($0)),A"] }, 0..<20, dated: false)
  }

  /// Before the position, after it, or once a minute: ZDA dates what has no date.
  @Test func someDateByZDAAlone() {
    func zda(_ step: Int) -> String { "GPZDA,\(Self.clock(step)),01,02,2024,-05,00" }
    for fixes in [
      Self.stream { [zda($0), Self.gga($0)] }, Self.stream { [Self.gga($0), zda($0)] },
      Self.stream { $0 == 0 ? [zda(0), Self.gga(0)] : [Self.gga($0)] },
    ] {
      Self.expectAll(fixes, 0..<20)
      #expect(fixes.allSatisfy { $0.isoTime?.hasPrefix("2024-02-01T12:00") == true })
    }
  }

  @Test func theDateIsLateInTheBurstAtMidnight() {
    var sentences: [String] = []
    for step in -3..<4 {
      let clock = step < 0 ? "23595\(10 + step).00" : "00000\(step).00"
      let date = step < 0 ? "311223" : "010124"
      let place = Self.place(step + 3)
      sentences += [
        "GPGGA,\(clock),\(place),1,08,0.9,5,M,46,M,,", "GPGLL,\(place),\(clock),A,A",
        "GPGSA,A,3,,,,,,,,,,,,,2,1,2", "GPRMC,\(clock),A,\(place),1,90,\(date),,,A",
      ]
    }
    let expected =
      (7...9).map { "2023-12-31T23:59:5\($0).000Z" }
      + (0...3).map { "2024-01-01T00:00:0\($0).000Z" }
    #expect(decode(sentences).map(\.isoTime) == expected)
    // Live: each epoch ends before its date comes, and the day is right all the same.
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    for sentence in sentences { fixes += decoder.read(nmea(sentence)) + decoder.silence() }
    #expect(fixes.dropFirst().map(\.isoTime) == expected.dropFirst().map { $0 })
  }

  /// Ten times a second, a hundredth too early or too late.
  @Test func aClockWithJitter() {
    var random = SeededGenerator(seed: 5)
    var sentences: [String] = []
    var clocks: [Int] = []
    for step in 0..<200 {
      let hundredths = 1000 + step * 10 + Int.random(in: -1...1, using: &random)
      clocks.append(hundredths)
      let fraction = String(hundredths % 100 + 100).dropFirst()
      let clock = "1200\(hundredths / 100).\(fraction)"
      sentences += [
        "GNGGA,\(clock),\(Self.place(step)),1,08,0.9,5,M,46,M,,",
        "GNRMC,\(clock),A,\(Self.place(step)),1,90,010224,,,A",
      ]
    }
    let times = decode(sentences).compactMap {
      $0.time.map { Int($0.microseconds / 10_000 % 6000) }
    }
    #expect(times == clocks)
  }

  @Test func aClockThatStepsBackAThirdOfASecond() {
    let clocks = ["120000.9", "120001.9", "120001.6", "120002.6", "120003.6"]
    let times = decode(
      clocks.enumerated().flatMap {
        [EpochTests.gga($1, Self.place($0)), EpochTests.rmc($1, "010224", Self.place($0))]
      }
    ).map(\.isoTime)
    #expect(
      Set(times) == Set(clocks.map { "2024-02-01T12:00:0\($0.suffix(3))00Z" }) && times.count == 5)
  }

  /// Two logs in one file, the second one earlier in the day or years before.
  @Test(arguments: ["010224", "310124", "050615"])
  func splicedLogs(date: String) {
    func log(_ hour: Int, _ date: String) -> [String] {
      (0..<10).flatMap { step -> [String] in
        let clock = "\(hour)000\(step)"
        return [
          EpochTests.gga(clock, Self.place(step)), EpochTests.rmc(clock, date, Self.place(step)),
        ]
      }
    }
    let times = decode(log(12, "010224") + log(11, date)).map(\.isoTime)
    let day = "20\(date.suffix(2))-\(date.dropFirst(2).prefix(2))-\(date.prefix(2))"
    #expect(
      times == (0..<10).map { "2024-02-01T12:00:0\($0).000Z" }
        + (0..<10).map { "\(day)T11:00:0\($0).000Z" })
  }

  /// A receiver that starts anew repeats some times. What it said of its solution still holds.
  @Test func aClockThatIsSetBackForgetsNothing() {
    func burst(_ step: Int, _ more: [String]) -> [String] { [Self.rmc(step)] + more }
    let gsa = "GPGSA,A,3,,,,,,,,,,,,,2,1,2"
    let fixes = decode(
      (100..<110).flatMap { burst($0, [gsa]) } + (20..<25).flatMap { burst($0, []) })
    #expect(fixes.count == 15 && fixes.allSatisfy { $0.mode == .threeD && $0.eph == 19 })
  }

  /// VTG before or behind the position, with RMC or without: each fix has its own speed.
  @Test(arguments: 0..<6)
  func whereverTheSpeedStands(order: Int) {
    let fixes = Self.stream { step in
      switch order {
      case 0: [Self.vtg(step), Self.gga(step)]
      case 1: [Self.gga(step), Self.vtg(step)]
      case 2: [Self.vtg(step), Self.gga(step), Self.rmc(step)]
      case 3: [Self.rmc(step), Self.vtg(step), Self.gga(step)]
      case 4: [Self.gga(step), Self.vtg(step), Self.vtg(step)]
      default: [Self.vtg(step), "GPGSA,A,3,,,,,,,,,,,,,2,1,2", Self.gga(step), "GPGSV,1,1,00"]
      }
    }
    Self.expectAll(fixes, 0..<20, dated: order == 2 || order == 3)
    for (step, fix) in fixes.enumerated() {
      #expect(abs((fix.speed ?? -1) - Double(step) * 1852 / 3600) < 1e-9, "step \(step)")
    }
  }

  /// While there is no fix VTG is empty; it still shows that bursts begin with it.
  @Test func speedInFrontStaysInFrontThroughAGap() {
    let fixes = decode(
      (0..<20).flatMap { step in
        step % 4 == 0
          ? ["GPVTG,,T,,M,,N,,K,N", "GPGGA,\(Self.clock(step)),,,,,0,00,,,M,,M,,"]
          : [Self.vtg(step), Self.gga(step)]
      })
    let steps = (0..<20).filter { $0 % 4 != 0 }
    #expect(fixes.count == steps.count)
    for (step, fix) in zip(steps, fixes) {
      #expect(abs((fix.speed ?? -1) - Double(step) * 1852 / 3600) < 1e-9, "step \(step)")
    }
  }

  /// Where nothing moves, some leave speed and track empty, and some only the track.
  @Test func noTrackIsNotNorth() {
    let place = Self.place(0)
    #expect(decode(["GPRMC,120000,A,\(place),0.0,,010224,,,A"]).map(\.track) == [nil])
    #expect(decode(["GPRMC,120000,A,\(place),,,010224,,,A"]).map(\.speed) == [nil])
    #expect(decode(["GPGLL,\(place),120000,A", "HCHDT,123.0,T"]).map(\.track) == [nil])
    #expect(decode(["GPRMC,120000,A,\(place),5.0,077.5,010224,8.9,E,A"]).map(\.track) == [77.5])
  }

  /// Errors before the position or behind it, in any order.
  @Test func whereverTheErrorStands() {
    let error = [
      "GPGST,\(Self.clock(0)),9,2,1,45,3.0,4.0,9", "GPGBS,\(Self.clock(0)),3.0,4.0,9,,,,",
      "PGRME,15.0,M,45.0,M,25.0,M",
    ]
    for sentence in error {
      let behind = decode([Self.gga(0), sentence]).map(\.eph)
      let ahead = decode([sentence, Self.gga(0)]).map(\.eph)
      #expect(behind == ahead && behind.count == 1 && behind[0] != nil && behind[0] != 0.9 * 19)
    }
  }

  @Test func oneConstellationWithoutAFixIsNoLoss() {
    let one = "GNGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9,2"
    let three = "GNGSA,A,3,01,02,03,,,,,,,,,,1.6,0.9,1.3,1"
    for order in [[one, three], [three, one], [one, three, one, one]] {
      let fixes = Self.stream { [Self.rmc($0)] + order }
      #expect(fixes.allSatisfy { $0.mode == .threeD } && fixes.count == 20)
    }
  }

  /// The last position stays in the sentences while the fix is gone.
  @Test(arguments: [
    [
      "GPRMC,\(clock(5)),V,\(place(5)),0,0,010224,,,N",
      "GPGGA,\(clock(5)),\(place(5)),0,00,99.9,,,,,,",
    ],
    ["GPRMC,\(clock(5)),A,\(place(5)),0,0,010224,,,N"],
    ["GPGGA,\(clock(5)),\(place(5)),,,,,,,,,"], ["GPGLL,\(place(5)),\(clock(5)),V,N"],
    ["GPGGA,\(clock(5)),36000.0000,N,72000.0000,E,1,00,,,,,,,"],
    ["GPGGA,\(clock(5)),0000.0000,N,00000.0000,E,1,08,0.9,5,M,,,,"],
    ["GNGNS,\(clock(5)),\(place(5)),NNNN,00,99.9,5,,,"], ["GPRMC,,V,,,,,,,,,,N"],
  ])
  func lossOfFix(_ lost: [String]) {
    let fixes = decode(
      (0..<5).flatMap { [Self.gga($0), Self.rmc($0)] } + lost
        + (6..<9).flatMap { [Self.gga($0), Self.rmc($0)] })
    #expect(fixes.count == 8 && fixes.allSatisfy { $0.isoTime != "2024-02-01T12:00:05.000Z" })
  }

  /// The number of satellites and the navigational status say nothing of validity: inertial
  /// receivers and gateways write 00, and most write V.
  @Test(arguments: [
    "GPGGA,120000,\(place(0)),1,00,,5,M,,,,", "GNGNS,120000,\(place(0)),AA,00,0.9,5,,,,V",
    "GPRMC,120000,A,\(place(0)),1,2,010224,,,A,V", "GPRMC,120000,A,\(place(0)),1,2,010224,,,D,U",
  ])
  func aFixAllTheSame(_ sentence: String) { #expect(decode([sentence]).count == 1) }

  /// Hemispheres in lower case, blanks in fields, fields that are missing at the end.
  @Test(arguments: [
    "GPGGA,120000,4807.038,s,01131.000,w,1", "GPGGA, 120000 , 4807.038 ,S, 01131.000,W,1,",
    "GPGLL,4807.038,S,01131.000,W,120000,A", "GPRMC,120000,A,4807.038,S,1131.0,W",
    "GPGGA,120000,+4807.038000000,S,01131.,W,1,08",
  ])
  func looseForms(_ sentence: String) throws {
    let fix = try #require(decode([sentence]).first)
    #expect(abs(fix.position.latitude + 48.1173) < 1e-9)
    #expect(abs(fix.position.longitude + 11 + 31.0 / 60) < 1e-9)
  }

  /// Lines cut at 82 characters, and sentences that run into each other because the end is lost.
  @Test func cutLines() {
    let long = nmea(
      "GPRMB,A,0.66,L,003,004,4917.24,N,12309.57,W,001.3,052.5,000.5,V,A,BBBBBBBBBBBBBBBBBB")
    let fixes = decode(
      (0..<20).map {
        long.prefix(80) + nmea(Self.gga($0), end: "") + nmea(Self.rmc($0))
          + "$SDVLW,$SDVLW,,N,322.0,N,\r\n"
      }.joined())
    Self.expectAll(fixes, 0..<20)
  }

  /// TAG blocks alone on a line, with a wrong checksum, in groups, by two conventions, in
  /// datagrams.
  @Test(arguments: [
    "\\s:GP0001,c:1241544035*4A\\\r\n", "\\s:GP0001*00\\",
    "\\g:1-2-1234,s:r3669961,c:1120959341*5E\\",
    "\\1G2:7,s:x*00\\", "UdPbC\0\\s:EI0001,n:1*00\\", "\\c:1709164796123*12\\", "\\t:any text*00\\",
    "\\\\\\",
  ])
  func tagBlocks(_ tag: String) {
    let fixes = decode(
      (0..<20).map { tag + nmea(Self.gga($0)) + tag + nmea(Self.rmc($0)) + tag }.joined())
    Self.expectAll(fixes, 0..<20)
  }

  /// Messages of u-blox, RTCM 3 and SiRF between the sentences, whatever bytes they hold.
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func binaryMessages(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for step in 0..<20 {
      for sentence in [Self.gga(step), Self.rmc(step)] {
        let start =
          [[0xB5, 0x62], [0xD3, 0x00], [0xA0, 0xA2]].randomElement(using: &random) ?? []
        bytes += start.map { UInt8($0) }
        for _ in 0..<Int.random(in: 0...300, using: &random) {
          let odd = Array("$!*,{\r\n".utf8).randomElement(using: &random) ?? 0
          bytes.append(
            Int.random(in: 0..<8, using: &random) == 0
              ? odd : UInt8.random(in: 0...255, using: &random))
        }
        bytes += nmea(sentence).utf8
      }
    }
    Self.expectAll(decode(bytes), 0..<20)
  }

  /// What makers say of themselves between the sentences, positions of their own among it, is none
  /// of ours and moves nothing.
  @Test(arguments: [
    "PQTMPVT,1,1000,20240201,120000.000,,3,12,18,52.52,13.405,34,45,0,0,0,0,0,0.8,1.1",
    "PAIR001,050,0", "PMTKCHN,05302,10123",
    "PSTI,030,120000.000,A,2447.0,N,12100.5,E,80.0,0,0,0,010224,R,1,3",
    "PTNL,GGK,120000.00,020124,5000.12345678,N,00400.12345678,E,3,10,1.2,EHT100.0,M",
    "PSSN,HRP,120000.00,010224,,,,,,,0,0,,", "PGRMM,WGS 84", "PGRMV,0.1,0.2,0.0",
    "PGLOR,9,STA,120000.00,0.000,0.000,-273,20,9999,0,P,F,L,1,C,1,S,0000,0,1,R,0000,TPeF",
    "PUBX,00,120000.00,4717.11,N,00833.91,E,546.5,G3,2.1,2.0,0.0,77.5,0.0,,0.9,1.1,0.8,9,0,0",
    "PASHR,POS,0,05,120000.00,3722.38,N,12159.82,W,16.1,,179.2,0.2,0.1,6.1,4.2,3.3,2.6,G",
    "HEHDT,123.4,T", "IIDBT,10.1,f,3.1,M,1.7,F", "GPWPL,5000.0,N,00400.0,E,HOME",
  ])
  func sentencesOfMakers(_ sentence: String) {
    Self.expectAll(Self.stream { [sentence, Self.gga($0), sentence, Self.rmc($0)] }, 0..<20)
  }

  /// Unicore's ASCII logs beside NMEA: a line of another kind, with a sum of its own behind the
  /// `*`.
  @Test func unicoresLogs() {
    let log = "#BESTNAVA,COM1,0,60.0,FINESTEERING,2000,1.0,0,0,18,10;SOL_COMPUTED,NARROW_INT,"
    Self.expectAll(
      decode(
        (0..<20).map {
          log + "40.0789,116.2363,60.0,0*1d9a3b2c\r\n" + nmea(Self.gga($0)) + nmea(Self.rmc($0))
        }.joined()), 0..<20)
  }

  /// Carriage returns alone end the lines, and digits of checksums are in lower case.
  @Test func loneCarriageReturnsAndLowerCaseChecksums() {
    let text = (0..<20).map { step -> String in
      [Self.gga(step), Self.rmc(step)].map { sentence in
        let whole = nmea(sentence, end: "")
        return whole.dropLast(2) + whole.suffix(2).lowercased() + "\r"
      }.joined()
    }
    Self.expectAll(decode(text.joined()), 0..<20)
  }

  /// Over the equator and the meridians of 0° and 180°, with zeros of either sign.
  @Test func crossings() {
    func longitudes(_ texts: [String]) -> [Double] {
      decode(texts.enumerated().map { "GPRMC,12000\($0).0,A,5128.0,N,\($1),20,90,010224,," })
        .map { ($0.position.longitude * 60e4).rounded() / 1e4 }
    }
    #expect(
      longitudes(["00000.0100,W", "00000.0000,W", "00000.0000,E", "00000.0100,E"])
        == [-0.01, 0, 0, 0.01])
    #expect(
      longitudes(["17959.9900,E", "18000.0000,E", "17959.9900,W"]) == [10799.99, 10800, -10799.99])
    let latitudes = decode(
      ["0000.0100,S", "0000.0000,S", "0000.0000,N", "0000.0100,N"].enumerated().map {
        "GPRMC,12000\($0).0,A,\($1),00630.0,E,20,0,010224,,"
      }
    ).map { ($0.position.latitude * 60e4).rounded() / 1e4 }
    #expect(latitudes == [-0.01, 0, 0, 0.01])
  }
}
