import Bytes

extension QRCode {
  /// Lines for a terminal, with the quiet zone: black on white whatever its colours are. Each
  /// character has two rows.
  package var lines: [String] {
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard (0..<size).contains(row), (0..<size).contains(column) else { return true }
      return !isDark(row: row, column: column)
    }
    return stride(from: -2, to: size + 2, by: 2).map { row in
      let blocks = (-2..<size + 2).map { column in
        switch (isLight(row, column), isLight(row + 1, column)) {
        case (true, true): " "
        case (true, false): "▄"
        case (false, true): "▀"
        case (false, false): "█"
        }
      }
      return "\u{1B}[30;107m\(blocks.joined())\u{1B}[0m"
    }
  }
}
