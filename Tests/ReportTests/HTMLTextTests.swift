import Testing

@testable import Report

@Suite struct HTMLTextTests {
  @Test func nothingOfATextIsMarkup() {
    #expect(
      HTMLText.escaped("<b a='1' c=\"2\">&</b>")
        == "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;&lt;/b&gt;")
  }

  @Test func charactersInvalidInHTMLAreReplaced() {
    #expect(HTMLText.escaped("a\u{0}b\u{1B}c\nd\te\u{85}f") == "a\u{FFFD}b\u{FFFD}c\nd\te\u{FFFD}f")
  }

  @Test func noJSONEndsTheScriptItIsIn() {
    #expect(HTMLText.scriptSafe(#"{"a":"</script><!--"}"#) == #"{"a":"\u003c/script>\u003c!--"}"#)
  }
}
