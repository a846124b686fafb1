import TestSupport
import Testing

@testable import Positioning

/// The search for the end of a sentence, many bytes at a time, against one byte at a time.
@Suite struct SentenceScanTests {
  @Test func theScanAgreesWithOneByteAtATime() {
    var random = SeededGenerator(seed: 11)
    let rare: [UInt8] = [
      0x00, 0x0A, 0x1F, 0x20, 0x21, 0x23, 0x24, 0x2A, 0x2B, 0x7E, 0x7F, 0x80, 0xFF,
    ]
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...70, using: &random)).map { _ in
        UInt8.random(in: 0x2C...0x5A, using: &random)
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &random)
        bytes[place] = rare.randomElement(using: &random) ?? 0
      }
      let start = Int.random(in: 0...bytes.count, using: &random)
      let limit = Int.random(in: start...bytes.count, using: &random)
      let text = bytes[start..<limit].prefix { byte in
        (0x20..<0x7F).contains(byte) && !"*$!".utf8.contains(byte)
      }
      let scan = bytes.span.scanSentence(from: start, to: limit)
      #expect(scan.end == text.endIndex)
      #expect(scan.checksum == text.reduce(0, ^))
    }
  }

  @Test func binaryBytesAreCountedUpToTheNextStart() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let gap = bytes.prefix { !"$!{\\".utf8.contains($0) }
      let blanks = gap.count { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
      let texts = gap.count { (0x20..<0x80).contains($0) }
      var binary = 0
      #expect(bytes.span.nextStart(from: 0, binary: &binary) == gap.endIndex)
      #expect(binary == gap.count - blanks - texts)
    }
  }

  @Test func fieldsAreSkippedByTheirCommas() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0x2A...0x2E, using: &random)
      }
      var index = Int.random(in: 0...bytes.count, using: &random)
      let number = Int.random(in: 1...20, using: &random)
      let commas = bytes.indices.filter { $0 >= index && bytes[$0] == UInt8(ascii: ",") }
      bytes.span.skipFields(number, &index)
      if number <= commas.count {
        #expect(index == commas[number - 1] + 1)
      } else {
        #expect(index > bytes.count)
      }
    }
  }
}
