package import Geodesy
import Glibc

/// One or more areas on the sphere, each inside a ring and outside its holes. Edges are great
/// circles and belong to the area.
///
///     let square = try Polygon(parts: [[[southWest, southEast, northEast, northWest]]])
///     Region.polygon(square).signedBoundaryDistance(from: position)  // metres, negative inside
///
/// Winding is ignored: of the two sides of a ring the smaller one is meant, and the polygon fits in
/// a circle of 5 000 km. The gnomonic projection from its centre keeps great circles straight: a
/// place is inside a ring if a line from it to the horizon crosses an odd number of edges. All
/// computation uses directions from the Earth's centre, so poles and the antimeridian are not
/// special. An area cut at the antimeridian is whole again: edges with area on both sides are no
/// boundary.
///
/// Parts may overlap. A ring that crosses itself encloses the points crossed an odd number of
/// times. In both cases `signedBoundaryDistance` may understate the depth; the side, and all
/// distances from outside, stay right.
package struct Polygon: Equatable, Sendable {
  /// The maximum number of positions of a polygon, all rings together.
  package static let maximumPositions = 10_000

  struct Ring: Equatable, Sendable {
    let range: Range<Int>
    /// The first ring of its part: the outline. Others are holes.
    let isOutline: Bool
  }

  /// The corners of all rings in sequence, without the repeated first corner.
  let corners: [Vector]
  let rings: [Ring]
  private let blocks: [[EdgeBlock]]
  /// Whether the edge from each corner has the area on both sides or on neither; empty if no edge
  /// has.
  private(set) var hidden: [Bool] = []
  let cap: BoundingCap
  /// Estimated heap use in bytes.
  var byteCount: Int { corners.count * MemoryLayout<Vector>.stride + hidden.count }
  /// A direction perpendicular to the centre's.
  private let horizon: Vector

  /// A circle that contains the polygon.
  package let boundingCircle: Circle
  /// Twice the area divided by the boundary's length, metres: the radius of a circle, half the side
  /// of a square, the width of a long strip.
  package let size: Double

  /// - Parameter parts: for each part its rings, the outline first, then the holes; a ring's last
  ///   position may repeat its first.
  /// - Complexity: O(positions · log positions), but O(positions) more for each pair of equal
  ///   edges.
  package init(parts: [[[Coordinate]]]) throws(ShapeError) {
    let count = parts.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    guard count <= Polygon.maximumPositions else { throw .tooManyPositions(count) }
    var corners: [Vector] = []
    var rings: [Ring] = []
    for (part, lines) in parts.enumerated() {
      for (number, line) in lines.enumerated() {
        let ring = Vector.path(line, isRing: true)
        guard ring.count >= 3 else { throw .noRing(part: part, ring: number) }
        let start = corners.count
        corners += ring
        rings.append(Ring(range: start..<corners.count, isOutline: number == 0))
      }
    }
    guard !rings.isEmpty else { throw .noArea }
    guard let cap = BoundingCap(of: corners), let circle = cap.circle(margin: 0) else {
      throw .tooLarge
    }
    self.corners = corners
    self.rings = rings
    let points = corners
    blocks = rings.map { EdgeBlock.blocks(of: $0.range, points) }
    self.cap = cap
    boundingCircle = circle
    horizon = cap.center.anySquare
    size = Polygon.size(corners, rings, around: cap.center)
    guard size > 0.001 else { throw .noArea }
    hideInnerEdges()
  }

  /// Metres to the nearest edge, negative inside.
  /// - Complexity: O(positions / 100 + 100 for each block that is near or crosses a line).
  func signedBoundaryDistance(from place: Vector) -> Double {
    let distance = Vector.distance(chordSquared: boundaryChordSquared(from: place))
    return isInside(place) ? -distance : distance
  }

  /// Whether a place is in an outline and in none of its holes.
  private func isInside(_ place: Vector) -> Bool {
    let offset = place - cap.center
    guard offset.dot(offset) <= cap.chordSquared * (1 + 1e-9) + 1e-18 else { return false }
    // The line from the place to the horizon is part of the great circle with this normal.
    let normal =
      place.dot(cap.center) * cap.center.cross(horizon)
      - place.dot(cap.center.cross(horizon)) * cap.center
    var isWithinPart = false
    for (number, ring) in rings.enumerated() {
      if ring.isOutline {
        if isWithinPart { return true }
        isWithinPart = crossesOddly(place, normal, number)
      } else if isWithinPart, crossesOddly(place, normal, number) {
        isWithinPart = false
      }
    }
    return isWithinPart
  }

  /// Whether a ring's edges cross the line an odd number of times.
  ///
  /// A corner counts as on one side of the line, never on it, so that none is counted twice. Edges
  /// are directed upwards, so that a place on a shared edge belongs to exactly one of the two
  /// areas.
  private func crossesOddly(_ place: Vector, _ normal: Vector, _ ring: Int) -> Bool {
    let length = normal.length
    var isOdd = false
    for block in blocks[ring] where !block.isBeside(normal, length: length) {
      var corner = corners[block.range.lowerBound]
      var isAbove = corner.dot(normal) > 0
      for i in block.range {
        let (previous, wasAbove) = (corner, isAbove)
        corner = end(of: i, in: rings[ring].range)
        isAbove = corner.dot(normal) > 0
        guard isAbove != wasAbove else { continue }
        let upwards = isAbove ? Edge(from: previous, to: corner) : Edge(from: corner, to: previous)
        if upwards.side(of: place) > 0 { isOdd.toggle() }
      }
    }
    return isOdd
  }

  private func boundaryChordSquared(from place: Vector) -> Double {
    var least = 4.0
    func measure(_ block: EdgeBlock, of ring: Int) {
      for i in block.range where hidden.isEmpty || !hidden[i] {
        least = min(least, edge(i, in: rings[ring].range).chordSquared(to: place))
      }
    }
    var first = (least: Double.infinity, ring: 0, block: 0)
    for (ring, blocks) in blocks.enumerated() {
      for (number, block) in blocks.enumerated() {
        let chord = block.leastChordSquared(to: place)
        if chord < first.least { first = (chord, ring, number) }
      }
    }
    measure(blocks[first.ring][first.block], of: first.ring)
    for (ring, blocks) in blocks.enumerated() {
      for block in blocks where block.leastChordSquared(to: place) < least {
        measure(block, of: ring)
      }
    }
    return least
  }

  /// Calls `body` for each edge of the boundary that a path may cross.
  /// - Complexity: O(positions / 100 + 100 for each block that is near).
  func forEachEdge(near path: Edge, _ body: (Edge) -> Void) {
    // The ball around the middle of its chord holds the path.
    let middle = path.start + 0.5 * path.chord
    for (ring, blocks) in zip(rings, blocks) {
      for block in blocks where block.leastChordSquared(to: middle) <= path.chordSquared / 4 {
        for i in block.range where hidden.isEmpty || !hidden[i] { body(edge(i, in: ring.range)) }
      }
    }
  }

  private func edge(_ i: Int, in range: Range<Int>) -> Edge {
    Edge(from: corners[i], to: end(of: i, in: range))
  }

  /// The corner at which the edge from one ends.
  private func end(of i: Int, in range: Range<Int>) -> Vector {
    corners[i + 1 < range.upperBound ? i + 1 : range.lowerBound]
  }
}

