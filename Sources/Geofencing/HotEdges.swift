import CProcessor
import Geodesy

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
/// A copy is as sure as what it was made of. Two more roundings to 24 bits go into it: of its
/// place, and of the way to that. The doubt of an `ExactCircle` counts
/// eight for less than half of it, and that of an entry has half a quantum to spare, where all
/// ten come to 2¹⁶ · 10 · 2⁻²⁴ quanta, less than a twentieth of one.
struct HotEdges {
  /// The edges kept come first, side by side. Room for a group more than those is always there.
  private var groups: [HotGroup] = []
  /// How many groups have edges.
  private var count = 0
  /// How many edges there are.
  private var edges = 0
  /// Around the place of the full look.
  private var frame = LocalFrame()
  /// How many metres of a straight line from there no other edge is.
  private(set) var reach = -1.0
  /// The same in radii, squared, less two millimetres for rounding; negative where nothing is known.
  private var reachSquared = -1.0
  /// The same less what the frame may be off by, too; negative where the frame is not valid.
  private var frameSquared = -1.0
  /// Metres to the farthest edges that are to be kept, so that there are some and not too many.
  private var ambition = 100.0

  /// Forgets all.
  @inline(__always)
  mutating func forget() {
    reachSquared = -1
    frameSquared = -1
  }

  // MARK: - A full look

  /// Starts anew at a place.
  @inline(__always)
  mutating func begin(at view: Viewpoint) {
    frame = LocalFrame(at: view)
    reach = ambition
    forget()
    edges = 0
    if groups.isEmpty {
      groups = Array(repeating: HotGroup(), count: HotEdges.most / 4 + 1)
    }
  }

  /// Notes that of something only so much is known as is within `metres` of the place.
  @inline(__always)
  mutating func bound(_ metres: Double) { reach = min(reach, metres) }

  /// Copies the edges of a level that are near, `place` being the way from where they are told
  /// from to that of the look.
  @inline(__always)
  mutating func append(_ near: [NearGroup], from place: NearGroup.Place, level: Int) {
    let near = near.span
    let limit = SIMD4(repeating: Float(ambition))
    var nearest = SIMD4<Float>.infinite
    var next = edges
    var groups = groups.mutableSpan
    for i in near.indices {
      let clearance = near[i].clearance(from: place)
      let kept = next <= HotEdges.most - 4 ? not_above(clearance, limit) : 0
      guard kept != 0 else {
        nearest = lesser_of(nearest, clearance)
        continue
      }
      nearest = lesser_of(nearest, clearance.replacing(with: .infinity, where: clearance .<= limit))
      // Which lanes are near cannot be foreseen: each is written, and the next over those that are not kept.
      let group = near[i].told(from: place)
      for lane in 0..<4 {
        groups[next >> 2].set(
          next & 3, to: group, lane, home: HotGroup.Home(level: level, group: i, lane: lane))
        next &+= Int(kept &>> UInt32(truncatingIfNeeded: lane) & 1)
      }
    }
    edges = next
    bound(Double(nearest.least))
  }

  /// Ends what `begin` began.
  @inline(__always)
  mutating func end() {
    if edges > HotEdges.many {
      ambition = max(ambition * 0.8, 10)
    } else if edges < HotEdges.few {
      ambition = min(ambition * 1.25, LocalFrame.farthest)
    }
    count = (edges + 3) >> 2
    for i in edges..<4 * count { groups[i >> 2].clear(i & 3) }
    reachSquared = CellGrid.squaredRadii(reach - 0.002)
    frameSquared =
      frame.isValid ? CellGrid.squaredRadii(reach - 0.002 - LocalFrame.error) : -1
  }

  /// No more edges are copied.
  private static let most = 48
  /// More edges than can be looked at in the time that fewer full looks would spare.
  private static let many = 16
  private static let few = 10

  // MARK: - Between full looks

  /// A place as the hot edges see it.
  struct Sight {
    /// The way from the place of the full look, in radii.
    let way: Vector
    /// The same in metres.
    let place: NearGroup.Place
    /// How many metres of the disc are left.
    let rest: Double
    /// Metres by which the way may be off.
    let error: Double
  }

  /// A place in the disc, by the frame; nil where it is not in it, or there is no frame.
  @inline(__always)
  func sight(of position: Coordinate) -> Sight? {
    // Where there is no frame nothing is reckoned in vain.
    guard frameSquared > 0 else { return nil }
    return sight(frame.way(to: position), within: frameSquared, error: LocalFrame.error)
  }

  /// A place in the disc that is known to the micrometre; nil where it is not in it.
  @inline(__always)
  func sight(of view: Viewpoint) -> Sight? {
    sight(view.direction - frame.origin, within: reachSquared, error: 0)
  }

  @inline(__always)
  private func sight(_ way: Vector, within limitSquared: Double, error: Double) -> Sight? {
    let waySquared = way.dot(way)
    guard waySquared < limitSquared else { return nil }
    return Sight(
      way: way, place: NearGroup.Place(CellGrid.earthRadius * way),
      rest: CellGrid.remainder(of: reach, afterSquared: waySquared), error: error)
  }

  /// Towards a place in the disc, to within its error.
  @inline(__always)
  func direction(of sight: Sight) -> Vector { frame.origin + sight.way }

  /// The cosine of latitude of a place in the disc, no less than it is.
  @inline(__always)
  func cosine(at position: Coordinate) -> Double { frame.cosine(at: position) }

