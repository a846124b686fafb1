package import CivilTime
import Containers
import Departure
import Geodesy
import Geofencing
package import Positioning

/// Queries: counts, upcoming firings, nearby regions.
extension Engine {
  package var count: Int { slots.count }

  /// Estimated memory of all reminders and regions in bytes, without timers and cells. Complexity:
  /// O(1).
  package var reminderBytes: Int { slots.byteCount + monitor.fences.shapeBytes }

  /// Estimated memory of a reminder without its region in bytes; 0 for an unknown id.
  package func reminderBytes(_ id: String) -> Int {
    slots.index(of: id).map { slots.byteCount(of: $0) } ?? 0
  }

  /// The part of `reminderBytes` that one user's reminders take, shapes aside.
  package func reminderBytes(ofOwner owner: UInt32) -> Int { slots.byteCounts[owner] ?? 0 }

  /// Whether each reminder is this user's or everyone's.
  package func hasNoReminder(exceptOf owner: UInt32) -> Bool {
    slots.byteCounts.keys.allSatisfy { $0 == owner }
  }

  /// Growth of `reminderBytes`, in bytes, if the reminder were added.
  package func growth(by reminder: Reminder) -> Int {
    let shape = reminder.area?.byteCount ?? 0
    return ReminderTable.size(reminder) + shape - reminderBytes(reminder.id)
  }

  /// How many times its claimed error a receiver is taken to scatter, and the minutes at rest from
  /// which that was learnt, at most a day; nil for a receiver that was not followed.
  package func errorScale(of origin: FixOrigin) -> (scale: Double, minutes: Int)? {
    monitor.scale(of: ReceiverID(origin))
  }

  package func reminder(_ id: String) -> Reminder? { slot(id)?.reminder }

  package func history(_ id: String) -> History? { slot(id)?.history }

  /// The state of a reminder and its next due time, by its plan; nil for an unknown id.
  package func standing(_ id: String) -> Standing? {
    slots.index(of: id).map { slots.standing($0) }
  }

  /// All reminders as they are.
  /// - Complexity: O(n).
  package var entries: [(reminder: Reminder, history: History, standing: Standing)] {
    slots.indices.compactMap { entry($0) }
  }

  private func entry(
    _ index: Int32
  ) -> (reminder: Reminder, history: History, standing: Standing)? {
    slots.slot(index).map { ($0.reminder, $0.history, slots.standing(index)) }
  }

  /// A reminder as it is; nil for an unknown id.
  package func entry(
    _ id: String
  ) -> (reminder: Reminder, history: History, standing: Standing)? {
    slots.index(of: id).flatMap { entry($0) }
  }

  /// The plan of a reminder; nil for an unknown id.
  package func plan(_ id: String, at now: Instant) -> Plan? {
    slot(id).map { plan(of: $0, at: now) }
  }

  /// Reminders that may still fire by themselves. Complexity: O(1).
  package var armedCount: Int { slots.armedCount }

  /// A firing that time alone brings.
  package struct Upcoming {
    package let reminder: Reminder
    package let moment: Instant
    /// Whether it is a firing that was not acknowledged, again.
    package let isRepeated: Bool

    /// The order of lists: the soonest first, by id at one moment.
    package static func < (a: Upcoming, b: Upcoming) -> Bool {
      (a.moment, a.reminder.id) < (b.moment, b.reminder.id)
    }
  }

  /// Future timer events, soonest first: due times, leads, repetitions, and times to leave by
  /// current estimates.
  ///
  /// Walks the timers in order. Some are no firings, so the walk visits more than `limit`; it ends
  /// early after some thousands.
  /// - Complexity: O(n + limit log n) for n timers, if they come in the order of their moments.
  package func upcoming(limit: Int, at now: Instant) -> [Upcoming] {
    var moments: [Upcoming] = []
    var seen: Set<Int32> = []
    /// They come nearly in order, so a place is searched from the end.
    func insert(_ index: Int32) {
      guard seen.insert(index).inserted, let new = upcoming(index, at: now) else { return }
      let before = moments.lastIndex { $0 < new }
      moments.insert(new, at: before.map { $0 + 1 } ?? 0)
      if moments.count > limit { moments.removeLast() }
    }
    var checks = 0
    timers.forEachInOrder { deadline, index in
      if moments.count >= limit, moments.last.map({ $0.moment.microseconds < deadline }) ?? true {
        return false
      }
      checks += 1
      insert(index)
      return checks < Self.visitedTimers + 2 * limit
    }
    for index in departures.soonest(limit: limit) { insert(index) }
    return moments
  }

