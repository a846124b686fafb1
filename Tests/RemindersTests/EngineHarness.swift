import CivilTime
import Departure
import Geodesy
import Geofencing
import JSONText
import Positioning
import Testing

@testable import Reminders

/// Drives an engine on a virtual clock, as a recording does: every deadline comes at its own time.
struct EngineHarness: ~Copyable {
  var engine: Engine
  var now: Instant
  var effects: [Effect] = []
  /// What a store would hold.
  var kept: [String: History] = [:]
  /// What lists would say of it.
  var standings: [String: Standing] = [:]
  var firings: [Firing] = []
  var notices: [Notice] = []
  /// What the engine wants to ask a routing engine.
  var requests: [RouteRequest] = []
  /// What a store would hold of own trips.
  var experience = TravelExperience()
  /// The places of each category that the engine may ask for.
  var places: [String: [NumberedPlace]] = [:]
  /// Whether they are the answer to `Effect.watch`.
  var answersPlaces = true

  /// Hamburg, Rathausmarkt.
  static let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)
  /// 2026-06-12T16:00:00Z, a Friday.
  static let start = Instant(seconds: 1_781_280_000)

  /// - Parameter punctuality: a half makes travel times those of the formula.
  init(
    zone: TimeZoneRules = .utc, settings: EngineSettings = EngineSettings(),
    punctuality: Double = 0.5, now: Instant = start
  ) {
    var settings = settings
    settings.punctuality = punctuality
    engine = Engine(settings: settings, zone: zone)
    self.now = now
  }

  mutating func send(_ event: Event) {
    effects.removeAll()
    engine.handle(event, at: now, into: &effects)
    carryOut()
  }

  private mutating func carryOut() {
    var asked: [String] = []
    for effect in effects {
      switch effect {
      case .watch(let category): asked.append(category)
      case .persist(let id, let history, let standing):
        (kept[id], standings[id]) = (history, standing)
      case .forget(let id): kept[id] = nil
      case .fire(let firing): firings.append(firing)
      case .say(let notice): notices.append(notice)
      case .route(let request): requests.append(request)
      case .keep(let experience): self.experience = experience
      }
    }
    for category in asked where answersPlaces {
      send(.places(category: category, places[category] ?? []))
    }
  }

  /// Lets time pass, stopping at each deadline.
  mutating func wait(until end: Instant) {
    while let deadline = engine.nextDeadline, deadline <= end {
      now = max(now, deadline)
      send(.tick)
    }
    now = end
  }

  mutating func wait(_ seconds: Double) { wait(until: now + .seconds(seconds)) }

  mutating func add(_ json: String) throws {
    let object = try #require(try JSONParser.parse(json).object)
    send(.add(try Reminder(json: object), nil))
  }

  /// The reminder of this id is this one from now on.
  mutating func replace(_ json: String) throws {
    let object = try #require(try JSONParser.parse(json).object)
    send(.replace(try Reminder(json: object)))
  }

  /// A fix one second later, so many metres from home at a bearing.
  mutating func fix(
    _ distance: Double, bearing: Double = 90, after seconds: Double = 1, speed: Double? = nil,
    track: Double? = nil, eph: Double? = 5, source: Fix.Source = .gnss
  ) {
    wait(seconds)
    let position = Self.home.destination(bearing: bearing, distance: distance)
    send(
      .fix(
        Fix(
          time: now, position: position, mode: .threeD, source: source, speed: speed, track: track,
          eph: eph)))
  }

  /// A fix now.
  mutating func fix(at position: Coordinate) {
    send(.fix(Fix(time: now, position: position, mode: .threeD, source: .gnss, eph: 5)))
  }

  /// Fixes every second from one distance to the other at a plausible speed.
  mutating func walk(from: Double, to: Double, step: Double = 15) {
    var distance = from
    let sign = to < from ? -1.0 : 1.0
    while (to - distance) * sign >= 0 {
      fix(distance, speed: step)
      distance += sign * step
    }
  }

  /// A new engine with what the store holds, as after a restart.
  mutating func restart(after seconds: Double = 0) {
    let reminders = engine.slots.indices.compactMap { engine.slots.slot($0)?.reminder }
    engine = Engine(settings: engine.settings, zone: engine.zone)
    now += .seconds(seconds)
    for reminder in reminders { send(.add(reminder, stored(reminder.id))) }
  }

  /// The history of a reminder by way of its text, as the store has it. Names beyond all calendars,
  /// which no engine makes, have no text.
  private func stored(_ id: String) -> History? {
    guard let history = kept[id] else { return nil }
    return (try? History(text: history.text)) ?? history
  }

  /// As `restart`, by the way of a daemon.
  mutating func restartByLoading(after seconds: Double = 0, remembering fix: Fix? = nil) {
    let entries = engine.slots.indices.compactMap { index -> (Reminder, History)? in
      guard let reminder = engine.slots.slot(index)?.reminder else { return nil }
      return (reminder, stored(reminder.id) ?? History())
    }
    engine = Engine(settings: engine.settings, zone: engine.zone)
    if let fix { engine.remember(fix, from: now) }
    now += .seconds(seconds)
    effects.removeAll()
    engine.beginLoading(count: entries.count)
    for (reminder, history) in entries { engine.load(reminder, history) }
    engine.finishLoading(at: now, into: &effects)
    carryOut()
  }

  /// Whether a time to leave stays silent as things stand: the device is there, or on the way.
  func isSilent(_ id: String) -> Bool {
    guard let slot = engine.slot(id) else { return false }
    return engine.surroundings(of: slot, at: now).silentUntil != nil
  }

  /// Why times to leave stayed silent, in order.
  var silences: [String] {
    notices.compactMap { if case .leaveSilent(_, _, let words) = $0 { words } else { nil } }
  }

  var events: [String] { firings.map { "\($0.reminderID):\($0.event.rawValue)" } }

  /// Settings with which each fix is the truth: for tests of what follows from a presence.
  static var exact: EngineSettings {
    var settings = EngineSettings()
    settings.monitor = .plain
    return settings
  }

  static func place(radius: Double = 100) -> String {
    "\"place\":{\"name\":\"Home\",\"lat\":53.55,\"lon\":9.99,\"radius_m\":\(radius)}"
  }
}

extension TravelEstimator {
  /// The travel time by the rule of the manual; 0 in the place.
  func time(
    from origin: Coordinate, to place: Reminder.Place, by transport: Reminder.Transport
  ) -> TimeSpan {
    let distance = origin.distance(to: place.position)
    guard distance > place.radius else { return .zero }
    return TimeSpan(seconds: self[transport].seconds(distance))
  }
}

extension History {
  /// Since when the device is inside, or is away while a departure is held.
  var staySince: Instant? {
    switch stay {
    case .unknown: nil
    case .outside(let since): since
    case .inside(let visit): visit.since
    }
  }
}
