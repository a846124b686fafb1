/// Why a file is refused: where, and what to do.
package struct InterchangeError: Error, Equatable, CustomStringConvertible {
  package let file: String
  /// Counted from 1; nil where the whole file is meant.
  package let line: Int?
  package let reason: String
  /// The file could not be opened, rather than read wrong.
  package internal(set) var isMissing = false

  package var description: String {
    line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)"
  }
}

/// A fault at one place in a file, without the file's name.
struct Fault: Error {
  /// nil for the reader's current line.
  var line: Int?
  let reason: String

  init(_ reason: String, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }

  func error(in file: String, at current: Int?) -> InterchangeError {
    InterchangeError(file: file, line: line ?? current, reason: reason)
  }
}
