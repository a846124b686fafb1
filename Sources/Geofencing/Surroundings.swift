import CProcessor
import Geodesy

/// What looks have shown around the receiver, a `Neighbourhood` for each level of cells: large
/// fences are looked at anew every few kilometres, small ones every few hundred metres.
///
/// Invariant: of the cells that hold the place, those from the top to `deepest` are nested and the
/// deepest is not split; the levels below have no fences and no reach. A fence that holds the place is
/// told by exactly one level, in the cell that holds the place or, as long as none of its reach has
/// been left, did when it was read.
struct Surroundings {
  /// Metres between looks, from which on the receiver is taken to jump about: a look that the hot edges do not
  /// suffice for then finds what holds the place, and leaves alone how far it is to the edges.
  static let jump = 2_000.0

  private(set) var levels: InlineArray<5, Neighbourhood>
  /// The nearest edges of all levels; none where nothing is known.
  private var hot: HotEdges
  private var deepest = CellGrid.top
  /// The place of the last look.
  private var place = Vector(x: 0, y: 0, z: 0)
  /// Its degrees north.
  private var latitude = 0.0
  /// Whether nothing is known on any level.
  private(set) var isBlank = true

  /// What the last look brought: fences that hold the place and did not hold the last.
  private(set) var entered = ScratchList<FenceID>()
  /// Fences that held the last place and do not hold this one.
  private(set) var left = ScratchList<FenceID>()
  /// Of the levels looked at anew and not compared: all that hold this place, and all that held the last.
  private(set) var found: [FenceID] = []
  private(set) var former: [FenceID] = []
  /// Whether nothing was kept of what held the last place: `found` is all that holds this one.
  private(set) var isFresh = true

  /// Whether the last look was so far from the one before that no fence holds both places.
  private(set) var isElsewhere = false

  init(kernels: EdgeKernels = EdgeKernels()) {
    levels = InlineArray(repeating: Neighbourhood(kernels: kernels))
    hot = HotEdges(kernels: kernels)
  }

  /// Whether all that the last look brought is in `entered` and `left`.
  var hasOnlyCrossings: Bool { !isFresh && found.isEmpty && former.isEmpty }

  /// Whether the last look brought anything.
  private(set) var hasNews = false
  /// Of a glance that gave up: a bit for each hot edge that may have been crossed. Empty but between such a glance and
  /// the look that must follow, for that may read anew the groups that these edges were copied from.
  private var doubtful: UInt64 = 0

  /// Forgets all that is known, because the fences have changed.
  mutating func forget() {
    assert(doubtful == 0)
    guard !isBlank else { return }
    for level in levels.indices { levels[level].forget() }
    hot.forget()
    deepest = CellGrid.top
    isBlank = true
  }

  /// Whether a parallel is so far from the last look that a look there would be one after a jump.
  @inline(__always)
  func isJump(toLatitude other: Double) -> Bool { abs(other - latitude) > 0.02 }

  /// Forgets all, for the receiver is far from the last look, and no fence holds the place.
  mutating func leave() {
    clearNews()
    forget()
    place = Vector(x: 0, y: 0, z: 0)
  }

  /// Notes that no fence holds a place, after `leave`.
  @inline(__always)
  mutating func skip(_ position: Coordinate) { latitude = position.latitude }

  /// Notes a place after a jump, while nothing is known. Returns whether it is so far from the last look that no
  /// fence holds both.
  @inline(__always)
  mutating func jump(to direction: Vector, _ position: Coordinate, in index: GridIndex) -> Bool {
    let way = direction - place
    place = direction
    latitude = position.latitude
    return way.dot(way) > index.widestSquared
  }

  @inline(__always)
  private mutating func clearNews() {
    if hasNews { clearLists() }
  }

  @inline(never)
  private mutating func clearLists() {
    hasNews = false
    entered.removeAll()
    left.removeAll()
    if !former.isEmpty { former.removeAll(keepingCapacity: true) }
    if !found.isEmpty { found.removeAll(keepingCapacity: true) }
  }

