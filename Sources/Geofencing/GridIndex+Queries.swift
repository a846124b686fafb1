package import Geodesy

extension GridIndex {
  /// Appends the fences that hold `position`, in no order, and returns how many metres one can
  /// travel from there, in any direction, without crossing an edge.
  /// - Complexity: O(levels + circles in the cells of `position`).
  package func containing(_ position: Coordinate, into inside: inout [FenceID]) -> Double {
    var surroundings = Surroundings()
    let safe = surroundings.lookAllAround(from: Viewpoint(position), in: self)
    inside.append(contentsOf: surroundings.found)
    return max(0, safe)
  }

  /// Looks at the cell of a level that holds the place, and at those beside it that are within the
  /// reach that `near` would like. Returns how many metres one can travel without crossing an edge
  /// of this level, and whether there are cells below.
  func look(
    from view: Viewpoint, level: Int, into near: inout Neighbourhood
  ) -> (safe: Double, isSplit: Bool) {
    let place = CellPlace(view, level: level, widths)
    let longest = longestReach(from: place, wanted: near.ambition * CellGrid.height(level))
    let cellAside = place.toMeridian < longest ? place.cellAside : nil
    let cellAcross = place.toParallel < longest ? place.cellAcross(widths) : nil
    // The slots of all are asked for before the first is waited for.
    if let cellAside { table.prefetchSlot(of: cellAside.key) }
    if let cellAcross {
      table.prefetchSlot(of: cellAcross.key)
      if cellAside != nil { table.prefetchSlot(of: place.atCorner(cellAcross).key) }
    }
    let slot = table.slot(of: place.cell)
    table.prefetch(slot)
    let isSplit = slot.isSplit && level > 0
    var beside = CellsBeside()
    let reach = reach(
      from: place, longest: longest, cellAside, cellAcross, isSplit: isSplit, &beside)
    near.begin(at: view.direction, in: place.cell)
    var scan = EdgeScan(view: view, level: level, skin: reach)
    if slot.count > 0 { scan.visit(slot, .own, self, &near) }
    for i in 0..<beside.count {
      let other = beside.slots[i]
      // Beside a cell that is split, one that is not lists fences that are listed below the first.
      scan.visit(other, isSplit && !other.isSplit ? .foreign : .beside, self, &near)
    }
    return (near.end(clearance: reach, nearest: Double(scan.nearest)), isSplit)
  }

  /// The part of the reach that would be liked for which no other cell is read.
  private static let enough = 0.5

  /// Cells beside the one that holds a place, at most one in each direction and the one between.
  private struct CellsBeside {
    var slots = InlineArray<3, CellTable.Slot>(repeating: CellTable.Slot())
    var count = 0

    mutating func append(_ slot: CellTable.Slot) {
      guard slot.count > 0 else { return }
      slots[count] = slot
      count += 1
    }
  }

  /// How far a look would go if all cells could tell all: as far as is wanted, but not beyond the farther borders
  /// of the cell.
  @inline(__always)
  private func longestReach(from place: CellPlace, wanted: Double) -> Double {
    var longest = min(wanted, place.toFarParallel, place.toFarMeridian)
    // To read another cell costs more than to come back a little sooner.
    if place.toMeridian > longest * GridIndex.enough { longest = min(longest, place.toMeridian) }
    if place.toParallel > longest * GridIndex.enough { longest = min(longest, place.toParallel) }
    return longest
  }

  /// How far a look goes: the longest reach, but not beyond a border where another cell cannot tell all. Appends
  /// the cells to be read.
  @inline(__always)
  private func reach(
    from place: CellPlace, longest: Double, _ cellAside: Cell?, _ cellAcross: Cell?, isSplit: Bool,
    _ beside: inout CellsBeside
  ) -> Double {
    var reach = longest
    guard place.toParallel < reach || place.toMeridian < reach else { return reach }
    var across: CellTable.Slot?
    var aside: CellTable.Slot?
    if place.toMeridian < reach {
      aside = open(cellAside, isSplit: isSplit)
      if aside == nil { reach = place.toMeridian }
    }
    if place.toParallel < reach {
      across = open(cellAcross, isSplit: isSplit)
      if across == nil { reach = place.toParallel }
    }
    if let across, let aside, place.toParallel < reach, place.toMeridian < reach {
      if let corner = open(cellAcross.map(place.atCorner), isSplit: isSplit) {
        beside.append(corner)
      } else {
        reach = max(place.toParallel, place.toMeridian)
      }
      beside.append(across)
      beside.append(aside)
    } else if let across, place.toParallel < reach {
      beside.append(across)
    } else if let aside, place.toMeridian < reach {
      beside.append(aside)
    }
    return reach
  }

  /// The list of a cell beside one that is split or not; nil where there is no such cell, or cells
  /// below it tell of what the one beside it lists.
  private func open(_ cell: Cell?, isSplit: Bool) -> CellTable.Slot? {
    guard let cell else { return nil }
    let slot = table.slot(of: cell)
    guard !slot.isSplit || isSplit else { return nil }
    table.prefetch(slot)
    return slot
  }

  /// Asks memory for the circle of a fence.
  @inline(__always)
  func prefetchCircle(of fence: FenceID) { circles.askFor(Int(fence)) }

