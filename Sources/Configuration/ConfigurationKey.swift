/// A key that the program knows, and what holds when no file sets it.
package struct ConfigurationKey: Hashable, Sendable {
  package let section: String
  package let name: String
  /// Whether each assignment adds to the ones before; otherwise the last one counts.
  package let isList: Bool
  /// Default values, as written in a file; empty without a default.
  package let defaults: [String]
  /// Whether it says who may do what. A program does not start with such a line left out.
  package var concernsAccess = false

  /// A key of which the last assignment counts.
  package static func scalar(
    _ section: String, _ name: String, default fallback: String? = nil
  ) -> Self {
    Self(section: section, name: name, isList: false, defaults: fallback.map { [$0] } ?? [])
  }

  /// A key of which each assignment adds an element.
  package static func list(
    _ section: String, _ name: String, default fallback: [String] = []
  ) -> Self {
    Self(section: section, name: name, isList: true, defaults: fallback)
  }
}

/// A value and where it comes from.
package struct ConfigurationValue: Equatable, Sendable {
  package let text: String
  /// nil for a default.
  package let source: Source?

  /// A place in a file.
  package struct Source: Equatable, Sendable, CustomStringConvertible {
    package let file: String
    /// Counted from 1.
    package let line: Int

    /// `file:line`.
    package var description: String { "\(file):\(line)" }
  }
}
