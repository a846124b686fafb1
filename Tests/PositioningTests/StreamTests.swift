import Geodesy
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
    var random = SplitMix64(state: seed)
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

  /// Damaged bytes give the same fixes in any pieces too, and never a trap; what is kept between
  /// pieces stays bounded.
  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func damagedBytesAreHarmless(seed: UInt64) {
    var random = SplitMix64(state: seed &* 7919)
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
      #expect(decoder.keptBytes <= FixDecoder.longestJSON)
    }
    fixes += decoder.end()
    #expect(fixes == decode(bytes))
    #expect(fixes.allSatisfy { $0.position.latitude.magnitude <= 90 })
  }

  @Test func aFieldOfAnyContentIsHarmless() {
    var random = SplitMix64(state: 3)
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
    var random = SplitMix64(state: 11)
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
}
