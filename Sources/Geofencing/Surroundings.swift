/// What looks have shown around the receiver, a `Neighbourhood` for each level of cells: large
/// fences are looked at anew every few kilometres, small ones every few hundred metres.
///
/// Invariant: the levels from the top to `deepest` are those of nested cells, of which the deepest
/// is not split; those below have no fences and no reach.
struct Surroundings {
  /// Metres between looks, from which on the receiver is taken to jump about: a look then finds
  /// what holds the place, and leaves alone how far it is to the edges.
  static let jump = 2_000.0

  private(set) var levels = InlineArray<5, Neighbourhood>(repeating: Neighbourhood())
  private var deepest = CellGrid.top
  /// The place of the last look.
  private var place = Vector(x: 0, y: 0, z: 0)

  /// What the last look brought: fences that hold the place and did not hold the last.
  private(set) var entered: [FenceID] = []
  /// Fences that held the last place and do not hold this one.
  private(set) var left: [FenceID] = []
  /// Of the levels looked at anew: all that hold this place, and all that held the last.
  private(set) var found: [FenceID] = []
  private(set) var former: [FenceID] = []

  /// Forgets all that is known, because the fences have changed.
  mutating func forget() {
    for level in levels.indices { levels[level].forget() }
    deepest = CellGrid.top
  }

  private mutating func clearNews() {
    if !entered.isEmpty { entered.removeAll(keepingCapacity: true) }
    if !left.isEmpty { left.removeAll(keepingCapacity: true) }
    if !found.isEmpty { found.removeAll(keepingCapacity: true) }
    if !former.isEmpty { former.removeAll(keepingCapacity: true) }
  }

  /// Looks around from a place. Returns how many metres one can travel from there, in any direction,
  /// without crossing an edge; 0 after a jump, when that is not asked.
  /// - Complexity: O(levels + fences near the place), now and then O(fences in the cells of it).
  mutating func look(from view: Viewpoint, in index: GridIndex) -> Double {
    clearNews()
    let way = view.direction - place
    place = view.direction
    if way.dot(way) > Surroundings.farSquared {
      lookAfterJump(from: view, in: index)
      return 0
    }
    return lookAllAround(from: view, in: index)
  }

  private static let farSquared =
    jump / CellGrid.earthRadius * (jump / CellGrid.earthRadius)

  /// Looks around and measures everything, however far the last look is away.
  mutating func lookAllAround(from view: Viewpoint, in index: GridIndex) -> Double {
    var safe = Double.infinity
    var level = CellGrid.top
    while true {
      if levels[level].holds(view.direction) {
        safe = min(
          safe, levels[level].look(from: view, in: index, entered: &entered, left: &left))
        if level == deepest { return safe }
      } else {
        levels[level].forget(into: &former)
        let (clearance, isSplit) = index.look(
          from: view, level: level, into: &levels[level], safe: &safe)
        found.append(contentsOf: levels[level].holding)
        safe = min(safe, clearance)
        if !isSplit {
          forget(below: level)
          return safe
        }
        deepest = min(deepest, level - 1)
      }
      level -= 1
    }
  }

  private mutating func lookAfterJump(from view: Viewpoint, in index: GridIndex) {
    for level in levels.indices { levels[level].forget(into: &former) }
    deepest = CellGrid.top
    index.findHolders(of: view, into: &levels[CellGrid.top])
    found.append(contentsOf: levels[CellGrid.top].holding)
  }

  private mutating func forget(below level: Int) {
    for lower in 0..<level where lower >= deepest { levels[lower].forget(into: &former) }
    deepest = level
  }

  /// Whether the looks tell of all edges on the way between two places.
  func know(from a: Vector, to b: Vector) -> Bool {
    (deepest...CellGrid.top).allSatisfy { levels[$0].holds(a) && levels[$0].holds(b) }
  }

  /// Appends the fences whose edge a way that they tell of may cross.
  func crossable(from a: Vector, to b: Vector, into list: inout [FenceID]) {
    for level in deepest...CellGrid.top { levels[level].crossable(from: a, to: b, into: &list) }
  }
}
