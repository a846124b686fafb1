import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// What eight bytes of a circle tell of a place.
@Suite struct EntryTests {
  /// A circle as a cell of some level lists it, and a place: within its reach, or beside its edge.
  private struct Sight {
    let place: QuantisedPlace
    let entry: Entry
    let level: Int
    /// Metres to the edge by the haversine formula, negative inside.
    let edge: Double
    /// The same on a straight line.
    let straight: Double

    init(_ random: inout SeededGenerator) throws {
      level = Int.random(in: 0..<CellGrid.levelCount, using: &random)
      let center = Coordinate(
        clampingLatitude: random.uniform(-90...90), wrappingLongitude: random.uniform(-180...180))
      let height = CellGrid.height(level)
      let largest = Bool.random(using: &random) ? height : 10 * Quantum.metres(level)
      let circle = try #require(
        Circle(center: center, radius: random.uniform(1...max(2, largest))))
      let record = CircleRecord(circle)
      let away = Bool.random(using: &random) ? height : 20 * Quantum.metres(level)
      let view = Viewpoint(
        center.destination(
          bearing: random.uniform(0...360), distance: random.uniform(0...circle.radius + away)))
      place = QuantisedPlace(FixedVector(view.direction), level: level)
      entry = Entry(
        tag: 1, center: FixedVector(record.direction), chord: record.chord, level: level)
      edge = view.boundaryDistance(to: record)
      straight = (view.direction - record.direction).length * CellGrid.earthRadius - record.chord
    }
  }

  @Test(arguments: 0..<4)
  func whatIsSureIsTrueAndWhatHoldsMayHold(lane: Int) throws {
    var random = SeededGenerator(seed: 8_128)
    var (held, doubtful, wrong, ofOthers) = (0, 0, 0, 0)
    for _ in 0..<20_000 {
      let sight = try Sight(&random)
      var group = EntryGroup()
      group[lane] = sight.entry
      let bit = UInt32(1) << UInt32(lane)
      let maybe = sight.place.isHeld(by: group, enlargedBy: Quantum.doubt)
      let surely = sight.place.isHeld(by: group)
      if maybe & ~bit != 0 || surely & ~bit != 0 { ofOthers += 1 }
      if surely & bit != 0, sight.edge > 0 || maybe & bit == 0 { wrong += 1 }
      if maybe & bit == 0, sight.edge <= 0 { wrong += 1 }
      if surely & bit != 0 { held += 1 } else if maybe & bit != 0 { doubtful += 1 }
    }
    #expect(wrong == 0)
    #expect(ofOthers == 0, "unused lanes hold nothing")
    #expect(held > 2_000)
    #expect(doubtful > 1_000)
  }

  @Test(arguments: 0..<4)
  func theEdgeIsSeenToWithinTheDoubt(lane: Int) throws {
    var random = SeededGenerator(seed: 33)
    var (sure, wrong, near, far) = (0, 0, 0, 0)
    for _ in 0..<20_000 {
      let sight = try Sight(&random)
      var group = EntryGroup()
      group[lane] = sight.entry
      let edges = sight.place.sights(of: group).edge
      for other in 0..<4 where other != lane && edges[other] < 20_000 { near += 1 }
      let off = abs(Double(edges[lane]) - sight.straight / Quantum.metres(sight.level))
      if off > Double(Quantum.edgeDoubt) - 0.04 { wrong += 1 }
      if off > 0.75 { far += 1 }
      // Which side of it is sure is the side by the haversine formula. Farther off nobody could mistake it.
      guard abs(edges[lane]) > Quantum.edgeDoubt else { continue }
      if abs(edges[lane]) < 2 * Quantum.edgeDoubt { sure += 1 }
      if (edges[lane] < 0) != (sight.edge < 0) { wrong += 1 }
    }
    #expect(sure > 300, "sure, but only just")
    #expect(far > 100, "what is rounded counts")
    #expect(wrong == 0)
    #expect(near == 0, "unused lanes are far")
  }

  @Test func aClearedLaneHoldsNothing() throws {
    var random = SeededGenerator(seed: 496)
    var holders = 0
    for _ in 0..<5_000 {
      let sight = try Sight(&random)
      var group = EntryGroup(sight.entry)
      group.clear(0)
      for more: Int16 in [-3, 3, 6_434] where sight.place.isHeld(by: group, enlargedBy: more) != 0 {
        holders += 1
      }
    }
    #expect(holders == 0)
  }

  @Test func wholeNumbersAgreeWithFloatingPoint() throws {
    var random = SeededGenerator(seed: 28)
    var different = 0
    for _ in 0..<20_000 {
      let sight = try Sight(&random)
      let group = EntryGroup(sight.entry)
      let sights = sight.place.sights(of: group)
      // Whole numbers know nothing of the middle.
      let way =
        SIMD3(sights.x[0], sights.y[0], sights.z[0]) - sight.place.middle
      let edge = (way * way).sum().squareRoot() - Float(sight.entry.radius)
      for more: Int16 in [-3, 3, 100, 6_434] {
        // d² < r² + r is d < r + ½, but for less than a tenth.
        let limit = Float(more) + 0.5
        guard abs(edge - limit) > 0.15, sight.entry.radius + more > 0 else { continue }
        if (sight.place.isHeld(by: group, enlargedBy: more) != 0) != (edge < limit) {
          different += 1
        }
      }
    }
    #expect(different == 0)
  }
}
