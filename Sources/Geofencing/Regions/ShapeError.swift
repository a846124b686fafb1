/// Why positions make no shape.
package enum ShapeError: Error, Equatable, CustomStringConvertible {
  /// More positions than `Polygon.maximumPositions`; the number is theirs.
  case tooManyPositions(Int)
  /// Fewer than three different positions in a ring of a part, both counted from 0.
  case noRing(part: Int, ring: Int)
  /// Fewer than two different positions in a line, counted from 0.
  case noLine(Int)
  /// The rings enclose nothing, or as much clockwise as counterclockwise.
  case noArea
  /// It does not fit in a circle of 5 000 km.
  case tooLarge
  /// A width in metres outside `Corridor.widths`.
  case badWidth(Double)

  package var description: String {
    switch self {
    case .tooManyPositions(let count):
      "has \(count) positions, and \(Polygon.maximumPositions) are the most; simplify it"
    case .noRing: "has fewer than three different positions, which enclose nothing"
    case .noLine: "has fewer than two different positions, which make no line"
    case .noArea: "encloses no area, or crosses itself so that its parts cancel out"
    case .tooLarge: "does not fit in a circle of 5000 km radius; divide it"
    case .badWidth:
      "the width must be \(Int(Corridor.widths.lowerBound)) m "
        + "to \(Int(Corridor.widths.upperBound / 1_000)) km"
    }
  }
}
