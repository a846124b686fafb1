import Geodesy

/// Regions on the sphere, found by place: circles, and other shapes by the circle that holds them.
///
///     var index = GridIndex()
///     index.insert(circle, id: 0)
///     var inside: [FenceID] = []
///     let safe = index.containing(position, into: &inside)
///     // inside == [0]; no other circle can be entered before `safe` metres have been travelled
///
/// Each circle is listed in all cells of its level (see `CellGrid`) that it touches, so that a look
/// reads one cell a level. Cells live in one hash table with linear probing, 16 bytes each: number,
/// count, and up to two fences in place; more of them in a block of a common pool.
/// The circles themselves are 24 bytes each in an array indexed by fence. What is no circle is kept
/// beside its bounding circle and has the last word on distances.
///
/// Invariant: a vacant fence is in no cell; any other is exactly once in each cell of its cover.
package struct GridIndex: Sendable {
  var circles: [CircleRecord] = []
  /// Of the fences that are no circles.
  var shapes: [FenceID: Shape] = [:]
  var table = CellTable()
  let widths = ColumnWidths()
  /// Circles of each level: a level without one is not looked at.
  private var population: InlineArray<5, Int> = .init(repeating: 0)

  package private(set) var count = 0

  package init() {}

  /// Makes room for fences 0..<`count`, so that filling an index does not copy.
  package mutating func reserveCapacity(_ count: Int) {
    circles.reserveCapacity(count)
    // Fences cluster: there are about as many cells as half the fences.
    table.reserveCapacity(min(max(0, count), 50_000_000) / 2)
  }

  /// Whether there is a fence with this number.
  package func contains(_ id: FenceID) -> Bool {
    id >= 0 && Int(id) < circles.count && circles[Int(id)].radius >= 0
  }

  /// Adds a region, or replaces the one of that number. Negative numbers are ignored.
  package mutating func insert(_ region: Region, id: FenceID) {
    insert(region.boundingCircle, id: id)
    if id >= 0, let shape = Shape(region) { shapes[id] = shape }
  }

  /// Adds a circle, or replaces the one of that number. Negative numbers are ignored.
  /// - Complexity: O(cells of the circle): four or less but near a pole, amortised.
  package mutating func insert(_ circle: Circle, id: FenceID) {
    guard id >= 0 else { return }
    remove(id)
    let slot = Int(id)
    while circles.count <= slot { circles.append(.vacant) }
    let record = CircleRecord(circle)
    circles[slot] = record
    let level = GridIndex.level(of: record)
    population[level] += 1
    count += 1
    forEachCell(of: record, level: level) { $0.insert(id, key: $1) }
    if level == 0 { forEachCell(of: record, level: CellGrid.summary) { $0.increment($1) } }
  }

  /// Removes a circle; a number without one is ignored.
  /// - Complexity: O(cells of the circle × circles in them).
  package mutating func remove(_ id: FenceID) {
    guard contains(id) else { return }
    let record = circles[Int(id)]
    let level = GridIndex.level(of: record)
    circles[Int(id)] = .vacant
    if !shapes.isEmpty { shapes[id] = nil }
    population[level] -= 1
    count -= 1
    forEachCell(of: record, level: level) { $0.remove(id, key: $1) }
    if level == 0 { forEachCell(of: record, level: CellGrid.summary) { $0.decrement($1) } }
  }

  /// Changes the table for each cell that a circle touches on a level.
  @inline(__always)
  private mutating func forEachCell(
    of record: CircleRecord, level: Int, _ change: (inout CellTable, UInt32) -> Void
  ) {
    let cover = DiscCover(
      latitude: record.latitude, longitude: record.longitude,
      angle: record.radius / CellGrid.earthRadius, level: level == CellGrid.summary ? 1 : level)
    for row in cover.rows {
      let (first, columns, mask) = cover.columns(row: row, widths: widths)
      for offset in 0..<columns {
        change(&table, CellGrid.key(level, row, (first &+ offset) & mask))
      }
    }
  }

  /// Bytes of heap in use for the circles and the cells.
  package var byteCount: Int {
    circles.capacity * MemoryLayout<CircleRecord>.stride + table.byteCount
  }

  /// The shape of a fence, nil for a circle.
  @inline(__always)
  func shape(_ id: FenceID) -> Shape? { shapes.isEmpty ? nil : shapes[id] }

  /// Metres to the edge of a fence, negative inside.
  @inline(__always)
  func boundaryDistance(of id: FenceID, from view: Viewpoint) -> Double {
    shape(id)?.signedBoundaryDistance(from: view.vector)
      ?? view.boundaryDistance(to: circles[Int(id)])
  }

  /// What the margins of a fence are measured by, in metres.
  @inline(__always)
  func size(of id: FenceID) -> Double { shape(id)?.size ?? circles[Int(id)].radius }

  /// The distance a transition tells, from that to the edge.
  func distance(of id: FenceID, beyond: Double) -> Double {
    shape(id)?.distance(beyond: beyond) ?? beyond + circles[Int(id)].radius
  }

  static func level(of record: CircleRecord) -> Int {
    CellGrid.level(units: record.radius / CellGrid.earthRadius * CellGrid.unitsPerRadian)
  }

  @inline(__always)
  func isEmpty(level: Int) -> Bool { population[level] == 0 }
}
