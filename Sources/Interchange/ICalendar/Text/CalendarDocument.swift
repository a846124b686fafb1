/// An iCalendar stream (RFC 5545 section 3.4) as a tree that keeps its bytes.
///
/// Invariant: `bytes` without changes are the bytes read. A change leaves other lines alone.
package struct CalendarDocument: Equatable, Sendable {
  /// A byte order mark and blanks before the first line.
  private(set) var mark: ArraySlice<UInt8>
  /// Components and empty lines.
  package var nodes: [CalendarComponent.Node]
  /// Lines and parameters that cannot be read, with their lines. They keep their bytes.
  package private(set) var damage: [Refusal] = []
  /// Whether each component has its BEGIN and END. If not, items may be lost.
  package private(set) var isBalanced = true
  /// Whether the file ends within a component, as it does while it is being written.
  package private(set) var isCut = false

  /// A larger stream is refused, in bytes.
  package static let maximumSize = 1 << 26
  /// An unfolded line, in bytes: room for a picture.
  static let longestLine = 1 << 23
  /// Limit of nested components. An alarm's place is the fourth.
  static let greatestDepth = 16

  package var bytes: [UInt8] {
    var bytes = Array(mark)
    for node in nodes { node.append(to: &bytes) }
    return bytes
  }
}

/// A component: its lines and the components in it, in their order.
package struct CalendarComponent: Equatable, Sendable {
  package enum Node: Equatable, Sendable {
    case line(ContentLine)
    case component(CalendarComponent)

    package var line: ContentLine? { if case .line(let line) = self { line } else { nil } }
    package var component: CalendarComponent? {
      if case .component(let component) = self { component } else { nil }
    }

    fileprivate func append(to bytes: inout [UInt8]) {
      switch self {
      case .line(let line): bytes += line.bytes
      case .component(let component): component.append(to: &bytes)
      }
    }
  }

  /// In upper case.
  package let name: String
  private let begin: ContentLine
  package var nodes: [Node] = []
  /// nil where its END is missing.
  private var end: ContentLine?
  /// Whether the file ends within it.
  var isCut = false

  package var isTask: Bool { name == "VTODO" }
  package var isEvent: Bool { name == "VEVENT" }

  /// First line in the file, from 1; 0 for a new component.
  package var line: Int { begin.number }

  /// The end of its first line, used for new lines.
  var lineEnd: [UInt8] { begin.bytes.suffix(2).filter { $0 == 0x0D || $0 == 0x0A } }

  /// A new one.
  package init(_ name: String, lineEnd: [UInt8] = [0x0D, 0x0A]) {
    self.name = name
    begin = .make("BEGIN", [], name, lineEnd: lineEnd)
    end = .make("END", [], name, lineEnd: lineEnd)
  }

  /// Reads the `bytes` of a component; nil if they are none.
  package init?(bytes: [UInt8]) {
    let document = try? CalendarDocument(bytes, name: "")
    guard let component = document?.nodes.first?.component else { return nil }
    self = component
  }

  init(begin: ContentLine) {
    name = Self.name(of: begin)
    self.begin = begin
  }

  /// The name after BEGIN or END, without the trailing blanks of some programs.
  static func name(of line: ContentLine) -> String {
    line.value.trimmedText(limit: 200).uppercased()
  }

  mutating func close(by line: ContentLine) { end = line }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes += begin.bytes
    for node in nodes { node.append(to: &bytes) }
    if let end { bytes += end.bytes }
  }

  // MARK: - Looking

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// The first property of this name.
  package subscript(name: String) -> ContentLine? {
    for case .line(let line) in nodes where line.name == name { return line }
    return nil
  }

  package var lines: [ContentLine] { nodes.compactMap(\.line) }

  package func properties(_ name: String) -> [ContentLine] { lines.filter { $0.name == name } }

  package func components(_ name: String) -> [CalendarComponent] {
    nodes.compactMap(\.component).filter { $0.name == name }
  }

  // MARK: - Changing

  /// Replaces the first property of this name, or appends it; an equal property stays unchanged.
  /// - Parameter parameters: nil for those of the present one.
  package mutating func set(
    _ name: String, _ value: String, _ parameters: [ContentLine.Parameter]? = nil
  ) {
    guard let index = nodes.firstIndex(where: { $0.line?.name == name }),
      let old = nodes[index].line
    else { return add(name, value, parameters ?? []) }
    let parameters = parameters ?? old.parameters
    guard old.value != value || old.parameters != parameters else { return }
    nodes[index] = .line(.make(name, parameters, value, lineEnd: lineEnd))
  }

  /// Appends a property.
  /// - Parameter value: escaped where its type asks for it.
  package mutating func add(
    _ name: String, _ value: String, _ parameters: [ContentLine.Parameter] = []
  ) {
    append(.make(name, parameters, value, lineEnd: lineEnd))
  }

  /// Appends a property of type TEXT where there is a text.
  mutating func addText(_ name: String, _ text: String?) {
    if let text { add(name, CalendarText.escaped(text)) }
  }

  /// Appends a property after the others, before the components.
  package mutating func append(_ line: ContentLine) {
    let first = nodes.firstIndex { $0.component != nil } ?? nodes.endIndex
    let last = nodes[..<first].lastIndex { $0.line?.name.isEmpty == false }
    let place = last.map { $0 + 1 } ?? (first < nodes.endIndex ? first : 0)
    nodes.insert(.line(line), at: place)
  }

  package mutating func append(_ component: CalendarComponent) {
    nodes.append(.component(component))
  }

  package mutating func remove(_ name: String) {
    nodes.removeAll { $0.line?.name == name }
  }
}

extension CalendarDocument {
  /// An empty calendar of our own.
  package init(product: String) {
    var calendar = CalendarComponent("VCALENDAR")
    calendar.add("VERSION", "2.0")
    calendar.add("PRODID", product)
    self.init(mark: [], nodes: [.component(calendar)])
  }

  /// Reads a stream to its end. Lines that cannot be read are in `damage`.
  /// - Throws: an error where nothing is a component, or with the line where a limit is exceeded.
  package init(_ bytes: [UInt8], name: String) throws(InterchangeError) {
    var reader = DocumentReader(bytes)
    do throws(Fault) {
      self = try reader.read()
    } catch {
      throw error.error(in: name, at: reader.line)
    }
  }

  package init(_ source: ByteSource) throws(InterchangeError) {
    try self.init(try source.readAll(limit: Self.maximumSize), name: source.name)
  }
}
