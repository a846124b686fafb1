import Testing

@testable import Geofencing

@Suite struct ReceiverNoiseTests {
  func noise(after blocks: Int, of ratio: Double) -> ReceiverNoise {
    var noise = ReceiverNoise()
    for _ in 0..<blocks { noise.learn(square: ratio * ratio) }
    return noise
  }

  @Test func aReceiverIsTakenToBeTwiceAsBadAsItClaims() {
    #expect(ReceiverNoise().scale == 2)
    #expect(ReceiverNoise().blocks == 0)
  }

  @Test func halfAnHourAtRestWeighsAsMuchAsTheAssumption() {
    #expect(abs(noise(after: 30, of: 1).scale - 2.5.squareRoot()) < 1e-12)
  }

  @Test(arguments: [(0.7, 0.7...0.9), (1, 1...1.1), (2.5, 2.4...2.5)])
  func aDayShowsTheTruth(ratio: Double, range: ClosedRange<Double>) {
    #expect(range.contains(noise(after: 1_440, of: ratio).scale))
  }

  @Test func theScaleHasBounds() {
    #expect(noise(after: 5_000, of: 0).scale == 0.4)
    #expect(noise(after: 5_000, of: 20).scale == 3)
  }

  @Test func aDayIsRemembered() {
    var noise = noise(after: 10_000, of: 0.5)
    #expect(noise.blocks == 1_440)
    for _ in 0..<3_000 { noise.learn(square: 4) }
    #expect(abs(noise.scale - 2) < 0.2)
  }

  @Test(arguments: [Double.nan, .infinity, -1])
  func aSenselessSquareIsIgnored(square: Double) {
    var noise = ReceiverNoise()
    noise.learn(square: square)
    #expect(noise.scale == 2 && noise.blocks == 0)
  }
}
