/// Lists many fences in cells at once: what inserting them one after the other would come to, but
/// without splitting and growing on the way.
///
/// From the largest cells down, each cell gets all that touch it, decides what stays, and passes the
/// rest on to the cells below. The fences are first put in the order of a curve that stays in a
/// neighbourhood before it goes on, so that memory is read and written nearly in order.
struct CellBuilder {
  private let widths: ColumnWidths
  private var listings: [Listing] = []
  /// Where in `listings` the fences are that touch a cell: of each cell above the one in hand, and
  /// of those beside them that are still to come.
  private var members: [Int32] = []
  /// Which cell below each of them touches, while they are passed on.
  private var touches: [(child: Int32, member: Int32)] = []
  private var cells: [CellTable.Slot] = []
  /// The members of each cell that lists more than one, in the order of `cells`.
  private var listed: [Int32] = []
  /// Groups that their blocks will take.
  private var groupCount = 0

  /// The cells of all fences of an index, and the squares that they touch.
  /// - Complexity: O(fences + cells that each of them touches).
  static func build(_ index: GridIndex) -> (CellTable, Occupancy) {
    var draft = Occupancy.Draft()
    var builder = CellBuilder(widths: index.widths)
    builder.listings.reserveCapacity(index.count)
    let order = CellBuilder.order(of: index.circles)
    for start in stride(from: 0, to: order.count, by: 512) {
      let fences = order[start..<min(start + 512, order.count)]
      // In a pass of its own: the circles lie anywhere, and the processor waits for many at once only
      // where there is little to do for each.
      let circles = fences.map { index.circles[Int($0)] }
      for (fence, circle) in zip(fences, circles) {
        let listing = Listing(circle, fence: fence, isShape: index.shape(fence) != nil)
        listing.cover.mark(in: &draft)
        builder.listings.append(listing)
      }
    }
    builder.listed.reserveCapacity(index.count)
    builder.buildAll()
    let pool = builder.makePool()
    return (CellTable(builder.cells, pool: pool), Occupancy(draft, fences: index.count))
  }

  private init(widths: ColumnWidths) { self.widths = widths }

  // MARK: - Order

  /// The fences along Morton's curve through their centres ("A Computer Oriented Geodetic Data
  /// Base", 1966).
  private static func order(of circles: [CircleRecord]) -> [FenceID] {
    var keys: [UInt64] = []
    keys.reserveCapacity(circles.count)
    for (fence, circle) in circles.enumerated() where circle.radius >= 0 {
      let north = CellGrid.northing(degrees: circle.latitude * (180 / .pi))
      let east = CellGrid.easting(degrees: circle.longitude * (180 / .pi))
      let curve = spread(north &>> 15) &<< 1 | spread(east &>> 16)
      keys.append(curve &<< 32 | UInt64(fence))
    }
    RadixSort.byUpperHalf(&keys)
    return keys.map { FenceID(truncatingIfNeeded: $0) }
  }

  /// Sixteen bits with a gap before each.
  private static func spread(_ bits: UInt32) -> UInt64 {
    var v = UInt64(bits & 0xFFFF)
    v = (v | v &<< 8) & 0x00FF_00FF
    v = (v | v &<< 4) & 0x0F0F_0F0F
    v = (v | v &<< 2) & 0x3333_3333
    return (v | v &<< 1) & 0x5555_5555
  }

  // MARK: - Cells

  private mutating func buildAll() {
    for member in listings.indices {
      listings[member].cover.forEachTopCell(widths) { cell in
        touches.append((Int32(cell.row &<< 4 | cell.column), Int32(member)))
      }
    }
    let ends = passOn(children: 128)
    var start = 0
    for child in 0..<128 where ends[child] > start {
      let cell = Cell(
        level: CellGrid.top, row: UInt32(child >> 4), column: UInt32(child & 15))
      build(cell, start..<ends[child])
      start = ends[child]
    }
  }

  /// Lists the members in a range in a cell, or in those below it.
  private mutating func build(_ cell: Cell, _ range: Range<Int>) {
    var small = 0
    for i in range where listings[Int(members[i])].level < cell.level { small += 1 }
    guard cell.level > 0, small >= GridIndex.crowd(at: cell.level) else {
      return list(range, in: cell, below: 0)
    }
    list(range, in: cell, below: small)
    let width = widths.exponent(level: cell.level, row: cell.row)
    var shifts = InlineArray<8, UInt32>(repeating: 0)
    for row in 0..<8 {
      shifts[row] =
        width &- widths.exponent(level: cell.level - 1, row: cell.row &<< 3 | UInt32(row))
    }
    for i in range {
      let member = members[i]
      guard listings[Int(member)].level < cell.level else { continue }
      listings[Int(member)].cover.forEachChild(of: cell, widths) { child in
        let row = child.row & 7
        let column = child.column &- cell.column &<< shifts[Int(row)]
        touches.append((Int32(row &<< 3 | column & 7), member))
      }
    }
    let first = members.count
    let ends = passOn(children: 64)
    var start = first
    for child in 0..<64 where ends[child] > start {
      let row = child >> 3
      let below = Cell(
        level: cell.level - 1, row: cell.row &<< 3 | UInt32(row),
        column: cell.column &<< shifts[row] &+ UInt32(child & 7))
      build(below, start..<ends[child])
      start = ends[child]
    }
    members.removeSubrange(first...)
  }

  /// Appends the members in `touches` cell by cell; answers where the members of each cell end.
  private mutating func passOn(children: Int) -> [Int] {
    var ends = [Int](repeating: 0, count: children)
    for touch in touches { ends[Int(touch.child)] += 1 }
    var start = members.count
    for child in 0..<children {
      let count = ends[child]
      ends[child] = start
      start += count
    }
    members.append(contentsOf: repeatElement(0, count: touches.count))
    for touch in touches {
      let place = ends[Int(touch.child)]
      members[place] = touch.member
      ends[Int(touch.child)] = place + 1
    }
    touches.removeAll(keepingCapacity: true)
    return ends
  }

  /// Makes the slot of a cell.
  /// - Parameter below: how many of the members are passed on; the others are listed here.
  private mutating func list(_ range: Range<Int>, in cell: Cell, below: Int) {
    var slot = CellTable.Slot()
    slot.key = cell.key
    slot.below = UInt32(truncatingIfNeeded: below)
    slot.isSplit = below > 0
    let count = range.count - below
    slot.count = count
    if count > 1 {
      groupCount += EntryPool.groupCount(EntryPool.sizeClass(entries: count))
      slot.isPooled = true
    }
    for i in range {
      let member = Int(members[i])
      if below > 0, listings[member].level < cell.level { continue }
      if count > 1 {
        listed.append(members[i])
      } else {
        slot.entry = listings[member].entry(level: cell.level)
      }
    }
    cells.append(slot)
  }

  /// The lists of all cells, once it is known how long they are: a page of memory that is never touched costs
  /// nothing, and getting one takes as long as filling it.
  private mutating func makePool() -> EntryPool {
    var pool = EntryPool()
    pool.reserveCapacity(groups: groupCount + groupCount >> 4 + 1)
    var next = 0
    for i in cells.indices where cells[i].isPooled {
      let count = cells[i].count
      let level = Cell.level(ofKey: cells[i].key)
      let sizeClass = EntryPool.sizeClass(entries: count)
      let start = pool.allocate(sizeClass: sizeClass)
      cells[i].setBlock(start, sizeClass: sizeClass)
      for entry in 0..<count {
        pool[start, entry] = listings[Int(listed[next])].entry(level: level)
        next += 1
      }
    }
    return pool
  }
}
