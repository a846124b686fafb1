import Geodesy

/// The fences around the receiver: the containing ones, and those with a near edge.
///
/// This is the neighbour list of molecular dynamics (Verlet, "Computer Experiments on Classical
/// Fluids", Physical Review 159, 1967). It is built at an origin from all fences with an edge
/// within the reach, sorted by clearance, the distance to the edge. A move changes a clearance by
/// at most its length. So a check tests only fences with a clearance up to the distance moved, and
/// the first one not tested bounds the further travel without a change. Near the end of the reach
/// the list is rebuilt.
///
/// All lengths are chords in Earth radii. The way on the ground is never shorter.
struct NeighbourList {
  private struct Neighbour {
    /// The centre of a circle; for a shape, the place of its last measurement.
    var center: Vector
    /// From there to the edge; for a shape a lower bound.
    var chord: Double
    /// Lower bound of the distance from the origin to the edge.
    let clearance: Double
    let fence: FenceID
    let isShape: Bool
    /// Whether it contained the place of the last check.
    var holds: Bool
  }

  /// Within this distance of an edge the exact distance decides: a millimetre.
  private static let doubt = 0.001 / Sphere.radius
  private static let firstAmbition = 1_000 / Sphere.radius
  private static let leastAmbition = 20 / Sphere.radius
  /// Target range for the number of neighbours.
  private static let wanted = 24...64
  /// More fences than this are not sorted if a shorter reach will do.
  private static let searched = 512

  private var neighbours: [Neighbour] = []
  private var origin = Vector(x: 0, y: 0, z: 0)
  /// Radius around the origin within which the list is complete; negative without a list.
  private var reach = -1.0
  /// Distance from the origin to the place of the last check.
  private var lastMoved = 0.0
  /// Target reach of the next list.
  private var ambition = NeighbourList.firstAmbition

  /// The fences that contain the place of the last check, unordered.
  private(set) var holding: [FenceID] = []
  /// Fences that contain this place and did not contain the previous one.
  private(set) var entered: [FenceID] = []
  /// Fences that contained the previous place and do not contain this one.
  private(set) var left: [FenceID] = []
  /// Outside fences that the leg to this place may have crossed.
  private(set) var crossable: [FenceID] = []

  /// Forgets all, because the fences have changed. The next check finds all that hold the place in
  /// `entered`.
  mutating func forget() {
    reach = -1
    holding.removeAll(keepingCapacity: true)
  }

  /// Finds out what has changed at a place. Returns how far one can travel from there, in any
  /// direction, without crossing an edge; 0 or less where that is not known.
  ///
  /// - Parameter start: where the leg began whose crossings are wanted, nil for none.
  /// - Complexity: O(fences whose edge is about as near as the way from the origin); now and then
  ///   O(levels + fences within the reach).
  mutating func check(
    _ position: Coordinate, _ place: Vector, legFrom start: Vector?, in index: FenceIndex
  ) -> Double {
    entered.removeAll(keepingCapacity: true)
    left.removeAll(keepingCapacity: true)
    crossable.removeAll(keepingCapacity: true)
    let leg = Edge(from: start ?? place, to: place)
    let length = leg.chordSquared.squareRoot()
    var moved = (place - origin).length
    if moved + length >= reach {
      build(at: position, place, leg: length, in: index)
      moved = 0
    }
    return test(position, place, leg, length, moved: moved, in: index)
  }

  // MARK: - Testing

  /// Tests the fences whose edge may have been crossed since the last check, or by the leg.
  private mutating func test(
    _ position: Coordinate, _ place: Vector, _ leg: Edge, _ length: Double, moved: Double,
    in index: FenceIndex
  ) -> Double {
    // On the way back to the origin, edges crossed on the way out are crossed again.
    let limit = max(moved + length, lastMoved) + NeighbourList.doubt
    lastMoved = moved
    var safe = reach - moved
    for i in neighbours.indices {
      guard neighbours[i].clearance <= limit else {
        safe = min(safe, neighbours[i].clearance - moved)
        break
      }
      let neighbour = neighbours[i]
      var edge = (place - neighbour.center).length - neighbour.chord
      var holds = edge < 0
      if neighbour.isShape {
        holds = neighbour.holds
        // Measured again where its edge may have been crossed by the way or by the leg.
        if -edge <= max(length, NeighbourList.doubt) {
          let beyond = index.boundaryDistance(of: neighbour.fence, from: position, place)
          holds = beyond <= 0
          neighbours[i].center = place
          neighbours[i].chord = NeighbourList.chord(atMost: abs(beyond))
          edge = -neighbours[i].chord
        }
      } else if abs(edge) < NeighbourList.doubt {
        holds = index.boundaryDistance(of: neighbour.fence, from: position, place) <= 0
      }
      let clearance = abs(edge)
      safe = min(safe, clearance)
      if holds != neighbour.holds {
        neighbours[i].holds = holds
        if holds {
          holding.append(neighbour.fence)
          entered.append(neighbour.fence)
        } else {
          holding.removeAll { $0 == neighbour.fence }
          left.append(neighbour.fence)
        }
      }
      // A leg may begin inside, where one fix did not decide an arrival.
      if !holds, clearance < length,
        neighbour.isShape
          || leg.chordSquared(to: neighbour.center) <= neighbour.chord * neighbour.chord
      {
        crossable.append(neighbour.fence)
      }
    }
    return safe
  }

