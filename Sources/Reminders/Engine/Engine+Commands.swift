import CivilTime
import Geofencing
import Positioning

extension Engine {
  mutating func add(_ reminder: Reminder, _ kept: Progress?, at now: Instant) {
    _ = remove(reminder.id)
    let index = slots.insert(reminder, kept ?? Progress(state: reminder.state))
    begin(index, kept, at: now)
  }

  /// Starts a newly inserted reminder.
  mutating func begin(_ index: Int32, _ kept: Progress?, at now: Instant) {
    guard let fresh = slots.slot(index) else { return }
    var progress = startingProgress(of: fresh.reminder, kept, at: now)
    if progress != kept { markDirty(index) }
    // From here on the occurrence belongs to the current zone.
    progress.occurrenceOffset = nil
    _ = slots.change(index) { $0 = progress }
    activate(index, at: now)
    // It has no timer that comes late.
    if !isLoading, let slot = slots.slot(index), hasExpired(slot, at: now) { expire(index) }
    if isLoading || turn.isFull, isOverdue(index, at: now) {
      putOff(index, at: now)
    } else {
      evaluate(at: index, now: now, isFirst: true)
    }
  }

  /// Initial progress: the stored one, adapted to the reminder, or the one for its own state.
  private func startingProgress(
    of reminder: Reminder, _ kept: Progress?, at now: Instant
  ) -> Progress {
    var progress = kept ?? Progress(state: reminder.state)
    if kept == nil {
      if progress.state == .fired { progress.leadsFired = reminder.effectiveLeads.count }
      // A snooze without a time would last until someone ends it.
      if progress.state == .snoozed, reminder.kind != .location { progress.state = .armed }
    }
    var isNew = progress.occurrence == nil
    if case .floating = reminder.due, let occurrence = progress.occurrence {
      // The zone may have changed since the last run. A firing for a past time is not undone.
      if let offset = kept?.occurrenceOffset {
        let local = LocalDateTime(
          microseconds: (occurrence + .seconds(Double(offset))).microseconds)
        let mayMove = progress.state != .fired || occurrence > now
        if mayMove, offset != zone.offset(at: occurrence) {
          progress.occurrence = zone.instant(of: local)
        }
      } else if !reminder.repeats, progress.leadsFired == 0 {
        isNew = true
      }
    }
    if isNew { progress.occurrence = firstOccurrence(of: reminder, at: now) }
    return progress
  }

  /// Replaces a reminder. The occurrence and its leads stay if the due time is unchanged, the
  /// presence if the place is. A fired or expired reminder is armed again if the change makes a
  /// firing possible. With another occurrence it treats a present visit as a new reminder does.
  /// Until now the old conditions decide about repetitions.
  mutating func replace(_ reminder: Reminder, at now: Instant) {
    if let index = slots.index(of: reminder.id) { nag(index, at: now) }
    guard let old = slot(reminder.id) else { return add(reminder, nil, at: now) }
    var progress = old.progress
    let before = old.reminder
    let isNewPlan =
      before.due != reminder.due || before.repeatRule != reminder.repeatRule
      || before.repeatChanges != reminder.repeatChanges || before.leads != reminder.leads
    let isNewWindow =
      before.days != reminder.days || before.hours != reminder.hours
      || before.from != reminder.from
      || (reminder.kind == .preemptive && before.until != reminder.until)
    var occurrence = progress.occurrence
    if isNewPlan || (isNewWindow && reminder.repeats) {
      progress.early = nil
      // At the end of a series its last occurrence stays, left out by the window.
      occurrence =
        isNewPlan
        ? firstOccurrence(of: reminder, at: now)
        : self.occurrence(of: old, in: reminder, at: now, from: zone) ?? occurrence
    }
    if isNewPlan || occurrence != progress.occurrence {
      progress.occurrence = occurrence
      progress.leadsFired = 0
      progress.visitSettled =
        reminder.ifInside == .wait && !isAhead(occurrence, of: reminder, at: now)
    }
    let isNewPlace = !before.waitsAtTheSamePlace(as: reminder)
    if isNewPlace || !old.hasFence {
      progress.presence = .unknown
      progress.presenceSince = nil
      progress.placesInside = []
      progress.visitSettled = false
    }
    let isNewVisit =
      isNewPlace || before.trigger != reminder.trigger
      || (reminder.everyVisit && !before.everyVisit)
    switch progress.state {
    case .armed, .done: break
    case .snoozed: if isNewPlan { progress.state = .armed }
    case .fired: if isNewPlan || isNewVisit { progress.state = .armed }
    case .expired:
      if reminder.until.map({ resolve($0) >= now }) ?? true { progress.state = .armed }
    }
    if progress.state != .snoozed { progress.snoozedUntil = nil }
    if reminder.nag == nil { progress.nagging = nil }
    exchange(reminder, progress, at: now)
    if isNewPlan, let index = slots.index(of: reminder.id) { slots.watch(index, since: now) }
  }

