import JSONText
import LinuxRuntime
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
    let state = rig.daemon.statusLine(withFix: false)
    try rig.see(latitude: 1, longitude: 2.1)
    #expect(rig.daemon.statusLine(withFix: false) == state)
    _ = try rig.client().call(
      "Add", #"{"reminder":{"title":"y","due":"2099-01-01T18:00:00"}}"#)
    #expect(rig.daemon.statusLine(withFix: false) != state)
  }

  @Test func wrongLinesOfTheConfigurationAreInTheStatusUntilTheyAreRight() throws {
    let rig = try Rig("[Feed]\nFeed=\n[Fence]\nMaximumSpeed=9000\n")
    let client = try rig.client()
    func errors() throws -> [String] {
      try (client.call("Status")["status"]?["configuration_errors"]?.array ?? [])
        .compactMap(\.string)
    }
    #expect(try errors().count == 1)
    let first = try #require(errors().first)
    #expect(first.contains("georemind.conf:4: [Fence] MaximumSpeed=9000 is not"))
    #expect(rig.daemon.statusLine.contains("; configuration wrong: "))
    #expect(rig.journal.troubles(.error).filter { $0.contains("MaximumSpeed=9000") }.count == 1)
    try rig.configure("[Feed]\nFeed=\n")
    rig.daemon.reloadSettings()
    #expect(try errors().isEmpty)
    // A line about access refuses the whole configuration.
    try rig.configure("[Feed]\nFeed=\n[Control]\nSharedChanges=maybe\n")
    rig.daemon.reloadSettings()
    #expect(try errors().count == 1 && errors()[0].contains("SharedChanges=maybe"))
    try rig.configure("[Feed]\nFeed=\n")
    rig.daemon.reloadSettings()
    #expect(try errors().isEmpty)
    #expect(!rig.daemon.statusLine.contains("configuration"))
  }
}