  /// At most the straight line, in radii, that belongs to so many metres on the ground: of an angle
  /// a it is 2 sin(a/2), which is at least a − a³/24.
  static func chord(atMost metres: Double) -> Double {
    let angle = min(metres / Sphere.radius, 2)
    return angle * (1 - angle * angle / 24)
  }

  // MARK: - Building

  /// Builds the list around a place, and notes what holds it and what did.
  @inline(never)
  private mutating func build(
    at position: Coordinate, _ place: Vector, leg: Double, in index: FenceIndex
  ) {
    let leastReach = max(3 * leg, NeighbourList.leastAmbition)
    reach = max(ambition, leastReach)
    let found = search(around: place, leastReach: leastReach, in: index)
    origin = place
    lastMoved = 0
    let former = holding
    holding.removeAll()
    // By clearance: the offsets are sorted in place of the neighbours, which are larger.
    var candidates: [Neighbour] = []
    var order: [(clearance: Double, offset: Int)] = []
    for entry in found {
      let candidate = candidate(entry, position, place, in: index)
      if candidate.holds { holding.append(entry.fence) }
      guard candidate.clearance <= reach else { continue }
      order.append((candidate.clearance, candidates.count))
      candidates.append(candidate)
    }
    order.sort { $0.clearance < $1.clearance }
    adapt(order, leastReach: leastReach)
    neighbours = order.prefix { $0.clearance <= reach }.map { candidates[$0.offset] }
    compare(former)
  }

  /// Finds the fences within the reach, which is reduced where they are very many.
  private mutating func search(
    around place: Vector, leastReach: Double, in index: FenceIndex
  ) -> [FenceEntry] {
    var found: [FenceEntry] = []
    while true {
      found.removeAll(keepingCapacity: true)
      let limit = reach > leastReach ? NeighbourList.searched : .max
      if index.search(around: place, reach: reach, limit: limit, into: &found) { return found }
      reach = max(reach / 4, leastReach)
    }
  }

  /// Cuts a long list short by its reach, and sets the reach that the next one should have.
  private mutating func adapt(_ order: [(clearance: Double, offset: Int)], leastReach: Double) {
    let (least, most) = (NeighbourList.wanted.lowerBound, NeighbourList.wanted.upperBound)
    if order.count > most {
      reach = min(reach, max(order[most].clearance, leastReach))
      ambition = max(reach * 0.75, NeighbourList.leastAmbition)
    } else {
      ambition = order.count < least ? min(reach * 2, 1) : reach
    }
  }

  /// A fence as the list would have it.
  private func candidate(
    _ entry: FenceEntry, _ position: Coordinate, _ place: Vector, in index: FenceIndex
  ) -> Neighbour {
    let edge = (place - entry.center).length - entry.chord
    var holds = edge < 0
    guard entry.isShape else {
      if abs(edge) < NeighbourList.doubt {
        holds = index.boundaryDistance(of: entry.fence, from: position, place) <= 0
      }
      return Neighbour(
        center: entry.center, chord: entry.chord, clearance: abs(edge), fence: entry.fence,
        isShape: false, holds: holds)
    }
    // Outside its bounding circle a shape's edge is no nearer than the circle's.
    var clearance = edge
    if edge <= NeighbourList.doubt {
      let beyond = index.boundaryDistance(of: entry.fence, from: position, place)
      holds = beyond <= 0
      clearance = NeighbourList.chord(atMost: abs(beyond))
    }
    return Neighbour(
      center: place, chord: clearance, clearance: clearance, fence: entry.fence, isShape: true,
      holds: holds)
  }

  /// Records the differences between the fences that held the place before and `holding`.
  private mutating func compare(_ former: [FenceID]) {
    holding.sort()
    let former = former.sorted()
    var i = 0
    for fence in holding {
      while i < former.count, former[i] < fence {
        left.append(former[i])
        i += 1
      }
      if i < former.count, former[i] == fence { i += 1 } else { entered.append(fence) }
    }
    left.append(contentsOf: former[i...])
  }
}
