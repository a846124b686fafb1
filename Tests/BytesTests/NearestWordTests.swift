import Testing

@testable import Bytes

@Suite struct NearestWordTests {
  @Test func aWordThatBeginsWithTheTypedLettersWins() {
    let options = ["lead", "near-category", "near-radius"]
    #expect(NearestWord.find("near", in: options) == "near-category")
    #expect(NearestWord.find("Near", in: options) == "near-category")
    // Two letters begin too many words.
    #expect(NearestWord.find("ne", in: options) == nil)
    #expect(NearestWord.find("laed", in: options) == "lead")
    #expect(NearestWord.find("nothing", in: options) == nil)
  }
}
