import Geodesy
import TestSupport
import Testing

@testable import Positioning

/// What must hold for any bytes, however they arrive.
struct StreamTests {
  static let whole = decode(Fixture.mixed)

  @Test func theFixtureHoldsItsFixes() {
    #expect(Self.whole.count == 16)
    #expect(Self.whole.filter { $0.source == .gnss }.count == 16)
    #expect(Self.whole.compactMap { $0.isoTime }.contains("2024-02-29T00:00:03.000Z"))
  }

  @Test func oneByteAtATimeGivesTheSameFixes() {
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    for byte in Fixture.mixed { fixes += decoder.read([byte]) }
    #expect(fixes + decoder.end() == Self.whole)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func randomPiecesGiveTheSameFixes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    var rest = Fixture.mixed[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...(seed % 2 == 0 ? 20 : 400), using: &random))
      fixes += decoder.read(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    #expect(fixes + decoder.end() == Self.whole)
  }

  /// The drive that comes with the program.
  @Test func anyPiecesOfTheDriveGiveTheSameFixes() throws {
    let bytes = try #require(readFile("\(packageRoot)/examples/drive.nmea"))
    #expect(decode(bytes).count > 1000)
    expectSameFixes(of: Array(bytes.prefix(200_000)), seed: 7)
  }

  /// Damaged bytes give the same fixes in any pieces too, and never a trap; what is kept between
  /// pieces stays bounded.
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func damagedBytesAreHarmless(seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 7919)
    var bytes = Fixture.mixed
    for _ in 0..<Int.random(in: 1...200, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2:
        bytes.insert(Array("$!*,{}\r\n\"\\".utf8).randomElement(using: &random) ?? 0, at: place)
      case 3:
        let end = min(bytes.count, place + 300)
        bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
    }
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...97, using: &random))
      fixes += decoder.read(Array(piece))
      rest = rest.dropFirst(piece.count)
      #expect(decoder.pendingBytes <= FixDecoder.longestJSON)
    }
    fixes += decoder.end()
    #expect(fixes == decode(bytes))
    #expect(fixes.allSatisfy { $0.position.latitude.magnitude <= 90 })
  }

  @Test func aFieldOfAnyContentIsHarmless() {
    var random = SeededGenerator(seed: 3)
    let alphabet = Array("0123456789.,-+ ANSEWTM".utf8)
    for _ in 0..<4000 {
      let kind =
        ["RMC", "GGA", "GNS", "GLL", "VTG", "GSA", "GST", "GBS", "ZDA", "DTM"]
        .randomElement(using: &random) ?? ""
      var text = "GP\(kind),"
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        text.unicodeScalars.append(
          Unicode.Scalar(alphabet.randomElement(using: &random) ?? UInt8(ascii: ",")))
      }
      _ = decode([text, "PGRME,\(text)", "PGRMZ,\(text)"])
    }
  }

  /// The scan that reads words at once agrees with one that reads bytes.
  @Test func theScanAgreesWithAPlainOne() {
    var random = SeededGenerator(seed: 11)
    let odd = Array("*$!\r\n ~#+,A9".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xAA, 0xAB, 0xFF]
    for _ in 0..<3000 {
      let count = Int.random(in: 0...40, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0x2B...0x7E, using: &random) }
      for _ in 0..<Int.random(in: 0...3, using: &random) where count > 0 {
        bytes[Int.random(in: 0..<count, using: &random)] = odd.randomElement(using: &random) ?? 0
      }
      let start = Int.random(in: 0...count, using: &random)
      let limit = Int.random(in: start...count, using: &random)
      var end = start
      var sum: UInt8 = 0
      while end < limit, bytes[end] >= 0x20, bytes[end] < 0x7F, !"*$!".utf8.contains(bytes[end]) {
        sum ^= bytes[end]
        end += 1
      }
      let scan = bytes.span.scanSentence(from: start, to: limit)
      #expect(scan.end == end && scan.checksum == sum, "\(bytes) from \(start) to \(limit)")
    }
  }

  /// The same for the end of a line, the next start, and the bytes on the way that are no text.
  @Test func theSearchesAgreeWithPlainOnes() {
    var random = SeededGenerator(seed: 12)
    let odd = Array("$!{\\\r\n\t".utf8) + [0x00, 0x08, 0x0B, 0x1F, 0x7F, 0x80, 0x8A, 0xA4, 0xFF]
    for _ in 0..<3000 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in
        Int.random(in: 0..<6, using: &random) == 0
          ? odd.randomElement(using: &random) ?? 0 : UInt8.random(in: 0x20...0x7E, using: &random)
      }
      let start = Int.random(in: 0...count, using: &random)
      let limit = Int.random(in: start...count, using: &random)
      let end = bytes[start..<limit].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? limit
      #expect(
        bytes.span.lineEnd(from: start, to: limit) == end, "\(bytes) from \(start) to \(limit)")
      let next = bytes[start...].firstIndex { "$!{\\".utf8.contains($0) } ?? count
      var binary = 0
      #expect(bytes.span.nextStart(from: start, binary: &binary) == next, "\(bytes) from \(start)")
      let blanks: [UInt8] = [0x09, 0x0A, 0x0D]
      let expected = bytes[start..<next].count { ($0 < 0x20 || $0 >= 0x80) && !blanks.contains($0) }
      #expect(binary == expected, "\(bytes) from \(start)")
    }
  }
}
