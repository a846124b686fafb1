/// An iCalendar stream (RFC 5545 section 3.4) as a tree that keeps its bytes.
///
/// Invariant: `bytes` without changes are the bytes read. A change leaves other lines alone.
package struct CalendarDocument: Equatable, Sendable {
  /// A byte order mark, where there is one.
  private(set) var mark: ArraySlice<UInt8>
  /// Components and empty lines.
  package var nodes: [CalendarComponent.Node]
  /// The first line's end, used for new lines.
  package let lineEnd: [UInt8]

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
  private var end: ContentLine

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

  fileprivate init(begin: ContentLine) {
    name = Self.name(of: begin)
    self.begin = begin
    end = begin
  }

  /// The name after BEGIN or END, without the trailing blanks of some programs.
  fileprivate static func name(of line: ContentLine) -> String {
    line.value.trimmedText(limit: 200).uppercased()
  }

  fileprivate mutating func close(by line: ContentLine) { end = line }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes += begin.bytes
    for node in nodes { node.append(to: &bytes) }
    bytes += end.bytes
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

  /// Reads a stream to its end.
  /// - Throws: an error with the line: no name or colon, unbalanced components, over a limit.
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

/// Cuts a stream into logical lines and puts the tree together.
private struct DocumentReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// First line of the current logical line.
  private(set) var line = 1
  private var nextLine = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() throws(Fault) -> CalendarDocument {
    guard bytes.count <= CalendarDocument.maximumSize else {
      throw Fault("the file is larger than \(CalendarDocument.maximumSize >> 20) MiB; split it")
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Fault("the file is UTF-16; save it as UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    let mark = bytes[..<offset]
    var top: [CalendarComponent.Node] = []
    var open: [CalendarComponent] = []
    var hasComponent = false
    while let content = try next() {
      switch content.name {
      case "BEGIN":
        guard open.count < CalendarDocument.greatestDepth else {
          throw Fault(
            "components are nested more than \(CalendarDocument.greatestDepth) deep", line: line)
        }
        open.append(CalendarComponent(begin: content))
        hasComponent = true
      case "END":
        guard var closed = open.popLast() else {
          throw Fault("END:\(content.value.shownInMessage) has no BEGIN before it")
        }
        guard closed.name == CalendarComponent.name(of: content) else {
          throw Fault(
            "END:\(content.value.shownInMessage) stands where END:\(closed.name.shownInMessage) of "
              + "line \(closed.line) should be")
        }
        closed.close(by: content)
        if open.isEmpty {
          top.append(.component(closed))
        } else {
          open[open.count - 1].nodes.append(.component(closed))
        }
      default:
        if !open.isEmpty {
          open[open.count - 1].nodes.append(.line(content))
        } else if content.name.isEmpty {
          top.append(.line(content))
        } else {
          throw Fault("'\(content.name)' stands outside of BEGIN:VCALENDAR and END:VCALENDAR")
        }
      }
    }
    if let last = open.last {
      throw Fault(
        "BEGIN:\(last.name.shownInMessage) of line \(last.line) is not closed; the file may be cut")
    }
    guard hasComponent else { throw Fault("there is no BEGIN:VCALENDAR in the file") }
    return CalendarDocument(mark: mark, nodes: top, lineEnd: firstLineEnd)
  }

  private var firstLineEnd: [UInt8] {
    guard let first = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
      return [0x0D, 0x0A]
    }
    return Array(bytes[first..<endOfBreak(at: first)])
  }

  /// CR LF, LF or CR.
  private func endOfBreak(at index: Int) -> Int {
    bytes[index] == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
      ? index + 2 : index + 1
  }

  /// The next logical line, nil at the end.
  private mutating func next() throws(Fault) -> ContentLine? {
    guard offset < bytes.count else { return nil }
    line = nextLine
    let start = offset
    var unfolded: [UInt8] = []
    var isFolded = false
    var contentEnd = start
    while true {
      let from = offset
      while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      contentEnd = offset
      if isFolded { unfolded += bytes[from..<contentEnd] }
      let length = isFolded ? unfolded.count : contentEnd - from
      guard length <= CalendarDocument.longestLine else {
        throw Fault("the line is longer than \(CalendarDocument.longestLine >> 20) MiB")
      }
      guard offset < bytes.count else { break }
      offset = endOfBreak(at: offset)
      nextLine += 1
      // A line that begins with white space continues a line before it that is not empty.
      guard offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09,
        isFolded || contentEnd > from
      else { break }
      if !isFolded {
        unfolded = Array(bytes[from..<contentEnd])
        isFolded = true
      }
      offset += 1
    }
    return try ContentLine(
      bytes: bytes[start..<offset], unfolded: isFolded ? unfolded[...] : bytes[start..<contentEnd],
      number: line)
  }
}
