import Testing

@testable import Positioning

/// The type of a sentence by its address.
@Suite struct SentenceTypeTests {
  @Test(arguments: SentenceType.allCases.dropFirst())
  func eachNameIsFound(_ type: SentenceType) {
    let name = "\(type)".uppercased()
    let address = name.utf8.count == 3 ? "GP" + name : name
    #expect(SentenceType(of: Array("\(address),1".utf8).span) == type)
    // One letter beside it is another sentence.
    for place in 2..<5 {
      var bytes = Array("\(address),1".utf8)
      bytes[place] ^= 0x20
      #expect(SentenceType(of: bytes.span) == .other)
    }
  }
}
