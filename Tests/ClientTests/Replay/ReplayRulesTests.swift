import CivilTime
import Departure
import Geodesy
import Storage
import TestSupport
import Testing

@testable import Client

/// A replay by the settings and trips of a machine.
@Suite struct ReplayRulesTests {
  /// The drive ends 8.2 km from the place: by bicycle an hour before the due time, three at 5 km/h.
  private func prepared() throws -> (folder: TemporaryFolder, replay: [String]) {
    let folder = try TemporaryFolder()
    let drive = try folder.file("drive.nmea", ReplayTests.drive())
    let list = try folder.file(
      "list.json",
      """
      {"id":"boat","title":"Boat","transport":"cycling","due":"2026-06-12T17:30:00Z",
       "place":{"name":"Pier","lat":53.48,"lon":9.9833333}}
      """)
    return (folder, ["replay", drive, "--reminders", list, "--json"])
  }

  @Test func theSettingsOfAMachineDecide() throws {
    let (folder, replay) = try prepared()
    _ = try folder.file("georemind.conf", "[Travel]\nCyclingSpeed=5\n[Fence]\nCertainty=much\n")
    let usual = Run(replay)
    #expect(usual.status == 0 && usual.output.isEmpty)
    for path in [folder.path, "\(folder.path)/georemind.conf"] {
      let run = Run(replay + ["--config", path])
      #expect(run.output.contains("boat"))
      #expect(run.notes.contains("left out: \(folder.path)/georemind.conf:4"))
    }
    let none = Run(replay + ["--config", "/nowhere"])
    #expect(none.status == 78 && none.notes.contains("/nowhere"))
  }

  @Test func theTripsOfADatabaseAreKnown() throws {
    let (folder, replay) = try prepared()
    let path = "\(folder.path)/georemind.db"
    let store = try Store(path: path, now: Instant(seconds: 1_781_280_000))
    var experience = TravelExperience()
    let pier = try #require(Coordinate(latitude: 53.48, longitude: 9.9833333))
    for hour in 0..<12 {
      experience.add(
        Trip(
          goal: pier, distance: 2_300, seconds: 2_400,
          time: TimeOfWeek(hour: Double(hour + 10), isWeekend: false)), by: .cycling)
    }
    try store.state.keep(experience)
    #expect(Run(replay).output.isEmpty)
    // Also while a daemon has it open.
    let run = Run(replay + ["--trips", path])
    #expect(run.output.contains("boat"), "\(run.notes)")
    let other = Run(replay + ["--trips", replay[1]])
    #expect(other.status != 0 && other.output.isEmpty)
  }
}
