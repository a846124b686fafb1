/// Escapes of values and parameters.
package enum CalendarText {
  /// TEXT (RFC 5545 section 3.3.11). An unknown escape stays as it is.
  package static func unescaped(_ value: String) -> String {
    unescaped(value, mark: "\\") { character in
      switch character {
      case "n", "N": "\n"
      case "\\", ";", ",", ":", "\"": character
      default: nil
      }
    }
  }

  /// Replaces each mark and the character behind it by their meaning; a pair without one stays.
  private static func unescaped(
    _ value: String, mark: Unicode.Scalar, _ meaning: (Unicode.Scalar) -> Unicode.Scalar?
  ) -> String {
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for character in value.unicodeScalars {
      if character == mark, !isEscaped {
        isEscaped = true
        continue
      }
      let meant = isEscaped ? meaning(character) : character
      if meant == nil { text.append(mark) }
      text.append(meant ?? character)
      isEscaped = false
    }
    if isEscaped { text.append(mark) }
    return String(text)
  }

  package static func escaped(_ text: String) -> String {
    var value = ""
    var last: Unicode.Scalar?
    for character in text.unicodeScalars {
      switch character {
      case "\\": value += "\\\\"
      case ";": value += "\\;"
      case ",": value += "\\,"
      case "\r": value += "\\n"
      case "\n": if last != "\r" { value += "\\n" }
      default: value.unicodeScalars.append(character)
      }
      last = character
    }
    return value
  }

  /// The parts of a list of TEXT values, at commas that are not escaped.
  package static func list(_ value: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var isEscaped = false
    for character in value.unicodeScalars {
      if character == ",", !isEscaped {
        parts.append(unescaped(part))
        part = ""
      } else {
        part.unicodeScalars.append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return parts + [unescaped(part)]
  }

  /// `^n`, `^^` and `^'` (RFC 6868 section 3.1).
  static func parameterUnescaped(_ value: String) -> String {
    unescaped(value, mark: "^") { character in
      switch character {
      case "n": "\n"
      case "^": "^"
      case "'": "\""
      default: nil
      }
    }
  }

  /// A parameter's text, quoted if needed.
  static func parameterEscaped(_ text: String) -> String {
    let escapes: [Unicode.Scalar: String] = ["^": "^^", "\n": "^n", "\"": "^'"]
    let value = withoutControls(text.unicodeScalars.map { escapes[$0] ?? "\($0)" }.joined())
    return value.unicodeScalars.contains { ",;:".unicodeScalars.contains($0) }
      ? "\"\(value)\"" : value
  }

  /// Shortest digits for the same number, without an exponent (RFC 5545 and 5870 have none).
  static func decimal(_ value: Double) -> String {
    let text = "\(value)"
    guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]),
      exponent < 0
    else { return text }
    let digits = text[..<mark].filter { $0 != "." && $0 != "-" }
    let sign = value < 0 ? "-" : ""
    return "\(sign)0." + String(repeating: "0", count: -exponent - 1) + digits
  }

  /// Control characters have no place in a line (section 3.1).
  static func withoutControls(_ text: String) -> String {
    func isControl(_ character: Unicode.Scalar) -> Bool {
      (character.value < 0x20 && character != "\t") || character.value == 0x7F
    }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
  }
}

extension String {
  /// The text without control characters, for a message.
  var shownInMessage: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 ? "\u{FFFD}" : $0 }))
  }
}
