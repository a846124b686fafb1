import Companion
import Glibc
package import JSONText
import LinuxRuntime

/// A stream of text, gathered into large writes.
package final class Output {
  /// Bytes that are gathered before they are written.
  private static let bufferSize = 1 << 16

  /// nil for an output in memory.
  private let descriptor: Int32?
  private var text = ""
  /// Written text, for an output in memory.
  private var kept = ""
  /// The width of a terminal; nil for any other output.
  package let columns: Int?
  /// Whether the output is a terminal.
  package var isTerminal: Bool { columns != nil }
  /// Whether to use colour: on a terminal, unless NO_COLOR (https://no-color.org) is set.
  package let hasColor: Bool

  /// Writes to a descriptor.
  package init(descriptor: Int32, noColor: String?) {
    self.descriptor = descriptor
    columns = isatty(descriptor) == 1 ? Terminal(output: descriptor).size.columns : nil
    hasColor = columns != nil && (noColor ?? "").isEmpty
  }

  /// An output in memory, for tests.
  /// - Parameter columns: the width, for one that counts as a terminal.
  package init(columns: Int? = nil) {
    descriptor = nil
    self.columns = columns
    hasColor = false
  }

  /// All that was written to a stream in memory.
  package var contents: String { kept + text }

  /// Writes a line that is made here: it is trusted.
  package func line(_ line: String) throws(Failure) {
    text += line
    text += "\n"
    if text.utf8.count >= Self.bufferSize { try flush() }
  }

  /// Writes one object as one line of JSON.
  package func line(_ object: JSONObject) throws(Failure) {
    object.write(to: &text)
    try line("")
  }

  /// Writes the lines of a table.
  /// - Parameter isCut: to the width of a terminal.
  func lines(_ table: Table, indent: Int = 0, isCut: Bool = true) throws(Failure) {
    for row in table.lines(indent: indent, width: isCut ? columns : nil) { try line(row) }
  }

  /// Writes a part of a line at once.
  package func part(_ part: String) throws(Failure) {
    text += part
    try flush()
  }

  package func bold(_ text: String) -> String { hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// A spot of a colour, `#RRGGBB`; nil where no colours are used.
  package func swatch(_ color: String) -> String? {
    guard hasColor, color.utf8.count == 7, color.hasPrefix("#"),
      let rgb = UInt32(color.dropFirst(), radix: 16)
    else { return nil }
    return "\u{1B}[38;2;\(rgb >> 16);\(rgb >> 8 & 0xFF);\(rgb & 0xFF)m\u{25A0}\u{1B}[0m"
  }

  package func flush() throws(Failure) {
    guard let descriptor else {
      kept += text
      text = ""
      return
    }
    defer { text.removeAll(keepingCapacity: true) }
    do {
      try Descriptors.write(text, to: descriptor, "write the output")
    } catch {
      throw Failure(.ioError, "\(error); see where it is sent to")
    }
  }
}
