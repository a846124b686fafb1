package import Geodesy

/// All places near one or more lines: at most half the width from the nearest point of one, so that
/// the ends are round. Lines are great circles from position to position.
package struct Corridor: Equatable, Sendable {
  /// The widths a corridor may have, in metres, from side to side.
  package static let widths: ClosedRange<Double> = 1...1_000_000

  private let points: [Vector]
  private let lines: [Range<Int>]
  /// Metres from side to side.
  package let width: Double

  /// A circle that holds the corridor.
  package let boundingCircle: Circle

  /// Metres from the line to the edge.
  package var halfWidth: Double { width / 2 }

  /// Of heap, about.
  var byteCount: Int { points.count * MemoryLayout<Vector>.stride }

  /// - Parameter width: metres from side to side, 1…1 000 000.
  package init(lines: [[Coordinate]], width: Double) throws(ShapeError) {
    guard Corridor.widths.contains(width) else { throw .badWidth(width) }
    let count = lines.reduce(0) { $0 + $1.count }
    guard count <= Polygon.maximumPositions else { throw .tooManyPositions(count) }
    var points: [Vector] = []
    var ranges: [Range<Int>] = []
    for (number, line) in lines.enumerated() {
      let path = Vector.path(line, isRing: false)
      guard path.count >= 2 else { throw .noLine(number) }
      ranges.append(points.count..<(points.count + path.count))
      points += path
    }
    guard !ranges.isEmpty else { throw .noLine(0) }
    guard let circle = BoundingCap(of: points)?.circle(margin: width / 2) else { throw .tooLarge }
    self.points = points
    self.lines = ranges
    self.width = width
    boundingCircle = circle
  }

  /// Metres to the edge, negative inside: the distance to the line less half the width. Where a
  /// line bends or comes back to itself, places inside may be deeper than that.
  /// - Complexity: O(positions).
  func signedBoundaryDistance(from place: Vector) -> Double {
    var least = 4.0
    forEachEdge { edge in least = min(least, edge.chordSquared(to: place)) }
    return Vector.distance(chordSquared: least) - halfWidth
  }

  func forEachEdge(_ body: (Edge) -> Void) {
    for line in lines {
      for i in line.dropLast() { body(Edge(from: points[i], to: points[i + 1])) }
    }
  }
}
