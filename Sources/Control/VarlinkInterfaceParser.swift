/// Recursive descent over the tokens of an interface definition.
///
/// Definitions are part of the programs, so it reads what they need: a type is declared before its
/// use, and a parameter's type has a name. Maps and nested structures are not supported.
struct VarlinkInterfaceParser {
  private var tokens: ArraySlice<Substring>

  init(_ text: String) {
    var tokens: [Substring] = []
    for line in text.split(separator: "\n") {
      var rest = line.prefix { $0 != "#" }
      while let first = rest.first {
        let word = rest.prefix { $0.isLetter || $0.isNumber || "_.-".contains($0) }
        let token = word.isEmpty ? rest.prefix(1) : word
        if !first.isWhitespace { tokens.append(token) }
        rest = rest.dropFirst(token.count)
      }
    }
    self.tokens = tokens[...]
  }

  mutating func read(into interface: inout VarlinkInterface) throws(VarlinkInterfaceError) {
    try expect("interface")
    interface.name = try next()
    while let keyword = tokens.popFirst() {
      let name = try next()
      switch keyword {
      case "type": interface.types[name] = try compound(interface.types)
      case "error": interface.errors[name] = try structure(interface.types)
      case "method":
        let parameters = try structure(interface.types)
        try expect("-")
        try expect(">")
        interface.methods[name] = VarlinkInterface.Method(
          parameters: parameters, results: try structure(interface.types))
      default: throw VarlinkInterfaceError(token: String(keyword))
      }
    }
  }

  private typealias Types = [String: VarlinkInterface.Kind]

  /// `(…)`: an enumeration when the first name has no type, else a structure.
  private mutating func compound(
    _ types: Types
  ) throws(VarlinkInterfaceError) -> VarlinkInterface.Kind {
    guard tokens.dropFirst(2).first != ":", tokens.dropFirst().first != ")" else {
      return .structure(try structure(types))
    }
    try expect("(")
    var cases = [try next()]
    while consume(",") { cases.append(try next()) }
    try expect(")")
    return .enumeration(cases)
  }

  private mutating func structure(
    _ types: Types
  ) throws(VarlinkInterfaceError) -> [VarlinkInterface.Field] {
    try expect("(")
    var fields: [VarlinkInterface.Field] = []
    while !consume(")") {
      if !fields.isEmpty { try expect(",") }
      let name = try next()
      try expect(":")
      fields.append(VarlinkInterface.Field(name: name, kind: try kind(types)))
    }
    return fields
  }

  private mutating func kind(
    _ types: Types
  ) throws(VarlinkInterfaceError) -> VarlinkInterface.Kind {
    let word = try next()
    switch word {
    case "?": return .optional(try kind(types))
    case "[":
      try expect("]")
      return .array(try kind(types))
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    default:
      guard let type = types[word] else { throw VarlinkInterfaceError(token: word) }
      return type
    }
  }

  // MARK: - Tokens

  private mutating func next() throws(VarlinkInterfaceError) -> String {
    guard let token = tokens.popFirst() else { throw VarlinkInterfaceError(token: nil) }
    return String(token)
  }

  private mutating func consume(_ token: String) -> Bool {
    guard let first = tokens.first, first == token else { return false }
    tokens.removeFirst()
    return true
  }

  private mutating func expect(_ token: String) throws(VarlinkInterfaceError) {
    guard consume(token) else { throw VarlinkInterfaceError(token: tokens.first.map(String.init)) }
  }
}