  /// Looks around from a place. Returns how many metres one can travel from there, in any direction,
  /// without crossing an edge; 0 after a jump, when that is not asked.
  /// - Complexity: O(levels + fences near the place), now and then O(fences in the cells of it).
  @inline(__always)
  mutating func look(from view: Viewpoint, in index: GridIndex) -> Double {
    doubtful = 0
    clearNews()
    if let sight = hot.sight(of: view) {
      let seen = hot.look(at: sight)
      if let safe = take(seen, of: sight, view.position) { return safe }
      if !sight.isSure(seen.sure),
        let safe = hot.decide(
          seen, of: sight, from: view, in: index, &levels, entered: &entered, left: &left)
      {
        noteCrossings(sight, view.position)
        return safe
      }
    }
    return look(at: view.direction, from: view, in: index)
  }

  /// The same with the direction in registers: what has just been written to memory in parts would have to be
  /// waited for.
  @inline(never)
  private mutating func look(
    at direction: Vector, from view: Viewpoint, in index: GridIndex
  ) -> Double {
    let way = direction - place
    place = direction
    latitude = view.position.latitude
    let waySquared = way.dot(way)
    isElsewhere = waySquared > index.widestSquared
    isFresh = isBlank
    if waySquared > Surroundings.farSquared {
      forget()
      // What the hot edges may have told is told again by what is found.
      entered.removeAll()
      left.removeAll()
      isFresh = true
      index.findHolders(of: view.position, direction, into: &found)
      hasNews = !found.isEmpty
      return 0
    }
    let safe = lookAllAround(at: direction, from: view, in: index)
    hot.begin(at: view)
    for level in deepest...CellGrid.top {
      levels[level].copyEdges(near: direction, to: &hot, level: level)
    }
    hot.end()
    hasNews = !(entered.isEmpty && left.isEmpty && found.isEmpty && former.isEmpty)
    return safe
  }

  /// A look that needs no more than the hot edges. Returns how many metres one can travel from the place, and
  /// the cosine of its latitude, no less than it is; nil where it takes more to know. Then `look` must follow.
  ///
  /// It is not handed the index, which it would have to be copied for.
  @inline(__always)
  mutating func glance(at position: Coordinate) -> (safe: Double, cosine: Double)? {
    guard let sight = hot.sight(of: position) else { return nil }
    clearNews()
    let seen = hot.look(at: sight)
    guard let safe = take(seen, of: sight, position) else {
      doubtful = seen.crossed
      return nil
    }
    return (safe, hot.cosine(at: position))
  }

  /// Asks memory for the circles that the look after a glance which gave up will ask about: they take longer to come
  /// than to find out where the place is. To be called between the two or not at all.
  @inline(__always)
  mutating func prefetchDoubtful(in index: GridIndex) {
    while doubtful != 0 {
      let home = hot.home(of: doubtful.trailingZeroBitCount)
      doubtful &= doubtful &- 1
      index.prefetchCircle(of: levels[home.level].fence(home.lane, ofGroup: home.group))
    }
  }

  /// Takes in what the hot edges show of a place, if it is for certain. Returns how many metres one can travel
  /// from there.
  @inline(__always)
  private mutating func take(
    _ seen: hot_sight, of sight: HotEdges.Sight, _ position: Coordinate
  ) -> Double? {
    let safe = sight.rest(besides: seen.clearance)
    guard safe <= 0 else {
      note(sight, position)
      return safe
    }
    guard sight.isSure(seen.sure),
      let safe = hot.cross(
        seen, of: sight, &levels, entered: &entered, left: &left)
    else { return nil }
    noteCrossings(sight, position)
    return safe
  }

  /// Notes a place within the disc of the hot edges.
  @inline(__always)
  private mutating func note(_ sight: HotEdges.Sight, _ position: Coordinate) {
    place = hot.direction(of: sight)
    latitude = position.latitude
    isElsewhere = false
    isFresh = false
  }

  /// The same where some edges may have been crossed.
  @inline(__always)
  private mutating func noteCrossings(_ sight: HotEdges.Sight, _ position: Coordinate) {
    hasNews = !(entered.isEmpty && left.isEmpty)
    note(sight, position)
  }

