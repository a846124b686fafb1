import CProcessor

/// The edges nearest to the place of the last full look, of all levels together, and the disc around it
/// that has no others: while the receiver stays in it, a look is a few groups of four.
///
/// The edges are copies. Where they show that none was crossed, nothing has changed; where one may have been,
/// it is decided with the neighbourhood that the copy was made of, and copied anew.
///
/// Invariant: while the disc is there, each level from the top to the deepest tells all within it, and an edge in it
/// is a copy's, on the side where its neighbourhood has it. So whatever changes the neighbourhoods, but for
/// `decide`, must make the disc `forget` itself.
///
/// A copy is as sure as what it was made of. Three more roundings to 24 bits go into it: of its
/// place, of the way to that, and of radius and doubt in one. The doubt of an `ExactCircle` counts
/// eight for less than half of it, and that of an entry has half a quantum to spare, where all
/// eleven come to 2¹⁶ · 11 · 2⁻²⁴ quanta, less than a twentieth of one.
struct HotEdges {
  /// The groups kept come first. Room for one more than those is always there.
  private var groups: [HotGroup] = []
  private var count = 0
  /// The place of the full look, from the Earth's centre.
  private var origin = Vector(x: 0, y: 0, z: 0)
  /// How many metres of a straight line from there no other edge is.
  private(set) var reach = -1.0
  /// The same in radii, squared, less two millimetres for rounding; negative where nothing is known.
  private var reachSquared = -1.0
  /// Metres to the farthest edges that are to be kept, so that there are some and not too many.
  private var ambition = 100.0

  /// Forgets all.
  @inline(__always)
  mutating func forget() { reachSquared = -1 }

  // MARK: - A full look

  /// Starts anew at a place.
  @inline(__always)
  mutating func begin(at place: Vector) {
    origin = place
    reach = ambition
    reachSquared = -1
    count = 0
    if groups.isEmpty { groups = Array(repeating: HotGroup(), count: HotEdges.most + 1) }
  }

  /// Notes that of something only so much is known as is within `metres` of the place.
  @inline(__always)
  mutating func bound(_ metres: Double) { reach = min(reach, metres) }

  /// Copies the groups of a level of which an edge is near, `place` being the way from where they are told
  /// from to that of the look.
  @inline(__always)
  mutating func append(_ near: [NearGroup], from place: NearGroup.Place, level: Int) {
    let near = near.span
    let limit = Float(ambition)
    var nearest = Float.infinity
    var next = count
    var groups = groups.mutableSpan
    for i in near.indices {
      let group = HotGroup(near[i], from: place, level: level, index: i)
      let least = group.clearance.least
      // Which are near cannot be foreseen: each is written, and the next over those that are not kept.
      groups[next] = group
      let kept = (least <= limit ? 1 : 0) & (next < HotEdges.most ? 1 : 0)
      next &+= kept
      nearest = kept == 0 && least < nearest ? least : nearest
    }
    count = next
    bound(Double(nearest))
  }

  /// Ends what `begin` began.
  @inline(__always)
  mutating func end() {
    if count > HotEdges.many {
      ambition = max(ambition * 0.8, 10)
    } else if count < HotEdges.few {
      ambition = min(ambition * 1.25, 1_500)
    }
    reachSquared = CellGrid.squaredRadii(reach - 0.002)
  }

  /// No more groups are copied.
  private static let most = 16
  /// More groups than can be looked at in the time that fewer full looks would spare.
  private static let many = 8
  private static let few = 5

  // MARK: - Between full looks

  /// Whether a place is in the disc.
  @inline(__always)
  func holds(_ place: Vector) -> Bool {
    let offset = place - origin
    return offset.dot(offset) < reachSquared
  }

