import CivilTime
import Geofencing
import Positioning
import Reminders
import Storage

/// The engine that decides whether a tracker is at the places of reminders about several.
///
/// It has a copy of each such reminder, without its conditions, for every visit. Its firings go
/// nowhere: its stays are the moves of one member.
final class MemberEngine {
  var engine: Engine

  init(_ engine: consuming Engine) { self.engine = engine }
}

/// Reminders about several trackers.
extension EngineHost {
  /// The word for a tracker in a history; the machine itself is one, too.
  private static func name(of tracker: TrackerEngine) -> String { tracker.name ?? Who.machine }

  /// The engine that has the reminders about several; nil before the first of them.
  private var several: TrackerEngine? { all.first { $0.who == .all } }

  /// Gives each tracker the places of all reminders about several: after loading, and when the
  /// trackers have changed.
  func followMembers(at now: Instant) {
    guard let several else { return }
    for id in several.engine.entries.map(\.reminder.id) { followMembers(of: id, at: now) }
  }

  /// Gives the members the place of a reminder, and takes it from the others.
  func followMembers(of id: String, at now: Instant) {
    let reminder = holder(of: id).engine.reminder(id)
    let members = reminder.map { $0.isAboutSeveral ? membersOf($0).map(tracker) : [] } ?? []
    for tracker in all where tracker.isFollowing {
      if let reminder, members.contains(where: { $0 === tracker }) {
        add(reminder, to: tracker, at: now)
      } else if tracker.members?.engine.reminder(id) != nil {
        pass(.remove(id: id), toMembersOf: tracker, at: now)
      }
    }
  }

  private func add(_ reminder: Reminder, to tracker: TrackerEngine, at now: Instant) {
    if tracker.members == nil {
      let members = MemberEngine(
        Engine(settings: tracker.engine.settings, zone: tracker.engine.zone))
      members.engine.settings.asksRoutes = false
      members.engine.settings.positionLostAfter = TimeSpan(microseconds: .max)
      tracker.members = members
      // Where it is now.
      if let (fix, origin) = tracker.latest {
        pass(.fix(fix, from: origin), toMembersOf: tracker, at: now)
      }
    }
    var copy = Reminder(
      id: reminder.id, kind: .location, title: reminder.title, place: reminder.place,
      everyVisit: true)
    (copy.area, copy.nearCategory, copy.nearRadius) =
      (reminder.area, reminder.nearCategory, reminder.nearRadius)
    if let known = tracker.members?.engine.reminder(reminder.id),
      (known.place, known.area) == (copy.place, copy.area),
      known.nearCategory == copy.nearCategory, known.nearRadius == copy.nearRadius
    {
      return
    }
    var history = History()
    switch self.history(reminder.id)?.members[Self.name(of: tracker)] {
    case true: history.stay = .inside(Stay.Visit(since: now))
    case false: history.stay = .outside(since: nil)
    case nil: break
    }
    pass(.add(copy, history), toMembersOf: tracker, at: now)
  }

  /// Passes an event to the second engine of a tracker, and its moves on to the reminders.
  func pass(_ event: Event, toMembersOf tracker: TrackerEngine, at now: Instant) {
    guard let members = tracker.members, let several else { return }
    var effects: [Effect] = []
    members.engine.handle(event, at: now, into: &effects)
    var moves: [Event] = []
    while !effects.isEmpty {
      let taken = effects
      effects = []
      for effect in taken {
        if case .watch(let category) = effect {
          if let places = placesForEngine(category) {
            members.engine.handle(
              .places(category: category, places), at: now, into: &effects)
          }
        } else if let move = move(effect, of: tracker, at: now) {
          moves.append(.moved(move))
        }
      }
    }
    // Each sees what the one before has changed.
    for move in moves { pass([move], to: several, at: now) }
  }

  private func move(
    _ effect: Effect, of tracker: TrackerEngine, at now: Instant
  ) -> MemberMove? {
    let (id, kind, since): (String, MemberMove.Kind, Instant)
    switch effect {
    case .persist(let reminder, let history, _):
      let known = self.history(reminder)?.members[Self.name(of: tracker)]
      id = reminder
      switch history.stay {
      case .inside(let visit) where known != true:
        (kind, since) = (known == nil ? .foundInside : .arrive, visit.since)
      case .outside where known != false:
        (kind, since) = (known == nil ? .foundOutside : .depart, now)
      case .inside, .outside, .unknown: return nil
      }
    case .fire(let firing) where firing.event == .pass:
      (id, kind, since) = (firing.reminderID, .pass, now)
    default: return nil
    }
    guard let reminder = holder(of: id).engine.reminder(id), let fix = tracker.engine.lastFix else {
      return nil
    }
    let sample = PositionSample(
      time: fix.time ?? now, position: fix.position, eph: fix.eph, speed: fix.speed)
    return MemberMove(
      of: Self.name(of: tracker), kind, reminder: id,
      group: membersOf(reminder).map { $0.map { "\($0)" } ?? Who.machine }, at: sample,
      since: since)
  }
}
