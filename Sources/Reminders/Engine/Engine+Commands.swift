import CivilTime
import Geofencing
import Positioning

extension Engine {
  mutating func add(_ reminder: Reminder, _ kept: History?, at now: Instant) {
    _ = remove(reminder.id)
    let index = slots.insert(reminder, kept ?? .unread)
    markDirty(index)
    start(index, at: now)
  }

  /// Starts a newly inserted reminder.
  mutating func start(_ index: Int32, at now: Instant) {
    if slots.slot(index)?.history.isUnread == true {
      apply(to: index) { $0.begin($0.reminder.state, &$1, at: now) }
    }
    fillMembers(index)
    replan(index, at: now)
    guard isOverdue(index, at: now) else { return }
    if isLoading || turn.isFull {
      putOff(index, at: now)
    } else {
      evaluateMissed(index, at: now)
    }
  }

  /// Replaces a reminder. Until now the old conditions decide about repetitions.
  mutating func replace(_ reminder: Reminder, follows: Bool = false, at now: Instant) {
    if let index = slots.index(of: reminder.id), let slot = slots.slot(index),
      slot.history.repetition.map({ $0.next <= now }) ?? false
    {
      evaluate(at: index, now: now)
    }
    guard let old = slot(reminder.id) else { return add(reminder, nil, at: now) }
    var history = old.history
    var before = Schedule(old.$reminder, in: zone)
    var after = Schedule(reminder, in: zone)
    let times = (history.usedUpTo, history.leadsUsed)
    before.edited(to: &after, &history, follows: follows, at: now)
    turn.work += before.work + after.work
    exchange(reminder, history, at: now)
    let hasOtherTimes = reminder.hasOtherTimes(than: old.reminder)
    if hasOtherTimes || times.0 != history.usedUpTo || times.1 != history.leadsUsed,
      let index = slots.index(of: reminder.id)
    {
      slots.watch(index, since: now)
    }
  }

  mutating func reopen(_ reminder: Reminder, at now: Instant) {
    var history = History()
    if let old = slot(reminder.id)?.history {
      (history.lastRung, history.lastRepeated) = (old.lastRung, old.lastRepeated)
    }
    var schedule = Schedule(reminder, in: zone)
    schedule.passedBefore(&history, at: now)
    exchange(reminder, history, at: now)
  }

  /// Puts a reminder in the place of the one with the same id. A fence around the same place stays,
  /// with its open decisions.
  mutating func exchange(_ reminder: Reminder, _ history: History, at now: Instant) {
    if let old = slot(reminder.id), old.hasFence,
      old.reminder.waitsAtTheSamePlace(as: reminder),
      old.reminder.watchesAnchor == reminder.watchesAnchor
    {
      forgetMoments(old.index)
      slots.replace(old.index, reminder, history)
      start(old.index, at: now)
    } else {
      let watch = anchorWatch(reminder.id)
      let old = slot(reminder.id)?.reminder
      add(reminder, history, at: now)
      if let old { keep(watch, of: old, for: reminder, at: now) }
    }
    if let index = slots.index(of: reminder.id) { markDirty(index) }
  }

  /// Returns whether the reminder existed.
  mutating func remove(_ id: String) -> Bool {
    guard let index = slots.index(of: id) else { return false }
    removeFence(index)
    forgetMoments(index)
    slots.remove(index)
    return true
  }

  /// Applies a command to the history of a slot.
  mutating func apply(
    to index: Int32, _ command: (inout Schedule, inout History) -> Void
  ) {
    guard let slot = slots.slot(index) else { return }
    var schedule = Schedule(slot.$reminder, in: zone)
    change(index) { command(&schedule, &$0) }
    turn.work += schedule.work
  }

  /// Completes the due time that has rung or is next; for `pop` the next one, whatever has rung.
  mutating func complete(_ id: String, isPop: Bool = false, at now: Instant) {
    guard let index = slots.index(of: id) else { return }
    apply(to: index) { $0.done(&$1, isPop: isPop, at: now) }
    replan(index, at: now)
  }

  mutating func put(off id: String, _ snooze: Snooze, at now: Instant) {
    guard let index = slots.index(of: id), let slot = slots.slot(index) else { return }
    let surroundings = surroundings(of: slot, at: now)
    if case .nextVisit = snooze { slots.watch(index, since: now) }
    if case .untilLeave = snooze, !slot.history.stay.isInside, isAtPlace(of: id) {
      // The fence of another snooze may not know it: it begins anew, inside.
      removeFence(index)
      change(index) { $0.stay = .inside(Stay.Visit(since: now, settledUpTo: .forever)) }
    }
    apply(to: index) { $0.snoozed(&$1, snooze, surroundings, at: now) }
    replan(index, at: now)
  }

  mutating func markDirty(_ index: Int32) {
    guard !slots.isVacant(index), !slots.marks(index).contains(.dirty) else { return }
    slots.set(.dirty, true, index)
    outcome.dirty.append(index)
  }
}
