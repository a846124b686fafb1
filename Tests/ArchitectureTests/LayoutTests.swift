import TestSupport
import Testing

/// The layout of `Sources`, which makes it readable file by file, and the words of its names.
@Suite struct LayoutTests {
  static let files = swiftFiles(below: "\(packageRoot)/Sources")

  @Test func noFolderHasMoreThanEighteenFiles() {
    let folders = Dictionary(grouping: Self.files) { file in
      file[..<(file.lastIndex(of: "/") ?? file.startIndex)]
    }
    #expect(folders.count > 30)
    for (folder, files) in folders { #expect(files.count <= 18, "\(folder): use subfolders") }
  }

  @Test(arguments: files) func filesAndLinesAndFunctionsAreShort(file: String) throws {
    let lines = try contents(file).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count - 1 <= 300, "\(file)")
    for (number, line) in lines.enumerated() where line.utf8.count > 100 && line.count > 100 {
      Issue.record("\(file):\(number + 1) has \(line.count) columns")
    }
    var start: (line: Int, indent: Int)?
    for (number, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let words = line.split(separator: " ")
      if words.contains("func") || words.contains(where: { $0.hasPrefix("init(") }) {
        start = (number, indent)
      } else if let first = start, indent == first.indent, line.dropFirst(indent) == "}" {
        #expect(number - first.line < 80, "\(file):\(first.line + 1): divide the function")
        start = nil
      }
    }
  }

  /// Words that name nothing of the field, and the standard term for each.
  static let privateWords: [String: String] = [
    "look": "check, evaluate", "looked": "checked", "looks": "checks", "tell": "report, notify",
    "told": "notified", "shelf": "bucket", "shelves": "buckets", "rack": "array",
    "gone": "removed, disconnected", "patience": "timeout", "whereabouts": "position",
    "leash": "dead band", "astray": "stray", "adrift": "drifting", "trouble": "failure",
    "reckoning": "estimate, bounds", "reckon": "compute",
  ]

  @Test(arguments: files) func namesHaveStandardTerms(file: String) throws {
    var isText = false
    for line in try contents(file).split(separator: "\n") {
      if line.contains("\"\"\"") { isText.toggle() }
      guard !isText else { continue }
      for name in identifiers(in: line) {
        let words = wordsOfName(name)
        for (index, word) in words.enumerated() {
          let next = index + 1 < words.count ? words[index + 1] : ""
          let before = index > 0 ? words[index - 1] : ""
          guard (word, next) != ("look", "up"), (before, word) != ("dead", "reckoning"),
            let term = Self.privateWords[word]
          else { continue }
          Issue.record("\(file): \(name): write \(term)")
        }
        if words.count > 1, words[0] == "most" { Issue.record("\(file): \(name): write maximum…") }
      }
    }
  }

  @Test func namesAreDividedIntoWords() {
    #expect(wordsOfName("lookUpHTTPHost2") == ["look", "up", "http", "host", "2"])
    #expect(identifiers(in: #"let a = "look \(b(told)) up" // c"#) == ["let", "a", "b", "told"])
  }
}

/// The identifiers of a line of code: without comments and the text of strings.
private func identifiers(in line: Substring) -> [String] {
  let bytes = Array(line.utf8)
  var names: [String] = []
  // Parentheses that are open in each interpolation.
  var depths: [Int] = []
  var isText = false
  var index = 0
  while index < bytes.count {
    let byte = bytes[index]
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    index += 1
    if byte == UInt8(ascii: "\"") {
      isText.toggle()
    } else if isText {
      guard byte == UInt8(ascii: "\\") else { continue }
      index += 1
      guard next == UInt8(ascii: "(") else { continue }
      depths.append(0)
      isText = false
    } else if byte == UInt8(ascii: "/"), next == byte {
      break
    } else if byte == UInt8(ascii: "("), let depth = depths.last {
      depths[depths.count - 1] = depth + 1
    } else if byte == UInt8(ascii: ")"), let depth = depths.last {
      depths[depths.count - 1] = depth - 1
      guard depth == 0 else { continue }
      depths.removeLast()
      isText = true
    } else if isNameByte(byte) {
      let end = bytes[index...].firstIndex { !isNameByte($0) } ?? bytes.count
      names.append(String(decoding: bytes[(index - 1)..<end], as: UTF8.self))
      index = end
    }
  }
  return names
}

private func isNameByte(_ byte: UInt8) -> Bool {
  (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    || byte == UInt8(ascii: "_")
}

/// The words of a name in camel case, in lower case.
private func wordsOfName(_ name: String) -> [String] {
  let bytes = Array(name.utf8)
  func isUpper(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
  func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
  var words: [String] = []
  for (index, byte) in bytes.enumerated() where byte != UInt8(ascii: "_") {
    let previous = index > 0 ? bytes[index - 1] : UInt8(ascii: "_")
    let next = index + 1 < bytes.count ? bytes[index + 1] : UInt8(ascii: "A")
    let begins =
      previous == UInt8(ascii: "_") || isDigit(byte) != isDigit(previous)
      || (isUpper(byte) && (!isUpper(previous) || !(isUpper(next) || isDigit(next))))
    if begins || words.isEmpty { words.append("") }
    words[words.count - 1].unicodeScalars.append(
      Unicode.Scalar(isUpper(byte) ? byte | 0x20 : byte))
  }
  return words
}
