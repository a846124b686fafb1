import Testing

@testable import Geofencing

@Suite struct InsideProbabilityTests {
  @Test(arguments: [-30.0, -8, -1, 0, 1, 8, 20, 30], [30.0, 100])
  func isTheNormalDistributionTimesWhatASmallFenceLoses(beyond: Double, size: Double) {
    for sigma in [3.0, 10, 100] {
      let expected =
        ReferenceMonitor.normal(-beyond / sigma) / (1 + 0.1 * sigma * sigma / (size * size))
      let found = InsideProbability.inside(beyond: beyond, sigma: sigma, size: size)
      #expect(abs(found - expected) < 1e-9)
    }
  }

  @Test func theSensitivityIsAProbability() {
    for (sensitivity, p) in [(Sensitivity.quick, 1e-3), (.normal, 1e-4), (.calm, 1e-6)] {
      let found = InsideProbability.withinEdge(
        beyond: 5 * sensitivity.departureSigmas, sigma: 5)
      #expect(abs(found / p - 1) < 0.01)
    }
  }

  /// A fence much smaller than the error is never arrived at.
  @Test func aSmallFenceIsNotDecidedByACoarseFix() {
    #expect(InsideProbability.inside(beyond: -20, sigma: 80, size: 20) < InsideProbability.arrival)
    #expect(InsideProbability.inside(beyond: -500, sigma: 80, size: 500) > 0.99)
  }
}