  /// Puts a reminder in the place of the one with the same id. A fence around the same place stays,
  /// with its open decisions.
  mutating func exchange(_ reminder: Reminder, _ progress: Progress, at now: Instant) {
    if let old = slot(reminder.id), old.hasFence,
      old.reminder.waitsAtTheSamePlace(as: reminder),
      old.reminder.watchesAnchor == reminder.watchesAnchor
    {
      forgetMoments(old.index)
      slots.replace(old.index, reminder, progress)
      begin(old.index, progress, at: now)
    } else {
      add(reminder, progress, at: now)
    }
    if let index = slots.index(of: reminder.id) { markDirty(index) }
  }

  /// Returns whether the reminder existed.
  mutating func remove(_ id: String) -> Bool {
    guard let index = slots.index(of: id) else { return false }
    deactivate(index)
    slots.remove(index)
    return true
  }

  /// Completes the current occurrence; a repeating reminder is armed for the next one. If a firing
  /// has already moved it on, no further occurrence is skipped.
  mutating func complete(_ id: String, isPop: Bool = false, at now: Instant) {
    guard let index = slots.index(of: id) else { return }
    // During a snooze its day may have ended.
    rollOver(index, at: now)
    guard let slot = slots.slot(index) else { return }
    let reminder = slot.reminder
    let hasMovedOn =
      slot.progress.isUnacknowledged && slot.progress.leadsFired == 0
      && slot.progress.state != .fired
      && (slot.progress.occurrence.map { $0 > now } ?? false)
    change(index) {
      $0.isUnacknowledged = false
      $0.nagging = nil
    }
    if reminder.repeats, hasMovedOn, !isPop {
      change(index) {
        $0.state = .armed
        $0.snoozedUntil = nil
      }
      activate(index, at: now)
    } else if reminder.repeats, let next = nextOccurrence(of: slot, after: now) {
      change(index) {
        $0.state = .armed
        $0.snoozedUntil = nil
      }
      open(next, index)
      activate(index, at: now)
    } else if reminder.kind == .location, reminder.everyVisit, !reminder.repeats {
      // Silent until the next visit, it stays so.
      if slot.progress.state == .snoozed, slot.progress.snoozedUntil == nil { return }
      change(index) {
        $0.state = .armed
        $0.snoozedUntil = nil
        $0.endVisit()
      }
      activate(index, at: now)
    } else {
      change(index) {
        $0.state = .done
        $0.snoozedUntil = nil
      }
      deactivate(index)
    }
    schedule(index, at: now)
  }

  mutating func put(off id: String, _ snooze: Snooze, at now: Instant) {
    guard let index = slots.index(of: id), let slot = slots.slot(index) else { return }
    // A date that is not due yet moves later.
    let isAhead = slot.reminder.kind == .date && !slot.progress.isUnacknowledged
    let due = isAhead ? upcoming(index, at: now)?.moment : nil
    if !slot.hasFence { forgetPresence(index) }
    // A place that has fired for its last due time: its one lead is used up.
    let isSpent = slot.progress.state == .fired && slot.reminder.kind == .location
    change(index) {
      $0.state = .snoozed
      $0.nagging = nil
      if isSpent, slot.reminder.repeats { $0.leadsFired = 1 }
      switch snooze {
      case .until(let instant): $0.snoozedUntil = due.map { max($0, instant) } ?? instant
      case .by(let span): $0.snoozedUntil = max(due ?? now, now) + span
      case .nextVisit:
        $0.snoozedUntil = nil
        $0.endVisit()
      }
    }
    if case .nextVisit = snooze { slots.watch(index, since: now) }
    activate(index, at: now)
    schedule(index, at: now)
  }

  /// Where a fence was removed, the device may have come or left since.
  mutating func forgetPresence(_ index: Int32) {
    change(index) {
      $0.presence = .unknown
      $0.presenceSince = nil
      $0.placesInside = []
    }
  }

  mutating func markDirty(_ index: Int32) {
    guard !slots.isVacant(index), !slots.marks(index).contains(.dirty) else { return }
    slots.set(.dirty, true, index)
    dirty.append(index)
  }
}
