import Bytes

/// Each category's own colour, else the next of a palette, by order of names. The palette is
/// distinct on light and dark ground and to most colour-blind eyes.
package struct CategoryColors {
  private let colors: [String: String]

  static let uncategorized = "#0B7A75"
  /// The palette.
  package static let row = [
    "#C2410C", "#6D28D9", "#1D4ED8", "#BE185D", "#15803D", "#A16207", "#0E7490", "#475569",
  ]

  /// - Parameter known: by `nameKey`. Only `#RRGGBB` values may enter the style sheet.
  init(_ categories: some Sequence<String>, known: [String: String]) {
    var colors: [String: String] = [:]
    var next = 0
    for name in Set(categories.map { $0.nameKey }).sorted() {
      if let color = known[name], Self.isColor(color) {
        colors[name] = color
      } else {
        colors[name] = Self.row[next % Self.row.count]
        next += 1
      }
    }
    self.colors = colors
  }

  subscript(category: String?) -> String {
    category.flatMap { colors[$0.nameKey] } ?? Self.uncategorized
  }

  static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.first == "#" && text.dropFirst().allSatisfy(\.isHexDigit)
      && text.utf8.allSatisfy { $0 < 0x80 }
  }
}
