import CivilTime
import Departure
import Reminders
import Storage

/// Settings and memories of earlier runs, for the engine.
extension EngineHost {
  /// New numbers from the configuration, for what happens from now on.
  func use(_ settings: EngineSettings) { changeEngine { $0.settings = settings } }

  /// The last fix that an earlier run saw: as old as it says, but better than none.
  func remember(_ kept: KeptFix) { changeEngine { $0.remember(kept.fix, from: kept.arrival) } }

  /// Loads travel times learnt in earlier runs.
  func remember(_ experience: TravelExperience, at now: Instant) {
    changeEngine { $0.remember(experience, at: now) }
  }
}
