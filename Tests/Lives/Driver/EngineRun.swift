import CivilTime
import Geodesy
import JSONText
import Positioning
import ReferenceModel
import Reminders
import Storage

/// Drives the engines of one to three trackers through a life: every deadline comes at its own time,
/// and places are decided by containment alone.
struct EngineRun {
  private var engines: [Box]
  private let trackers: [String]
  private(set) var firings: [ReferenceModel.Firing] = []
  private var now: Instant
  /// What the engine has asked to keep, the last of each reminder.
  private var kept: [String: Changes.Step] = [:]
  private var reminders: [String: Reminder] = [:]
  private var zone: TimeZoneRules
  private let store: LifeStore

  /// The engine of a tracker, or of all reminders about several. It cannot be copied.
  private final class Box {
    let name: String
    var engine: Engine
    var members: MemberEngine

    init(_ name: String, zone: TimeZoneRules) {
      self.name = name
      engine = Engine(settings: EngineRun.settings(of: name), zone: zone)
      members = MemberEngine(of: name, engine.settings, zone: zone)
    }

    /// Whether it is a tracker.
    var isFollowing: Bool { name != EngineRun.several }
  }

  private static let several = "all"

  init(zone: Zone, start: Moment, trackers: [String], store: LifeStore) {
    let rules = Self.rules(of: zone)
    self.zone = rules
    self.trackers = trackers
    self.store = store
    now = Self.instant(start)
    engines = Self.boxes(trackers, rules)
  }

  private static func boxes(_ trackers: [String], _ zone: TimeZoneRules) -> [Box] {
    (trackers + [several]).map { Box($0, zone: zone) }
  }

  private static func settings(of tracker: String) -> EngineSettings {
    var settings = EngineSettings()
    settings.monitor = Crossings.policy
    // Between two fixes the device is where the last one was.
    settings.positionLostAfter = .hours(24 * 365)
    if tracker != Model.machine { settings.firstFixWait = .zero }
    return settings
  }

  private static func rules(of zone: Zone) -> TimeZoneRules {
    zone == .utc ? .utc : TimeZoneRules(posix: zone.posix) ?? .utc
  }

  private static func instant(_ moment: Moment) -> Instant {
    Instant(microseconds: Int64(moment) * 1_000_000)
  }

  private func box(_ name: String) -> Box {
    engines.first { $0.name == name } ?? engines[0]
  }

  private func box(of reminder: Reminder?) -> Box {
    switch reminder?.who {
    case nil: engines[0]
    case .tracker(let name): box(name)
    case .anyone, .all: box(Self.several)
    }
  }

  // MARK: - Events

  mutating func advance(to moment: Moment) {
    now = Self.instant(moment)
    for box in engines {
      var effects: [Effect] = []
      box.engine.advance(to: now, into: &effects)
      carryOut(effects, of: box)
    }
  }

  private mutating func send(_ event: Event, to box: Box) {
    var effects: [Effect] = []
    box.engine.handle(event, at: now, into: &effects)
    carryOut(effects, of: box)
  }

  private mutating func command(_ event: Event) {
    guard let id = event.changedReminder else { return }
    if case .remove = event {
      for box in engines { box.members.remove(id, at: now) }
    }
    send(event, to: box(of: reminders[id]))
  }

  mutating func fix(of tracker: String, at spot: Spot, _ motion: Motion) -> Fix {
    var fix = Fix(time: now, position: spot.position, mode: .threeD, source: .gnss, eph: 5)
    fix.speed = motion.speed
    fix.track = Double(motion.course)
    let box = box(tracker)
    send(.fix(fix), to: box)
    pass(box.members.take(.fix(fix), at: now, places: Self.places))
    return fix
  }

  mutating func snooze(_ id: String, until moment: Moment) {
    command(.snooze(id: id, .until(Self.instant(moment))))
  }

  mutating func snooze(_ id: String, by span: Int) {
    command(.snooze(id: id, .by(.seconds(Double(span)))))
  }

  mutating func snoozeToNextVisit(_ id: String) { command(.snooze(id: id, .nextVisit)) }

  mutating func snoozeUntilLeave(_ id: String) { command(.snooze(id: id, .untilLeave)) }

  /// Whether the daemon lets a reminder wait until its place is left.
  func isAtPlace(_ id: String) -> Bool { box(of: reminders[id]).engine.isAtPlace(of: id) }

  mutating func done(_ id: String) { command(.done(id: id)) }

  mutating func pop(_ id: String) { command(.pop(id: id)) }

  mutating func remove(_ id: String) { command(.remove(id: id)) }

