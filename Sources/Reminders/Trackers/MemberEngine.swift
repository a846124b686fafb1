package import CivilTime
import Geofencing
import Positioning

/// Decides whether a tracker is at the places of reminders about several.
///
/// It has a copy of each such reminder, without its conditions, for every visit. Its firings go
/// nowhere: its stays are the moves of one member.
package final class MemberEngine {
  private let name: String
  private var engine: Engine
  /// Which places it is at, by reminder; nil is not known.
  private var presences: [String: Bool] = [:]

  /// - Parameter name: of the tracker; `Who.machine` for the machine itself.
  package init(of name: String, _ settings: EngineSettings, zone: TimeZoneRules) {
    var settings = settings
    settings.asksRoutes = false
    settings.positionLostAfter = TimeSpan(microseconds: .max)
    self.name = name
    engine = Engine(settings: settings, zone: zone)
  }

  /// Answers which places a category has; nil where that is not known.
  package typealias Places = (_ category: String) -> [NumberedPlace]?

  package func follows(_ id: String) -> Bool { engine.reminder(id) != nil }

  /// Follows the place of a reminder about several.
  /// - Parameter isInside: where it was when that was last stored.
  /// - Returns: whether it is inside; nil while that is not known.
  package func follow(
    _ reminder: Reminder, isInside: Bool?, at now: Instant, places: Places
  ) -> Bool? {
    var copy = Reminder(
      id: reminder.id, kind: .location, title: reminder.title, place: reminder.place,
      everyVisit: true)
    (copy.area, copy.nearCategory, copy.nearRadius) =
      (reminder.area, reminder.nearCategory, reminder.nearRadius)
    let known = engine.reminder(reminder.id)
    if known?.hasSamePlace(as: copy) ?? false { return presences[reminder.id] }
    let presence = known == nil ? isInside : nil
    presences[reminder.id] = presence
    var history = History()
    switch presence {
    // Which place of a category holds it is not stored: its next position decides.
    case true where copy.nearCategory == nil: history.stay = .inside(Stay.Visit(since: now))
    case true: break
    case false: history.stay = .outside(since: nil)
    case nil: break
    }
    _ = take(.add(copy, history), at: now, places: places)
    return presences[reminder.id]
  }

  package func remove(_ id: String, at now: Instant) {
    presences[id] = nil
    _ = take(.remove(id: id), at: now) { _ in nil }
  }

  /// Takes an event of the tracker that is no command.
  /// - Returns: its moves, oldest first.
  package func take(_ event: Event, at now: Instant, places: Places) -> [MemberMove] {
    var effects: [Effect] = []
    engine.handle(event, at: now, into: &effects)
    var moves: [MemberMove] = []
    while !effects.isEmpty {
      let taken = effects
      effects = []
      for effect in taken {
        if case .watch(let category) = effect {
          guard let places = places(category) else { continue }
          engine.handle(.places(category: category, places), at: now, into: &effects)
        } else if let move = move(effect, among: taken, at: now) {
          moves.append(move)
        }
      }
    }
    // The engine lists what it has stored first; a way through comes before an arrival elsewhere.
    return moves.filter { $0.kind == .pass } + moves.filter { $0.kind != .pass }
  }

  private func move(
    _ effect: Effect, among effects: [Effect], at now: Instant
  ) -> MemberMove? {
    guard let fix = engine.lastFix else { return nil }
    let time = fix.time ?? now
    var sample = PositionSample(
      time: time, position: fix.position, eph: fix.eph, speed: fix.speed)
    let (id, kind, since): (String, MemberMove.Kind, Instant)
    switch effect {
    case .persist(let reminder, let history, _):
      id = reminder
      let known = presences[id]
      switch history.stay {
      case .inside(let visit) where known != true:
        // One position elsewhere is stored as no presence, and yet shows that it has come.
        let hasCome = known == false || effects.contains { $0.isArrival(of: id) }
        (kind, since) = (hasCome ? .arrive : .foundInside, visit.since)
      case .outside where known != false:
        (kind, since) = (known == nil ? .foundOutside : .depart, now)
      case .inside, .outside, .unknown: return nil
      }
      presences[id] = kind.isInside
    case .fire(let firing) where firing.event == .pass:
      if let position = firing.position {
        sample = PositionSample(
          time: firing.fixTime ?? time, position: position, eph: firing.eph)
      }
      // Only differences of the receiver's times count.
      (id, kind, since) = (firing.reminderID, .pass, now - max(.zero, time - sample.time))
    default: return nil
    }
    return MemberMove(reminderID: id, name: name, kind: kind, sample: sample, since: since)
  }
}

extension Effect {
  fileprivate func isArrival(of id: String) -> Bool {
    guard case .fire(let firing) = self else { return false }
    return firing.reminderID == id && firing.event == .arrive
  }
}
