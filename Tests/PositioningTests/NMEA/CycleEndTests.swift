import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Positioning

/// A live epoch is given out with the last sentence of its burst, once the bursts have shown which
/// one that is.
struct CycleEndTests {
  static let options = {
    var options = FixDecoder.Options()
    options.learnsCycleEnd = true
    return options
  }()

  static let enough = CycleEnd.enough
  static let gsa = "GNGSA,A,3,01,02,03,,,,,,,,,,1.6,0.9,1.3"
  static let gsv = "GPGSV,1,1,01,01,40,083,46"
  static let vtg = "GNVTG,83.25,T,,M,20.00,N,37.04,K,A"

  static func time(_ tick: Int, perSecond: Int = 1) -> String {
    let second = tick / perSecond
    let clock = 120_000 + second / 60 * 100 + second % 60
    return "\(clock).\(tick % perSecond * 10 / perSecond)0"
  }

  static func gga(_ tick: Int) -> String { EpochTests.gga(time(tick)) }
  static func rmc(_ tick: Int) -> String { EpochTests.rmc(time(tick), "010224") }
  static func gst(_ tick: Int) -> String { "GNGST,\(time(tick)),1.2,2.0,1.0,45.0,1.5,1.2,3.0" }

  /// What a burst gives before the silence behind it, and in it.
  struct Burst {
    var early: [Fix]
    var atQuiet: [Fix]
    var waited: Bool
  }

  /// Bursts with a silence behind each, as the daemon sees them: the silence counts only where an
  /// epoch is open.
  static func live(_ decoder: inout FixDecoder, _ sentences: [String]) -> Burst {
    let early = decoder.read(nmea(sentences))
    let waited = decoder.hasOpenEpoch
    return Burst(early: early, atQuiet: waited ? decoder.silence() : [], waited: waited)
  }

  static func bursts(
    _ decoder: inout FixDecoder, _ ticks: Range<Int>, _ sentences: (Int) -> [String]
  ) -> [Burst] {
    ticks.map { live(&decoder, sentences($0)) }
  }

  static let shapes: [[String]] = [
    ["RMC"], ["GGA", "VTG"], ["VTG", "GGA"], ["RMC", "GGA", "GSA", "GSA"], ["GSA", "RMC", "GGA"],
    ["GGA", "RMC", "VTG", "GST"], ["GSV", "GGA", "GSV", "VTG", "GSV", "GSV"],
  ]

  static func burst(_ shape: [String], _ tick: Int) -> [String] {
    shape.map {
      switch $0 {
      case "RMC": rmc(tick)
      case "GGA": gga(tick)
      case "GST": gst(tick)
      case "GSA": gsa
      case "VTG": vtg
      default: gsv
      }
    }
  }

  @Test(arguments: shapes)
  func theEndIsLearntFromSilences(_ shape: [String]) {
    var plain = FixDecoder()
    var decoder = FixDecoder(options: Self.options)
    for tick in 0..<40 {
      let burst = Self.live(&decoder, Self.burst(shape, tick))
      let expected = Self.live(&plain, Self.burst(shape, tick))
      #expect(burst.early + burst.atQuiet == expected.atQuiet)
      #expect(burst.atQuiet.count == (tick < Self.enough ? 1 : 0), "burst \(tick)")
      #expect(burst.waited == (tick < Self.enough))
    }
  }

  @Test(arguments: shapes)
  func theEndIsLearntFromNewTimes(_ shape: [String]) {
    var decoder = FixDecoder(options: Self.options)
    let sentences = (0..<40).flatMap { Self.burst(shape, $0) }
    let fixes = decoder.read(nmea(sentences))
    // Sentences before the first time stand behind the last one of the burst before.
    #expect(fixes.count == (shape.first == "VTG" || shape.first == "GSA" ? 39 : 40))
    #expect(fixes + decoder.end() == decode(sentences))
  }

  @Test func withoutTheOptionNothingIsLearnt() {
    var decoder = FixDecoder()
    let bursts = Self.bursts(&decoder, 0..<40) { [Self.rmc($0), Self.gga($0)] }
    #expect(bursts.allSatisfy { $0.early.isEmpty && $0.waited && $0.atQuiet.count == 1 })
  }