  /// Metres one can travel from a place without crossing an edge; 0 or less where one may have been crossed.
  @inline(__always)
  func clearance(at sight: Sight) -> Double {
    let nearest = HotGroup.clearance(groups.span.extracting(first: count), from: sight.place)
    return min(sight.rest, Double(nearest)) - sight.error
  }

  /// Decides which of the edges were crossed that may have been. Returns how many metres one can travel from the
  /// place; nil where a full look is needed.
  @inline(never)
  mutating func decide(
    at position: Coordinate, _ sight: Sight, in index: GridIndex,
    _ levels: inout InlineArray<5, Neighbourhood>,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Double? {
    let limit = SIMD4(repeating: Float(sight.error))
    var isSure = true
    var nearest = SIMD4<Float>.infinite
    for i in 0..<count {
      var clearance = groups[i].clearance(from: sight.place)
      let crossed = not_above(clearance, limit)
      if crossed != 0 {
        // On the other side the same edge is as far as it was short of it.
        let unsure = not_above(groups[i].clearanceBeyond(from: sight.place), limit)
        var lanes = Lanes(bits: crossed)
        while let lane = lanes.next() {
          let home = groups[i].home(lane)
          if unsure &>> UInt32(truncatingIfNeeded: lane) & 1 == 0 {
            isSure =
              levels[home.level].cross(
                home.lane, ofGroup: home.group, entered: &entered, left: &left)
              && isSure
          } else {
            isSure =
              levels[home.level].decide(
                home.lane, ofGroup: home.group, at: position, in: index, entered: &entered,
                left: &left) && isSure
          }
          groups[i].set(
            lane, to: levels[home.level].copy(ofGroup: home.group, from: frame.origin), home.lane,
            home: home)
        }
        clearance = groups[i].clearance(from: sight.place)
      }
      nearest = lesser_of(nearest, clearance)
    }
    guard isSure else {
      forget()
      return nil
    }
    // Of an edge that is nearer than its doubt it is 0 at the least.
    return max(0, min(sight.rest, Double(nearest.least)) - sight.error)
  }
}

/// Four edges as `HotEdges` keeps them, told from the place of the full look; each may be of another level.
///
/// They are written one by one and read side by side, as the fields of a `NearGroup`.
struct HotGroup {
  private var x = InlineArray<4, Float>(repeating: 0)
  private var y = InlineArray<4, Float>(repeating: 0)
  private var z = InlineArray<4, Float>(repeating: 0)
  private var radius = InlineArray<4, Float>(repeating: -1e30)
  private var doubt = InlineArray<4, Float>(repeating: 0)
  private var side = InlineArray<4, Float>(repeating: 1)
  private var homes = InlineArray<4, Home>(repeating: Home(level: 0, group: 0, lane: 0))

  /// Where an edge was copied from.
  struct Home {
    private let bits: UInt32

    @inline(__always)
    init(level: Int, group: Int, lane: Int) {
      bits = UInt32(truncatingIfNeeded: group &<< 5 | level &<< 2 | lane)
    }

    @inline(__always)
    var level: Int { Int(bits &>> 2 & 7) }
    /// The number of the group in its neighbourhood.
    @inline(__always)
    var group: Int { Int(bits &>> 5) }
    @inline(__always)
    var lane: Int { Int(bits & 3) }
  }

  /// Room for edges, and none.
  init() {}

  @inline(__always)
  private static func vector(_ field: InlineArray<4, Float>) -> SIMD4<Float> {
    SIMD4(field[0], field[1], field[2], field[3])
  }

  @inline(__always)
  mutating func set(_ lane: Int, to group: NearGroup, _ other: Int, home: Home) {
    x[lane] = group.x[other]
    y[lane] = group.y[other]
    z[lane] = group.z[other]
    radius[lane] = group.radius[other]
    doubt[lane] = group.doubt[other]
    side[lane] = group.side[other]
    homes[lane] = home
  }

  /// Takes an edge out.
  @inline(__always)
  mutating func clear(_ lane: Int) {
    radius[lane] = -1e30
    side[lane] = 1
  }

  @inline(__always)
  func home(_ lane: Int) -> Home { homes[lane] }

  /// How far edges are from a place at the least, but for the doubt; negative on the other side than it was on.
  @inline(__always)
  private func beyond(from place: NearGroup.Place) -> SIMD4<Float> {
    edges(
      HotGroup.vector(x) - place.x, HotGroup.vector(y) - place.y, HotGroup.vector(z) - place.z,
      HotGroup.vector(radius)) * HotGroup.vector(side)
  }

  /// How far edges are from a place at the least, as `NearGroup.clearance`.
  @inline(__always)
  func clearance(from place: NearGroup.Place) -> SIMD4<Float> {
    beyond(from: place) - HotGroup.vector(doubt)
  }

  /// The same as it were if the place had been on the other side.
  @inline(__always)
  func clearanceBeyond(from place: NearGroup.Place) -> SIMD4<Float> {
    0 - beyond(from: place) - HotGroup.vector(doubt)
  }

  /// Metres to the nearest edge of all groups, at least; 0 or less where one may have been crossed.
  @inline(__always)
  static func clearance(_ groups: Span<HotGroup>, from place: NearGroup.Place) -> Float {
    var nearest = SIMD4<Float>.infinite
    for i in groups.indices { nearest = lesser_of(nearest, groups[i].clearance(from: place)) }
    return nearest.least
  }
}
