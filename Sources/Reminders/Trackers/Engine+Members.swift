import CivilTime
import Geodesy
import Geofencing

/// Reminders about several trackers. The engines of the trackers decide where each is; here their
/// moves become one stay, which fires as any other.
extension Engine {
  /// The stay follows from the presences that are known; a visit that is on counts as found.
  mutating func watchMembers(_ index: Int32, at now: Instant) {
    slots.set(.fence, true, index)
    guard let slot = slots.slot(index), slot.history.stay == .unknown,
      let who = slot.reminder.who, !slot.history.members.isEmpty
    else { return }
    let inside = slot.history.members
    let count = inside.values.count { $0 }
    let isTogether = who == .all && slot.reminder.trigger != .depart
    guard isTogether ? count == inside.count : count > 0 else {
      return change(index) { $0.stay = .outside(since: nil) }
    }
    var schedule = Schedule(slot.reminder, in: zone)
    let settled = slot.reminder.ifInside == .fire ? nil : schedule.begun(at: now)
    change(index) { $0.stay = .inside(Stay.Visit(since: now, settledUpTo: settled)) }
  }

  /// Applies the move of a tracker to a reminder about several.
  mutating func follow(_ move: MemberMove, at now: Instant) {
    guard let index = slots.index(of: move.reminderID), let slot = slots.slot(index),
      let who = slot.reminder.who, slot.reminder.isAboutSeveral
    else { return }
    let others = move.group.filter { $0 != move.name }
    change(index) { history in
      history.members = history.members.filter { move.group.contains($0.key) }
      history.members[move.name] = move.kind.isInside
    }
    let comes = move.kind != .depart && move.kind != .foundOutside
    guard slot.hasFence, let members = slots.slot(index)?.history.members,
      MemberRule(who, slot.reminder.trigger, comes: comes).holds(for: others, members)
    else { return }
    if move.kind == .foundOutside {
      if slot.history.stay == .unknown { change(index) { $0.stay = .outside(since: nil) } }
      return replan(index, at: now)
    }
    mover = move.name
    let kind: Transition.Kind =
      switch move.kind {
      case .arrive: .arrive
      case .pass: .pass
      case .depart: .depart
      case .foundInside, .foundOutside: .found
      }
    follow(
      Transition(
        fence: index, kind: kind, time: move.sample.time, position: move.sample.position,
        eph: move.sample.eph),
      of: index, place: nil, since: move.since, at: now)
  }
}
