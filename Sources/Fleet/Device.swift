import CivilTime
import Departure
import JSONText
import Reminders

/// A device: its engine, and its changes for the next commit.
final class Device {
  let name: String
  /// Its timer in the partition.
  let slot: Int32
  var engine: Engine
  var zone: String?
  /// The state that an earlier owner has stored, until it is loaded.
  var restoration: Restoration?
  /// The point of the log that its rows are of.
  var stored = LogPoint()
  /// The first message that its rows do not have.
  var unstored: LogPoint?
  /// Firings stored so far.
  var firingCount: Int64 = 0
  var changes = Changes()

  init(_ name: String, slot: Int32, zone: TimeZoneRules = .utc) {
    self.name = name
    self.slot = slot
    engine = Engine(settings: Self.settings, zone: zone)
  }

  /// Positions come when they come, and time is the log's: it was never wrong.
  private static let settings: EngineSettings = {
    var settings = EngineSettings()
    settings.positionLostAfter = TimeSpan(microseconds: .max)
    settings.correctsAtStart = false
    return settings
  }()

  /// Since the last commit.
  struct Changes {
    var isPresent = false
    /// New or edited reminders, as JSON.
    var documents: [String: String] = [:]
    var histories: [String: History] = [:]
    var removed: Set<String> = []
    /// As JSON.
    var firings: [String] = []
    var experience: TravelExperience?
  }

  /// The state that an earlier owner has stored.
  struct Restoration {
    /// nil where it cannot be read: then the device is as after a restart.
    var state: JSONValue?
    let experience: TravelExperience?
    var reminders: [(Reminder, History)] = []
  }

  /// Loads the stored state. `resume` follows once the effects are carried out.
  func load(into effects: inout [Effect]) {
    guard let restoration else { return }
    if let experience = restoration.experience {
      engine.remember(experience, at: stored.time)
    }
    if let state = restoration.state, !engine.begin(with: state) { self.restoration?.state = nil }
    engine.beginLoading(count: restoration.reminders.count)
    for (reminder, history) in restoration.reminders { engine.load(reminder, history) }
    engine.finishLoading(at: stored.time, into: &effects)
  }

  func resume() {
    if let state = restoration?.state { _ = engine.resume(with: state, at: stored.time) }
    restoration = nil
  }
}
