package import Geodesy

extension GridIndex {
  /// Appends the fences that hold `position`, in no order, and returns how many metres one can
  /// travel from there, in any direction, without crossing an edge.
  /// - Complexity: O(levels + circles in the cells of `position`).
  package func containing(_ position: Coordinate, into inside: inout [FenceID]) -> Double {
    var surroundings = Surroundings()
    let safe = surroundings.lookAllAround(from: Viewpoint(position), in: self)
    inside.append(contentsOf: surroundings.found)
    return safe
  }

  /// Looks at the cell of a level that holds the place. Returns for how many metres around the place
  /// it tells all that there is on this level, and whether there are cells below; brings `safe` down to
  /// the metres to the nearest edge.
  func look(
    from view: Viewpoint, level: Int, into near: inout Neighbourhood, safe: inout Double
  ) -> (clearance: Double, isSplit: Bool) {
    let north = CellGrid.northing(degrees: view.position.latitude)
    let east = CellGrid.easting(degrees: view.position.longitude)
    let clearance = clearance(level: level, north: north, east: east, cosine: view.cosine)
    near.begin(at: view.direction)
    defer { near.end(clearance: clearance) }
    let key = widths.cell(level: level, north: north, east: east).key
    guard let place = table.find(key) else { return (clearance, false) }
    let slot = table.slots[place]
    if slot.count > 0 {
      var scan = EdgeScan(view: view, level: level, skin: clearance)
      scan.visit(slot, self, &near)
      safe = min(safe, scan.safe)
    }
    return (clearance, slot.isSplit && level > 0)
  }

  /// Finds the fences that hold a place, and nothing else.
  func findHolders(of view: Viewpoint, into near: inout Neighbourhood) {
    guard !table.slots.isEmpty else { return }
    let north = CellGrid.northing(degrees: view.position.latitude)
    let east = CellGrid.easting(degrees: view.position.longitude)
    var keys = InlineArray<5, UInt32>(repeating: 0)
    var firsts = InlineArray<5, CellTable.Slot>(repeating: CellTable.Slot())
    // A slot and a group of each level first, though not all may be needed: so memory that is in no
    // cache is fetched at once.
    let fetchesAhead = table.slots.count > GridIndex.cachedSlots
    if fetchesAhead {
      for level in 0..<CellGrid.levelCount {
        keys[level] = widths.cell(level: level, north: north, east: east).key
        firsts[level] = table.slots[table.home(keys[level])]
      }
    }
    var level = CellGrid.top
    while true {
      if !fetchesAhead {
        keys[level] = widths.cell(level: level, north: north, east: east).key
        firsts[level] = table.slots[table.home(keys[level])]
      }
      guard let slot = table.slot(keys[level], first: firsts[level]) else { return }
      if slot.count > 0 {
        EdgeScan(view: view, level: level, skin: 0).findHolders(slot, self, &near)
      }
      guard slot.isSplit, level > 0 else { return }
      level -= 1
    }
  }

  /// About as many slots as the processor keeps at hand.
  private static let cachedSlots = 16_384

  /// Metres to the nearest edge of the cell: what is not listed in it, nor in one that it is a
  /// part of, is at least that far.
  private func clearance(level: Int, north: UInt32, east: UInt32, cosine: Double) -> Double {
    let metresPerUnit = CellGrid.earthRadius / CellGrid.unitsPerRadian
    let height = CellGrid.exponent(level)
    let width = widths.exponent(level: level, row: north &>> height)
    let high = UInt32(1) &<< height
    let y = north & (high &- 1)
    let wide = UInt32(1) &<< width
    let x = east & (wide &- 1)
    // To a meridian t away: asin(cos φ · sin t), at least cos φ · (t − t³/6) while t < π/2.
    let t = min(Double(min(x, wide &- x)) / CellGrid.unitsPerRadian, 0.5)
    let aside = cosine * t * (1 - t * t / 6) * CellGrid.earthRadius
    return max(0, min(Double(min(y, high &- y)) * metresPerUnit, aside) - 0.1)
  }

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

  private static func removeRepetitions(in list: inout [FenceID], from start: Int) {
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
