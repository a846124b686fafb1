extension JSONValue {
  /// The value as one line of JSON, UTF-8, without white space.
  package var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  package func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += value.text
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let object): object.write(to: &text)
    }
  }

  fileprivate static func write(_ string: String, to text: inout String) {
    // Nearly all texts need no escape and are copied in one piece.
    guard string.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
      text += "\""
      text += string
      text += "\""
      return
    }
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension JSONObject {
  package func write(to text: inout String) {
    text += "{"
    var first = true
    for (key, value) in members {
      if !first { text += "," }
      first = false
      JSONValue.write(key, to: &text)
      text += ":"
      value.write(to: &text)
    }
    text += "}"
  }
}
