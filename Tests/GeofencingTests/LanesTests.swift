import CProcessor
import Testing

@testable import Geofencing

@Suite struct LanesTests {
  @Test(arguments: 0..<16)
  func everySetLaneComesOnceAndInOrder(bits: Int32) {
    let ofLane = SIMD4<Int32>(1, 2, 4, 8)
    var lanes = Lanes((ofLane & bits) .!= 0)
    #expect(lanes.isEmpty == (bits == 0))
    var seen: [Int] = []
    while let lane = lanes.next() { seen.append(lane) }
    #expect(seen == (0..<4).filter { bits >> Int32($0) & 1 == 1 })
    #expect(lanes.isEmpty)
  }

  @Test func theLesserAndTheLeastAreTakenLaneByLane() {
    let a = SIMD4<Float>(1, -2, 3, .infinity)
    let b = SIMD4<Float>(0.5, 4, 3, -7)
    #expect(lesser_of(a, b) == SIMD4(0.5, -2, 3, -7))
    #expect(not_above(a, b) == 0b0110)
    for lane in 0..<4 {
      var values = SIMD4<Float>(8, 6, 7, 5)
      values[lane] = -1
      #expect(values.least == -1)
    }
  }
}
