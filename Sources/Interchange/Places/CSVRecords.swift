/// The records of a table, one by one. Where a quote is not closed, its first line is left out and
/// the next line begins a record.
struct CSVRecords {
  struct Record {
    var cells: [String] = []
    /// First line in the file, from 1.
    let line: Int
    /// Why it has no cells.
    var fault: Fault?
  }

  private let source: ByteSource
  private let separator: UInt8
  private var piece: [UInt8] = []
  private var index = 0
  private var line = 1

  init(_ source: ByteSource, separator: UInt8) {
    self.source = source
    self.separator = separator
  }

  private mutating func byte() throws(InterchangeError) -> UInt8? {
    if index == piece.count {
      piece = try source.next()
      index = 0
      if piece.isEmpty { return nil }
    }
    index += 1
    return piece[index - 1]
  }

  /// The next record that is not an empty line; nil at the end.
  mutating func next() throws(InterchangeError) -> Record? {
    var cells: [String] = []
    var cell: [UInt8] = []
    var bytes: [UInt8] = []
    var quoted = false
    var wasQuoted = false
    var quoteLine = 0
    var start = line
    func finished() -> String { String(undeclared: cell) }
    while let byte = try byte() {
      bytes.append(byte)
      guard bytes.count <= CSVReader.longestRecord else {
        return try leaveOut(
          bytes, start, "the line is longer than 1 MiB; a quote may be missing")
      }
      if byte == 0x0A { line += 1 }
      switch byte {
      case UInt8(ascii: "\"") where quoted:
        quoted = false
      case UInt8(ascii: "\"") where wasQuoted:
        // Two in a row within quotes stand for one.
        cell.append(byte)
        quoted = true
      case UInt8(ascii: "\"") where cell.isEmpty:
        quoted = true
        wasQuoted = true
        quoteLine = line
      case separator where !quoted:
        cells.append(finished())
        cell.removeAll(keepingCapacity: true)
        wasQuoted = false
      case 0x0A where !quoted, 0x0D where !quoted:
        if cells.isEmpty, cell.isEmpty, !wasQuoted {
          start = line
          bytes.removeAll(keepingCapacity: true)
        } else {
          return Record(cells: cells + [finished()], line: start)
        }
      case 0x21... where wasQuoted && !quoted && line > quoteLine:
        // The quote that closed the text was meant to open another.
        return try leaveOut(bytes, start, "a quote is not closed; add it")
      default: cell.append(byte)
      }
    }
    if quoted { return try leaveOut(bytes, start, "a quote is not closed; add it") }
    return cells.isEmpty && cell.isEmpty ? nil : Record(cells: cells + [finished()], line: start)
  }

  /// Goes back behind the first line of the record.
  private mutating func leaveOut(
    _ bytes: [UInt8], _ start: Int, _ reason: String
  ) throws(InterchangeError) -> Record {
    guard let end = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
      while let byte = try byte(), byte != 0x0A {}
      line = start + 1
      return Record(line: start, fault: Fault(reason))
    }
    let rest = bytes[(end + 1)...]
    line = start + (bytes[end] == 0x0A ? 1 : 0)
    if index < rest.count {
      piece = Array(rest + piece[index...])
      index = rest.count
    }
    index -= rest.count
    return Record(line: start, fault: Fault(reason))
  }
}
