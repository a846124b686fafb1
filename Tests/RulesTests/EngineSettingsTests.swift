import CivilTime
import Configuration
import Departure
import Geofencing
import Glibc
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Rules

/// The settings of an engine alone, from the file of a daemon.
@Suite struct EngineSettingsTests {
  private func load(
    _ text: String, _ dropIn: String = ""
  ) throws -> (
    settings: EngineSettings, leftOut: [ConfigurationError]
  ) {
    let folder = try TemporaryFolder()
    let main = try folder.file("georemind.conf", text)
    mkdir(main + ".d", 0o700)
    _ = try folder.file("georemind.conf.d/mine.conf", dropIn)
    return try EngineSettings.load(main)
  }

  @Test func keysOfOtherPartsAreIgnored() throws {
    let (settings, leftOut) = try load(
      "[Feed]\nFeed=nonsense\n[Fence]\nCertainty=99.9%\n[Tracker anna]\nPhone=anna\n",
      "[Travel]\nCyclingSpeed=18\n[Position]\nLostAfterSec=infinity\nExclude=manual\n")
    #expect(leftOut.isEmpty)
    #expect(settings.monitor.certainty == 0.999)
    #expect(settings.travel[.cycling].bands[0].speed == 5)
    #expect(settings.positionLostAfter == .practicallyNever)
    #expect(settings.excluded == [.manual])
  }

  @Test func wrongLinesAreLeftOutAndNamed() throws {
    let (settings, leftOut) = try load("[Fence]\nPassGapSec=soon\nMaximumSpeed=100\n")
    #expect(leftOut.map(\.line) == [2])
    #expect(settings.monitor.longestLeg == EngineSettings().monitor.longestLeg)
    #expect(settings.monitor.plausibleSpeed == 100 / 3.6)
  }

  /// The defaults of the keys are those of an engine, so that a file without a key changes nothing.
  @Test func aBlankFileIsTheDefaults() throws {
    let (settings, _) = try load("")
    #expect("\(settings)" == "\(EngineSettings())")
  }

  @Test func aMissingFileIsAnError() {
    #expect(throws: ConfigurationError.self) { try EngineSettings.load("/nowhere/georemind.conf") }
  }
}
