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

  /// Against a table of the normal distribution.
  @Test(arguments: [(0.9, 1.281552), (0.99, 2.326348), (0.9999, 3.719016), (0.999999, 4.753424)])
  func theCertaintyIsAProbability(certainty: Double, sigmas: Double) {
    #expect(abs(MonitorPolicy(certainty: certainty).departureSigmas - sigmas) < 1e-6)
    var policy = MonitorPolicy()
    policy.certainty = certainty
    #expect(policy == MonitorPolicy(certainty: certainty))
  }

  /// A fence much smaller than the error is never arrived at.
  @Test func aSmallFenceIsNotDecidedByACoarseFix() {
    #expect(InsideProbability.inside(beyond: -20, sigma: 80, size: 20) < InsideProbability.arrival)
    #expect(InsideProbability.inside(beyond: -500, sigma: 80, size: 500) > 0.99)
  }
}
