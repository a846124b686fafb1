import CivilTime
import Departure
import Reminders
import Storage

/// Settings and memories of earlier runs, for the engines.
extension EngineHost {
  /// New numbers from the configuration, for what happens from now on.
  func use(_ settings: EngineSettings) {
    for tracker in all { tracker.engine.settings = Self.settings(settings, of: tracker.who) }
  }

  /// From here on no request goes to a routing engine.
  func stopAskingRoutes() {
    for tracker in all { tracker.engine.settings.asksRoutes = false }
  }

  /// Phones rest for hours and say nothing: a loss of their position is news where a reminder asks
  /// for it (`silent`). Nothing is known of how soon one of them speaks after a start.
  private static func settings(_ own: EngineSettings, of who: Who?) -> EngineSettings {
    guard who != nil else { return own }
    var settings = own
    settings.positionLostAfter = TimeSpan(microseconds: .max)
    settings.firstFixWait = .zero
    return settings
  }

  /// The last fix that an earlier run saw: as old as it says, but better than none. And the travel
  /// times learnt in earlier runs.
  func remember(_ tracker: TrackerEngine, at now: Instant) throws(StoreError) {
    guard clock.isLive, tracker.isFollowing else { return }
    if let kept = try store.state.lastFix(of: tracker.name) {
      tracker.engine.remember(kept.fix, from: kept.arrival)
    }
    if tracker.engine.settings.learnsFromTrips {
      tracker.engine.remember(try store.state.experience(of: tracker.name), at: now)
    }
  }

  /// The engine of a tracker, which is made when it is needed first.
  func tracker(_ who: Who?) -> TrackerEngine {
    guard let who = who?.engine else { return own }
    if let known = all.first(where: { $0.who == who }) { return known }
    let tracker = add(
      who, Engine(settings: Self.settings(engine.settings, of: who), zone: engine.zone))
    guard let now = clock.now else { return tracker }
    var none: [Effect] = []
    tracker.engine.handle(.clockTrust(engine.isClockTrusted), at: now, into: &none)
    do throws(StoreError) {
      try remember(tracker, at: now)
    } catch {
      report(error)
    }
    return tracker
  }
}

extension Who {
  /// All reminders about several trackers have one engine.
  fileprivate var engine: Who { name == nil ? .all : self }
}
