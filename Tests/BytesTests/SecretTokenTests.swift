import Bytes
import Testing

@Suite struct SecretTokenTests {
  @Test func tokensDifferAndHaveTheirForm() {
    let tokens = (0..<1_000).map { _ in SecretToken.random() }
    #expect(Set(tokens).count == 1_000)
    #expect(tokens.allSatisfy { SecretToken.isOne($0.utf8) })
    // 256 bits in 43 digits leave two bits, which are zero.
    #expect(Set(tokens.compactMap(\.last)).isSubset(of: "AEIMQUYcgkosw048"))
  }

  @Test(arguments: [
    "", String(repeating: "a", count: 42), String(repeating: "a", count: 44),
    String(repeating: "a", count: 42) + "=", String(repeating: "a", count: 41) + "é",
  ])
  func anotherTextIsNone(text: String) { #expect(!SecretToken.isOne(text.utf8)) }

  /// FIPS 180-4 has this example.
  @Test func theHashIsSHA256() {
    #expect(
      SecretToken.hash("abc".utf8)
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
