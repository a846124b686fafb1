import Bytes
import TestSupport
import Testing

/// Pieces of all kinds and lengths against a plain array of bytes.
@Suite struct ByteWriterTests {
  private static let texts = ["", "a", "fifteen letters", "Zug nach Köln 🚆", "0123456789abcdefg"]

  @Test(arguments: 0..<64)
  func addedBytesKeepTheirOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var writer = ByteWriter(capacity: Int.random(in: 0...40, using: &random))
    for _ in 0..<2 {
      var expected: [UInt8] = []
      pieces: for _ in 0..<40 {
        let shift = Int.random(in: 0...63, using: &random)
        let number = UInt64.random(in: 0...(.max), using: &random) >> shift
        switch Int.random(in: 0...7, using: &random) {
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
          writer.add(7, littleEndian: number)
          expected += [7] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        case 4:
          writer.add("Zug nach Köln" as StaticString)
          expected += "Zug nach Köln".utf8
        case 5:
          let text = Self.texts.randomElement(using: &random) ?? ""
          writer.add("NAME", separator: 0x3D, text.utf8.span, end: 0x0A)
          expected += "NAME=\(text)\n".utf8
        case 6:
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

  @Test(arguments: 0..<16)
  func aUUIDHasItsHyphens(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let number = UInt128.random(in: 0...(.max), using: &random)
    var writer = ByteWriter(capacity: 0)
    writer.add("<")
    writer.add(uuid: number)
    let text = writer.text
    #expect(text.dropFirst().split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    #expect(UInt128(text.dropFirst().filter { $0 != "-" }, radix: 16) == number)
    #expect(text.lowercased() == text)
  }

  @Test func allHexadecimalDigitsAreThemselves() {
    var writer = ByteWriter(capacity: 0)
    writer.add(uuid: 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210)
    #expect(writer.text == "01234567-89ab-cdef-fedc-ba9876543210")
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
