import JSONText
import Testing

@Suite struct JSONParserTests {
  /// RFC 8259 section 3 to 9: what every reader must take, and how this one prints it.
  @Test(arguments: [
    ("null", "null"),
    ("true", "true"),
    (" false ", "false"),
    ("\t\r\n 1 \n", "1"),
    ("\u{FEFF}1", "1"),
    ("0", "0"),
    ("-0", "-0"),
    ("-0.0", "-0.0"),
    ("10.50", "10.50"),
    ("1E+2", "1E+2"),
    ("1e-02", "1e-02"),
    ("1e999", "1e999"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("52.520006599999999999", "52.520006599999999999"),
    (#""""#, #""""#),
    (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#),
    (#""\u0041\u00e9\u20ac""#, #""Aé€""#),
    (#""\uD83D\uDE00""#, #""😀""#),
    (#""\ud83d\ude00""#, #""😀""#),
    (#""\uDBFF\uDFFF""#, "\"\u{10FFFF}\""),
    (#""\uFFFF""#, "\"\u{FFFF}\""),
    (#""a\u0000b""#, #""a\u0000b""#),
    ("\"\u{7F}\u{2028}\"", "\"\u{7F}\u{2028}\""),
    ("[]", "[]"),
    ("[ ]", "[]"),
    ("[1 , [2] , {}]", "[1,[2],{}]"),
    ("{ }", "{}"),
    (#"{ "b" : 1 , "a" : 2 }"#, #"{"b":1,"a":2}"#),
    (#"{"":null}"#, #"{"":null}"#),
    (#"{"a":1,"a":2}"#, #"{"a":2}"#),
  ])
  func accepts(text: String, printed: String) throws {
    let value = try JSONParser.parse(text)
    #expect(value.line == printed)
    #expect(try JSONParser.parse(value.line) == value)
  }

  @Test(arguments: [
    "", " ", "\u{FEFF}", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "undefined", "'a'",
    "+1", "01", "-01", "00", "-", ".5", "1.", "1.e1", "1e", "1e+", "1.5e", "0x10", "1_000", "1 2",
    "- 1", "1e1.5", "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"",
    "\"\\u\"", "\"\\u+123\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"",
    "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\\ud800x\"",
    "\"\\ud800\\n\"", "\"\\ud800\\u\"", "\"\\udc00\\ud800\"", "[", "]", "[1", "[1,", "[1,]", "[,1]",
    "[1 2]", "[1}", "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
    "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{,}", "{\"a\":}", "[1]x", "1,", "/**/1",
    "//\n1", "\u{A0}1", "\u{B}1", "[\u{FEFF}1]",
  ])
  func refuses(text: String) {
    #expect(throws: JSONError.self) { try JSONParser.parse(text) }
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22],  // never in UTF-8
      [0x22, 0xC0, 0xAF, 0x22],  // overlong
      [0x22, 0xED, 0xA0, 0x80, 0x22],  // an encoded surrogate
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],  // beyond U+10FFFF
      [0x22, 0xE2, 0x82, 0x22],  // cut off
      [0x22, 0x80, 0x22],  // a lone continuation
      [0x22, 0x5C, 0x6E, 0xFF, 0x22],  // behind an escape
      [0xFF, 0xFE, 0x31, 0x00],  // UTF-16
      [0xEF, 0xBB, 0xBF],  // a byte order mark and nothing else
      [0x31, 0x00],
    ] as [[UInt8]])
  func refusesBytes(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
  }

  @Test(arguments: [
    ("", 1, 1, 0),
    ("[1,\n 2,\n  x]", 3, 3, 10),
    ("{\"a\": 1,\n}", 2, 1, 9),
    ("{\"a\": 01}", 1, 7, 6),
    ("[\"abc", 1, 2, 1),
    ("[\n\"a\\q\"]", 2, 3, 4),
    ("\"\\ud800\"", 1, 2, 1),
    ("1\r\n 2", 2, 2, 4),
  ])
  func saysWhere(text: String, line: Int, column: Int, offset: Int) {
    do {
      _ = try JSONParser.parse(text)
      Issue.record("was taken")
    } catch {
      #expect((error.line, error.column, error.offset) == (line, column, offset))
      #expect(error.description == "line \(line), column \(column): \(error.reason)")
    }
  }

  @Test func nestingIsBounded() throws {
    let limit = JSONParser.maximumDepth
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let core = open == "[" ? "" : "1"
      // The innermost scalar of the objects is one level more.
      let depth = open == "[" ? limit : limit - 1
      let good =
        String(repeating: open, count: depth) + core + String(repeating: close, count: depth)
      _ = try JSONParser.parse(good)
      #expect(throws: JSONError.self) { try JSONParser.parse(open + good + close) }
      #expect(throws: JSONError.self) {
        try JSONParser.parse(String(repeating: open, count: 1_000_000))
      }
    }
  }

  @Test func readsOneValueAfterTheOther() throws {
    var parser = JSONParser(Array("{\"a\":1}\n\n[2] 3".utf8))
    #expect(try parser.next()?["a"]?.int == 1)
    #expect(try parser.next() == [2])
    let second = parser.currentLine()
    #expect(second == 3)
    #expect(!parser.atEnd)
    #expect(try parser.next() == 3)
    #expect(try parser.next() == nil)
    #expect(parser.atEnd)
  }

  @Test func walksAListByHand() throws {
    var parser = JSONParser(Array(" [ 1 , 2 ] ".utf8))
    var seen: [Int?] = []
    let opens = parser.consume(UInt8(ascii: "["))
    repeat { seen.append(try parser.next()?.int) } while parser.consume(UInt8(ascii: ","))
    let closes = parser.consume(UInt8(ascii: "]"))
    let closesTwice = parser.consume(UInt8(ascii: "]"))
    #expect(opens && closes && !closesTwice)
    #expect(seen == [1, 2])
  }

  /// After an error the parser may be asked again and must still not trap.
  @Test(arguments: ["\"\\", "[", "{\"a\"", "tru", "\"\\u1", "-"])
  func survivesBeingAskedAgain(text: String) {
    var parser = JSONParser(Array(text.utf8))
    for _ in 0..<4 { _ = try? parser.next() }
    let line = parser.currentLine()
    #expect(line == 1)
  }
}
