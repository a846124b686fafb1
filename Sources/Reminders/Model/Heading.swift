import Geodesy

/// Courses over the ground from one to another, clockwise: `350-20` in degrees, or `n..e`.
package struct HeadingRange: Equatable, Sendable, CustomStringConvertible {
  /// Degrees from true north, 0..<360.
  package let first: Int
  package let last: Int

  package init(parsing text: String) throws(ReminderError) {
    let words = text.lowercased().replacing("..", with: "-").split(
      separator: "-", omittingEmptySubsequences: false)
    let ends = words.compactMap { Self.degrees($0.filter { $0 != " " }) }
    guard words.count == 2, ends.count == 2, ends[0] != ends[1] else {
      throw ReminderError(
        field: "",
        reason: "'\(text)' is no range of headings; write it like 350-20 (degrees) or n..e")
    }
    (first, last) = (ends[0], ends[1])
  }

  private static func degrees(_ word: String) -> Int? {
    if let point = CompassPoint(rawValue: word.uppercased()) { return Int(point.bearing.rounded()) }
    return Int(word).flatMap { (0...360).contains($0) ? $0 % 360 : nil }
  }

  /// Both ends belong to it.
  func contains(_ course: Double) -> Bool {
    let offset = (course - Double(first)).truncatingRemainder(dividingBy: 360)
    return (offset < 0 ? offset + 360 : offset) <= Double((last - first + 360) % 360)
  }

  /// `350-20`.
  package var description: String { "\(first)-\(last)" }
}
