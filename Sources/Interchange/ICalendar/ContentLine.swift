/// One content line of RFC 5545 section 3.1, with the bytes it was read from.
///
/// Reading is lenient. Writing returns the bytes, so an unchanged line stays exactly as it was.
package struct ContentLine: Equatable, Sendable {
  package struct Parameter: Equatable, Sendable {
    /// In upper case.
    package let name: String
    /// Without quotes, escapes of RFC 6868 resolved.
    package let values: [String]

    package init(name: String, values: [String]) {
      self.name = name
      self.values = values
    }
  }

  /// All of its bytes, with folds and the line end.
  package let bytes: ArraySlice<UInt8>
  /// First line in the file, from 1; 0 for a new line.
  package let number: Int
  /// In upper case; empty for an empty line, or one of blanks.
  package let name: String
  package let parameters: [Parameter]
  /// Unfolded, with escapes; U+FFFD for invalid UTF-8.
  package let value: String

  /// Values of a parameter that is given, joined by commas: unquoted text may have some.
  package subscript(name: String) -> String? {
    parameters.first { $0.name == name }?.values.joined(separator: ",")
  }

  /// The value of type TEXT (section 3.3.11).
  package var text: String { CalendarText.unescaped(value) }
}

extension ContentLine {
  /// Reads one logical line.
  /// - Parameters:
  ///   - bytes: with folds and line end.
  ///   - unfolded: the same without.
  init(
    bytes: ArraySlice<UInt8>, unfolded: ArraySlice<UInt8>, number: Int
  ) throws(Fault) {
    self.bytes = bytes
    self.number = number
    guard unfolded.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
      (name, parameters, value) = ("", [], "")
      return
    }
    var rest = unfolded
    name = try Self.name(&rest, what: "a name and a colon")
    var parameters: [Parameter] = []
    while rest.first == UInt8(ascii: ";") {
      rest.removeFirst()
      guard parameters.count < Self.maximumParameters else {
        throw Fault("the line has more than \(Self.maximumParameters) parameters")
      }
      parameters.append(try Self.parameter(&rest))
    }
    guard rest.popFirst() == UInt8(ascii: ":") else {
      throw Fault("'\(name)' has no ':' and value; write NAME:value, or fold the line before")
    }
    self.parameters = parameters
    value = String(decoding: rest, as: UTF8.self)
  }

  private static let maximumParameters = 256
  private static let maximumValues = 1_024

  /// Letters, digits and hyphens; dots and underscores stand in some files.
  private static func name(
    _ rest: inout ArraySlice<UInt8>, what: String
  ) throws(Fault) -> String {
    let name = rest.prefix { byte in
      byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
    guard !name.isEmpty else {
      let shown = String(decoding: rest.prefix(40), as: UTF8.self).shownInMessage
      throw Fault("\(what) should stand where '\(shown)' is")
    }
    rest = rest[name.endIndex...]
    return String(decoding: name, as: UTF8.self).uppercased()
  }

  private static func parameter(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Parameter {
    let name = try name(&rest, what: "the name of a parameter")
    // Version 2.1 of vCard, and some programs still, have parameters without a value.
    guard rest.first == UInt8(ascii: "=") else { return Parameter(name: name, values: []) }
    var values: [String] = []
    repeat {
      rest.removeFirst()
      var value: ArraySlice<UInt8>
      if rest.first == UInt8(ascii: "\"") {
        rest.removeFirst()
        value = rest.prefix { $0 != UInt8(ascii: "\"") }
        rest = rest[value.endIndex...]
        guard rest.popFirst() != nil else {
          throw Fault("the quote of parameter \(name) is not closed; add a \"")
        }
      } else {
        // iOS escapes semicolons and commas as in a text, which RFC 5545 does not know.
        var isEscaped = false
        value = rest.prefix { byte in
          defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
          return isEscaped
            || byte != UInt8(ascii: ",") && byte != UInt8(ascii: ";") && byte != UInt8(ascii: ":")
        }
        rest = rest[value.endIndex...]
      }
      guard values.count < maximumValues else {
        throw Fault("parameter \(name) has more than \(maximumValues) values")
      }
      let text = String(decoding: value, as: UTF8.self)
        .replacing("\\;", with: ";").replacing("\\,", with: ",")
      values.append(CalendarText.parameterUnescaped(text))
    } while rest.first == UInt8(ascii: ",")
    return Parameter(name: name, values: values)
  }
}

extension ContentLine {
  /// Octets in a line before it is folded (RFC 5545 section 3.1).
  private static let foldWidth = 75

  /// A new line, folded between whole characters.
  /// - Parameters:
  ///   - value: escaped where its type asks for it.
  ///   - lineEnd: the line end of the target file.
  package static func make(
    _ name: String, _ parameters: [Parameter] = [], _ value: String, lineEnd: [UInt8]
  ) -> ContentLine {
    var text = name
    for parameter in parameters {
      let values = parameter.values.map { CalendarText.parameterEscaped($0) }
      text += ";\(parameter.name)=\(values.joined(separator: ","))"
    }
    text += ":" + CalendarText.withoutControls(value)
    var bytes: [UInt8] = []
    var width = 0
    for character in text.unicodeScalars {
      let encoded = UTF8.encode(character).map { Array($0) } ?? []
      if width + encoded.count > foldWidth {
        bytes += lineEnd
        bytes.append(0x20)
        width = 1
      }
      bytes += encoded
      width += encoded.count
    }
    bytes += lineEnd
    return ContentLine(
      bytes: bytes[...], number: 0, name: name, parameters: parameters, value: value)
  }
}

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
    var value = ""
    var needsQuotes = false
    for character in text.unicodeScalars {
      switch character {
      case "^": value += "^^"
      case "\n": value += "^n"
      case "\"": value += "^'"
      case ",", ";", ":":
        needsQuotes = true
        value.unicodeScalars.append(character)
      default: value.unicodeScalars.append(character)
      }
    }
    value = withoutControls(value)
    return needsQuotes ? "\"\(value)\"" : value
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