  @Test(arguments: [["RMC"], ["GST"], ["VTG"], ["GSA", "GSA"], ["VTG", "RMC"], ["RMC", "VTG"]])
  func aLongerBurstUnlearnsAndIsNotRepeated(_ rest: [String]) {
    var decoder = FixDecoder(options: Self.options)
    _ = Self.bursts(&decoder, 0..<20) { [Self.gga($0)] }
    let cut = Self.live(&decoder, Self.burst(["GGA"] + rest, 20))
    #expect(cut.early.count == 1 && cut.atQuiet.isEmpty && !cut.waited)
    let next = Self.bursts(&decoder, 21..<80) { Self.burst(["GGA"] + rest, $0) }
    #expect(next.allSatisfy { $0.early.count + $0.atQuiet.count == 1 })
    // Twice as many must agree the second time; the first of them begins with what came late.
    #expect(next.prefix(2 * Self.enough).allSatisfy { $0.waited })
    #expect(!next[2 * Self.enough + 1].waited)
  }

  @Test func errorsMakeItEverMoreCareful() {
    var cycle = CycleEnd()
    let shape = BurstShape(length: 2, last: SentenceType(of: Array("GPGGA,".utf8).span))
    var counts: [Int] = []
    for _ in 0..<9 {
      var count = 0
      while cycle.learned == nil {
        cycle.learn(shape)
        count += 1
      }
      counts.append(count)
      cycle.unlearn()
      // Told twice of one error.
      cycle.unlearn()
    }
    #expect(counts == [10, 20, 40, 80, 160, 320, 640, 640, 640])
  }

  @Test func aShorterBurstWaits() {
    var decoder = FixDecoder(options: Self.options)
    _ = Self.bursts(&decoder, 0..<20) { [Self.rmc($0), Self.gga($0), Self.vtg] }
    let short = Self.bursts(&decoder, 20..<25) { [Self.rmc($0), Self.gga($0)] }
    #expect(short.allSatisfy { $0.early.isEmpty && $0.atQuiet.count == 1 })
    let long = Self.bursts(&decoder, 25..<30) { [Self.rmc($0), Self.gga($0), Self.vtg] }
    #expect(long.allSatisfy { $0.early.count == 1 && !$0.waited })
    // Or the next time ends it.
    #expect(decoder.read(nmea([Self.rmc(30), Self.gga(30), Self.rmc(31)])).count == 1)
  }

  @Test func aBurstThatBecameShorterIsLearntAnew() {
    var decoder = FixDecoder(options: Self.options)
    _ = Self.bursts(&decoder, 0..<20) { [Self.rmc($0), Self.gga($0), Self.vtg] }
    let short = Self.bursts(&decoder, 20..<40) { [Self.rmc($0), Self.gga($0)] }
    #expect(short.map(\.waited) == (20..<40).map { $0 < 20 + Self.enough })
  }

  /// VTG behind the position, where others report before it: no speed is missing.
  @Test func theSpeedBehindThePositionIsKept() {
    var decoder = FixDecoder(options: Self.options)
    let bursts = Self.bursts(&decoder, 0..<40) { [Self.gga($0), Self.vtg] }
    let fixes = bursts.flatMap { $0.early + $0.atQuiet }
    #expect(fixes.count == 40 && fixes.allSatisfy { $0.speed != nil && $0.track == 83.25 })
    #expect(bursts.suffix(20).allSatisfy { !$0.waited })
  }

  /// GSV in every fifth second only, anywhere in the burst, is no part of a fix and no obstacle.
  @Test(arguments: 0...3)
  func satellitesInEveryFifthSecond(place: Int) {
    var decoder = FixDecoder(options: Self.options)
    let bursts = Self.bursts(&decoder, 0..<40) { tick in
      var sentences = [Self.rmc(tick), Self.gga(tick), Self.gsa]
      if tick % 5 == 0 {
        sentences.insert(contentsOf: [Self.gsv, Self.gsv, Self.gsv], at: place)
      }
      return sentences
    }
    let fixes = bursts.flatMap { $0.early + $0.atQuiet }
    #expect(fixes.count == 40 && fixes.allSatisfy { $0.eph != nil && $0.altitudeMSL != nil })
    #expect(bursts.map(\.waited) == (0..<40).map { $0 < Self.enough })
  }

  /// A sentence that counts in every fifth second only: nothing is learnt, nothing is lost.
  @Test func errorsInEveryFifthSecond() {
    var plain = FixDecoder()
    var decoder = FixDecoder(options: Self.options)
    let sentences = { (tick: Int) in
      [Self.rmc(tick), Self.gga(tick)] + (tick % 5 == 0 ? [Self.gst(tick), Self.gsa] : [])
    }
    let fixes = Self.bursts(&decoder, 0..<60, sentences).flatMap { $0.early + $0.atQuiet }
    #expect(fixes == Self.bursts(&plain, 0..<60, sentences).flatMap { $0.early + $0.atQuiet })
    #expect(fixes.count == 60)
  }

