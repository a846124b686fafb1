/// Cuts a stream into logical lines and puts the tree together.
struct DocumentReader {
  private let bytes: [UInt8]
  private var offset = 0
  /// First line of the current logical line.
  private(set) var line = 1
  private var nextLine = 1
  private var top: [CalendarComponent.Node] = []
  private var open: [CalendarComponent] = []
  private var hasComponent = false
  private var damage: [Refusal] = []
  private var isBalanced = true

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() throws(Fault) -> CalendarDocument {
    guard bytes.count <= CalendarDocument.maximumSize else {
      throw Fault("the file is larger than \(CalendarDocument.maximumSize >> 20) MiB; split it")
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Fault("the file is UTF-16; save it as UTF-8")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    while offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09 { offset += 1 }
    let mark = bytes[..<offset]
    while let content = next() {
      switch content.name {
      case "BEGIN": try begin(content)
      case "END": end(content)
      default: take(content)
      }
    }
    guard hasComponent else { throw Fault("there is no BEGIN:VCALENDAR in the file", line: 1) }
    let isCut = !open.isEmpty
    if let last = open.last {
      leaveOut(
        "BEGIN:\(last.name.shownInMessage) of line \(last.line) is not closed; the file may be cut",
        line: last.line, isStructure: true)
    }
    for index in open.indices { open[index].isCut = true }
    close(to: 0)
    return CalendarDocument(
      mark: mark, nodes: top, damage: damage, isBalanced: isBalanced, isCut: isCut)
  }

  // MARK: - Components

  /// Components that cannot be within another one: the BEGIN of the first closes all that is open
  /// up to the second.
  private static let outer: [String: String?] = [
    "VCALENDAR": nil, "VEVENT": "VCALENDAR", "VTODO": "VCALENDAR", "VJOURNAL": "VCALENDAR",
    "VFREEBUSY": "VCALENDAR", "VTIMEZONE": "VCALENDAR", "STANDARD": "VTIMEZONE",
    "DAYLIGHT": "VTIMEZONE",
  ]

  private mutating func begin(_ content: ContentLine) throws(Fault) {
    let component = CalendarComponent(begin: content)
    if let outer = Self.outer[component.name] {
      let depth = outer.flatMap { outer in open.lastIndex { $0.name == outer } }.map { $0 + 1 }
      if depth ?? 0 < open.count, outer == nil || depth != nil { closeMissing(to: depth ?? 0) }
    } else if component.name == "VALARM", open.last?.name == "VALARM" {
      closeMissing(to: open.count - 1)
    }
    guard open.count < CalendarDocument.greatestDepth else {
      throw Fault(
        "components are nested more than \(CalendarDocument.greatestDepth) deep", line: line)
    }
    open.append(component)
    hasComponent = true
  }

  private mutating func end(_ content: ContentLine) {
    let name = CalendarComponent.name(of: content)
    guard let index = open.lastIndex(where: { $0.name == name }) else {
      leaveOut("END:\(name.shownInMessage) has no BEGIN before it", line: line, isStructure: true)
      return take(ContentLine(unread: content.bytes, number: content.number))
    }
    closeMissing(to: index + 1)
    open[index].close(by: content)
    close(to: index)
  }

  /// Names the components that are open from a depth on, and closes them.
  private mutating func closeMissing(to depth: Int) {
    for component in open[depth...] {
      leaveOut(
        "BEGIN:\(component.name.shownInMessage) of line \(component.line) has no END before this",
        line: line, isStructure: true)
    }
    close(to: depth)
  }

  private mutating func close(to depth: Int) {
    while open.count > depth { append(.component(open.removeLast())) }
  }

  private mutating func take(_ content: ContentLine) {
    guard open.isEmpty, !content.name.isEmpty else { return append(.line(content)) }
    leaveOut("'\(content.name)' stands outside of BEGIN:VCALENDAR and END:VCALENDAR", line: line)
    append(.line(ContentLine(unread: content.bytes, number: content.number)))
  }

  private mutating func append(_ node: CalendarComponent.Node) {
    if open.isEmpty, case .component(let component) = node, component.isTask || component.isEvent {
      leaveOut(
        "the \(component.name) stands outside of BEGIN:VCALENDAR, so no change of it is written",
        line: component.line)
    }
    if open.isEmpty { top.append(node) } else { open[open.count - 1].nodes.append(node) }
  }

  private mutating func leaveOut(_ reason: String, line: Int, isStructure: Bool = false) {
    if isStructure { isBalanced = false }
    if damage.count < Self.maximumDamage { damage.add(line, reason) }
  }

  /// Further faults in lines are not listed.
  private static let maximumDamage = 1_000

  // MARK: - Lines

  private static let endOfComponent = Array("END:V".utf8)

  /// CR LF, LF or CR.
  private func endOfBreak(at index: Int) -> Int {
    bytes[index] == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
      ? index + 2 : index + 1
  }

  /// The next logical line, nil at the end.
  private mutating func next() -> ContentLine? {
    guard offset < bytes.count else { return nil }
    line = nextLine
    let start = offset
    var unfolded: [UInt8] = []
    var isFolded = false
    var contentEnd = start
    var length = 0
    while true {
      let from = offset
      while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
      contentEnd = offset
      if isFolded, length <= CalendarDocument.longestLine { unfolded += bytes[from..<contentEnd] }
      length += contentEnd - from
      guard offset < bytes.count else { break }
      offset = endOfBreak(at: offset)
      nextLine += 1
      // A line that begins with white space continues a line before it that is not empty, and not
      // an END, which nobody folds.
      guard offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09,
        isFolded || contentEnd > from && !bytes[from...].starts(with: Self.endOfComponent)
      else { break }
      if !isFolded {
        unfolded = Array(bytes[from..<contentEnd])
        isFolded = true
      }
      offset += 1
    }
    var parts: [Refusal] = []
    do throws(Fault) {
      guard length <= CalendarDocument.longestLine else {
        throw Fault("the line is longer than \(CalendarDocument.longestLine >> 20) MiB")
      }
      let content = try ContentLine(
        bytes: bytes[start..<offset],
        unfolded: isFolded ? unfolded[...] : bytes[start..<contentEnd], number: line, &parts)
      for part in parts { leaveOut(part.reason, line: part.line) }
      return content
    } catch {
      leaveOut(error.reason, line: line)
      return ContentLine(unread: bytes[start..<offset], number: line)
    }
  }
}
