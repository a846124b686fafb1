import CProcessor
import Geodesy
import TestSupport
import Testing

@testable import Reminders

extension Trait where Self == ConditionTrait {
  /// Elsewhere the way for wide vectors is the one for every processor, or cannot run: the test is told as skipped.
  static var wideVectors: Self {
    .enabled(if: has_wide_vectors(), "the processor has no wide vectors")
  }
}

/// The kernel over a shelf: what it says of many is what it says of each alone, and the way for wide vectors answers bit
/// for bit as the one for every processor.
@Suite struct ShelfKernelTests {
  private struct Shelf {
    var blocks: [Float] = []
    var indices: [Int32] = []

    mutating func append(_ index: Int32, _ direction: Direction, moment: Float) {
      let number = indices.count
      if number % Int(shelf_lanes) == 0 {
        blocks += [Float](repeating: .nan, count: Int(shelf_block))
      }
      let start = number / Int(shelf_lanes) * Int(shelf_block) + number % Int(shelf_lanes)
      blocks[start + Int(shelf_x)] = Float(direction.x)
      blocks[start + Int(shelf_y)] = Float(direction.y)
      blocks[start + Int(shelf_z)] = Float(direction.z)
      blocks[start + Int(shelf_moment)] = moment
      blocks[start + Int(shelf_index)] = Float(bitPattern: UInt32(bitPattern: index))
      indices.append(index)
    }

    /// Gives a field of the last one a number that no place and no moment has.
    mutating func setOddNumber(_ dice: inout SeededGenerator) {
      let last = indices.count - 1
      let field = [shelf_x, shelf_y, shelf_z, shelf_moment].randomElement(using: &dice) ?? shelf_x
      let tiny = Float.leastNonzeroMagnitude
      let numbers: [Float] = [
        .nan, .infinity, -.infinity, 1e12, -1e12, tiny, -tiny, .leastNormalMagnitude / 2, -0.0,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      ]
      let start = last / Int(shelf_lanes) * Int(shelf_block) + last % Int(shelf_lanes)
      blocks[start + Int(field)] = numbers.randomElement(using: &dice) ?? .nan
    }
  }

  private struct Answer: Equatable {
    var least: UInt32
    var most: UInt32
    var nearest: UInt32
    var strays: [[UInt32]]

    init(_ sight: shelf_sight, _ strays: [shelf_stray]) {
      // What is no number has no value either: processors may mark it differently.
      func bits(_ number: Float) -> UInt32 {
        number.isNaN ? Float.nan.bitPattern : number.bitPattern
      }
      least = bits(sight.least)
      most = bits(sight.most)
      nearest = bits(sight.nearest)
      self.strays = strays.map {
        [
          UInt32(bitPattern: $0.index), UInt32(bitPattern: $0.number), bits($0.slack),
          bits($0.distance), bits($0.left), bits($0.x), bits($0.y), bits($0.z), bits($0.moment),
        ]
      }
    }
  }

  /// What is asked of a shelf.
  private struct Question {
    var view: shelf_view
    var rule: shelf_rule
    var rises: [way_rises]
    var bounds: shelf_bounds

    func ask(_ shelf: Shelf, isWide: Bool) -> (sight: shelf_sight, strays: [shelf_stray]) {
      // Those found before stay.
      let before = shelf.indices.count % 5
      var strays = (0..<before).map {
        shelf_stray(
          index: -1, number: Int32($0), slack: 0.5, distance: 7, left: 8, x: 0, y: 0, z: 1,
          moment: 9)
      }
      let sight = ShelfKernel(isWide: isWide).look(
        shelf.blocks.span, count: shelf.indices.count, view, rule, rises.span, bounds,
        into: &strays)
      let kept = strays.prefix(before)
      #expect(kept.count == before && kept.allSatisfy { $0.index == -1 && $0.distance == 7 })
      #expect(kept.map(\.number) == Array(0..<Int32(before)))
      return (sight, Array(strays.dropFirst(before)))
    }
  }