  /// 10 Hz with a long burst in each second, too fast for silences.
  @Test func twoBurstsThatAlternate() {
    let sentences = (0..<300).flatMap { tick in
      let clock = Self.time(tick, perSecond: 10)
      return [EpochTests.rmc(clock, "010224"), EpochTests.gga(clock)]
        + (tick % 10 == 0 ? [Self.gsa, Self.gsa, Self.gsv, Self.vtg] : [])
    }
    let fixes = decode(sentences, options: Self.options)
    #expect(fixes.count == 300 && fixes == decode(sentences))
  }

  /// A long burst that comes too seldom to be foreseen costs a few fixes some of their values, and
  /// none its place.
  @Test func longBurstsThatComeSeldom() {
    let sentences = (0..<3000).flatMap { tick in
      [Self.rmc(tick), Self.gga(tick)] + (tick % 60 == 59 ? [Self.gst(tick)] : [])
    }
    let plain = decode(sentences)
    let fixes = decode(sentences, options: Self.options)
    #expect(
      fixes.map(\.position) == plain.map(\.position) && fixes.map(\.time) == plain.map(\.time))
    let changed = zip(fixes, plain).filter { $0 != $1 }
    #expect(changed.count == 3)
  }

  /// Bursts without a fix are shorter here. They teach nothing and need no timer, and the first fix
  /// behind them is whole.
  @Test func lossOfFix() {
    var decoder = FixDecoder(options: Self.options)
    let full = { (tick: Int) in [Self.rmc(tick), Self.gga(tick), Self.gsa, Self.vtg] }
    _ = Self.bursts(&decoder, 0..<20, full)
    let lost = Self.bursts(&decoder, 20..<50) {
      ["GNRMC,\(Self.time($0)),V,,,,,,,,,,N", "GNGGA,\(Self.time($0)),,,,,0,00,99.99,,,,,,"]
    }
    #expect(lost.allSatisfy { $0.early.isEmpty && !$0.waited })
    let found = Self.bursts(&decoder, 50..<60, full)
    #expect(found.allSatisfy { $0.early.count == 1 && !$0.waited && $0.early[0].speed != nil })
    #expect(found.map { $0.early.first?.mode } == Array(repeating: .threeD, count: 10))
  }

  /// With bursts as long as before, an epoch without a fix is over with its last sentence too.
  @Test func lossOfFixInWholeBursts() {
    var decoder = FixDecoder(options: Self.options)
    let full = { (tick: Int) in [Self.rmc(tick), Self.gga(tick)] }
    _ = Self.bursts(&decoder, 0..<20, full)
    let lost = [
      "GNRMC,\(Self.time(20)),V,,,,,,,,,,N", "GNGGA,\(Self.time(20)),,,,,0,00,99.9,,,,,,",
    ]
    #expect(Self.live(&decoder, lost).waited == false)
    // The position of that very moment comes late: it is a fix, and the only one.
    #expect(Self.live(&decoder, [Self.gga(20)]).atQuiet.count == 1)
    #expect(Self.bursts(&decoder, 21..<41, full).map(\.waited) == Array(repeating: true, count: 20))
  }

  @Test func twoReceiversOnOneLineAreKeptApart() {
    let sentences = (0..<60).flatMap { tick in
      let late = "\(120_000 + tick / 60 * 100 + tick % 60 - 1).30"
      return tick < 30
        ? [Self.gga(tick), Self.rmc(tick)]
        : [
          Self.gga(tick), EpochTests.gga(late, EpochTests.otherPlace), Self.rmc(tick),
          EpochTests.rmc(late, "010224", EpochTests.otherPlace),
        ]
    }
    #expect(decode(sentences, options: Self.options) == decode(sentences))
  }

  @Test func aNewConnectionLearnsAnew() {
    var decoder = FixDecoder(options: Self.options)
    _ = Self.bursts(&decoder, 0..<20) { [Self.gga($0)] }
    var fixes: [Fix] = []
    decoder.disconnected(into: &fixes)
    let bursts = Self.bursts(&decoder, 20..<40) { [Self.gga($0), Self.vtg] }
    #expect(bursts.map(\.waited) == (20..<40).map { $0 < 20 + Self.enough })
    #expect(bursts.allSatisfy { ($0.early + $0.atQuiet).map(\.track) == [83.25] })
  }

  /// Damage, bursts of changing length and reports of gpsd: the pieces make no difference.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func anyPiecesGiveTheSameFixes(seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 104_729)
    var bytes: [UInt8] = []
    var shape = Self.shapes[0]
    for tick in 0..<150 {
      if Int.random(in: 0..<25, using: &random) == 0 {
        shape = Self.shapes.randomElement(using: &random) ?? shape
      }
      bytes += nmea(Self.burst(shape, tick)).utf8
      let clock = "2026-11-21T09:\(10 + tick / 60):\(10 + tick % 50)Z"
      for _ in 0...(Int.random(in: 0..<30, using: &random) == 0 ? 1 : 0) {
        bytes += GpsdTests.tpv(clock, #""mode":3,"lat":1.5,"lon":-2"#).utf8
      }
      if Int.random(in: 0..<20, using: &random) == 0 {
        bytes.remove(at: Int.random(in: 0..<bytes.count, using: &random))
      }
    }
    var decoder = FixDecoder(options: Self.options)
    var fixes: [Fix] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...(seed % 2 == 0 ? 30 : 600), using: &random))
      fixes += decoder.read(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    #expect(fixes + decoder.end() == decode(bytes, options: Self.options))
  }
}

