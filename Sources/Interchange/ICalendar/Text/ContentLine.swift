/// One content line of RFC 5545 section 3.1, with the bytes it was read from.
///
/// Reading is lenient. Writing returns the bytes, so an unchanged line stays exactly as it was.
package struct ContentLine: Equatable, Sendable {
  package struct Parameter: Equatable, Sendable {
    /// In upper case.
    package let name: String
    /// Without quotes, escapes of RFC 6868 resolved.
    package let values: [String]
  }

  /// All of its bytes, with folds and the line end.
  package let bytes: ArraySlice<UInt8>
  /// First line in the file, from 1; 0 for a new line.
  package let number: Int
  /// In upper case; empty for an empty, a blank or an unreadable line.
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

extension ContentLine.Parameter {
  init(_ name: String, _ value: String) { self.init(name: name, values: [value]) }
}

extension ContentLine {
  /// Reads one logical line.
  /// - Parameters:
  ///   - bytes: with folds and line end.
  ///   - unfolded: the same without.
  ///   - damage: gets the parameters that cannot be read.
  /// - Throws: a fault if the whole line cannot be read.
  init(
    bytes: ArraySlice<UInt8>, unfolded: ArraySlice<UInt8>, number: Int, _ damage: inout [Refusal]
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
        throw Fault("the line has more than \(Self.maximumParameters) parameters", line: number)
      }
      let start = rest
      do throws(Fault) {
        parameters.append(try Self.parameter(&rest))
      } catch {
        // Without its parameter the value may still count.
        guard
          let end = start.firstIndex(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ":") })
        else { throw error }
        rest = start[end...]
        damage.add(number, error.reason)
      }
    }
    guard rest.popFirst() == UInt8(ascii: ":") else {
      throw Fault("'\(name)' has no ':' and value; write NAME:value, or fold the line before")
    }
    self.parameters = parameters
    value = String(decoding: rest, as: UTF8.self)
  }

  /// A line that cannot be read: it keeps its bytes and says nothing.
  init(unread bytes: ArraySlice<UInt8>, number: Int) {
    self.bytes = bytes
    self.number = number
    (name, parameters, value) = ("", [], "")
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
        // A time has no colon: `TZID=UTC-03:00:20261202T141000` has its value behind the last one.
        let end = name == "TZID" ? rest.lastIndex(of: UInt8(ascii: ":")) : nil
        value = rest[..<(end ?? rest.endIndex)].prefix { byte in
          defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
          return isEscaped
            || byte != UInt8(ascii: ",") && byte != UInt8(ascii: ";")
              && (byte != UInt8(ascii: ":") || end != nil)
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
