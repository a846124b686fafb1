import Configuration
import TestSupport
import Testing

@Suite struct ConfigurationFileTests {
  private func triples(_ text: String) throws -> [String] {
    try ConfigurationFile.parse(text, path: "t.conf").assignments
      .map { "\($0.line) [\($0.section)] \($0.key)|\($0.value)" }
  }

  @Test(
    arguments: [
      ("", []),
      ("\n\n# a\n;b\n  # c\n", []),
      ("[A]\nk=v", ["2 [A] k|v"]),
      ("\u{FEFF}[A]\r\nk=v\r\n", ["2 [A] k|v"]),
      ("[A]\n  k \t=  v w\t \n", ["2 [A] k|v w"]),
      ("[A]\nk=\n", ["2 [A] k|"]),
      ("[A]\nk=a=b # not a comment\n", ["2 [A] k|a=b # not a comment"]),
      ("[A]\nk=\"x\"\n", ["2 [A] k|\"x\""]),
      ("[A]\nk=1\n[B c]\nk=2\n[A]\nk=3\n", ["2 [A] k|1", "4 [B c] k|2", "6 [A] k|3"]),
      ("[A]\nk=a \\\n   b\\\n c\nl=1", ["2 [A] k|a  b c", "5 [A] l|1"]),
      ("[A]\nk=a\\\n# between\n; too\nb\nl=1", ["2 [A] k|a b", "6 [A] l|1"]),
      ("[A]\nk=a\\\n\nl=1", ["2 [A] k|a", "4 [A] l|1"]),
      ("[A]\nk=a\\\\\nl=1", [#"2 [A] k|a\\"#, "3 [A] l|1"]),
      ("[A]\nk=a\\ \nl=1", [#"2 [A] k|a\"#, "3 [A] l|1"]),
      ("[A]\nk=a\\", ["2 [A] k|a"]),
      ("[A]\nk=\\\nv", ["2 [A] k|v"]),
      ("[A]\n# comment \\\nk=v", ["3 [A] k|v"]),
      ("[A]\nk=Größe 😀", ["2 [A] k|Größe 😀"]),
    ] as [(String, [String])])
  func reads(text: String, expected: [String]) throws {
    #expect(try triples(text) == expected)
  }

  @Test(arguments: [
    ("k=v", 1, "before any section"),
    ("[A]\n\nnonsense\n", 3, "no '='"),
    ("[A]\n=v", 2, "no key"),
    ("[A\nk=v", 1, "not a section"),
    ("[]", 1, "not a section"),
    ("[", 1, "not a section"),
    ("[A]]", 1, "not a section"),
    ("[A] k=v", 1, "not a section"),
    ("[A]\nk=\u{0}v", 2, "UTF-8"),
    ("[A]\nk=\\\nb\nx\\\ny", 4, "no '='"),
  ])
  func aLineThatCannotBeReadIsLeftOut(text: String, line: Int, words: String) throws {
    let faults = try ConfigurationFile.parse(text, path: "t.conf").faults
    #expect(faults.count == 1)
    #expect(faults.first?.line == line)
    #expect(faults.first?.message.contains(words) == true)
    let right = text + "\n[Right]\nright=1"
    #expect(try triples(right).filter { $0.hasSuffix("[Right] right|1") }.count == 1)
  }

  @Test func aLineThatIsNotTextIsLeftOut() throws {
    let file = try ConfigurationFile.parse(Array("[A]\nk=".utf8) + [0xFF], path: "x")
    #expect(file.faults.map(\.line) == [2])
  }

  /// Its lines might belong to any section.
  @Test func aSectionWithoutAReadableNameIsLeftOutAsAWhole() throws {
    let file = try ConfigurationFile.parse("[A]\na=1\n[B\nb=1\nnonsense\n[C]\nc=1\n", path: "x")
    #expect(file.assignments.map(\.key) == ["a", "c"])
    #expect(file.faults.map(\.line) == [3])
    #expect(file.faults.map(\.text) == ["[B\nb=1\nnonsense"])
  }

  @Test func sizeIsBounded() throws {
    let longest = ConfigurationFile.maximumLineLength
    let head = "[A]\nk="
    let line = String(repeating: "v", count: longest - 2)
    #expect(try ConfigurationFile.parse(head + line, path: "x").assignments.count == 1)
    let error = try #require(throws: ConfigurationError.self) {
      try ConfigurationFile.parse(head + line + "v", path: "x")
    }
    #expect(error.line == 2)
    // Many short continued lines make one long one.
    let folded = String(repeating: "v\\\n", count: longest / 2)
    #expect(throws: ConfigurationError.self) {
      try ConfigurationFile.parse(head + folded, path: "x")
    }
    let comment = String(repeating: "#", count: 1_023) + "\n"
    let full = String(repeating: comment, count: ConfigurationFile.maximumSize / 1_024)
    #expect(try ConfigurationFile.parse(full, path: "x").assignments.isEmpty)
    let whole = try #require(throws: ConfigurationError.self) {
      try ConfigurationFile.parse(full + "#", path: "x")
    }
    #expect(whole.line == nil)
    #expect(whole.description.hasPrefix("x: the file is larger"))
  }

  /// Whatever the bytes, the reader answers, and a line it names exists.
  @Test(arguments: 0..<4) func neverTraps(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let alphabet = Array("[]=\\\\#; \t\r\n\n\nAkv".utf8) + [0, 0xFF]
    for _ in 0..<1_500 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      let file = try ConfigurationFile.parse(Array("[A]\n".utf8) + bytes, path: "x")
      #expect(file.assignments.allSatisfy { !$0.key.isEmpty && !$0.section.isEmpty })
      #expect(file.faults.allSatisfy { (1...42).contains($0.line) })
      _ = Configuration([file], declared: [.scalar("A", "k")]).dump()
    }
  }
}