  mutating func change(to zone: Zone) {
    self.zone = Self.rules(of: zone)
    for box in engines {
      send(.zone(self.zone), to: box)
      pass(box.members.take(.zone(self.zone), at: now, places: Self.places))
    }
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
      var reminder = try Reminder(json: document)
      // A daemon whose zone has no name gives a series none, and judges it so.
      try reminder.checkConditions(in: zone, changing: reminders[spec.id])
      if spec.isFixedSeries {
        let old = reminders[spec.id].flatMap { $0.repeats ? $0.repeatChanges.zone : nil }
        reminder.repeatChanges.zone = old ?? NamedZone(name: zone.name, rules: zone)
      }
      let event = event(reminder)
      if case .add = event { reminders[spec.id] = reminder }
      if reminders[spec.id] != nil { reminders[spec.id] = reminder }
      followMembers(of: reminder)
      command(event)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: - Several trackers

  /// Each tracker follows the places of reminders about several.
  private func followMembers(of reminder: Reminder) {
    guard reminder.isAboutSeveral else { return }
    let several = box(Self.several)
    var group = MemberGroup(trackers, inside: [:])
    for box in engines where box.isFollowing {
      let known = several.engine.history(reminder.id)?.members[box.name]
      group.inside[box.name] = box.members.follow(
        reminder, isInside: known, at: now, places: Self.places)
    }
    several.engine.gather(group, of: reminder.id)
  }

  private mutating func pass(_ moves: [MemberMove]) {
    for move in moves { send(.moved(move), to: box(Self.several)) }
  }

  // MARK: - Answers

  /// Why a reminder has not fired; nil for an unknown one.
  func why(_ id: String) -> Explanation? { box(of: reminders[id]).engine.why(id, at: now) }

  /// The state that `why` names; nil for an unknown reminder.
  func state(_ id: String) -> String? { why(id)?.state.rawValue }

  /// New engines with what the store holds.
  mutating func restart(at moment: Moment) {
    now = Self.instant(moment)
    let old = engines
    // Nothing else survives it.
    let stored = store.restored(reminders, kept, at: now)
    engines = Self.boxes(trackers, zone)
    for (box, old) in zip(engines, old) {
      if let fix = old.engine.lastFix, let arrival = old.engine.lastFixArrival {
        box.engine.remember(fix, from: arrival)
      }
      var effects: [Effect] = []
      box.engine.beginLoading(count: reminders.count)
      for (reminder, history) in stored where self.box(of: reminder) === box {
        box.engine.load(reminder, history)
        followMembers(of: reminder)
      }
      box.engine.finishLoading(at: now, into: &effects)
      carryOut(effects, of: box)
    }
  }

  private mutating func carryOut(_ effects: [Effect], of box: Box) {
    var wanted: [String] = []
    for effect in effects {
      switch effect {
      case .persist(let id, let history, let standing):
        kept[id] = Changes.Step(id: id, history, standing)
      case .forget(let id):
        kept[id] = nil
        reminders[id] = nil
      case .fire(let firing): take(firing)
      case .watch(let category): wanted.append(category)
      case .say, .route, .keep: break
      }
    }
    for category in wanted {
      send(.places(category: category, Self.places(category)), to: box)
    }
  }

  private static func places(_ category: String) -> [NumberedPlace] {
    Area.foodPlaces.enumerated().map { number, spot in
      NumberedPlace(
        number: Int64(number + 1), position: spot.position, radius: Area.foodRadius)
    }
  }

  /// A time that is not a whole second is a second off, so that it shows.
  private mutating func take(_ firing: Reminders.Firing) {
    let seconds = firing.time.microseconds / 1_000_000
    let rest = firing.time.microseconds % 1_000_000 == 0 ? 0 : 1
    guard let event = ReferenceModel.Firing.Event(rawValue: firing.event.rawValue) else { return }
    firings.append(
      .init(
        time: Int(seconds) + rest, id: firing.reminderID, event: event,
        due: firing.due.map { Int($0.seconds.rounded(.down)) },
        late: firing.late.map { Int($0.seconds.rounded(.up)) }, spot: spot(of: firing),
        who: firing.who))
  }

  /// The spot at which a firing says that the device was; a text that names the error where its
  /// place or its distance is wrong.
  private func spot(of firing: Reminders.Firing) -> String? {
    let isSeveral = reminders[firing.reminderID]?.isAboutSeveral ?? false
    if firing.event == .pass, firing.position != nil, firing.distance != nil || isSeveral {
      return nil
    }
    guard let position = firing.position else {
      return firing.distance == nil ? nil : "a distance without a position"
    }
    guard let spot = Spot.allCases.first(where: { $0.position == position }) else {
      return "no spot"
    }
    guard let name = reminders[firing.reminderID]?.place?.name, let area = Area(rawValue: name),
      let middle = area.middle
    else { return spot.rawValue }
    if firing.place != name { return "a wrong place" }
    let distance = spot.position.distance(to: middle.position)
    let isRight = firing.distance.map { abs($0 - distance) < 5 + distance / 100 } ?? false
    return isRight ? spot.rawValue : "a wrong distance"
  }
}
