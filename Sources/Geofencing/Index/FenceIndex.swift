package import Geodesy

/// Regions on the sphere by number, found by place.
///
///     var index = FenceIndex()
///     index.insert(.circle(circle), id: 0)
///     index.nearest(to: position, limit: 1, within: .infinity)
///
/// Circles are in an array indexed by fence, and in an octree (`LooseOctree`) by their centre. A
/// region that is no circle is stored beside the circle around it, and has the last word on
/// distances.
///
/// Copies share their memory until one of them changes, also where they differ in `radius`.
package struct FenceIndex: Sendable {
  /// The circles, and those around other shapes; of a negative radius where a number has no fence.
  private(set) var circles: [Circle] = []
  /// Of the fences that are no circles.
  private var shapes: [FenceID: Region] = [:]
  private(set) var tree = LooseOctree()

  /// Metres, one of `Circle.radii`: all regions are circles of this radius around their centres.
  /// nil leaves them as they are.
  package let radius: Double?
  /// The same in radii of the Earth, as a chord.
  private let chord: Double?

  package var count: Int { tree.count }
  /// Bytes of heap that fences take which are no circles, about.
  package private(set) var shapeBytes = 0

  package init(radius: Double? = nil) {
    self.radius = radius
    chord = radius.map { FenceIndex.chord($0) }
  }

  /// The same regions with another `radius`.
  package init(_ other: FenceIndex, radius: Double?) {
    self.init(radius: radius)
    (circles, shapes, tree, shapeBytes) =
      (other.circles, other.shapes, other.tree, other.shapeBytes)
  }

  private static func chord(_ radius: Double) -> Double {
    Vector.chordSquared(distance: radius).squareRoot()
  }

  /// Makes room for fences 0..<`count`, so that filling an index copies less.
  package mutating func reserveCapacity(_ count: Int) { circles.reserveCapacity(count) }

  /// Whether there is a fence with this number.
  package func contains(_ id: FenceID) -> Bool {
    id >= 0 && Int(id) < circles.count && circles[Int(id)].radius >= 0
  }

  /// Adds a region, or replaces the one of that number. Negative numbers are ignored.
  /// - Parameter center: of the region, for `radius`; nil is the middle of its bounding circle.
  /// - Complexity: O(1) amortised.
  package mutating func insert(_ region: Region, id: FenceID, around center: Coordinate? = nil) {
    guard id >= 0 else { return }
    remove(id)
    while circles.count <= Int(id) { circles.append(.none) }
    var circle = region.boundingCircle
    if let center, center != circle.center {
      // One metre absorbs rounding. A region around the Earth keeps its own circle.
      circle =
        Circle(center: center, radius: center.distance(to: circle.center) + circle.radius + 1)
        ?? circle
    }
    circles[Int(id)] = circle
    let isShape = region != .circle(circle)
    if isShape {
      shapes[id] = region
      shapeBytes += region.byteCount
    }
    tree.insert(
      FenceEntry(
        center: Vector(circle.center), chord: FenceIndex.chord(circle.radius), fence: id,
        isShape: isShape))
  }

  /// Removes a region; a number without one is ignored.
  /// - Complexity: O(regions listed in the cubes that hold its centre).
  package mutating func remove(_ id: FenceID) {
    guard contains(id) else { return }
    tree.remove(id, center: Vector(circles[Int(id)].center))
    circles[Int(id)] = .none
    if !shapes.isEmpty, let shape = shapes.removeValue(forKey: id) { shapeBytes -= shape.byteCount }
  }

  /// Bytes of heap in use for the fences and the cubes.
  package var byteCount: Int {
    circles.capacity * MemoryLayout<Circle>.stride + tree.byteCount + shapeBytes
  }

  /// The circle of a fence, which must exist, or that around its shape.
  @inline(__always)
  func circle(of id: FenceID) -> Circle {
    radius.map { circles[Int(id)].resized(to: $0) } ?? circles[Int(id)]
  }

  /// The region of a fence, which must exist.
  @inline(__always)
  func region(of id: FenceID) -> Region {
    let circle = Region.circle(circle(of: id))
    return shapes.isEmpty || radius != nil ? circle : shapes[id] ?? circle
  }

  /// As `LooseOctree.search`.
  func search(
    around place: Vector, reach: Double, limit: Int = .max, into found: inout [FenceEntry]
  ) -> Bool {
    let isWhole = tree.search(
      around: place, reach: reach, chord: chord, limit: limit, into: &found)
    if let chord {
      for place in found.indices { (found[place].chord, found[place].isShape) = (chord, false) }
    }
    return isWhole
  }

  /// Metres from a place to the edge of a fence, negative inside. The fence must exist.
  func boundaryDistance(of id: FenceID, from position: Coordinate, _ place: Vector) -> Double {
    region(of: id).signedBoundaryDistance(from: position, place)
  }

  /// The regions nearest to a place by distance to their edge (negative inside), nearest first,
  /// equal ones by number: at most `limit` of them, none farther than `metres`.
  /// - Complexity: O(regions within a few times the distance of the last one reported).
  package func nearest(
    to position: Coordinate, limit: Int, within metres: Double
  ) -> [(id: FenceID, distance: Double)] {
    guard limit > 0, count > 0, !metres.isNaN else { return [] }
    let place = Vector(position)
    let reach = min(metres, Sphere.radius * .pi)
    var radius = min(max(reach, 0), 2_000)
    var found: [FenceEntry] = []
    while true {
      found.removeAll(keepingCapacity: true)
      // A chord is at most as long as the arc on the ground; one metre absorbs rounding.
      _ = search(around: place, reach: (radius + 1) / Sphere.radius, into: &found)
      var near: [(id: FenceID, distance: Double)] = []
      for entry in found {
        let distance = boundaryDistance(of: entry.fence, from: position, place)
        // Results are complete only up to the edge of the disc.
        if distance <= radius, distance <= metres { near.append((entry.fence, distance)) }
      }
      if near.count >= limit || radius >= reach {
        near.sort { $0.distance != $1.distance ? $0.distance < $1.distance : $0.id < $1.id }
        return Array(near.prefix(limit))
      }
      radius = min(reach, radius * 4)
    }
  }
}
