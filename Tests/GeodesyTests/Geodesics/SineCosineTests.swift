import Glibc
import TestSupport
import Testing

@testable import Geodesy

@Suite struct SineCosineTests {
  @Test func agreesWithTheLibrary() {
    var worst = 0.0
    var random = SeededGenerator(seed: 1)
    var angles = stride(from: -720.0, through: 720, by: 15).map { $0 }
    for _ in 0..<20_000 { angles.append(Double.random(in: -360...360, using: &random)) }
    for degrees in angles {
      let quick = SineCosine(degrees: degrees)
      // To within 45° of a quarter turn, which is exact, so that the library's radians are good.
      let quarter = (degrees / 90).rounded()
      let radians = (degrees - 90 * quarter) * .pi / 180
      let sines = [sin(radians), cos(radians), -sin(radians), -cos(radians)]
      let turn = Int(quarter) & 3
      worst = max(
        worst, abs(quick.sine - sines[turn]), abs(quick.cosine - sines[(turn + 1) & 3]))
    }
    #expect(worst < 4e-16)
  }

  @Test func isExactAtQuarterTurns() {
    #expect(SineCosine(degrees: 90).cosine == 0)
    #expect(SineCosine(degrees: 90).sine == 1)
    #expect(SineCosine(degrees: -180).sine == 0)
    #expect(SineCosine(degrees: -180).cosine == -1)
  }
}
