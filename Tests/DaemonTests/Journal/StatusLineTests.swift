import Testing

@testable import Daemon

@Suite struct StatusLineTests {
  /// systemd shows the line until the next one, so an age in it would be wrong a moment later.
  @Test func theStatusLineHasTimesOfDayAndNoAges() throws {
    let rig = try Rig("[Display]\nUnits=imperial\n")
    _ = try rig.client().call(
      "Add", #"{"reminder":{"title":"x","due":"2099-01-01T18:00:00"}}"#)
    try rig.see(latitude: 1, longitude: 2)
    let line = rig.daemon.statusLine
    #expect(line.hasPrefix("1 reminder armed; "), "\(line)")
    #expect(line.contains(/[23]D fix at \d\d:\d\d:\d\d/), "\(line)")
    #expect(line.contains("; next due Thu 1 Jan 2099 18:00"), "\(line)")
    #expect(!line.contains(" old") && !line.contains("failure"), "\(line)")
  }
}
