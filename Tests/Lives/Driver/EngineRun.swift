import CivilTime
import JSONText
import Positioning
import ReferenceModel
import Reminders

/// Drives the engine through a life: every deadline comes at its own time, and places are decided
/// by containment alone.
struct EngineRun {
  private let box: Box
  private(set) var firings: [ReferenceModel.Firing] = []
  private var now: Instant
  /// What a store would hold.
  private var stored: [String: Progress] = [:]
  private var reminders: [String: Reminder] = [:]
  private var zone: TimeZoneRules

  /// The engine cannot be copied.
  private final class Box {
    var engine: Engine
    init(_ engine: consuming Engine) { self.engine = engine }
  }

  init(zone: Zone, start: Moment) {
    self.zone = Self.rules(of: zone)
    now = Self.instant(start)
    box = Box(Engine(settings: Self.settings, zone: self.zone))
  }

  private static let settings: EngineSettings = {
    var settings = EngineSettings()
    settings.monitor = Crossings.policy
    return settings
  }()

  private static func rules(of zone: Zone) -> TimeZoneRules {
    zone == .utc ? .utc : TimeZoneRules(posix: zone.posix) ?? .utc
  }

  private static func instant(_ moment: Moment) -> Instant {
    Instant(microseconds: Int64(moment) * 1_000_000)
  }

  // MARK: - Events

  mutating func advance(to moment: Moment) {
    now = Self.instant(moment)
    var effects: [Effect] = []
    box.engine.advance(to: now, into: &effects)
    carryOut(effects)
  }

  private mutating func send(_ event: Event) {
    var effects: [Effect] = []
    box.engine.handle(event, at: now, into: &effects)
    carryOut(effects)
  }

  mutating func fix(at spot: Spot, _ motion: Motion) -> Fix {
    var fix = Fix(time: now, position: spot.position, mode: .threeD, source: .gnss, eph: 5)
    fix.speed = motion.speed
    fix.track = Double(motion.course)
    send(.fix(fix))
    return fix
  }

  mutating func snooze(_ id: String, until moment: Moment) {
    send(.snooze(id: id, .until(Self.instant(moment))))
  }

  mutating func snoozeToNextVisit(_ id: String) { send(.snooze(id: id, .nextVisit)) }

  mutating func done(_ id: String) { send(.done(id: id)) }

  mutating func remove(_ id: String) { send(.remove(id: id)) }

  mutating func change(to zone: Zone) {
    self.zone = Self.rules(of: zone)
    send(.zone(self.zone))
  }

  /// Adds a reminder; the reason where the engine refuses it.
  mutating func add(_ spec: ReminderSpec) -> String? {
    take(spec) { .add($0, nil) }
  }

  mutating func edit(_ spec: ReminderSpec) -> String? {
    take(spec) { .replace($0) }
  }

  private mutating func take(_ spec: ReminderSpec, event: (Reminder) -> Event) -> String? {
    do {
      guard let document = try JSONParser.parse(spec.json).object else { return "no object" }
      let reminder = try Reminder(json: document)
      try reminder.checkConditions(in: zone, changing: reminders[spec.id])
      reminders[spec.id] = reminder
      send(event(reminder))
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Why a reminder has not fired; nil for an unknown one.
  func why(_ id: String) -> Explanation? { box.engine.why(id, at: now) }

  /// A new engine with what the store holds.
  mutating func restart() {
    let fix = box.engine.lastFix
    let arrival = box.engine.lastFixArrival
    box.engine = Engine(settings: Self.settings, zone: zone)
    if let fix, let arrival { box.engine.remember(fix, from: arrival) }
    var effects: [Effect] = []
    box.engine.beginLoading(count: reminders.count)
    for (id, reminder) in reminders.sorted(by: { $0.key < $1.key }) {
      box.engine.load(reminder, stored[id] ?? Progress(state: reminder.state))
    }
    box.engine.finishLoading(at: now, into: &effects)
    carryOut(effects)
  }

  private mutating func carryOut(_ effects: [Effect]) {
    var wanted: [String] = []
    for effect in effects {
      switch effect {
      case .persist(let id, let progress): stored[id] = progress
      case .forget(let id):
        stored[id] = nil
        reminders[id] = nil
      case .fire(let firing): take(firing)
      case .watch(let category): wanted.append(category)
      case .say, .route, .keep: break
      }
    }
    for category in wanted { send(.places(category: category, Self.foodPlaces)) }
  }

  private static let foodPlaces = Area.foodPlaces.enumerated().map { number, spot in
    NumberedPlace(number: Int64(number + 1), position: spot.position, radius: Area.foodRadius)
  }

  /// A time that is not a whole second is a second off, so that it shows.
  private mutating func take(_ firing: Reminders.Firing) {
    let seconds = firing.time.microseconds / 1_000_000
    let rest = firing.time.microseconds % 1_000_000 == 0 ? 0 : 1
    guard let event = ReferenceModel.Firing.Event(rawValue: firing.event.rawValue) else { return }
    firings.append(.init(time: Int(seconds) + rest, id: firing.reminderID, event: event))
  }
}