extension Polygon {
  /// Twice the area divided by the length of all rings.
  private static func size(_ corners: [Vector], _ rings: [Ring], around center: Vector) -> Double {
    var (area, length) = (0.0, 0.0)
    for ring in rings {
      var excess = 0.0
      var a = corners[ring.range.upperBound - 1]
      for b in corners[ring.range] {
        // A triangle's area from its corners (Eriksson, "On the Measure of Solid Angles", 1990).
        let volume = (a - center).cross(b - center).dot(center)
        excess += 2 * atan2(volume, 1 + center.dot(a) + a.dot(b) + b.dot(center))
        let chord = b - a
        length += Vector.distance(chordSquared: chord.dot(chord))
        a = b
      }
      area += ring.isOutline ? abs(excess) : -abs(excess)
    }
    return 2 * area * Sphere.radius * Sphere.radius / length
  }

  /// Marks edges that occur twice and have the same on both sides: the cut at the antimeridian, the
  /// way to a pole in a flat map, a spike.
  private mutating func hideInnerEdges() {
    var ends: [(fold: UInt64, corner: Int, ring: Int)] = []
    ends.reserveCapacity(corners.count)
    for (number, ring) in rings.enumerated() {
      for i in ring.range { ends.append((edge(i, in: ring.range).fold, i, number)) }
    }
    ends.sort { $0.fold < $1.fold }
    // Bounds the time for a hostile shape of doubled edges.
    var checks = 1_000_000 / corners.count
    var start = 0
    while start < ends.count, checks > 0 {
      var end = start + 1
      while end < ends.count, ends[start].fold == ends[end].fold,
        edge(of: ends[start]).hasEnds(of: edge(of: ends[end]))
      { end += 1 }
      if end - start > 1 {
        checks -= 1
        if hasSameOnBothSides(edge(of: ends[start])) {
          if hidden.isEmpty { hidden = Array(repeating: false, count: corners.count) }
          for entry in ends[start..<end] { hidden[entry.corner] = true }
        }
      }
      start = end
    }
    // The remaining edges must be able to bound an area.
    if !hidden.contains(false) { hidden = [] }
  }

  private func edge(of entry: (fold: UInt64, corner: Int, ring: Int)) -> Edge {
    edge(entry.corner, in: rings[entry.ring].range)
  }

  /// Whether points a centimetre left and right of an edge's middle are on the same side.
  private func hasSameOnBothSides(_ edge: Edge) -> Bool {
    let normal = edge.start.cross(edge.chord)
    guard normal.length > 0 else { return false }
    let step = (0.01 / Sphere.radius / normal.length) * normal
    let middle = edge.start + 0.5 * edge.chord
    return isInside((middle + step).normalized) == isInside((middle - step).normalized)
  }
}

extension Edge {
  /// A hash of the two rounded ends: the same for either direction.
  fileprivate var fold: UInt64 { start.hash &+ (start + chord).hash }

  /// Whether both ends are the same, in either direction.
  fileprivate func hasEnds(of other: Edge) -> Bool {
    let (a, b) = (start.rounded, (start + chord).rounded)
    let (c, d) = (other.start.rounded, (other.start + other.chord).rounded)
    return a == c && b == d || a == d && b == c
  }
}

extension Vector {
  fileprivate var normalized: Vector { (1 / length) * self }

  /// To 60 µm.
  fileprivate var rounded: (Int64, Int64, Int64) {
    (Int64(x * 1e11), Int64(y * 1e11), Int64(z * 1e11))
  }

  fileprivate var hash: UInt64 {
    func mixed(_ hash: UInt64, _ part: Int64) -> UInt64 {
      let product = (hash ^ UInt64(bitPattern: part)) &* 0x9E37_79B9_7F4A_7C15
      return product ^ product >> 32
    }
    let (x, y, z) = rounded
    return mixed(mixed(mixed(0, x), y), z)
  }

  /// A unit vector perpendicular to this one.
  fileprivate var anySquare: Vector {
    let axis = abs(z) < 0.7 ? Vector(x: 0, y: 0, z: 1) : Vector(x: 1, y: 0, z: 0)
    return axis.cross(self).normalized
  }
}
