import CivilTime
import Positioning
import Testing

/// Recordings with a wrong date in them, by minutes from their beginning.
@Suite struct LeapFilterTests {
  private static let year = 525_600

  @Test(arguments: [
    // One wrong date costs itself.
    ([0, 1, 20 * year, 2, 3], [0, 1, 2, 3]), ([0, 1, 1440, 2, 3], [0, 1, 2, 3]),
    ([0, year, 1, year, 2], [0, 1, 2]),
    // A pause, a night, and a recording that ends with one.
    ([0, 1, 30, 59], [0, 1, 30, 59]), ([0, 1, 600, 601], [0, 1, 600, 601]),
    ([0, 600, 1200, 1800], [0, 600, 1200, 1800]), ([0, 1, 600], [0, 1, 600]),
    // Of another day, the next one decides nothing against it.
    ([0, 600, 300], [0, 600, 300]), ([600, 0, 1], [600, 0, 1]), ([0], [0]), ([], []),
  ])
  func aLeapOfOneFixIsNone(minutes: [Int], left: [Int]) {
    var filter = LeapFilter<Int>()
    let start = Instant(microseconds: 1_790_000_000_000_000)
    var found: [Int] = []
    for minute in minutes { filter.take(start + .minutes(Double(minute)), minute, into: &found) }
    filter.finish(into: &found)
    #expect(found == left)
    #expect(filter.dropped == minutes.count - left.count)
  }

  @Test func aFixWithoutATimeDoesNotWait() {
    var filter = LeapFilter<String>()
    let start = Instant(microseconds: 1_790_000_000_000_000)
    func taken(_ time: Instant?, _ name: String) -> [String] {
      var found: [String] = []
      filter.take(time, name, into: &found)
      return found
    }
    #expect(taken(start, "a") == ["a"])
    #expect(taken(start + .hours(2), "b") == [])
    #expect(taken(nil, "c") == ["c"])
    #expect(taken(start + .hours(3), "d") == ["b", "d"])
  }
}
