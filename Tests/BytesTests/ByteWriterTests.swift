import Bytes
import TestSupport
import Testing

/// Pieces of all kinds and lengths against a plain array of bytes.
@Suite struct ByteWriterTests {
  private static let texts = ["", "a", "fifteen letters", "Zug nach Köln 🚆", "0123456789abcdefg"]

  @Test(arguments: 0..<64)
  func whatIsAddedStandsInItsOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var writer = ByteWriter(capacity: Int.random(in: 0...40, using: &random))
    for _ in 0..<2 {
      var expected: [UInt8] = []
      pieces: for _ in 0..<40 {
        let shift = Int.random(in: 0...63, using: &random)
        let number = UInt64.random(in: 0...(.max), using: &random) >> shift
        switch Int.random(in: 0...4, using: &random) {
        case 0:
          writer.add(UInt8(truncatingIfNeeded: number))
          expected.append(UInt8(truncatingIfNeeded: number))
        case 1:
          let text = Self.texts.randomElement(using: &random) ?? ""
          writer.add(text)
          expected += text.utf8
        case 2:
          writer.add(littleEndian: number)
          expected += (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        case 3:
          writer.add(decimal: Int(bitPattern: UInt(number)))
          expected += String(Int(bitPattern: UInt(number))).utf8
        default:
          var other = ByteWriter(capacity: 0)
          other.add(expected.span)
          writer.add(other)
          expected += expected
          if expected.count > 10_000 { break pieces }
        }
        #expect(writer.count == expected.count)
      }
      #expect(writer.bytes == expected)
      #expect(writer.text == String(decoding: expected, as: UTF8.self))
      #expect(writer.withUnsafeBytes { Array($0) } == expected)
      writer.removeAll()
      #expect(writer.bytes.isEmpty)
    }
  }

  @Test func digitsAreFilledUpWithZeros() {
    var writer = ByteWriter(capacity: 0)
    writer.add(decimal: 7, width: 3)
    writer.add(decimal: 2026, width: 4)
    writer.add(decimal: 0, width: 2)
    writer.add(decimal: 123, width: 2)
    writer.add(decimal: -5, width: 2)
    #expect(writer.text == "007202600123-05")
    writer.removeAll()
    writer.add(decimal: .min)
    writer.add(decimal: .min, width: 25)
    #expect(writer.text == "-9223372036854775808-0000009223372036854775808")
  }

  @Test func hexadecimalDigitsAreTheLastOnes() {
    var writer = ByteWriter(capacity: 0)
    writer.add(hexadecimal: 0x1234_5678_9ABC_DEF0, digits: 16)
    writer.add(hexadecimal: 0x1234, digits: 2)
    writer.add(hexadecimal: 0xB, digits: 3)
    #expect(writer.text == "123456789abcdef03400b")
  }

  @Test func aNumberTakesThePlaceOfAnother() {
    var writer = ByteWriter(capacity: 0)
    writer.add("ab")
    writer.add(littleEndian: 0)
    writer.add("z")
    writer.replace(littleEndian: 0x0102_0304_0506_0708, at: 2)
    #expect(writer.bytes == [0x61, 0x62, 8, 7, 6, 5, 4, 3, 2, 1, 0x7A])
  }
}
