import CivilTime
import Geodesy
import Geofencing

/// Reminders about several trackers. The engines of the trackers decide where each is; here their
/// moves become one stay, which fires as any other.
extension Engine {
  /// Takes the trackers that a reminder is about: before the command that brings or changes it, so
  /// that nothing is decided without them.
  package mutating func gather(_ group: MemberGroup, of id: String) { groups[id] = group }

  /// As `gather` took it last; nil without that.
  package func group(of id: String) -> MemberGroup? { groups[id] }

  /// The trackers of a reminder may have changed.
  mutating func regroup(_ id: String, at now: Instant) {
    guard let index = slots.index(of: id), slots.slot(index)?.hasFence ?? false else { return }
    fillMembers(index)
    watchMembers(index, at: now)
    replan(index, at: now)
  }

  /// Adds the present presence of members of which the history has none.
  mutating func fillMembers(_ index: Int32) {
    guard !groups.isEmpty, let slot = slots.slot(index), let group = groups[slot.reminder.id]
    else { return }
    let known = slot.history.members
    var members: [String: Bool] = [:]
    for name in group.names { members[name] = known[name] ?? group.inside[name] }
    if members != known { change(index) { $0.members = members } }
  }

  /// The stay follows from the presences that are known; a visit that is on counts as found.
  mutating func watchMembers(_ index: Int32, at now: Instant) {
    slots.set(.fence, true, index)
    guard let slot = slots.slot(index), slot.history.stay == .unknown,
      let who = slot.reminder.who, !slot.history.members.isEmpty
    else { return }
    let inside = slot.history.members
    let isWhole = names(of: slot).allSatisfy { inside[$0] != nil }
    let isTogether = who == .all && slot.reminder.trigger != .depart
    if isTogether ? inside.values.contains(false) : !inside.values.contains(true) {
      // Of all, an unknown one may still be there.
      guard isTogether || isWhole || who == .anyone else { return }
      return change(index) { $0.stay = .outside(since: nil) }
    }
    guard isWhole || !isTogether else { return }
    notePresence(index, since: now)
    var schedule = Schedule(slot.$reminder, in: zone)
    let settled = schedule.settledIfFound(at: now)
    change(index) { $0.stay = .inside(Stay.Visit(since: now, settledUpTo: settled)) }
  }

  /// Applies the move of a tracker to a reminder about several.
  mutating func follow(_ move: MemberMove, at now: Instant) {
    guard let index = slots.index(of: move.reminderID), let slot = slots.slot(index),
      let who = slot.reminder.who, slot.reminder.isAboutSeveral
    else { return }
    let others = names(of: slot).filter { $0 != move.name }
    change(index) { $0.members[move.name] = move.kind.isInside }
    guard slot.hasFence, let members = slots.slot(index)?.history.members,
      MemberRule(who, slot.reminder.trigger, move.kind).holds(for: others, members)
    else { return }
    // A way through before the reminder was what it is now brings nobody.
    if move.kind == .pass, move.since <= slots.watchedSince(index) { return }
    let stay = slot.history.stay
    if move.kind == .foundInside, stay.presence == .inside { return }
    // Nothing ends that was not on.
    let endsNothing = slot.reminder.trigger != .depart && stay.presence != .inside
    if move.kind == .foundOutside || move.kind == .depart && endsNothing {
      if stay == .unknown { change(index) { $0.stay = .outside(since: nil) } }
      return replan(index, at: now)
    }
    change(index) { $0.mover = move.name }
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

  private func names(of slot: Slot) -> [String] {
    groups[slot.reminder.id]?.names ?? slot.history.members.keys.sorted()
  }
}
