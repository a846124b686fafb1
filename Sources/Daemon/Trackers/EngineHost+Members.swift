import CivilTime
import Reminders
import Storage

/// Reminders about several trackers.
extension EngineHost {
  /// The engine that has the reminders about several; nil before the first of them.
  private var several: TrackerEngine? { all.first { $0.who == .all } }

  /// Gives each tracker the places of all reminders about several: after loading, and when the
  /// trackers have changed.
  func followMembers(at now: Instant) {
    guard let several else { return }
    for reminder in several.engine.entries.map(\.reminder) {
      let old = several.engine.group(of: reminder.id)
      followMembers(of: reminder, at: now)
      guard !isLoading, several.engine.group(of: reminder.id) != old else { continue }
      pass([.regrouped(id: reminder.id)], to: several, at: now)
    }
  }

  /// Gives the members the place of a reminder, takes it from the others, and says which of them
  /// are inside: before the engine has it.
  func followMembers(of reminder: Reminder, at now: Instant) {
    guard reminder.isAboutSeveral || all.count > 1 else { return }
    let members = reminder.isAboutSeveral ? membersOf(reminder).map(tracker) : []
    var group = MemberGroup(members.map(\.memberName), inside: [:])
    for tracker in all where tracker.isFollowing {
      if members.contains(where: { $0 === tracker }) {
        group.inside[tracker.memberName] = isInside(tracker, reminder, at: now)
      } else {
        tracker.members?.remove(reminder.id, at: now)
      }
    }
    if reminder.isAboutSeveral {
      tracker(reminder.who).engine.gather(group, of: reminder.id)
    }
  }

  /// nil while that is not known.
  private func isInside(
    _ tracker: TrackerEngine, _ reminder: Reminder, at now: Instant
  ) -> Bool? {
    let members =
      tracker.members
      ?? MemberEngine(
        of: tracker.memberName, tracker.engine.settings, zone: tracker.engine.zone)
    if tracker.members == nil {
      tracker.members = members
      // Where it is now.
      if let (fix, origin) = tracker.latest {
        _ = members.take(.fix(fix, from: origin), at: now, places: placesForEngine)
      }
    }
    let known = several?.engine.history(reminder.id)?.members[tracker.memberName]
    return members.follow(reminder, isInside: known, at: now, places: placesForEngine)
  }

  /// Passes an event to the second engine of a tracker, and its moves on to the reminders; each
  /// sees what the one before has changed.
  func pass(_ event: Event, toMembersOf tracker: TrackerEngine, at now: Instant) {
    guard let members = tracker.members, let several else { return }
    for move in members.take(event, at: now, places: placesForEngine) {
      pass([.moved(move)], to: several, at: now)
    }
  }
}