  /// Appends the fences that hold a place, and finds out nothing else.
  func findHolders(
    of position: Coordinate, _ direction: Vector, into holders: inout [FenceID]
  ) {
    guard !table.slots.isEmpty else { return }
    let start = holders.count
    let north = CellGrid.northing(degrees: position.latitude)
    let east = CellGrid.easting(degrees: position.longitude)
    var scan = HolderScan(from: FixedVector(direction))
    if table.slots.count <= GridIndex.cachedSlots {
      look(north: north, east: east, &scan, &holders)
    } else {
      lookFar(north: north, east: east, &scan, &holders)
    }
    if scan.isUnsure { measure(&holders, from: start, position) }
  }

  /// Reads the cells that hold a place from the largest down.
  @inline(__always)
  private func look(
    north: UInt32, east: UInt32, _ scan: inout HolderScan, _ holders: inout [FenceID]
  ) {
    var level = CellGrid.top
    while true {
      let key = widths.cell(level: level, north: north, east: east).key
      guard let slot = table.slot(key, first: table.slots[table.home(key)]) else { return }
      scan.visit(slot, level: level, table.pool, &holders)
      guard slot.isSplit, level > 0 else { return }
      level -= 1
    }
  }

  /// The same where the cells are in no cache: the slots of all levels are asked for first, though not all
  /// may be needed, and a list is read when that of the next level has been asked for.
  @inline(never)
  private func lookFar(
    north: UInt32, east: UInt32, _ scan: inout HolderScan, _ holders: inout [FenceID]
  ) {
    var keys = InlineArray<5, UInt32>(repeating: 0)
    for level in 0..<CellGrid.levelCount {
      keys[level] = widths.cell(level: level, north: north, east: east).key
      table.prefetchSlot(of: keys[level])
    }
    var level = CellGrid.top
    var last = CellTable.Slot()
    while let slot = table.find(keys[level]).map({ table.slots[$0] }) {
      table.prefetch(slot)
      scan.visit(last, level: level + 1, table.pool, &holders)
      last = slot
      level -= 1
      guard slot.isSplit, level >= 0 else { break }
    }
    scan.visit(last, level: level + 1, table.pool, &holders)
  }

  /// Drops the fences that do not hold a place from those of which their entry did not tell.
  @inline(never)
  private func measure(_ holders: inout [FenceID], from start: Int, _ position: Coordinate) {
    let view = Viewpoint(position)
    var kept = start
    for i in start..<holders.count {
      let tag = holders[i]
      let fence = Entry.fence(of: tag)
      guard tag >= 0 || boundaryDistance(of: fence, from: view) <= 0 else { continue }
      holders[kept] = fence
      kept += 1
    }
    holders.removeLast(holders.count - kept)
  }

  /// About as many slots as the processor keeps at hand.
  private static let cachedSlots = 16_384

  /// Appends, without order or repetition, every circle that may reach into the disc of `radius`
  /// metres around a place, and some that do not.
  /// - Complexity: O(cells under the disc + circles in them).
  func candidates(around view: Viewpoint, radius: Double, into found: inout [FenceID]) {
    let cover = DiscCover(
      latitude: view.latitude, longitude: view.longitude,
      metres: min(radius, CellGrid.earthRadius * .pi))
    let start = found.count
    cover.forEachTopCell(widths) { gather(in: $0, under: cover, into: &found) }
    GridIndex.removeRepetitions(in: &found, from: start)
  }

  private func gather(in cell: Cell, under cover: DiscCover, into found: inout [FenceID]) {
    guard let place = table.find(cell.key) else { return }
    let slot = table.slots[place]
    for i in 0..<slot.count { found.append(table.entry(i, of: slot).fence) }
    guard slot.isSplit else { return }
    cover.forEachChild(of: cell, widths) { gather(in: $0, under: cover, into: &found) }
  }

  static func removeRepetitions(in list: inout [FenceID], from start: Int) {
    guard list.count - start > 1 else { return }
    list[start...].sort()
    var kept = start + 1
    for i in (start + 1)..<list.count where list[i] != list[kept - 1] {
      list[kept] = list[i]
      kept += 1
    }
    list.removeSubrange(kept...)
  }

  /// The circles nearest to a place by distance to their edge (negative inside), nearest first,
  /// equal ones by number: at most `limit` of them, none farther than `metres`.
  /// - Complexity: O(circles within a few times the distance of the last one reported).
  package func nearest(
    to position: Coordinate, limit: Int, within metres: Double
  ) -> [(id: FenceID, distance: Double)] {
    guard limit > 0, count > 0, !metres.isNaN else { return [] }
    let view = Viewpoint(position)
    let halfTurn = CellGrid.earthRadius * .pi
    let reach = min(metres, halfTurn)
    var radius = min(max(reach, 0), 2_000)
    var found: [FenceID] = []
    while true {
      found.removeAll(keepingCapacity: true)
      candidates(around: view, radius: radius, into: &found)
      var near: [(id: FenceID, distance: Double)] = []
      for id in found {
        let distance = boundaryDistance(of: id, from: view)
        // What is nearer than the disc's edge is complete; the rest may not be.
        if distance <= radius, distance <= metres { near.append((id, distance)) }
      }
      if near.count >= limit || radius >= reach {
        near.sort { $0.distance != $1.distance ? $0.distance < $1.distance : $0.id < $1.id }
        return Array(near.prefix(limit))
      }
      radius = min(reach, radius * 4)
    }
  }
}
