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
  /// The state that an earlier owner has stored, until the log is replayed.
  var restoration: Restoration?
  /// Firings stored so far.
  var firingCount: Int64 = 0
  /// Whether the last commit was one at which no decision was half made.
  var isStoredQuiet = true
  /// When the first message came that the last such commit does not have.
  var unstoredSince: Instant?
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
    /// Up to here only positions are read; `first` has the histories of this point.
    let begin: LogPoint
    /// Whether no decision was half made then; else it is the last commit.
    let isQuiet: Bool
    var reminders: [Reminder] = []
    /// By reminder: at `begin`.
    var first: [String: History] = [:]
    /// At the last commit.
    var last: [String: History] = [:]
    var experience: TravelExperience?
    /// `Engine.takeover` at the last commit at which no decision was half made.
    var takeover: JSONValue?
  }

  /// Loads the stored reminders at the beginning of a replay.
  func load(at time: Instant, into effects: inout [Effect]) {
    guard let stored = restoration else { return }
    if let experience = stored.experience { engine.remember(experience, at: time) }
    if !stored.isQuiet, let state = stored.takeover { engine.take(over: state) }
    engine.beginLoading(count: stored.reminders.count)
    for reminder in stored.reminders { engine.load(reminder, stored.first[reminder.id] ?? .unread) }
    engine.finishLoading(at: time, into: &effects)
    restoration?.reminders = []
  }

  /// Begins to decide: with the stored state and histories, and at the last fix, where no decision
  /// was half made. So each fence begins anew: the replay has compared it with the way to here by a
  /// presence that the device had here first. An anchor watch needs the fixes of that way.
  func begin(at now: Instant, into effects: inout [Effect]) {
    if let stored = restoration, stored.isQuiet, let state = stored.takeover {
      engine.take(over: state)
    }
    let time = engine.lastFixArrival ?? now
    for (id, history) in restoration?.first ?? [:] where history.stay != .unknown {
      guard let reminder = engine.reminder(id), reminder.region != nil, !reminder.isAnchorWatch
      else { continue }
      engine.handle([.remove(id: id), .add(reminder, history)], at: time, into: &effects)
    }
    _ = settle(restoration?.first ?? [:], at: now, into: &effects)
  }

  /// Takes over histories where the replay came to something else; answers how many differed.
  func settle(_ histories: [String: History], at now: Instant, into effects: inout [Effect]) -> Int
  {
    var count = 0
    for (id, history) in histories where engine.history(id) != history {
      guard let reminder = engine.reminder(id) else { continue }
      count += 1
      engine.handle(.restore(reminder, history), at: now, into: &effects)
    }
    return count
  }
}
