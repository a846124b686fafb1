import Companion

/// Columns of text, each as wide as its widest cell.
struct Table {
  private var rows: [[String]] = []
  /// No column is made narrower than this, to fit a terminal.
  private static let narrowest = 8

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ cells: [String]) { rows.append(cells.map { $0.printable }) }

  /// Adds a name and its value, where there is one.
  mutating func add(_ name: String, _ value: String?) {
    if let value { add([name, value]) }
  }

  /// The lines, the last column not padded. A column without any text takes no room.
  /// - Parameter width: the widest columns are cut until the lines fit into it.
  func lines(indent: Int = 0, width: Int? = nil) -> [String] {
    let widths = widths(within: width.map { $0 - indent })
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      var gap = 0
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        let columns = cell.columns
        line += String(repeating: " ", count: gap)
        line += columns > widths[column] ? PageLine(cell).clipped(to: widths[column]).text : cell
        gap = max(0, widths[column] - columns) + 2
      }
      while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
      return line
    }
  }

  private func widths(within limit: Int?) -> [Int] {
    var widths = (0..<(rows.lazy.map { $0.count }.max() ?? 0)).map { column in
      rows.lazy.map { $0.count > column ? $0[column].columns : 0 }.max() ?? 0
    }
    guard let limit else { return widths }
    var excess = widths.reduce(-2) { $0 + ($1 > 0 ? $1 + 2 : 0) } - limit
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.narrowest
    {
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
