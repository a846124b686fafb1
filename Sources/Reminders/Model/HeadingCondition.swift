import Geodesy

/// Courses over the ground: from one to another, clockwise (`350-20` in degrees, or `n..e`), or
/// relative to the bearing of the place.
package enum HeadingCondition: Equatable, Sendable, CustomStringConvertible {
  /// Degrees from true north, 0..<360; both ends belong to it.
  case range(first: Int, last: Int)
  case toward
  case away

  /// Degrees to each side of the bearing that count as toward it.
  private static let halfWidth = 60.0

  package init(parsing text: String) throws(ReminderError) {
    let text = text.lowercased()
    if let relative = ["toward": HeadingCondition.toward, "towards": .toward, "away": .away][text] {
      self = relative
      return
    }
    let words = text.replacing("..", with: "-").split(
      separator: "-", omittingEmptySubsequences: false)
    let ends = words.compactMap { Self.degrees($0.filter { $0 != " " }) }
    guard words.count == 2, ends.count == 2, ends[0] != ends[1] else {
      throw ReminderError(
        field: "",
        reason: "'\(text)' is no heading; write toward or away, or a range such as 350-20 "
          + "(degrees) or n..e")
    }
    self = .range(first: ends[0], last: ends[1])
  }

  private static func degrees(_ word: String) -> Int? {
    if let point = CompassPoint(rawValue: word.uppercased()) { return Int(point.bearing.rounded()) }
    return Int(word).flatMap { (0...360).contains($0) ? $0 % 360 : nil }
  }

  /// Whether the bearing of the place counts.
  var isRelative: Bool { self == .toward || self == .away }

  /// - Parameters:
  ///   - course: degrees from true north.
  ///   - bearing: of the place, degrees; nil if it is not known.
  func contains(_ course: Double, bearing: Double?) -> Bool {
    func offset(from first: Double) -> Double {
      let offset = (course - first).truncatingRemainder(dividingBy: 360)
      return offset < 0 ? offset + 360 : offset
    }
    switch self {
    case .range(let first, let last):
      return offset(from: Double(first)) <= Double((last - first + 360) % 360)
    case .toward, .away:
      guard let bearing else { return false }
      let middle = self == .toward ? bearing : bearing + 180
      return offset(from: middle - Self.halfWidth) <= 2 * Self.halfWidth
    }
  }

  /// `350-20`, `toward` or `away`.
  package var description: String {
    switch self {
    case .range(let first, let last): "\(first)-\(last)"
    case .toward: "toward"
    case .away: "away"
    }
  }

  /// `on a course of 350-20°`, or `on the way toward the place`.
  var words: String {
    switch self {
    case .range: "on a course of \(self)°"
    case .toward: "on the way toward the place"
    case .away: "on the way away from the place"
    }
  }
}
