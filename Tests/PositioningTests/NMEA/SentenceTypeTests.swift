import TestSupport
import Testing

@testable import Positioning

/// The type of a sentence by its address, and the table of sentences.
@Suite struct SentenceTypeTests {
  @Test(arguments: SentenceSpec.all.indices.dropFirst())
  func eachRowIsFoundByItsAddress(_ row: Int) {
    let name = SentenceSpec.all[row].name
    let address = name.utf8.count == 3 ? "GP" + name : name
    #expect(SentenceType(of: Array("\(address),1".utf8).span) == SentenceType(row: row))
    for place in 2..<5 {
      var bytes = Array("\(address),1".utf8)
      bytes[place] ^= 0x20
      #expect(SentenceType(of: bytes.span) == .other)
    }
  }

  /// A row that no test sends to the decoder is a sentence that nobody has seen read; the manual
  /// page of the daemon lists those whose fields count.
  @Test(arguments: SentenceSpec.all.dropFirst().map(\.name))
  func eachSentenceIsTestedAndInTheManual(_ name: String) throws {
    let tests = try swiftFiles(below: "\(packageRoot)/Tests/PositioningTests").map(contents)
    #expect(tests.contains { $0.contains("\(name),") })
    let isRead = SentenceSpec.all.contains { $0.name == name && $0.read != nil }
    let manual = try contents("\(packageRoot)/man/georemindd.8.in")
    #expect(manual.split(whereSeparator: { " ,\n".contains($0) }).contains(name[...]) == isRead)
  }

  @Test func everyTalkerButAProprietaryOneIsAccepted() {
    #expect(SentenceType(of: Array("PQGSA,A".utf8).span).spec.name == "GSA")
    #expect(SentenceType(of: Array("PXGSA,A".utf8).span) == .other)
    #expect(SentenceType(of: Array("GPRME,1".utf8).span) == .other)
    #expect(SentenceType(of: Array("g!RMC,1".utf8).span) == .other)
  }

  /// Lines of a Hemisphere receiver and of a depth sounder.
  @Test func headingAndWaterSpeedAreCountedAndLeaveTheFixAlone() {
    var plain = FixDecoder()
    var mixed = FixDecoder()
    var expected: [Fix] = []
    var fixes: [Fix] = []
    let rmc = "$GPRMC,092750.000,A,5321.6802,N,00630.3372,W,0.02,31.66,280511,,,A*43\r\n"
    let others =
      "$GPHDT,,T*1B\r\n$SDVHW,182.5,T,181.8,M,0.0,N,0.0,K*4C\r\n"
    plain.consume(Array(rmc.utf8).span, into: &expected)
    plain.finish(into: &expected)
    mixed.consume(Array((others + rmc + others).utf8).span, into: &fixes)
    mixed.finish(into: &fixes)
    #expect(fixes == expected && fixes.count == 1)
    #expect(mixed.statistics.count(of: "hdt") == 2 && mixed.statistics.count(of: "vhw") == 2)
  }
}

extension DecoderStatistics {
  /// The count of a sentence by its name in lower case.
  func count(of name: String) -> Int {
    sentencesByName.first { $0.name == name }?.count ?? 0
  }
}
