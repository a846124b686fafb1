package import Geodesy

extension GridIndex {
  /// Appends the fences that hold `position`, in no order, and returns how many metres one can
  /// travel from there, in any direction, without entering another.
  /// - Complexity: O(levels + circles in the cells of `position`).
  package func containing(_ position: Coordinate, into inside: inout [FenceID]) -> Double {
    var near = Neighbourhood()
    return look(from: Viewpoint(position), into: &inside, near: &near)
  }

  /// As `containing`, and notes the circles whose edge is near.
  func look(
    from view: Viewpoint, into inside: inout [FenceID], near: inout Neighbourhood
  ) -> Double {
    let north = CellGrid.northing(view.latitude)
    let east = CellGrid.easting(view.longitude)
    var scan = EdgeScan(view: view, skin: Neighbourhood.skin)
    if !near.fences.isEmpty { near.fences.removeAll(keepingCapacity: true) }
    var clearance = Double.infinity
    for level in 0..<CellGrid.levelCount where !isEmpty(level: level) {
      let height = CellGrid.exponent(level)
      let row = north >> height
      let width = widths.exponent(level: level, row: row)
      if level == 0 {
        let summaryHeight = CellGrid.exponent(1)
        let summaryRow = north >> summaryHeight
        let summaryWidth = widths.exponent(level: 1, row: summaryRow)
        let column = summaryWidth < 32 ? east >> summaryWidth : 0
        let summary = table.find(CellGrid.key(CellGrid.summary, summaryRow, column))
        if summary == nil || summary?.count == 0 {
          clearance = min(
            clearance,
            GridIndex.clearance(north, summaryHeight, east, summaryWidth, view.cosine))
          continue
        }
      }
      clearance = min(clearance, GridIndex.clearance(north, height, east, width, view.cosine))
      let column = width < 32 ? east >> width : 0
      guard let slot = table.find(CellGrid.key(level, row, column)) else { continue }
      for i in 0..<slot.count {
        let fence = table.fence(i, of: slot)
        scan.visit(fence, circles[Int(fence)], shape(fence), &inside, &near.fences)
      }
    }
    near.reach = min(Neighbourhood.skin, clearance)
    return min(scan.safe, clearance)
  }

  /// As `look`, from a place within `near.reach` of the one it was made at: the circles in it are
  /// all that can matter. `moved` is the distance between the two.
  func look(
    from view: Viewpoint, into inside: inout [FenceID], within near: Neighbourhood, moved: Double
  ) -> Double {
    var scan = EdgeScan(view: view, skin: 0)
    var unused: [FenceID] = []
    for fence in near.fences {
      scan.visit(fence, circles[Int(fence)], shape(fence), &inside, &unused)
    }
    return min(scan.safe, near.reach - moved)
  }

  /// Metres to the nearest edge of the cell: what is not listed in it is at least that far.
  @inline(__always)
  private static func clearance(
    _ north: UInt32, _ height: UInt32, _ east: UInt32, _ width: UInt32, _ cosine: Double
  ) -> Double {
    let metresPerUnit = CellGrid.earthRadius / CellGrid.unitsPerRadian
    let high = UInt32(1) << height
    let y = north & (high &- 1)
    var clearance = Double(min(y, high &- y)) * metresPerUnit
    if width < 32 {
      let wide = UInt32(1) << width
      let x = east & (wide &- 1)
      // To a meridian t away: asin(cos φ · sin t), at least cos φ · (t − t³/6) while t < π/2.
      let t = min(Double(min(x, wide &- x)) / CellGrid.unitsPerRadian, 0.5)
      clearance = min(clearance, cosine * t * (1 - t * t / 6) * CellGrid.earthRadius)
    }
    return max(0, clearance - 0.1)
  }

  /// Appends, without order or repetition, every circle that may reach into the disc of `radius`
  /// metres around a place, and some that do not.
  /// - Complexity: O(cells under the disc + circles in them), never more than a scan of them all.
  func candidates(around view: Viewpoint, radius: Double, into found: inout [FenceID]) {
    let angle = min(.pi, radius / CellGrid.earthRadius)
    let start = found.count
    for level in 0..<CellGrid.levelCount where !isEmpty(level: level) {
      let cover = DiscCover(
        latitude: view.latitude, longitude: view.longitude, angle: angle, level: level)
      if cover.cellCount(widths: widths) > table.slots.count {
        found.removeSubrange(start...)
        for slot in circles.indices where circles[slot].radius >= 0 {
          found.append(FenceID(truncatingIfNeeded: slot))
        }
        return
      }
      for row in cover.rows {
        let (first, columns, mask) = cover.columns(row: row, widths: widths)
        for offset in 0..<columns {
          let key = CellGrid.key(level, row, (first &+ offset) & mask)
          guard let slot = table.find(key) else { continue }
          for i in 0..<slot.count { found.append(table.fence(i, of: slot)) }
        }
      }
    }
    GridIndex.removeRepetitions(in: &found, from: start)
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

/// The circles whose edge is within a short way, the skin, of where a look was made. As long as
/// the receiver stays within the reach, nothing else need be looked at; the trick is Verlet's
/// ("Computer Experiments on Classical Fluids", Physical Review 159, 1967).
struct Neighbourhood {
  /// Metres: a few seconds of driving.
  static let skin = 120.0
  var fences: [FenceID] = []
  /// The skin, or less where cells end sooner.
  var reach = 0.0
}

/// The inner loop of a look: sorts circles into those that hold the place and those near it, and
/// keeps the distance to the nearest edge from outside.
struct EdgeScan {
  let view: Viewpoint
  let skin: Double
  private(set) var safe = Double.infinity

  init(view: Viewpoint, skin: Double) {
    self.view = view
    self.skin = skin
  }

  @inline(__always)
  mutating func visit(
    _ fence: FenceID, _ circle: CircleRecord, _ shape: Shape?, _ inside: inout [FenceID],
    _ near: inout [FenceID]
  ) {
    let (low, high) = view.squaredDistanceBounds(
      latitude: circle.latitude, longitude: circle.longitude)
    let reach = circle.radius + max(safe, skin)
    if low > reach * reach { return }
    let core = circle.radius - skin
    if core > 0, high < core * core, shape == nil {
      inside.append(fence)
      return
    }
    let beyond =
      shape?.signedBoundaryDistance(from: view.vector) ?? view.boundaryDistance(to: circle)
    if beyond <= 0 { inside.append(fence) } else { safe = min(safe, beyond) }
    if abs(beyond) <= skin { near.append(fence) }
  }
}
