import Companion

/// Columns of text, each as wide as its widest cell.
struct Table {
  private var rows: [[String]] = []

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

  /// The lines, the last column not padded. A column without any text takes no room.
  func lines(indent: Int = 0) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { $0.count > column ? $0[column].columns : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = String(repeating: " ", count: indent)
      var gap = 0
      for (column, cell) in row.enumerated() where widths[column] > 0 {
        line += String(repeating: " ", count: gap) + cell
        gap = widths[column] - cell.columns + 2
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
