/// An interface definition, read from its text (https://varlink.org/Interface-Definition).
package struct VarlinkInterface: Equatable, Sendable {
  /// The type of a parameter.
  package indirect enum Kind: Equatable, Sendable {
    case bool, int, float, string
    /// Any JSON object.
    case object
    /// `?T`: null or absent will do.
    case optional(Kind)
    /// `[]T`
    case array(Kind)
    case structure([Field])
    case enumeration([String])
  }

  package struct Field: Equatable, Sendable {
    package let name: String
    package let kind: Kind

    package init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  package struct Method: Equatable, Sendable {
    package let parameters: [Field]
    package let results: [Field]
  }

  /// In reverse-domain form: `org.georemind`.
  package internal(set) var name = ""
  package internal(set) var types: [String: Kind] = [:]
  package internal(set) var methods: [String: Method] = [:]
  package internal(set) var errors: [String: [Field]] = [:]
  /// The definition as it was read; this is what a service hands out.
  package let text: String

  /// Parses a definition of the program's own.
  package init(parsing text: String) throws(VarlinkInterfaceError) {
    self.text = text
    var parser = VarlinkInterfaceParser(text)
    try parser.read(into: &self)
  }
}

/// The place at which a text is no interface definition.
package struct VarlinkInterfaceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// nil at the end of the text.
  package let token: String?

  package var description: String {
    "interface definition: \(token.map { "'\($0)'" } ?? "the end of the text") is not expected"
  }
}
