import Geodesy
import Glibc
import TestSupport

@testable import Geofencing

/// A made-up region with the positions it was drawn from.
struct DrawnShape {
  enum Kind {
    case circle(Coordinate, radius: Double)
    /// Outline and holes.
    case polygon([[Coordinate]])
    case corridor([Coordinate], width: Double)
  }

  let kind: Kind
  let region: Region

  /// All positions of it.
  var positions: [Coordinate] {
    switch kind {
    case .circle(let center, _): [center]
    case .polygon(let rings): rings.flatMap(\.self)
    case .corridor(let line, _): line
    }
  }
}

extension SeededGenerator {
  /// A star-shaped polygon, sometimes with a hole, or a winding corridor, within `reach` metres.
  mutating func shape(around center: Coordinate, reach: Double) -> Region {
    drawnShape(around: center, reach: reach).region
  }

  /// - Parameter circles: how many of all are circles, 0…1.
  mutating func drawnShape(
    around center: Coordinate, reach: Double, circles: Double = 0
  ) -> DrawnShape {
    let choice = circles < 1 && uniform(0...1) >= circles ? uniform(0...1) : -1
    if choice >= 0, choice < 0.4 {
      let line = line(around: center, reach: reach)
      let width = min(1_000_000, max(1, reach * uniform(0.02...0.3)))
      if let corridor = try? Corridor(lines: [line], width: width) {
        return DrawnShape(kind: .corridor(line, width: width), region: .corridor(corridor))
      }
    } else if choice >= 0.4 {
      var rings = [star(around: center, inner: 0.4 * reach, outer: reach)]
      if Bool.random(using: &self) {
        rings.append(star(around: center, inner: 0.05 * reach, outer: 0.15 * reach))
      }
      if let polygon = try? Polygon(parts: [rings]) {
        return DrawnShape(kind: .polygon(rings), region: .polygon(polygon))
      }
    }
    let radius = max(1, min(5_000_000, reach))
    return DrawnShape(
      kind: .circle(center, radius: radius), region: .circle(circle(center, radius)))
  }

  private mutating func line(around center: Coordinate, reach: Double) -> [Coordinate] {
    var place = beside(center, distance: reach / 2)
    var heading = uniform(0...360)
    var line = [place]
    for _ in 0..<Int.random(in: 1...8, using: &self) {
      heading += uniform(-80...80)
      place = beside(place, distance: reach * uniform(0.02...0.15), bearing: heading)
      line.append(place)
    }
    return line
  }

  private mutating func star(
    around center: Coordinate, inner: Double, outer: Double
  ) -> [Coordinate] {
    let count = Int.random(in: 3...24, using: &self)
    let turn = uniform(0...360)
    let ring = (0..<count).map { i in
      beside(
        center, distance: uniform(inner...outer),
        bearing: turn + 360 * (Double(i) + uniform(0...0.8)) / Double(count))
    }
    return Bool.random(using: &self) ? ring : ring.reversed()
  }

  /// A place at a distance, by unit vectors: right to nanometres at the poles as well, where one by
  /// bearing and arc sine is off by centimetres and makes corners coincide.
  mutating func beside(
    _ center: Coordinate, distance: Double, bearing: Double? = nil
  ) -> Coordinate {
    let turn = (bearing ?? uniform(0...360)) * .pi / 180
    let angle = distance / Sphere.radius
    let (latitude, longitude) = (
      center.latitude * .pi / 180, center.longitude * .pi / 180
    )
    let middle = Vector(center)
    let (along, across) = (sin(angle) * cos(turn), sin(angle) * sin(turn))
    // North and east of the meridian that the longitude names, at the poles too.
    let there = Vector(
      normalizing: cos(angle) * middle.x - along * sin(latitude) * cos(longitude)
        - across * sin(longitude),
      cos(angle) * middle.y - along * sin(latitude) * sin(longitude) + across * cos(longitude),
      cos(angle) * middle.z + along * cos(latitude))
    return there?.coordinate ?? center
  }
}

extension Polygon {
  /// Whether a place is inside or on the edge.
  func contains(_ place: Coordinate) -> Bool { signedBoundaryDistance(from: place) <= 0 }

  func signedBoundaryDistance(from place: Coordinate) -> Double {
    signedBoundaryDistance(from: Vector(place))
  }
}

extension Corridor {
  /// Whether a place is inside or on the edge.
  func contains(_ place: Coordinate) -> Bool { signedBoundaryDistance(from: place) <= 0 }

  func signedBoundaryDistance(from place: Coordinate) -> Double {
    signedBoundaryDistance(from: Vector(place))
  }
}
