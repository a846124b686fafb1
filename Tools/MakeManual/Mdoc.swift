/// Text for mdoc(7).
enum Mdoc {
  /// One line of text, no sentence of which is on a line with another, as is the custom.
  static func text(_ words: some StringProtocol) -> String {
    var lines: [String] = []
    var line = ""
    for word in words.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      line += (line.isEmpty ? "" : " ") + escaped(word)
      if let last = word.last, ".:?!".contains(last), word.count > 2 {
        lines.append(line)
        line = ""
      }
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map { $0.first == "." || $0.first == "'" ? "\\&" + $0 : $0 }.joined(
      separator: "\n")
  }

  /// A word, of which nothing is markup. Hyphens in it are those of a keyboard.
  static func escaped(_ word: some StringProtocol) -> String {
    word.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\e"
      case "-": text += "\\-"
      case "~": text += "\\(ti"
      case "^": text += "\\(ha"
      case "`": text += "\\(ga"
      default: text.append(character)
      }
    }
  }

  /// A word as an argument of a macro: in quotes, so that none of it is one.
  static func argument(_ word: some StringProtocol) -> String {
    "\""
      + escaped(word).split(separator: "\"", omittingEmptySubsequences: false).joined(
        separator: "\"\"") + "\""
  }
}
