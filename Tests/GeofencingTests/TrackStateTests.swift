import CivilTime
import Containers
import Geodesy
import TestSupport
import Testing

@testable import Geofencing

/// The state of a track as numbers.
@Suite struct TrackStateTests {
  /// A walk with rests, gaps, wrong fixes, and fixes without claim or speed.
  private func walk(seed: UInt64, count: Int) -> [PositionSample] {
    var random = SeededGenerator(seed: seed)
    var (x, y, seconds) = (0.0, 0.0, 0.0)
    var isGoing = true
    return (0..<count).map { _ in
      if Int.random(in: 0..<40, using: &random) == 0 { isGoing.toggle() }
      let gap = Double.random(in: 0.05...2, using: &random)
      seconds += Int.random(in: 0..<60, using: &random) == 0 ? 90 : gap
      if isGoing { (x, y) = (x + 12 * gap, y + 5 * gap) }
      let wild = Int.random(in: 0..<30, using: &random) == 0 ? 700.0 : 4
      let offset = Double.random(in: -wild...wild, using: &random)
      return PositionSample(
        time: Instant(seconds: 1_800_000_000) + .seconds(seconds),
        position: Coordinate(
          clampingLatitude: 53 + (y + offset) / 111_195, wrappingLongitude: 10 + x / 67_000),
        eph: Bool.random(using: &random) ? Double.random(in: 3...30, using: &random) : nil,
        speed: Bool.random(using: &random) ? (isGoing ? 13 : 0) : nil)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func anotherTrackGoesOnBitForBit(seed: UInt64) throws {
    let policy = MonitorPolicy()
    let samples = walk(seed: seed, count: 900)
    var track = Track()
    var copies: [Track] = []
    for (number, sample) in samples.enumerated() {
      _ = track.follow(sample, policy)
      for index in copies.indices { _ = copies[index].follow(sample, policy) }
      if number % 90 == 17 {
        let state = track.state
        // One that begins here, and one that has followed the last samples alone.
        var late = Track()
        for sample in samples[(number - 17)...number] { _ = late.follow(sample, policy) }
        copies += [try #require(Track().with(state)), try #require(late.with(state))]
      }
      for copy in copies {
        try #require(copy.state == track.state, "sample \(number)")
        #expect(copy.leg(policy)?.place == track.leg(policy)?.place)
      }
    }
    #expect(copies.count >= 8)
  }

  @Test func numbersThatAreNoStateChangeNothing() throws {
    let policy = MonitorPolicy()
    var track = Track()
    for sample in walk(seed: 3, count: 100) { _ = track.follow(sample, policy) }
    let state = track.state
    for wrong in [[], state.dropLast(), state + [1]] { #expect(track.with(Array(wrong)) == nil) }
    for index in state.indices {
      for number in [Double.nan, .infinity, -.infinity] {
        var wrong = state
        wrong[index] = number
        let none = track.with(wrong) == nil
        #expect(none)
      }
      // Finite numbers never trap, whatever they are.
      for number in [1e300, -1e300, 0.5] {
        var wrong = state
        wrong[index] = number
        var hostile = track.with(wrong) ?? track
        for sample in walk(seed: 4, count: 20) { _ = hostile.follow(sample, policy) }
      }
    }
  }
}

extension Track {
  fileprivate var state: [Double] {
    var (copy, tape) = (self, StateTape())
    copy.pass(&tape)
    var (reader, numbers) = (StateTape(tape.bytes), [Double]())
    while !reader.isReadWhole, !reader.hasFailed {
      numbers.append(0)
      reader.pass(&numbers[numbers.count - 1])
    }
    return numbers
  }

  /// With another state; nil for numbers that are none.
  fileprivate func with(_ state: [Double]) -> Track? {
    var (copy, writer) = (self, StateTape())
    for var number in state { writer.pass(&number) }
    var tape = StateTape(writer.bytes)
    copy.pass(&tape)
    return tape.isReadWhole ? copy : nil
  }
}
