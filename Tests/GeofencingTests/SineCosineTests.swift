import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Geofencing

@Suite struct SineCosineTests {
  @Test func agreesWithTheLibrary() {
    var worst = 0.0
    var random = SeededGenerator(seed: 1)
    var angles = stride(from: -720.0, through: 720, by: 15).map { $0 }
    for _ in 0..<20_000 { angles.append(random.uniform(-360...360)) }
    for degrees in angles {
      let quick = SineCosine(degrees: degrees)
      // The remainder is exact, so that the library's radians are as good as ours.
      let radians = remainder(degrees, 360) * .pi / 180
      worst = max(worst, abs(quick.sine - sin(radians)), abs(quick.cosine - cos(radians)))
    }
    #expect(worst < 2e-15)
  }

  @Test func isExactAtQuarterTurns() {
    #expect(SineCosine(degrees: 90).cosine == 0)
    #expect(SineCosine(degrees: 90).sine == 1)
    #expect(SineCosine(degrees: -180).sine == 0)
    #expect(SineCosine(degrees: -180).cosine == -1)
  }
}
