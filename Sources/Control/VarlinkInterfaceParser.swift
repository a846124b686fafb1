/// Recursive descent over https://varlink.org/Interface-Definition, bounded in size and nesting.
struct VarlinkInterfaceParser {
  static let maximumSize = 256 << 10
  static let maximumDepth = 16
  static let maximumMembers = 1_024

  private let bytes: [UInt8]
  private var offset = 0
  /// Offsets of type names, for errors about unknown types.
  private var references: [(name: String, offset: Int)] = []

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func read(into interface: inout VarlinkInterface) throws(VarlinkInterfaceError) {
    guard bytes.count <= Self.maximumSize else { throw fault("the text is larger than 256 KiB") }
    guard try word() == "interface" else {
      throw fault("'interface' and its name should come first", at: 0)
    }
    interface.name = try interfaceName()
    var seen: Set<String> = []
    var typeOffsets: [String: Int] = [:]
    skipSpace()
    while offset < bytes.count {
      let start = offset
      let keyword = try word()
      let place = skippedSpace()
      let name = try memberName()
      guard seen.insert(name).inserted else { throw fault("'\(name)' is said twice", at: place) }
      guard seen.count <= Self.maximumMembers else {
        throw fault("there are more than \(Self.maximumMembers) members", at: place)
      }
      switch keyword {
      case "type":
        interface.types[name] = try compound(depth: 0)
        typeOffsets[name] = place
      case "error":
        interface.errors[name] = try structure(depth: 0)
      case "method":
        let parameters = try structure(depth: 0)
        guard consume("-"), bytes.indices.contains(offset), bytes[offset] == UInt8(ascii: ">")
        else { throw fault("'->' and the results should be here") }
        offset += 1
        let results = try structure(depth: 0)
        interface.methods[name] = VarlinkInterface.Method(parameters: parameters, results: results)
      default:
        throw fault("'type', 'method' or 'error' should be here", at: start)
      }
      skipSpace()
    }
    for reference in references where interface.types[reference.name] == nil {
      throw fault("there is no type '\(reference.name)'", at: reference.offset)
    }
    if let endless = Self.endlessType(interface.types) {
      throw fault("type '\(endless)' contains itself without end", at: typeOffsets[endless])
    }
  }

  // MARK: Types

  /// `(…)`: an enumeration when the first name has no type, else a structure.
  private mutating func compound(depth: Int) throws(VarlinkInterfaceError) -> VarlinkInterface.Kind
  {
    guard depth < Self.maximumDepth else {
      throw fault("nested deeper than \(Self.maximumDepth) levels")
    }
    guard consume("(") else { throw fault("'(' should be here") }
    if consume(")") { return .structure([]) }
    var fields: [VarlinkInterface.Field] = []
    var cases: [String] = []
    var seen: Set<String> = []
    repeat {
      let place = skippedSpace()
      let name = try fieldName()
      guard seen.insert(name).inserted else { throw fault("'\(name)' is said twice", at: place) }
      if consume(":") {
        guard cases.isEmpty else { throw fault("a name of an enumeration has no type", at: place) }
        fields.append(.init(name: name, kind: try kind(depth: depth + 1)))
      } else {
        guard fields.isEmpty else { throw fault("':' and the type should be here") }
        cases.append(name)
      }
    } while consume(",")
    guard consume(")") else { throw fault("',' or ')' should be here") }
    return cases.isEmpty ? .structure(fields) : .enumeration(cases)
  }

  private mutating func structure(
    depth: Int
  ) throws(VarlinkInterfaceError)
    -> [VarlinkInterface.Field]
  {
    let place = skippedSpace()
    guard case .structure(let fields) = try compound(depth: depth) else {
      throw fault("fields with their types should be here, not an enumeration", at: place)
    }
    return fields
  }

