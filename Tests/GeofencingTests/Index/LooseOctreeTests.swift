import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// Searches of the octree against a scan of all fences, while fences come and go.
@Suite struct LooseOctreeTests {
  @Test(arguments: FenceIndexTests.worlds)
  func searchesAgreeWithAScan(world: FenceIndexTests.World) {
    var random = SeededGenerator(seed: 31)
    var tree = LooseOctree()
    var model: [FenceID: FenceEntry] = [:]
    var wrong: [String] = []
    let circles = FenceIndexTests.circles(of: world, 600, &random)
    for step in 0..<2_000 {
      let id = FenceID.random(in: 0..<600, using: &random)
      if let entry = model.removeValue(forKey: id) {
        tree.remove(id, center: entry.center)
      } else {
        let circle = circles[Int(id)]
        let entry = FenceEntry(
          center: Vector(circle.center),
          chord: Vector.chordSquared(distance: circle.radius).squareRoot(), fence: id)
        tree.insert(entry)
        model[id] = entry
      }
      guard step % 20 == 0 else { continue }
      if let problem = tree.checkInvariants() { wrong.append("step \(step): \(problem)") }
      let place = Vector(FenceIndexTests.place(in: world, circles, &random))
      let reach = power(10, random.uniform(-7...0))
      var found: [FenceEntry] = []
      let isComplete = tree.search(around: place, reach: reach, into: &found)
      let expected = model.values.filter {
        ($0.center - place).length <= reach + $0.chord
      }
      if !isComplete || found.map(\.fence).sorted() != expected.map(\.fence).sorted() {
        wrong.append("step \(step): \(found.count) of \(expected.count) within \(reach)")
      }
    }
    #expect(wrong.prefix(3) == [])
    for (id, entry) in model { tree.remove(id, center: entry.center) }
    #expect(tree.count == 0 && tree.table.count == 0)
    #expect(tree.checkInvariants() == nil)
  }

  @Test func aSearchStopsAtItsLimit() {
    var tree = LooseOctree()
    let center = Vector(coordinate(48, 11))
    for id in 0..<500 {
      let place = coordinate(48, 11 + 0.0005 * Double(id))
      tree.insert(FenceEntry(center: Vector(place), chord: 1e-5, fence: FenceID(id)))
    }
    var found: [FenceEntry] = []
    let isComplete = tree.search(
      around: center, reach: 0.01, limit: 100, into: &found)
    #expect(!isComplete)
    #expect(found.count > 100 && found.count < 500)
  }

  @Test func eachPartOfACubeIsInTheRangeAroundIt() {
    let cube = Cube(holding: Vector(coordinate(10, 20)), level: 3)
    var all: UInt64 = 0
    for number in 0..<64 {
      let part = cube.part(number)
      #expect(part.parent == cube)
      #expect(part.numberInParent == number)
      // The middle of the part, and a ball that touches nothing else.
      let side = Double(1 << (2 * part.level)) / Cube.scale
      let middle = Vector(
        x: (Double(part.x) + 0.5) * side - 1, y: (Double(part.y) + 0.5) * side - 1,
        z: (Double(part.z) + 0.5) * side - 1)
      let range = CubeRange(around: middle, radius: side / 4, level: part.level)
      #expect(range.parts(of: cube) == 1 << UInt64(number))
      all |= range.parts(of: cube)
    }
    #expect(all == .max)
    let everywhere = CubeRange(around: Vector(coordinate(10, 20)), radius: 1, level: cube.level - 1)
    #expect(everywhere.parts(of: cube) == .max)
    let elsewhere = CubeRange(around: Vector(coordinate(-10, 20)), radius: 0.01, level: 2)
    #expect(elsewhere.parts(of: cube) == 0)
  }
}
