/// An error in the configuration, with its line and a remedy.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the file, as it was passed in.
  package let file: String
  /// Counted from 1; nil where the fault is the file as a whole.
  package let line: Int?
  /// One sentence with its remedy.
  package let message: String
  /// Whether the line is about access: without it others might be allowed too much.
  package let concernsAccess: Bool

  package init(file: String, line: Int?, message: String, concernsAccess: Bool = false) {
    self.file = file
    self.line = line
    self.message = message
    self.concernsAccess = concernsAccess
  }

  /// `file:line: message`.
  package var description: String {
    line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
  }
}

/// Something that is passed over but that its author should know of: an unknown key or section.
package struct ConfigurationWarning: Equatable, Sendable, CustomStringConvertible {
  package let file: String
  /// Counted from 1.
  package let line: Int
  package let message: String

  /// `file:line: message`.
  package var description: String { "\(file):\(line): \(message)" }
}