  private mutating func kind(depth: Int) throws(VarlinkInterfaceError) -> VarlinkInterface.Kind {
    guard depth < Self.maximumDepth else {
      throw fault("nested deeper than \(Self.maximumDepth) levels")
    }
    if consume("?") {
      let place = skippedSpace()
      let inner = try kind(depth: depth + 1)
      if case .optional = inner { throw fault("one '?' is enough", at: place) }
      return .optional(inner)
    }
    if consume("[") {
      if consume("]") { return .array(try kind(depth: depth + 1)) }
      guard try word() == "string", consume("]") else {
        throw fault("'[]' or '[string]' should be here")
      }
      return .map(try kind(depth: depth + 1))
    }
    let place = skippedSpace()
    if place < bytes.count, bytes[place] == UInt8(ascii: "(") {
      return try compound(depth: depth)
    }
    let name = try word()
    switch name {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    default:
      guard let first = name.utf8.first, Self.isUpper(first), !name.contains("_") else {
        throw fault("a type should be here", at: place)
      }
      references.append((name, place))
      return .named(name)
    }
  }

  /// A type that requires a value of itself, found by repeated removal of satisfiable types.
  private static func endlessType(_ types: [String: VarlinkInterface.Kind]) -> String? {
    var needs = types.mapValues { kind in
      var names: Set<String> = []
      collect(kind, into: &names)
      return names
    }
    var waiting: [String: [String]] = [:]
    for (name, needed) in needs {
      for other in needed { waiting[other, default: []].append(name) }
    }
    var met = needs.filter { $0.value.isEmpty }.map(\.key)
    while let name = met.popLast() {
      needs[name] = nil
      for other in waiting[name] ?? [] {
        needs[other]?.remove(name)
        if needs[other]?.isEmpty == true { met.append(other) }
      }
    }
    return needs.keys.min()
  }

  private static func collect(_ kind: VarlinkInterface.Kind, into names: inout Set<String>) {
    switch kind {
    case .named(let name): names.insert(name)
    case .structure(let fields): for field in fields { collect(field.kind, into: &names) }
    default: break
    }
  }

  // MARK: Names

  /// Labels of letters, digits and inner hyphens, two at least, with dots between.
  private mutating func interfaceName() throws(VarlinkInterfaceError) -> String {
    let place = skippedSpace()
    let text = take { Self.isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x2E }
    let labels = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    let isRight =
      labels.count >= 2 && text.utf8.first.map(Self.isLetter) == true
      && labels.allSatisfy { label in
        guard let first = label.first, let last = label.last else { return false }
        return Self.isLetterOrDigit(first) && Self.isLetterOrDigit(last)
      }
    guard isRight else {
      throw fault("a reverse-domain name such as org.example should be here", at: place)
    }
    return text
  }

  /// An upper-case letter, then letters and digits.
  private mutating func memberName() throws(VarlinkInterfaceError) -> String {
    let place = skippedSpace()
    let name = take(Self.isLetterOrDigit)
    guard let first = name.utf8.first, Self.isUpper(first) else {
      throw fault("a name that begins with an upper-case letter should be here", at: place)
    }
    return name
  }

  /// A letter, then letters, digits and single inner underscores.
  private mutating func fieldName() throws(VarlinkInterfaceError) -> String {
    let place = skippedSpace()
    let name = try word()
    let parts = name.utf8.split(separator: 0x5F, omittingEmptySubsequences: false)
    guard let first = name.utf8.first, Self.isLetter(first), parts.allSatisfy({ !$0.isEmpty })
    else { throw fault("'\(name)' is not a field's name", at: place) }
    return name
  }

  // MARK: Bytes

  private mutating func word() throws(VarlinkInterfaceError) -> String {
    let place = skippedSpace()
    let text = take { Self.isLetterOrDigit($0) || $0 == 0x5F }
    guard !text.isEmpty else { throw fault("a word should be here", at: place) }
    return text
  }

  private mutating func take(_ isPart: (UInt8) -> Bool) -> String {
    let rest = bytes[offset...].prefix(while: isPart)
    offset = rest.endIndex
    return String(decoding: rest, as: UTF8.self)
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard offset < bytes.count, UInt32(bytes[offset]) == character.value else { return false }
    offset += 1
    return true
  }

  private mutating func skippedSpace() -> Int {
    skipSpace()
    return offset
  }

  /// White space, and comments from `#` to the end of the line.
  private mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      case UInt8(ascii: "#"):
        while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
      default: return
      }
    }
  }

  private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte)
  }

  private func fault(_ reason: String, at place: Int? = nil) -> VarlinkInterfaceError {
    let before = bytes[..<min(place ?? offset, bytes.count)]
    let line = before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return VarlinkInterfaceError(line: line, column: before.count - start + 1, reason: reason)
  }
}
