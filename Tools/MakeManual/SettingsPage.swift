/// The settings of a commented configuration file: `[Section]`, comments, `#Key=default`. What
/// stands before the first section is not of them.
struct SettingsPage {
  let text: String

  init(_ file: String) {
    var lines: [String] = []
    var comment: [Substring] = []
    var isList = false
    func closeList() {
      if isList { lines.append(".El") }
      isList = false
    }
    for line in file.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        closeList()
        lines.append(".Ss \(Mdoc.argument("[\(line[line.index(after: line.startIndex)..<end])]"))")
        comment = []
      } else if lines.isEmpty {
        continue
      } else if let setting = Self.setting(line) {
        if !isList { lines.append(".Bl -tag -width Ds") }
        isList = true
        lines.append(
          ".It Va \(Mdoc.escaped(setting.key))= \(Mdoc.escaped(setting.value))"
            .trimmingBlanks)
        if !comment.isEmpty { lines.append(Self.paragraphs(comment)) }
        comment = []
      } else if line.hasPrefix("#") {
        comment.append(line.dropFirst())
      } else if !comment.isEmpty {
        // A comment of a section, not of a setting.
        closeList()
        lines.append(Self.paragraphs(comment))
        comment = []
      }
    }
    closeList()
    text = lines.joined(separator: "\n")
  }

  private static func setting(_ line: Substring) -> (key: Substring, value: Substring)? {
    guard line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { return nil }
    let key = line[line.index(after: line.startIndex)..<equals]
    guard let first = key.first, first.isUppercase, key.allSatisfy(\.isLetter) else { return nil }
    return (key, line[line.index(after: equals)...])
  }

  /// Paragraphs as they are; what is indented is a table and stays as it stands.
  private static func paragraphs(_ comment: [Substring]) -> String {
    var lines: [String] = []
    var words: [Substring] = []
    var isTable = false
    func closeText() {
      if !words.isEmpty { lines.append(Mdoc.text(words.joined(separator: " "))) }
      words = []
    }
    for line in comment {
      let isIndented = line.hasPrefix("   ")
      if isIndented != isTable {
        closeText()
        lines.append(isIndented ? ".Bd -literal" : ".Ed")
        isTable = isIndented
      }
      if isIndented {
        lines.append(Mdoc.escaped(line.drop { $0 == " " }.isEmpty ? "" : line.dropFirst(3)))
      } else if line.allSatisfy({ $0 == " " }) {
        closeText()
        if !lines.isEmpty { lines.append(".Pp") }
      } else {
        words.append(line)
      }
    }
    closeText()
    if isTable { lines.append(".Ed") }
    while lines.last == ".Pp" { lines.removeLast() }
    return lines.enumerated().filter { index, line in
      // A display brings its own space.
      line != ".Pp" || (index + 1 < lines.count && lines[index + 1] != ".Bd -literal")
    }.map(\.1).joined(separator: "\n")
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
