/// The apostrophe that keeps a spreadsheet from running a text of a CSV file as a formula.
///
/// Spreadsheets run a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return, with
/// or without quotes: see https://owasp.org/www-community/attacks/CSV_Injection.
///
/// A text that had
/// apostrophes in front of such a character gets one more, so that `plain` returns each text.
enum FormulaGuard {
  private static let starts = Set("=+-@\t\r".utf8)

  private static func isFormula(_ text: some StringProtocol) -> Bool {
    text.utf8.first { $0 != UInt8(ascii: "'") }.map(starts.contains) ?? false
  }

  /// The text as a cell of a file.
  static func protected(_ text: String) -> String { isFormula(text) ? "'" + text : text }

  /// The text of a cell, without the apostrophe of `protected`.
  static func plain(_ cell: String) -> String {
    cell.utf8.first == UInt8(ascii: "'") && isFormula(cell) ? String(cell.dropFirst()) : cell
  }
}
