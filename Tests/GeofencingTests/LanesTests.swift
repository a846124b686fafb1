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
}
