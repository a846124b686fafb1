/// An iCalendar stream (RFC 5545 section 3.4) as a tree that keeps its bytes.
///
/// Invariant: `bytes` without changes are the bytes read. A change leaves other lines alone.
package struct CalendarDocument: Equatable, Sendable {
  /// A byte order mark and blanks before the first line.
  private(set) var mark: ArraySlice<UInt8>
  /// Components and empty lines.
  package var nodes: [CalendarComponent.Node]
  /// The first line's end, used for new lines.
  package let lineEnd: [UInt8]
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

  /// A new one.
  package init(_ name: String, lineEnd: [UInt8]) {
    self.name = name
    begin = .make("BEGIN", [], name, lineEnd: lineEnd)
    end = .make("END", [], name, lineEnd: lineEnd)
  }

  /// Reads the `bytes` of a component; nil if they are none.
  package init?(bytes: [UInt8]) {
    guard let document = try? CalendarDocument(bytes, name: ""),
      case .component(let component)? = document.nodes.first
    else { return nil }
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

  package func properties(_ name: String) -> [ContentLine] {
    nodes.compactMap { if case .line(let line) = $0, line.name == name { line } else { nil } }
  }

  package func components(_ name: String) -> [CalendarComponent] {
    nodes.compactMap {
      if case .component(let component) = $0, component.name == name { component } else { nil }
    }
  }

  // MARK: - Changing

  /// Replaces the first property of this name, or appends it; an equal property stays unchanged.
  package mutating func set(
    _ name: String, _ parameters: [ContentLine.Parameter] = [], _ value: String, lineEnd: [UInt8]
  ) {
    let line = ContentLine.make(name, parameters, value, lineEnd: lineEnd)
    for index in nodes.indices {
      guard case .line(let old) = nodes[index], old.name == name else { continue }
      if old.value != value || old.parameters != parameters { nodes[index] = .line(line) }
      return
    }
    append(line)
  }

  /// Appends a property after the others, before the components.
  package mutating func append(_ line: ContentLine) {
    let last = nodes.lastIndex {
      if case .line(let line) = $0 { !line.name.isEmpty } else { false }
    }
    let first = nodes.firstIndex { if case .component = $0 { true } else { false } }
    let place =
      switch (first, last) {
      case (let first?, let last?) where last > first: first
      case (_, let last?): last + 1
      case (let first?, nil): first
      case (nil, nil): 0
      }
    nodes.insert(.line(line), at: place)
  }

  package mutating func append(_ component: CalendarComponent) {
    nodes.append(.component(component))
  }

  package mutating func remove(_ name: String) {
    nodes.removeAll { if case .line(let line) = $0 { line.name == name } else { false } }
  }
}

extension CalendarDocument {
  /// An empty calendar of our own.
  package init(product: String) {
    let lineEnd: [UInt8] = [0x0D, 0x0A]
    var calendar = CalendarComponent("VCALENDAR", lineEnd: lineEnd)
    calendar.append(.make("VERSION", [], "2.0", lineEnd: lineEnd))
    calendar.append(.make("PRODID", [], product, lineEnd: lineEnd))
    self.init(mark: [], nodes: [.component(calendar)], lineEnd: lineEnd)
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
