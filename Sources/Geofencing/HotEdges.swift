import CProcessor
import Geodesy

/// The edges nearest to the place of the last full look, of all levels together, and the disc around it
/// that has no others: while the receiver stays in it, a look is one go through these (`hotedges.h`).
///
/// The edges are copies. Where they show that none was crossed, nothing has changed; where some certainly were, they
/// change sides, here and in the neighbourhood that the copy was made of; where it is in doubt, that decides, and they
/// are copied anew.
///
/// Invariant: while the disc is there, each level from the top to the deepest tells all within it, and an edge in it
/// is a copy's, on the side where its neighbourhood has it. So whatever changes the neighbourhoods, but for
/// `cross` and `decide`, must make the disc `forget` itself.
///
/// A copy is as sure as what it was made of. Two more roundings to 24 bits go into it: of its
/// place, and of the way to that. The doubt of an `ExactCircle` counts
/// eight for less than half of it, and that of an entry (`Quantum.edgeDoubt`) has 0.088 quanta to spare, where all
/// ten come to 2¹⁶ · 10 · 2⁻²⁴ quanta, 0.04 of one.
struct HotEdges {
  /// Field by field as `hotedges.h` has them; empty before the first look.
  private var fields: [Float] = []
  /// Where each edge was copied from.
  private var homes: [UInt32] = []
  /// How many edges there are.
  private var edges: UInt32 = 0
  private let kernels: EdgeKernels
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

  init(kernels: EdgeKernels) { self.kernels = kernels }

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
    if fields.isEmpty {
      fields = Array(repeating: 0, count: hot_fields)
      homes = Array(repeating: 0, count: hot_room)
    }
  }

  /// Notes that of something only so much is known as is within `metres` of the place.
  @inline(__always)
  mutating func bound(_ metres: Double) { reach = min(reach, metres) }

  /// Copies the edges of a level that are near, `offset` being the way from where they are told
  /// from to the place of the look, in metres.
  @inline(__always)
  mutating func append(_ near: [NearGroup], from offset: Vector, level: Int) {
    let copies = kernels.copy(
      near, from: HotEdges.floats(offset), limit: Float(ambition), level: level, behind: edges,
      to: &fields, &homes)
    edges = copies.edges
    bound(Double(copies.nearest))
  }

  /// Ends what `begin` began.
  @inline(__always)
  mutating func end() {
    if edges > HotEdges.many {
      ambition = max(ambition * 0.8, 10)
    } else if edges < HotEdges.few {
      ambition = min(ambition * 1.25, LocalFrame.farthest)
    }
    kernels.end(&fields, behind: edges)
    reachSquared = CellGrid.squaredRadii(reach - 0.002)
    frameSquared =
      frame.isValid ? CellGrid.squaredRadii(reach - 0.002 - LocalFrame.error) : -1
  }

  /// More edges than can be looked at in the time that fewer full looks would spare.
  private static let many = 20
  private static let few = 12

  // MARK: - Between full looks

  /// A place as the hot edges see it.
  struct Sight {
    /// The way from the place of the full look, in radii.
    let way: Vector
    /// How many metres of the disc are left.
    let rest: Double
    /// Metres by which the way may be off.
    let error: Double
    /// The way in metres.
    let place: SIMD3<Float>

    @inline(__always)
    init(way: Vector, rest: Double, error: Double) {
      self.way = way
      self.rest = rest
      self.error = error
      place = HotEdges.floats(CellGrid.earthRadius * way)
    }

    /// Metres one can travel from the place without leaving the disc or crossing an edge so far away; 0 or less where
    /// one may have been crossed.
    @inline(__always)
    func rest(besides clearance: Float) -> Double { min(rest, Double(clearance)) - error }

    /// Whether an edge so far away, on whichever side, is nowhere in doubt.
    @inline(__always)
    func isSure(_ sure: Float) -> Bool { sure > Float(error) }
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
      way: way, rest: CellGrid.remainder(of: reach, afterSquared: waySquared), error: error)
  }

  /// Towards a place in the disc, to within its error.
  @inline(__always)
  func direction(of sight: Sight) -> Vector { frame.origin + sight.way }

  /// The cosine of latitude of a place in the disc, no less than it is.
  @inline(__always)
  func cosine(at position: Coordinate) -> Double { frame.cosine(at: position) }

  /// What the edges show of a place, and which of them may have been crossed on the way to it.
  @inline(__always)
  func look(at sight: Sight) -> hot_sight {
    kernels.look(fields, edges, from: sight.place, limit: Float(sight.error))
  }

  @inline(__always)
  private static func floats(_ vector: Vector) -> SIMD3<Float> {
    SIMD3(Float(vector.x), Float(vector.y), Float(vector.z))
  }

  /// Notes which edges were crossed, after a look has shown that some were and that of none it is in doubt. Returns
  /// how many metres one can travel from the place; nil where a full look is needed.
  @inline(never)
  mutating func cross(
    _ seen: hot_sight, of sight: Sight, _ levels: inout InlineArray<5, Neighbourhood>,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Double? {
    var isSure = true
    var crossed = seen.crossed
    while crossed != 0 {
      let edge = crossed.trailingZeroBitCount
      crossed &= crossed &- 1
      let home = home(of: edge)
      isSure =
        levels[home.level].cross(home.lane, ofGroup: home.group, entered: &entered, left: &left)
        && isSure
      // On the other side the same edge is as far as it was short of it.
      fields[hot_side + edge] = 0 - fields[hot_side + edge]
    }
    guard isSure else {
      forget()
      return nil
    }
    return max(0, sight.rest(besides: seen.sure))
  }

  /// Decides which of the edges were crossed that may have been, after a look has shown that some may. Returns how
  /// many metres one can travel from the place; nil where a full look is needed.
  @inline(never)
  mutating func decide(
    _ seen: hot_sight, of sight: Sight, from view: Viewpoint, in index: GridIndex,
    _ levels: inout InlineArray<5, Neighbourhood>,
    entered: inout ScratchList<FenceID>, left: inout ScratchList<FenceID>
  ) -> Double? {
    var isSure = true
    var crossed = seen.crossed
    while crossed != 0 {
      let edge = crossed.trailingZeroBitCount
      crossed &= crossed &- 1
      let home = home(of: edge)
      isSure =
        levels[home.level].decide(
          home.lane, ofGroup: home.group, from: view, in: index, entered: &entered, left: &left)
        && isSure
      let group = levels[home.level].copy(ofGroup: home.group, from: frame.origin)
      fields[hot_x + edge] = group.x[home.lane]
      fields[hot_y + edge] = group.y[home.lane]
      fields[hot_z + edge] = group.z[home.lane]
      fields[hot_radius + edge] = group.radius[home.lane]
      fields[hot_doubt + edge] = group.doubt[home.lane]
      fields[hot_side + edge] = group.side[home.lane]
    }
    guard isSure else {
      forget()
      return nil
    }
    // Of an edge that is nearer than its doubt it is 0 at the least.
    return max(0, sight.rest(besides: look(at: sight).clearance))
  }

  /// Where an edge was copied from.
  @inline(__always)
  func home(of edge: Int) -> Home { Home(bits: homes[edge]) }

  /// Where an edge was copied from, as `hot_home` notes it.
  struct Home {
    fileprivate let bits: UInt32

    @inline(__always)
    var level: Int { Int(bits &>> 2 & 7) }
    /// The number of the group in its neighbourhood.
    @inline(__always)
    var group: Int { Int(bits &>> 5) }
    @inline(__always)
    var lane: Int { Int(bits & 3) }
  }
}
