import CivilTime
import Departure
import Geodesy
import Interchange
import Positioning
import Reminders

/// Runs a recorded feed against reminders on a virtual clock. The firings are the same each time,
/// and the same as in the daemon.
struct Replay: ~Copyable {
  private(set) var engine: Engine
  /// Fixes that were put into the engine.
  private(set) var fixes = 0
  /// Fixes before `start`, and dated ones that the settings or the followed device exclude.
  private(set) var skipped = 0
  /// Fixes without a date.
  private(set) var undated = 0
  /// When the clock was started and where it stands; nil before the first fix.
  private(set) var began: Instant?
  private(set) var now: Instant?
  /// Fixes much older than the ones before, which are not put in.
  private(set) var older = OlderFixes()
  /// Receivers of one recording are behind one another by less.
  private static let olderLimit = TimeSpan.minutes(1)
  /// The moment at which it was to end has come.
  private(set) var isOver = false
  private let start: Instant?
  private let end: Instant?
  private let reminders: [Reminder]
  /// How far some have come by their calendar, by their ids.
  private let calendar: [String: CalendarReminder]
  /// A recording of gpsd may hold several devices.
  private var selection = FixSelection()
  private let experience: TravelExperience
  private let places: ReplayPlaces
  private var effects: [Effect] = []

  /// - Parameters:
  ///   - start: of the clock; nil is the time of the first dated fix.
  ///   - end: of the clock; nil is the time of the last one.
  ///   - experience: trips known before.
  init(
    reminders: [Reminder], calendar: [String: CalendarReminder] = [:],
    places: ReplayPlaces = ReplayPlaces(), from start: Instant?, to end: Instant? = nil,
    zone: TimeZoneRules, settings: EngineSettings = EngineSettings(),
    experience: TravelExperience = TravelExperience()
  ) {
    self.reminders = reminders
    self.calendar = calendar
    self.places = places
    self.start = start
    self.end = end
    self.experience = experience
    engine = Engine(settings: settings, zone: zone)
  }

  /// The result of taking a fix.
  enum Taken {
    case counted
    /// Of another device, not newer than the last fix, or excluded by the settings.
    case notFollowed
    /// Without a date, outside the played time, or much older than the last fix.
    case passedOver
  }

  /// Puts one fix in. `wait` is called with each moment before something happens at it.
  @discardableResult
  mutating func take(
    _ fix: Fix, wait: ((Instant) throws -> Void)?, fire: (Firing) throws -> Void
  ) throws -> Taken {
    guard let time = fix.time else {
      undated += 1
      return .passedOver
    }
    if let start, time < start {
      skipped += 1
      return .passedOver
    }
    guard !isOver else { return .passedOver }
    if let end, time > end {
      isOver = true
      guard began != nil else { return .passedOver }
      engine.advance(to: end, into: &effects)
      now = end
      try carryOut(fire)
      return .passedOver
    }
    if began == nil { try begin(at: start ?? time, fire: fire) }
    let origin = FixOrigin(feed: 0, device: fix.device)
    if let now, now - time > Self.olderLimit {
      older.add(time, before: now)
      return .passedOver
    }
    guard selection.accepts(fix, from: origin, at: time, engine.settings) else {
      skipped += 1
      return .notFollowed
    }
    if let wait {
      while let deadline = engine.nextDeadline, deadline <= time {
        try wait(deadline)
        engine.advance(to: deadline, into: &effects)
        try carryOut(fire)
      }
      try wait(time)
    } else {
      engine.advance(to: time, into: &effects)
    }
    let moment = max(now ?? time, time)
    engine.handle(.fix(fix, from: origin), at: moment, into: &effects)
    now = moment
    fixes += 1
    try carryOut(fire)
    return engine.lastFix?.time == time ? .counted : .notFollowed
  }

  private mutating func begin(at time: Instant, fire: (Firing) throws -> Void) throws {
    began = time
    now = time
    engine.remember(experience, at: time)
    let zone = engine.zone
    let entries = reminders.map { reminder in
      let found = calendar[reminder.id]?.settled(at: time, zone: zone)
      return (found?.reminder ?? reminder, found?.history(at: time, in: zone))
    }
    engine.load(entries, at: time, into: &effects)
    try carryOut(fire)
  }

  private mutating func carryOut(_ fire: (Firing) throws -> Void) throws {
    while !effects.isEmpty {
      let due = effects
      effects.removeAll(keepingCapacity: true)
      for effect in due {
        switch effect {
        case .fire(var firing):
          if let name = firing.unnamed.flatMap({ places.name($0.number) }) { firing.name(name) }
          try fire(firing)
        case .watch(let category):
          guard let now else { continue }
          let known = places.places(of: category)
          engine.handle(.places(category: category, known), at: now, into: &effects)
        case .persist, .forget, .say, .route, .keep: continue
        }
      }
    }
  }

  /// Why a reminder has not fired yet; nil before the first fix and for an unknown id.
  func why(_ id: String) -> Explanation? {
    now.flatMap { engine.why(id, at: $0, placeName: { places.name($0) }) }
  }
}
