import CivilTime
import Geodesy
import Positioning
import Testing

/// How sentences become epochs, and how epochs get their date.
struct EpochTests {
  static let place = "4807.038,N,01131.000,E"
  static let otherPlace = "4807.040,N,01131.100,E"

  static func gga(_ time: String, _ place: String = place) -> String {
    "GPGGA,\(time),\(place),1,08,0.9,545.4,M,46.9,M,,"
  }

  static func rmc(_ time: String, _ date: String, _ place: String = place) -> String {
    "GPRMC,\(time),A,\(place),10.0,90.0,\(date),,,A"
  }

  static func gll(_ time: String, _ place: String = place) -> String {
    "GPGLL,\(place),\(time),A,A"
  }

  static func times(_ sentences: [String]) -> [String?] { decode(sentences).map(\.isoTime) }

  @Test func theDateFollowsInTheBurst() {
    #expect(
      Self.times([
        Self.gga("235959"), Self.rmc("235959", "280224"), Self.gga("000000"),
        Self.rmc("000000", "290224"),
      ]) == ["2024-02-28T23:59:59.000Z", "2024-02-29T00:00:00.000Z"])
  }

  @Test func theDateIsCarriedOverMidnightAndBack() {
    #expect(
      Self.times([
        Self.rmc("235959", "311223"), Self.gga("000000"), Self.gga("235958.5"), Self.gga("000001"),
      ]) == [
        "2023-12-31T23:59:59.000Z", "2024-01-01T00:00:00.000Z", "2023-12-31T23:59:58.500Z",
        "2024-01-01T00:00:01.000Z",
      ])
  }

  /// A tracker that saves its battery comes back to the same times of day.
  @Test(arguments: [3, 6, 8])
  func someFixesADayAreNoLateOnes(hours: Int) {
    let times = (0..<40).map { step -> String in
      let hour = String(step * hours % 24)
      return "\(hour.utf8.count < 2 ? "0" : "")\(hour)0000"
    }
    #expect(decode(times.map { Self.gga($0) }).count == 40)
    #expect(
      decode(
        times.enumerated().flatMap { step, time in
          let day = String(step * hours / 24 + 1)
          return [
            Self.gga(time), Self.rmc(time, "\(day.utf8.count < 2 ? "0" : "")\(day)0324"),
          ]
        }
      ).count { $0.eph != nil } == 40)
  }

  @Test func aClockThatStepsBackKeepsItsDay() {
    #expect(
      Self.times([Self.rmc("120002", "010224"), Self.gga("110000")])
        == ["2024-02-01T12:00:02.000Z", "2024-02-01T11:00:00.000Z"])
  }

  @Test func theLeapSecondDoesNotGoBack() {
    let fixes = decode([
      Self.rmc("235959", "311216"), Self.rmc("235960", "311216"), Self.rmc("000000", "010117"),
    ])
    let times = fixes.compactMap(\.time)
    #expect(times.count == 3 && times == times.sorted())
    #expect(fixes.last?.isoTime == "2017-01-01T00:00:00.000Z")
  }

  @Test(
    arguments: [
      ("GPRMC,120000,A,\(place),,,310224,,,A", nil), ("GPRMC,120000,A,\(place),,,,,,A", nil),
      ("GPZDA,120000,05,06,14,00,00", nil), ("GPZDA,120000,,,,,", nil),
      ("GPZDA,120000,05,06,2014,-01,00", "2014-06-05T12:00:00.000Z"),
      ("GPRMC,120000,A,\(place),,,050699,,,A", "1999-06-05T12:00:00.000Z"),
    ] as [(String, String?)])
  func dates(_ sentence: String, _ time: String?) {
    let fixes = decode([Self.gga("120000"), sentence])
    #expect(fixes.map(\.isoTime) == [time])
    #expect(fixes.map(\.timeOfDay) == [time == nil ? 43_200_000 : nil])
  }

  /// Some receivers that lose the sky go on with their last position in one sentence.
  @Test(arguments: [
    [gga("120000"), "GPRMC,120000,V,\(place),,,010224,,,A"],
    ["GPRMC,120000,V,,,,,,,,,,N", gga("120000")],
    [gga("120000"), "GPRMC,120000,A,\(place),,,010224,,,N"],
    [rmc("120000", "010224"), "GPGGA,120000,\(place),0,04,1.0,1.0,M,,M,,"],
    [gga("120000"), rmc("120000", "010224"), "GPGSA,A,1,,,,,,,,,,,,,,,"],
  ])
  func aSentenceThatDeniesTheFixHolds(_ sentences: [String]) {
    #expect(decode(sentences).isEmpty)
    #expect(decode(sentences + [Self.gga("120001")]).count == 1)
  }

  /// The standard gives a dead-reckoned, manual or simulated position the status V.
  @Test(arguments: [("E", 6, Fix.Source.deadReckoning), ("M", 7, .manual), ("S", 8, .simulated)])
  func aPositionThatIsNotOfSatellitesIsNotDenied(mode: String, quality: Int, source: Fix.Source) {
    let gga = "GPGGA,120000,\(Self.place),\(quality),04,1.0,1.0,M,,M,,"
    let fixes = decode([gga, "GPRMC,120000,V,\(Self.place),,,010224,,,\(mode)"])
    #expect(fixes.map(\.source) == [source])
  }

  /// The date of such a sentence is of a clock that may never have been set.
  @Test func aDateWithoutAFixIsNotTaken() {
    let fixes = decode(["GPRMC,120000,V,\(Self.place),,,010101,,,N", Self.gga("120001")])
    #expect(fixes.map(\.time) == [nil])
  }

  /// The first date of a stream is none of the epochs before it.
  @Test func aDateIsOfItsEpochAndThoseAfterIt() {
    #expect(
      Self.times([
        Self.gga("120000"), Self.gga("120001"), "GPZDA,120002,01,02,2024,00,00",
        Self.gga("120002"), Self.gga("120003"),
      ]) == [nil, nil, "2024-02-01T12:00:02.000Z", "2024-02-01T12:00:03.000Z"])
  }

  @Test func aClockWithoutAFixDoesNotOverruleADate() {
    #expect(
      Self.times([
        Self.rmc("120000", "010224"), "GPZDA,120001,01,01,2000,00,00", Self.gga("120002"),
      ]) == ["2024-02-01T12:00:00.000Z", "2024-02-01T12:00:02.000Z"])
  }

  @Test func aClockThatDisagreesDoesNotSplitTheEpoch() {
    #expect(
      Self.times([
        "GPZDA,120000,01,01,2000,00,00", Self.rmc("120000", "010224"),
        "GPZDA,120000,02,01,2000,00,00", Self.gga("120000"),
      ]) == ["2024-02-01T12:00:00.000Z"])
  }

  @Test func anUndatedLogTakesTheDayNearestToTheReference() {
    var options = FixDecoder.Options()
    options.referenceTime = Instant(microseconds: 1_706_745_600_000_000)  // 2024-02-01T00:00:00Z
    #expect(
      decode([Self.gll("235959"), Self.gll("000001")], options: options).map(\.isoTime)
        == ["2024-01-31T23:59:59.000Z", "2024-02-01T00:00:01.000Z"])
  }

  /// Without a date of its own a log goes on from the epoch before: a gap of more than half a day
  /// is no way back, and a time of day that goes back is the next day's.
  @Test(arguments: [
    (["090000", "220000"], ["01T09:00:00", "01T22:00:00"]),
    (["090000", "083000", "200000"], ["01T09:00:00", "02T08:30:00", "02T20:00:00"]),
    (["090000", "085955", "090001"], ["01T09:00:00", "01T08:59:55", "01T09:00:01"]),
    (
      ["090000", "235959", "000001", "235958"],
      [
        "01T09:00:00", "01T23:59:59", "01T23:59:58", "02T00:00:01",
      ]
    ),
  ])
  func anUndatedLogGoesOnFromDayToDay(_ times: [String], _ expected: [String]) {
    var options = FixDecoder.Options()
    options.referenceTime = Instant(microseconds: 1_706_778_000_000_000)  // 2024-02-01T09:00:00Z
    #expect(
      decode(times.map { Self.gga($0) }, options: options).map(\.isoTime)
        == expected.map { "2024-02-\($0).000Z" })
  }

  @Test func aLiveUndatedFeedKeepsToItsReference() {
    var options = FixDecoder.Options()
    options.referenceTime = Instant(microseconds: 1_706_778_000_000_000)  // 2024-02-01T09:00:00Z
    var decoder = FixDecoder(options: options)
    var fixes = decoder.read(nmea([Self.gga("090000"), Self.gga("083000")]))
    decoder.options.referenceTime = Instant(microseconds: 1_706_778_001_000_000)
    fixes += decoder.read(nmea(Self.gga("090001"))) + decoder.end()
    #expect(fixes.last?.isoTime == "2024-02-01T09:00:01.000Z")
  }

  @Test func aDatedLogKeepsItsDayThroughAGap() {
    #expect(
      Self.times([
        Self.rmc("090000", "010224"), Self.gga("220000"), Self.gga("080000"), Self.gga("210000"),
      ]) == [
        "2024-02-01T09:00:00.000Z", "2024-02-01T22:00:00.000Z", "2024-02-02T08:00:00.000Z",
        "2024-02-02T21:00:00.000Z",
      ])
  }

  @Test(arguments: [
    ("170604", true, "2024-02-01"), ("170604", false, "2004-06-17"), ("010224", true, "2024-02-01"),
    ("011004", true, "2004-10-01"), ("010480", true, "1980-04-01"),
  ])
  func weekRolloverIsCorrected(_ date: String, _ corrects: Bool, _ day: String) {
    var options = FixDecoder.Options()
    options.referenceTime = Instant(microseconds: 1_706_745_600_000_000 + 43_000_000_000)
    options.correctsWeekRollover = corrects
    var decoder = FixDecoder(options: options)
    let fixes = decoder.read(nmea(Self.rmc("120000", date))) + decoder.end()
    #expect(fixes.map(\.isoTime) == ["\(day)T12:00:00.000Z"])
    #expect((decoder.statistics.weekRollovers == 1) == (corrects && date == "170604"))
  }

  @Test func theMorePreciseSentenceGivesThePosition() {
    let sentences = [
      Self.gll("120000", "4800.00,N,01100.00,E"),
      Self.rmc("120000", "010224", "4800.001,N,01100.0,E"),
      "GNGNS,120000,4800.002,N,01100.0,E,AA,08,0.9,545.4,46.9,,", Self.gga("120000"),
    ]
    for shift in sentences.indices {
      let fixes = decode(Array(sentences[shift...] + sentences[..<shift]))
      let expected = shift == 3 ? Self.place : "4800.002,N,01100.0,E"
      #expect(fixes.map(\.position) == decode([Self.gll("120000", expected)]).map(\.position))
      #expect(fixes.first?.speed != nil)
    }
  }

  /// Two receivers on one line, one of them late: each epoch once, whole, with its date.
  @Test(arguments: ["120000.30", "120000.00"])
  func interleavedReceivers(first: String) {
    var sentences: [String] = []
    for second in 11..<31 {
      let late = first.hasSuffix("30") ? "1200\(second - 1).30" : "1200\(second - 1).00"
      sentences += [
        Self.gga("1200\(second).00"), Self.gga(late, Self.otherPlace),
        Self.rmc("1200\(second).00", "010224"), Self.rmc(late, "010224", Self.otherPlace),
      ]
    }
    let fixes = decode(sentences)
    let times = fixes.compactMap(\.isoTime)
    #expect(Set(times).count == times.count && times.count == fixes.count)
    #expect(times.count == (first.hasSuffix("30") ? 40 : 21))
    #expect(fixes.allSatisfy { $0.speed != nil || first.hasSuffix("00") })
    #expect(times.allSatisfy { $0.hasPrefix("2024-02-01T12:00") })
  }

  @Test func silenceEndsTheEpochAndStragglersDoNotRepeatIt() {
    var decoder = FixDecoder()
    #expect(decoder.hasOpenEpoch == false)
    #expect(decoder.read(nmea(Self.rmc("120000", "010224"))).isEmpty)
    #expect(decoder.hasOpenEpoch == true)
    #expect(decoder.silence().map(\.isoTime) == ["2024-02-01T12:00:00.000Z"])
    #expect(decoder.hasOpenEpoch == false)
    #expect(decoder.read(nmea([Self.gga("120000"), "GPVTG,1,T,,M,99,N,,K,A"])).isEmpty)
    #expect(decoder.silence().isEmpty)
    // A burst that begins with VTG: silence tells whose it is.
    #expect(decoder.read(nmea(["GPVTG,10,T,,M,20,N,,K,A", Self.gga("120001")])).isEmpty)
    #expect(decoder.silence().map(\.track) == [10])
  }

  @Test func aDailyFixAtTheSameTimeIsNotAStraggler() {
    #expect(
      Self.times([Self.rmc("120000", "010224"), Self.rmc("120000", "020224")])
        == ["2024-02-01T12:00:00.000Z", "2024-02-02T12:00:00.000Z"])
  }

  @Test func aLostConnectionKeepsTheDateAndDropsThePartialLine() {
    var decoder = FixDecoder()
    _ = decoder.read(nmea(Self.rmc("120000", "010224")) + "$GPGGA,1200")
    var fixes: [Fix] = []
    decoder.disconnected(into: &fixes)
    #expect(fixes.count == 1)
    _ = decoder.read("01,\(Self.place),1*00\r\n" + nmea(Self.gga("120002")))
    #expect(decoder.end().map(\.isoTime) == ["2024-02-01T12:00:02.000Z"])
    #expect(decoder.statistics.wrongChecksums == 0)
  }

  @Test(arguments: [
    ([gga("120000"), "GPGSA,A,2,,,,,,,,,,,,,,,"], Fix.Mode.twoD), ([gga("120000")], .threeD),
    ([gll("120000")], .twoD), ([gll("120000"), "GPGSA,A,3,,,,,,,,,,,,,,,"], .threeD),
    ([gll("120000"), "GNGSA,A,3,,,,,,,,,,,,,,,,1", "GNGSA,A,1,,,,,,,,,,,,,,,,2"], .threeD),
    (["GPGSA,A,3,,,,,,,,,,,,,,,", gll("120000"), gll("120005")], .threeD),
    (["GPGSA,A,3,,,,,,,,,,,,,,,", gll("120000"), gll("120030")], .twoD),
    // A GNS that says that it has no fix leaves no height to the RMC beside it.
    ([gga("120000"), "GNGNS,120001,,,,,NN,00,,,,,", rmc("120001", "010224")], .twoD),
    ([gga("120000"), rmc("120001", "010224")], .threeD),
    // So does one without an altitude.
    ([gga("120000"), "GPGGA,120001,\(place),1,04,1.0,,M,,M,,"], .twoD),
    // Bursts that begin with GSA: that of the next one says that the fix is lost.
    (
      [
        "GPGSA,A,2,,,,,,,,,,,,,,,", gga("120000"), "GPGSA,A,2,,,,,,,,,,,,,,,", gga("120001"),
        "GPGSA,A,1,,,,,,,,,,,,,,,", "GPGGA,120002,,,,,0,00,,,M,,M,,",
      ], .twoD
    ),
  ])
  func modes(_ sentences: [String], _ mode: Fix.Mode) {
    #expect(decode(sentences).last?.mode == mode)
  }
}
