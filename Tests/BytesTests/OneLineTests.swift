import Bytes
import Testing

@Suite struct OneLineTests {
  @Test(arguments: [
    ("", ""), ("A  B ", "A  B "), ("Wild\n camp", "Wild camp"), ("\n A \r\n\t B\u{85}", "A B"),
    ("A\u{2028}B\u{0}\u{7F}C", "A B C"), ("  A\nB  ", "  A B  "), ("\n", ""), ("A \n", "A"),
    ("👩\u{200D}🚀\tx", "👩\u{200D}🚀 x"), ("e\u{301}\nx", "e\u{301} x"),
  ]) func aLineBreakBecomesABlank(_ text: String, _ expected: String) {
    #expect(text.onOneLine == expected)
    #expect(expected.onOneLine == expected)
  }
}