  private static func question(_ dice: inout SeededGenerator) -> Question {
    let here = Direction(
      Coordinate(
        clampingLatitude: .random(in: -90...90, using: &dice),
        wrappingLongitude: .random(in: -180...180, using: &dice)))
    func bound(_ range: ClosedRange<Float>, _ none: Float) -> Float {
      Int.random(in: 0..<3, using: &dice) == 0 ? none : .random(in: range, using: &dice)
    }
    var rises: [way_rises] = []
    for _ in 0..<Int.random(in: 0...2, using: &dice) {
      func four(_ range: ClosedRange<Float>) -> SIMD4<Float> { .random(in: range, using: &dice) }
      rises.append(
        way_rises(starts: four(0...60_000), lengths: four(0...90_000), slopes: four(0...0.4)))
    }
    return Question(
      view: shelf_view(
        now: .random(in: 0...4_000, using: &dice), x: Float(here.x), y: Float(here.y),
        z: Float(here.z)),
      rule: shelf_rule(
        radius: Float(Sphere.radius), doubtful_way: 0.7, shorter: 1 - 0x1p-19,
        no_way: .random(in: 0...300, using: &dice)),
      rises: rises,
      bounds: shelf_bounds(
        least: bound(-500...500, -.infinity), most: bound(500...4_000, .infinity),
        nearest: bound(0...20_000, 0), farthest: bound(20_000...200_000, .infinity),
        shortest: bound(-1_000...1_000, -.infinity)))
  }

  private static func shelf(
    _ count: Int, around view: shelf_view, _ dice: inout SeededGenerator
  ) -> Shelf {
    var shelf = Shelf()
    for number in 0..<count {
      // From at hand to the other side of the globe.
      let spread = Double(sign: .plus, exponent: .random(in: -20...1, using: &dice), significand: 1)
      func moved(_ part: Float) -> Double {
        Double(part) + .random(in: -spread...spread, using: &dice)
      }
      var direction = Direction(EngineHarness.home)
      (direction.x, direction.y, direction.z) = (moved(view.x), moved(view.y), moved(view.z))
      shelf.append(
        Int32(number) * 7 + 3, direction, moment: .random(in: -2_000...9_000, using: &dice))
      if Int.random(in: 0..<8, using: &dice) == 0 { shelf.setOddNumber(&dice) }
    }
    return shelf
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func manyAreToldAsEachAlone(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var (strays, others) = (0, 0)
    for _ in 0..<150 {
      let question = Self.question(&dice)
      let shelf = Self.shelf(.random(in: 0...70, using: &dice), around: question.view, &dice)
      let (sight, found) = question.ask(shelf, isWide: false)
      #expect(Int(sight.strays) == found.count)
      var (least, most, nearest) = (Float.infinity, -Float.infinity, Float.infinity)
      var expected: [shelf_stray] = []
      for number in shelf.indices.indices {
        var alone = Shelf()
        alone.blocks = [Float](repeating: .nan, count: Int(shelf_block))
        let start = number / Int(shelf_lanes) * Int(shelf_block) + number % Int(shelf_lanes)
        for field in [shelf_x, shelf_y, shelf_z, shelf_moment, shelf_index] {
          alone.blocks[Int(field)] = shelf.blocks[start + Int(field)]
        }
        alone.indices = [shelf.indices[number]]
        let (sight, found) = question.ask(alone, isWide: false)
        if var stray = found.first {
          stray.number = Int32(number)
          expected.append(stray)
        } else {
          (least, most) = (min(least, sight.least), max(most, sight.most))
          nearest = min(nearest, sight.nearest)
        }
      }
      strays += expected.count
      others += shelf.indices.count - expected.count
      let each = shelf_sight(
        least: least, most: most, nearest: nearest, strays: UInt32(expected.count))
      #expect(Answer(sight, found) == Answer(each, expected))
    }
    #expect(strays > 500 && others > 500)
  }

  @Test(.wideVectors, arguments: 0..<8 as Range<UInt64>)
  func wideVectorsAnswerAlike(seed: UInt64) {
    var dice = SeededGenerator(seed: 100 + seed)
    for _ in 0..<400 {
      let question = Self.question(&dice)
      let shelf = Self.shelf(.random(in: 0...130, using: &dice), around: question.view, &dice)
      let four = question.ask(shelf, isWide: false)
      let sixteen = question.ask(shelf, isWide: true)
      #expect(Answer(four.sight, four.strays) == Answer(sixteen.sight, sixteen.strays))
    }
  }
}
