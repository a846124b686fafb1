package import Geodesy
import Glibc

/// Where a segment comes closest to a point.
package struct ClosestApproach: Hashable, Sendable {
  /// The place on the segment: 0 at its start, 1 at its end.
  package let fraction: Double
  /// The great-circle distance there, in metres.
  package let distance: Double
}

extension Coordinate {
  /// The point at `fraction` (0…1, clamped) of the shorter great-circle arc to `other`.
  ///
  /// Right across the antimeridian and over the poles; the ends come back as they are. Between
  /// exact antipodes, where every arc is as short, the one that leaves due north is taken.
  package func interpolated(to other: Coordinate, fraction: Double) -> Coordinate {
    guard fraction > 0 else { return self }
    guard fraction < 1 else { return other }
    guard let arc = Arc(from: Vector(self), to: Vector(other)) else {
      return fraction < 0.5 ? self : other
    }
    return arc.point(at: fraction * arc.angle).coordinate
  }

  /// Where the shorter great-circle arc from `start` to `end` comes closest to this point.
  ///
  /// A segment shorter than a tenth of a micrometre is its start. The distance is never more than
  /// `distance(to:)` of either end; on a tie the earlier point wins.
  package func closestApproach(
    ofSegmentFrom start: Coordinate, to end: Coordinate
  ) -> ClosestApproach {
    let toStart = ClosestApproach(fraction: 0, distance: distance(to: start))
    let toEnd = ClosestApproach(fraction: 1, distance: distance(to: end))
    let nearerEnd = toEnd.distance < toStart.distance ? toEnd : toStart
    guard let arc = Arc(from: Vector(start), to: Vector(end)) else { return toStart }
    let (along, across) = arc.offsets(of: Vector(self))
    guard along > 0, along < arc.angle else { return nearerEnd }
    let distance = Sphere.radius * abs(across)
    guard distance < nearerEnd.distance else { return nearerEnd }
    return ClosestApproach(fraction: along / arc.angle, distance: distance)
  }
}

/// A great-circle arc in its own frame: `origin` where it starts, `tangent` the way it leaves,
/// `normal` the pole of its circle.
private struct Arc {
  let origin: Vector
  let tangent: Vector
  let normal: Vector
  /// Length in radians.
  let angle: Double

  /// Nothing for an arc too short to have a direction.
  init?(from start: Vector, to end: Vector) {
    // (s − e) × (s + e) = 2 s × e, and the difference is exact for close points.
    let cross = (start - end).cross(start + end)
    origin = start
    angle = start.angle(to: end)
    let north = (start.x * start.x + start.y * start.y).squareRoot()
    if cross.length > 3e-14, let unit = Vector(normalizing: cross.x, cross.y, cross.z) {
      normal = unit
    } else if angle < 1 {
      return nil
    } else if north > 0 {
      // Antipodes: the meridian, whose pole lies due west of a northbound traveller.
      normal = Vector(x: start.y / north, y: -start.x / north, z: 0)
    } else {
      normal = Vector(x: 0, y: 1, z: 0)
    }
    tangent = normal.cross(start)
  }

  func point(at angle: Double) -> Vector { cos(angle) * origin + sin(angle) * tangent }

  /// The angles along the circle (−π…π from the origin) and across it (−π/2…π/2), in radians.
  func offsets(of point: Vector) -> (along: Double, across: Double) {
    let u = point.dot(origin)
    let v = point.dot(tangent)
    return (atan2(v, u), atan2(point.dot(normal), (u * u + v * v).squareRoot()))
  }
}