  private static let farSquared =
    jump / CellGrid.earthRadius * (jump / CellGrid.earthRadius)

  /// Looks around and measures everything, however far the last look is away.
  mutating func lookAllAround(from view: Viewpoint, in index: GridIndex) -> Double {
    hot.forget()
    return lookAllAround(at: view.direction, from: view, in: index)
  }

  private mutating func lookAllAround(
    at direction: Vector, from view: Viewpoint, in index: GridIndex
  ) -> Double {
    // Whether the levels list what they listed last: then what is new on each of them is new.
    var isAsBefore = !isBlank
    isBlank = false
    var safe = Double.infinity
    var level = CellGrid.top
    while true {
      if let remainder = levels[level].rest.ample(at: direction) {
        safe = min(safe, remainder)
        if level == deepest { return safe }
      } else if let metres = levels[level].look(
        at: direction, from: view, in: index, entered: &entered, left: &left)
      {
        safe = min(safe, metres)
        if level == deepest { return safe }
      } else {
        let metres = read(&level, at: view, in: index, &isAsBefore)
        safe = min(safe, metres.safe)
        if !metres.isSplit { return safe }
      }
      level -= 1
    }
  }

  /// Reads the cells of a level, or of one above where what is known of that goes astray.
  @inline(never)
  private mutating func read(
    _ level: inout Int, at view: Viewpoint, in index: GridIndex, _ isAsBefore: inout Bool
  ) -> (safe: Double, isSplit: Bool) {
    // What cells below tell is complete only beside what the cells above them tell.
    if let astray = levelAstray(above: level, at: view, in: index) {
      levels[level].forget(into: &former)
      level = astray
      isAsBefore = false
    }
    levels[level].forgetForComparison()
    let (safe, isSplit) = index.look(from: view, level: level, into: &levels[level])
    isAsBefore = isAsBefore && isSplit == (level > deepest)
    if !isAsBefore || !levels[level].compare(entered: &entered, left: &left) {
      former.append(contentsOf: levels[level].former)
      found.append(contentsOf: levels[level].holding)
    }
    if isSplit {
      deepest = min(deepest, level - 1)
    } else {
      forget(below: level)
    }
    return (safe, isSplit)
  }

  /// The largest level above one on which the place has left the cell that was last read, though not
  /// its reach.
  ///
  /// Written in place, for a call copies the surroundings.
  @inline(__always)
  private func levelAstray(
    above level: Int, at view: Viewpoint, in index: GridIndex
  ) -> Int? {
    let north = CellGrid.northing(degrees: view.position.latitude)
    let east = CellGrid.easting(degrees: view.position.longitude)
    for upper in stride(from: CellGrid.top, to: level, by: -1)
    where levels[upper].cell != index.widths.cell(level: upper, north: north, east: east).key {
      return upper
    }
    return nil
  }

  private mutating func forget(below level: Int) {
    for lower in 0..<level where lower >= deepest { levels[lower].forget(into: &former) }
    deepest = level
  }

  /// Appends what is not known to have held the last place, of the fences that hold this one, and keeps it no
  /// longer.
  mutating func takeHolders(into list: inout [FenceID]) {
    if list.isEmpty, entered.isEmpty { return swap(&list, &found) }
    list.append(contentsOf: entered.elements)
    list.append(contentsOf: found)
  }

  /// Whether the looks tell of all edges on the way between two places.
  func know(from a: Vector, to b: Vector) -> Bool {
    (deepest...CellGrid.top).allSatisfy { levels[$0].holds(a) && levels[$0].holds(b) }
  }

  /// Appends the fences whose edge a way that they tell of may cross, each once.
  func crossable(from a: Vector, to b: Vector, into list: inout [FenceID]) {
    let start = list.count
    for level in deepest...CellGrid.top { levels[level].crossable(from: a, to: b, into: &list) }
    GridIndex.removeRepetitions(in: &list, from: start)
  }
}