/// The same for gpsd's reports.
struct ReportCycleTests {
  static func tpv(_ tick: Int, _ more: String = "", device: String = "/dev/a") -> String {
    GpsdTests.tpv(
      "2026-11-21T09:\(10 + tick / 60):\(10 + tick % 50)Z",
      #""mode":3,"lat":1.5,"lon":\#(tick)\#(more)"#, device: device)
  }

  static func learned(reports: Int = 1) -> FixDecoder {
    var decoder = FixDecoder(options: CycleEndTests.options)
    for tick in 0..<CycleEnd.enough {
      for _ in 0..<reports { #expect(decoder.read(tpv(tick)).isEmpty) }
      #expect(decoder.silence().count == 1)
    }
    return decoder
  }

  @Test(arguments: [1, 2])
  func theNumberOfReportsIsLearnt(reports: Int) {
    var decoder = Self.learned(reports: reports)
    for tick in 20..<40 {
      for number in 1...reports {
        #expect(decoder.read(Self.tpv(tick)).count == (number == reports ? 1 : 0))
      }
      #expect(decoder.hasOpenEpoch == false)
    }
  }

  @Test func itIsLearntFromNewTimes() {
    var decoder = FixDecoder(options: CycleEndTests.options)
    let counts = (0..<20).map { decoder.read(Self.tpv($0)).count }
    // With the report that ends the last epoch needed comes its own fix.
    #expect(counts == [0] + Array(repeating: 1, count: 9) + [2] + Array(repeating: 1, count: 9))
  }

  @Test func aSecondReportUnlearnsAndIsNotRepeated() {
    var decoder = Self.learned()
    #expect(decoder.read(Self.tpv(20)).count == 1)
    #expect(decoder.read(Self.tpv(20, #","speed":1"#)).isEmpty && !decoder.hasOpenEpoch)
    #expect(decoder.read(Self.tpv(20, #","speed":2"#)).isEmpty && !decoder.hasOpenEpoch)
    for tick in 21..<21 + 2 * CycleEnd.enough {
      #expect(decoder.read(Self.tpv(tick)).isEmpty)
      #expect(decoder.silence().count == 1)
    }
    #expect(decoder.read(Self.tpv(45)).count == 1)
  }

  /// gpsd reports twice when it has found a fix again: the fuller report is not missed.
  @Test func lossOfFix() {
    var decoder = Self.learned()
    #expect(decoder.read(GpsdTests.tpv("2026-11-21T09:30:00Z", #""mode":1"#)).isEmpty)
    #expect(decoder.read(Self.tpv(20) + Self.tpv(20, #","speed":2"#)).isEmpty)
    #expect(decoder.silence().map(\.speed) == [2])
    for tick in 21..<20 + CycleEnd.enough { _ = decoder.read(Self.tpv(tick)) }
    _ = decoder.silence()
    #expect(decoder.read(Self.tpv(40)).isEmpty)
    #expect(decoder.read(Self.tpv(41)).count == 2)
  }

  @Test func devicesLearnOnTheirOwn() {
    var decoder = Self.learned()
    #expect(decoder.read(Self.tpv(20, device: "/dev/b")).isEmpty)
    #expect(decoder.read(Self.tpv(20)).count == 1)
    #expect(decoder.hasOpenEpoch == true)
  }

  /// Without a time a report is told from a second one of its epoch by its position alone.
  @Test func reportsWithoutATimeWait() {
    var decoder = Self.learned()
    for _ in 0..<30 {
      #expect(decoder.read(GpsdTests.tpv(nil, #""mode":3,"lat":1,"lon":2"#)).isEmpty)
      #expect(decoder.silence().count == 1)
    }
  }

  @Test func manyDevicesAreBounded() {
    var decoder = FixDecoder(options: CycleEndTests.options)
    var count = 0
    for tick in 0..<30 {
      for device in 0..<20 { count += decoder.read(Self.tpv(tick, device: "/dev/\(device)")).count }
    }
    #expect(count + decoder.end().count == 600)
  }
}
