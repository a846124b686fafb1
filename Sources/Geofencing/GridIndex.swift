import Geodesy

/// Regions on the sphere, found by place: circles, and other shapes by the circle that holds them.
///
///     var index = GridIndex()
///     index.insert(circle, id: 0)
///     var inside: [FenceID] = []
///     let safe = index.containing(position, into: &inside)
///     // inside == [0]; no edge can be reached before `safe` metres have been travelled
///
/// A circle fits on the level whose rows are as high as its radius (see `CellGrid`), and is listed
/// in each cell that it touches there, or in a cell above of which that is a part: a cell lists all
/// circles that fit in or below it, until they crowd it. Then it is split: those that fit below are
/// listed in the cells below. So a look reads the cells that hold the place from the largest to the
/// first that is not split, and finds each circle once.
///
/// Cells live in one hash table, their lists in one pool (`CellTable`). A list keeps 12 bytes of
/// each circle, enough to tell most from afar (`Entry`); the circles themselves are 24 bytes each
/// in an array indexed by fence, and are looked at near their edges only. What is no circle is kept
/// beside its bounding circle and has the last word on distances.
///
/// Invariants: a vacant fence is in no cell. Any other is exactly once in each cell of its cover on
/// its level, or in the first cell above it that is not split. A split cell knows how many fences
/// there are below it.
package struct GridIndex: Sendable {
  /// A cell of this level that lists so many fences of smaller ones is split, and no longer so at a quarter.
  /// Testing four takes as long as a tenth of a visit to another cell; and where cells are split
  /// early, more of them list the same fence: most of all those of the smallest level, whose fences
  /// may be twice as wide as a cell is high.
  static func crowd(at level: Int) -> Int { level == 1 ? 128 : 64 }

  var circles: [CircleRecord] = []
  /// Of the fences that are no circles.
  var shapes: [FenceID: Shape] = [:]
  var table = CellTable()
  private var occupancy = Occupancy()
  /// How many fences have been added since all of them were marked in it.
  private(set) var additions = 0
  let widths = ColumnWidths()

  /// In radii of the Earth, squared: places farther apart on a straight line are in no fence both. May
  /// stay larger than needed when a fence has gone, until the last has.
  private(set) var widestSquared = 0.0

  /// Whether the cells wait for `endFilling`.
  private var isFilling = false

  package private(set) var count = 0
  /// Bytes of heap that fences take which are no circles, about.
  package private(set) var shapeBytes = 0

  package init() {}

  /// Makes room for fences 0..<`count`, so that filling an index copies less.
  package mutating func reserveCapacity(_ count: Int) {
    if count > circles.capacity { circles.move(toCapacity: count) }
  }

  /// From now until `endFilling` fences 0..<`count` come and go without the cells, and nothing is found:
  /// listing many at once takes a fraction of the time.
  package mutating func beginFilling(count: Int) {
    reserveCapacity(count)
    isFilling = true
  }

  /// Lists all fences in the cells.
  /// - Complexity: O(fences + cells of each).
  package mutating func endFilling() {
    guard isFilling else { return }
    isFilling = false
    (table, occupancy) = CellBuilder.build(self)
    additions = 0
  }

  /// Whether there is a fence with this number.
  package func contains(_ id: FenceID) -> Bool {
    id >= 0 && Int(id) < circles.count && circles[Int(id)].radius >= 0
  }

  /// Adds a region, or replaces the one of that number. Negative numbers are ignored.
  /// - Complexity: O(cells of the region), mostly one to four, amortised; O(fences) where the table of squares
  ///   that fences touch has become crowded.
  package mutating func insert(_ region: Region, id: FenceID) {
    guard id >= 0 else { return }
    remove(id)
    let slot = Int(id)
    while circles.count <= slot { circles.append(.vacant) }
    circles[slot] = CircleRecord(region.boundingCircle)
    // No straight line is longer than the way on the ground, here with a metre for rounding.
    let width = (2 * circles[slot].radius + 1) / CellGrid.earthRadius
    widestSquared = max(widestSquared, width * width)
    if let shape = Shape(region) {
      shapes[id] = shape
      shapeBytes += shape.byteCount
    }
    count += 1
    guard !isFilling else { return }
    let listing = listing(of: id)
    listing.cover.mark(in: &occupancy)
    additions += 1
    if occupancy.isCrowded { makeRoom() }
    listing.cover.forEachTopCell(widths) { list(listing, in: $0) }
  }

  /// Adds a circle, or replaces the region of that number. Negative numbers are ignored.
  package mutating func insert(_ circle: Circle, id: FenceID) { insert(.circle(circle), id: id) }

  /// Removes a region; a number without one is ignored.
  /// - Complexity: O(cells of the region × regions in them).
  package mutating func remove(_ id: FenceID) {
    guard contains(id) else { return }
    if !isFilling {
      let listing = listing(of: id)
      listing.cover.forEachTopCell(widths) { unlist(listing, in: $0) }
    }
    circles[Int(id)] = .vacant
    if !shapes.isEmpty, let shape = shapes.removeValue(forKey: id) { shapeBytes -= shape.byteCount }
    count -= 1
    if count == 0 {
      occupancy = Occupancy()
      widestSquared = 0
    }
  }

  /// More fences than this are not marked anew while the monitor runs: it would take more than a tenth of a millisecond.
  private static let mostMarkedAnew = 500

  /// Makes room in the table of touched squares. Few fences are all marked in a new one, no more often than in as many
  /// additions as a sixteenth of them; of many the table grows, and what they touched once stays marked until all
  /// are filled in again.
  private mutating func makeRoom() {
    guard count <= Self.mostMarkedAnew, additions * 16 >= count else {
      return occupancy.grow(for: count)
    }
    additions = 0
    var draft = Occupancy.Draft()
    for slot in circles.indices where circles[slot].radius >= 0 {
      listing(of: FenceID(slot)).cover.mark(in: &draft)
    }
    occupancy = Occupancy(draft, fences: count)
  }

  /// Bytes of heap in use for the fences and the cells.
  package var byteCount: Int {
    circles.capacity * MemoryLayout<CircleRecord>.stride + table.byteCount
      + occupancy.byteCount + shapeBytes
  }

  /// The square that a place is in, by a number of its own.
  @inline(__always)
  func square(of place: Coordinate) -> UInt32 { occupancy.square(of: place) }

  /// Whether no fence holds a place in a square, as far as that is known without a look.
  @inline(__always)
  func isVacant(_ square: UInt32, around place: Coordinate) -> Bool {
    occupancy.isVacant(square, around: place)
  }

  /// Whether no fence holds a place, as far as that is known without a look.
  @inline(__always)
  func isVacant(at place: Coordinate) -> Bool { isVacant(square(of: place), around: place) }

  /// The shape of a fence, nil for a circle.
  @inline(__always)
  func shape(_ id: FenceID) -> Shape? { shapes.isEmpty ? nil : shapes[id] }

  /// Metres to the edge of a fence, negative inside.
  @inline(__always)
  func boundaryDistance(of id: FenceID, from view: Viewpoint) -> Double {
    shape(id)?.signedBoundaryDistance(from: view.direction)
      ?? view.boundaryDistance(to: circles[Int(id)])
  }

  /// What the margins of a fence are measured by, in metres.
  @inline(__always)
  func size(of id: FenceID) -> Double { shape(id)?.size ?? circles[Int(id)].radius }

  /// The distance a transition tells, from that to the edge.
  func distance(of id: FenceID, beyond: Double) -> Double {
    shape(id)?.distance(beyond: beyond) ?? beyond + circles[Int(id)].radius
  }

  func listing(of fence: FenceID) -> Listing {
    Listing(circles[Int(fence)], fence: fence, isShape: shape(fence) != nil)
  }
}