  /// Limit of timers that a search for firings visits: some ring nothing.
  private static let visitedTimers = 4_096

  /// The moment of the first of `upcoming`: of thousands that ring together, one is read.
  package func nextMoment(at now: Instant) -> Instant? {
    var next: Instant?
    var checks = 0
    timers.forEachInOrder { deadline, index in
      if let next, next.microseconds <= deadline { return false }
      next = sooner(next, upcoming(index, at: now)?.moment)
      checks += 1
      return checks < Self.visitedTimers
    }
    for index in departures.soonest(limit: 1) {
      next = sooner(next, upcoming(index, at: now)?.moment)
    }
    return next
  }

  func upcoming(_ index: Int32, at now: Instant) -> Upcoming? {
    guard let slot = slots.slot(index) else { return nil }
    let plan = plan(of: slot, at: now)
    let next = [.snoozed, .armed].contains(slots.state(index)) ? plan.rings : nil
    return (plan.repeats ?? next).map {
      Upcoming(reminder: slot.reminder, moment: $0, isRepeated: plan.repeats != nil)
    }
  }

  /// Steps that finding the due times of a new reminder takes at `now`.
  package func repeatWork(of reminder: Reminder, at now: Instant) -> Int {
    var schedule = Schedule(reminder, in: zone)
    _ = schedule.latest(after: nil, dueBy: now)
    _ = schedule.next(after: schedule.lastName(dueBy: now))
    return schedule.work
  }

  /// A region that a reminder waits for.
  package struct Nearby {
    package let reminder: Reminder
    /// Metres to its edge; negative inside.
    package let distance: Double
    /// The place's number in the store, for a reminder of a category.
    package let placeNumber: Int64?
  }

  /// Whether the device is at the place of a location reminder, by its stay and by the last fix.
  /// After its firing a reminder's stay is not followed: the fix decides.
  package func isAtPlace(of id: String) -> Bool {
    guard let index = slots.index(of: id), let slot = slots.slot(index),
      slot.reminder.kind == .location, slot.reminder.trigger != .silent,
      !slot.reminder.watchesAnchor
    else { return false }
    let isInside = slot.history.stay.isInside
    guard let fix = lastFix, !isFixInDoubt, let region = slot.reminder.region else {
      return isInside
    }
    return region.signedBoundaryDistance(from: fix.position) <= (isInside ? fix.eph ?? 0 : 0)
  }

  /// The armed regions nearest to the last fix; for a category, its nearest place.
  package func nearby(limit: Int) -> [Nearby] {
    guard limit > 0, let position = lastFix?.position else { return [] }
    var found = nearestListeners(to: position, limit: limit)
    for watch in watches {
      guard let nearest = watch.nearest(to: position) else { continue }
      let end = found.count + limit
      for index in watch.listeners.sorted() where found.count < end {
        guard let slot = slots.slot(index), listens(slot) else { continue }
        found.append(
          Nearby(
            reminder: slot.reminder, distance: nearest.distance, placeNumber: nearest.number))
      }
    }
    found.sort { ($0.distance, $0.reminder.id) < ($1.distance, $1.reminder.id) }
    return Array(found.prefix(limit))
  }

  /// The nearest fences whose reminders may fire; others, such as snoozed ones, keep theirs.
  private func nearestListeners(to position: Coordinate, limit: Int) -> [Nearby] {
    var count = limit
    while true {
      let nearest = monitor.fences.nearest(to: position, limit: count, within: .infinity)
      let found = nearest.compactMap { entry -> Nearby? in
        guard let slot = slots.slot(entry.id), listens(slot) else { return nil }
        return Nearby(reminder: slot.reminder, distance: entry.distance, placeNumber: nil)
      }
      if found.count >= limit || nearest.count < count { return found }
      count *= 4
    }
  }
}
