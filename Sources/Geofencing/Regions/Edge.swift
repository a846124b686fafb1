import Geodesy
import Glibc

/// The shorter great-circle arc between two places less than half a turn apart: a side of a shape,
/// or a leg of the device.
///
/// Everything is computed from differences from the edge's own ends, which are exact for places
/// close by, so that a metre is measured as well as a continent: to a few nanometres.
struct Edge {
  let start: Vector
  /// From the start to the end, straight through the Earth.
  let chord: Vector
  let chordSquared: Double

  init(from start: Vector, to end: Vector) {
    self.start = start
    chord = end - start
    chordSquared = chord.dot(chord)
  }

  /// The side of the edge's great circle on which a place is: above 0 on the left, seen in the
  /// direction of the edge. The determinant of place, start and end.
  func side(of place: Vector) -> Double { (place - start).dot(start.cross(chord)) }

  /// A place in the coordinates of the edge.
  private struct Projection {
    /// From the start to the place.
    let offset: Vector
    /// The squares of the chords to the start and to the end.
    let toStart: Double
    let toEnd: Double
    /// The place, dropped square onto the edge's circle, is the sum of `a` parts of the start and
    /// `b` parts of the end. It is on the edge where neither is negative.
    let a: Double
    let b: Double
  }

  private func projection(of place: Vector) -> Projection {
    let offset = place - start
    let toStart = offset.dot(offset)
    let along = offset.dot(chord)
    let offsetEnd = offset - chord
    let toEnd = offsetEnd.dot(offsetEnd)
    // The dual basis of start and end in their plane, times sin²: with unit vectors its products
    // with the place come down to differences.
    let quarter = chordSquared / 4
    return Projection(
      offset: offset, toStart: toStart, toEnd: toEnd, a: chordSquared - along - quarter * toEnd,
      b: along - quarter * toStart)
  }

  /// The square of the chord from a place to the nearest point of the edge, 0…4.
  func chordSquared(to place: Vector) -> Double {
    let seen = projection(of: place)
    guard seen.a > 0, seen.b > 0 else { return min(seen.toStart, seen.toEnd) }
    let side = seen.offset.dot(start.cross(chord))
    // |start × end|² = chord² (1 − chord²/4)
    let sine = side * side / (chordSquared * (1 - chordSquared / 4))
    return min(seen.toStart, seen.toEnd, Edge.chordSquared(sineSquared: sine))
  }

  /// The nearest point of the edge as a fraction of its length, 0…1.
  func nearestFraction(to place: Vector) -> Double {
    let seen = projection(of: place)
    guard seen.a > 0, seen.b > 0 else { return seen.toStart <= seen.toEnd ? 0 : 1 }
    return fraction(seen.a, seen.b)
  }

  /// The point at a fraction 0…1 of the length.
  func point(at fraction: Double) -> Vector {
    let angle = angle
    let sine = sin(angle)
    guard angle > 1e-12, sine > 1e-12 else { return fraction < 0.5 ? start : start + chord }
    let parts = ((1 - fraction) * angle, fraction * angle)
    return (sin(parts.0) / sine) * start + (sin(parts.1) / sine) * (start + chord)
  }

  /// The length in radians.
  private var angle: Double { 2 * asin(min(1, chordSquared.squareRoot() / 2)) }

  /// Where this edge crosses another, as a fraction of its length; nil where it does not.
  func crossing(_ other: Edge) -> Double? {
    let end = start + chord
    let otherEnd = other.start + other.chord
    let (a, b) = (other.side(of: start), other.side(of: end))
    guard (a > 0) != (b > 0), (side(of: other.start) > 0) != (side(of: otherEnd) > 0) else {
      return nil
    }
    let point = abs(b) * start + abs(a) * end
    // Two circles meet at two opposite points: the edges may pass through one of them each.
    guard point.dot(other.start + otherEnd) > 0 else { return nil }
    return fraction(abs(b), abs(a))
  }

  /// The fraction of the length at which `a` parts of the start and `b` parts of the end lie.
  private func fraction(_ a: Double, _ b: Double) -> Double {
    guard a + b > 0 else { return 0 }
    let angle = angle
    guard angle > 1e-9 else { return b / (a + b) }
    return max(0, min(1, atan2(b * sin(angle), a + b * cos(angle)) / angle))
  }

  /// The chord that belongs to an angle with this sine, below a quarter turn; both squared.
  private static func chordSquared(sineSquared: Double) -> Double {
    2 * sineSquared / (1 + max(0, 1 - sineSquared).squareRoot())
  }
}