  /// Metres one can travel from a place without crossing an edge, and where 0 or less, one may have been crossed;
  /// nil where it is not in the disc.
  @inline(__always)
  func clearance(at place: Vector) -> Double? {
    let offset = place - origin
    let waySquared = offset.dot(offset)
    guard waySquared < reachSquared else { return nil }
    let rest = CellGrid.remainder(of: reach, afterSquared: waySquared)
    let way = NearGroup.Place(CellGrid.earthRadius * offset)
    return min(rest, Double(HotGroup.clearance(groups.span.extracting(first: count), from: way)))
  }

  /// Decides with the neighbourhoods which of the edges were crossed that may have been. Returns how many
  /// metres one can travel from the place; nil where a full look is needed.
  @inline(never)
  mutating func decide(
    from view: Viewpoint, in index: GridIndex, _ levels: inout InlineArray<5, Neighbourhood>,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Double? {
    let offset = view.direction - origin
    let way = NearGroup.Place(CellGrid.earthRadius * offset)
    let center = origin
    let count = count
    var isSure = true
    var nearest = SIMD4<Float>(repeating: .infinity)
    var span = groups.mutableSpan
    for i in 0..<count {
      var clearance = span[i].clearance(from: way)
      if not_above(clearance, SIMD4(repeating: 0)) != 0 {
        let (level, group) = span[i].home
        isSure =
          levels[level].decide(group: group, from: view, in: index, entered: &entered, left: &left)
          && isSure
        span[i] = levels[level].copy(ofGroup: group, from: center, level: level)
        clearance = span[i].clearance(from: way)
      }
      nearest = lesser_of(nearest, clearance)
    }
    guard isSure else {
      forget()
      return nil
    }
    let rest = CellGrid.remainder(of: reach, afterSquared: offset.dot(offset))
    // Of an edge that is nearer than its doubt it is 0 at the least.
    return max(0, min(rest, Double(nearest.least)))
  }
}

/// Four edges as `HotEdges` keeps them.
struct HotGroup {
  /// Metres from the place of the full look to the centres.
  private let x: SIMD4<Float>
  private let y: SIMD4<Float>
  private let z: SIMD4<Float>
  /// On which side of the edge the place last looked at was: −1 inside, 1 outside.
  private let side: SIMD4<Float>
  /// Metres to the centre on that side, from which on the edge has certainly not been crossed; times `side`.
  private let limit: SIMD4<Float>
  /// Where it was copied from.
  private let level: Int32
  private let index: Int32

  /// Room for edges; what it says of them means nothing.
  init() {
    x = SIMD4()
    y = SIMD4()
    z = SIMD4()
    side = SIMD4()
    limit = SIMD4()
    level = 0
    index = 0
  }

  @inline(__always)
  init(_ group: NearGroup, from place: NearGroup.Place, level: Int, index: Int) {
    let centers = group.centers(from: place)
    x = centers.x
    y = centers.y
    z = centers.z
    side = group.side
    limit = group.radius * group.side + group.doubt
    self.level = Int32(truncatingIfNeeded: level)
    self.index = Int32(truncatingIfNeeded: index)
  }

  /// The level of the neighbourhood, and the number of the group there.
  @inline(__always)
  var home: (level: Int, index: Int) { (Int(level), Int(index)) }

  /// How far edges are from a place at the least, as `NearGroup.clearance`.
  @inline(__always)
  func clearance(from place: NearGroup.Place) -> SIMD4<Float> {
    edges(x - place.x, y - place.y, z - place.z, SIMD4(repeating: 0)) * side - limit
  }

  /// The same from the place of the full look.
  @inline(__always)
  var clearance: SIMD4<Float> { edges(x, y, z, SIMD4(repeating: 0)) * side - limit }

  /// Metres to the nearest edge of all groups, at least; 0 or less where one may have been crossed.
  @inline(__always)
  static func clearance(_ groups: Span<HotGroup>, from place: NearGroup.Place) -> Float {
    var nearest = SIMD4<Float>(repeating: .infinity)
    for i in groups.indices { nearest = lesser_of(nearest, groups[i].clearance(from: place)) }
    return nearest.least
  }
}
