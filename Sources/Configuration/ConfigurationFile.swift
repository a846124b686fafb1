/// One file in the form of systemd.syntax(7): sections, `Key=Value`, comments, continued lines.
///
///     [Feed]
///     # a comment, as is a line that begins with ;
///     URL=gpsd://localhost:2947
///     Hook=/usr/local/bin/announce \
///          --quietly
///
/// A backslash at the end of a line becomes a space, and the next line that is no comment follows.
/// Quotes and `%` have no meaning. A line that cannot be read is left out and listed in ``faults``,
/// with all lines of a section whose header cannot be read.
package struct ConfigurationFile: Equatable, Sendable {
  /// A file larger than this is refused: 1 MiB.
  package static let maximumSize = 1 << 20
  /// A line longer than this, its continuations counted in, is refused: 64 KiB.
  package static let maximumLineLength = 64 << 10

  /// One `[Section]` header.
  package struct Header: Equatable, Sendable {
    package let name: String
    /// Counted from 1.
    package let line: Int
  }

  /// One `Key=Value`.
  package struct Assignment: Equatable, Sendable {
    package let section: String
    package let key: String
    /// The value without surrounding white space; empty means "back to the default".
    package let value: String
    /// First line in the file, from 1.
    package let line: Int
  }

  /// A line that is left out.
  package struct Fault: Equatable, Sendable {
    /// Counted from 1.
    package let line: Int
    /// One sentence with its remedy.
    package let message: String
    /// All the text that is left out: the line, and the lines of its section.
    package fileprivate(set) var text: String

    /// Whether a line that is left out begins with this key, in any case.
    func names(_ key: String) -> Bool {
      text.lowercased().split(separator: "\n").contains { line in
        line.drop { !$0.isLetter }.prefix { $0.isLetter } == key.lowercased()
      }
    }
  }

  /// The path as passed in, for errors and sources of values.
  package let path: String
  package private(set) var headers: [Header] = []
  package private(set) var assignments: [Assignment] = []
  package private(set) var faults: [Fault] = []

  /// Complexity: O(n).
  package static func parse(_ text: String, path: String) throws(ConfigurationError) -> Self {
    try parse(Array(text.utf8), path: path)
  }

  /// Complexity: O(n).
  package static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> Self {
    var file = Self(path: path)
    guard bytes.count <= maximumSize else {
      throw file.error(nil, "the file is larger than 1 MiB; is it a configuration file at all?")
    }
    try file.read(bytes)
    return file
  }

  private init(path: String) { self.path = path }

  private func error(_ line: Int?, _ message: String) -> ConfigurationError {
    ConfigurationError(file: path, line: line, message: message)
  }

  private mutating func leaveOut(_ text: String, _ line: Int, _ message: String) {
    faults.append(Fault(line: line, message: message, text: text))
  }

  private mutating func read(_ bytes: [UInt8]) throws(ConfigurationError) {
    var open: (text: [UInt8], line: Int)?
    var section = Section.none
    var number = 0
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let lines = bytes.dropFirst(hasMark ? 3 : 0)
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for raw in lines {
      number += 1
      let ending = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
      let line = ending.drop(while: Self.isSpace)
      if let first = line.first, first == UInt8(ascii: "#") || first == UInt8(ascii: ";") {
        continue
      }
      let start = open?.line ?? number
      var text = open?.text ?? []
      open = nil  // Else each append would copy the whole line so far.
      guard text.count + line.count <= Self.maximumLineLength else {
        throw error(start, "the line is longer than 64 KiB; shorten it or remove it")
      }
      text.append(contentsOf: line)
      if Self.isContinued(line) {
        text[text.count - 1] = UInt8(ascii: " ")
        open = (text, start)
      } else {
        take(text, at: start, section: &section)
      }
    }
    if let open { take(open.text, at: open.line, section: &section) }
  }

  private enum Section {
    case none
    case named(String)
    /// Its header is the last of ``faults``.
    case leftOut
  }

  /// One whole line: empty, a header or an assignment.
  private mutating func take(_ bytes: [UInt8], at line: Int, section: inout Section) {
    let bytes = Self.trimmed(bytes[...])
    guard let first = bytes.first else { return }
    if case .leftOut = section, first != UInt8(ascii: "[") {
      faults[faults.count - 1].text += "\n" + String(decoding: bytes, as: UTF8.self)
      return
    }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return leaveOut(
        String(decoding: bytes, as: UTF8.self), line,
        "the line is not UTF-8 text; save the file as UTF-8")
    }
    if first == UInt8(ascii: "[") {
      let name = bytes.dropFirst().dropLast()
      guard bytes.last == UInt8(ascii: "]"), bytes.count > 2, !name.contains(where: Self.isBracket)
      else {
        section = .leftOut
        return leaveOut(text, line, "'\(shown(text))' is not a section; write it as [Name]")
      }
      let title = String(decoding: name, as: UTF8.self)
      headers.append(Header(name: title, line: line))
      section = .named(title)
      return
    }
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
      return leaveOut(
        text, line, "'\(shown(text))' has no '='; write Key=Value, or begin a comment with '#'")
    }
    let key = String(decoding: Self.trimmed(bytes[..<equals]), as: UTF8.self)
    guard !key.isEmpty else {
      return leaveOut(text, line, "there is no key before the '='; write Key=Value")
    }
    guard case .named(let section) = section else {
      return leaveOut(
        text, line, "'\(shown(key))' stands before any section; put a [Section] line above it")
    }
    let value = String(decoding: Self.trimmed(bytes[(equals + 1)...]), as: UTF8.self)
    assignments.append(Assignment(section: section, key: key, value: value, line: line))
  }

  /// Whether the line ends with a backslash that is not itself escaped by one.
  private static func isContinued(_ line: ArraySlice<UInt8>) -> Bool {
    !line.reversed().prefix { $0 == UInt8(ascii: "\\") }.count.isMultiple(of: 2)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }

  private static func isBracket(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let rest = bytes.drop(while: isSpace)
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return [] }
    return rest[...last]
  }
}

/// A text cut to a length that fits an error message.
func shown(_ text: String) -> String {
  let limit = 60
  let head = text.unicodeScalars.prefix(limit)
  var result = ""
  for scalar in head { result.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar) }
  return head.endIndex == text.unicodeScalars.endIndex ? result : result + "…"
}
