import CivilTime
import Containers
import Departure
import Geofencing

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
    _ = slots.change(index) { $0.progress = progress }
    activate(index, at: now)
    if let slot = slots.slot(index), listens(slot), slot.progress.presence == .inside,
      slot.reminder.trigger == .arrive, !slot.progress.visitSettled
    {
      // An arrival was held back by a condition.
      _ = slots.change(index) { $0.isWaiting = true }
      waiting.insert(index)
    }
    evaluate(at: index, now: now, isFirst: true)
  }

  /// Initial progress: the stored one, adapted to the reminder, or the one for its own state.
  private func startingProgress(
    of reminder: Reminder, _ kept: Progress?, at now: Instant
  )
    -> Progress
  {
    var progress = kept ?? Progress(state: reminder.state)
    if kept == nil {
      if progress.state == .fired { progress.leadsFired = reminder.effectiveLeads.count }
      // A snooze without a time would last until someone ends it.
      if progress.state == .snoozed, reminder.kind != .location { progress.state = .armed }
    }
    var isNew = progress.occurrence == nil
    if case .floating = reminder.due, let occurrence = progress.occurrence {
      // The zone may have changed since the last run.
      if let offset = kept?.occurrenceOffset {
        let local = LocalDateTime(
          microseconds: (occurrence + .seconds(Double(offset))).microseconds)
        if offset != zone.offset(at: occurrence) { progress.occurrence = zone.instant(of: local) }
      } else if !reminder.repeats, progress.leadsFired == 0 {
        isNew = true
      }
    }
    if isNew { progress.occurrence = firstOccurrence(of: reminder, at: now) }
    return progress
  }

  /// Replaces a reminder. The occurrence and its leads stay if the due time is unchanged, the
  /// presence if the place is.
  mutating func replace(_ reminder: Reminder, at now: Instant) {
    guard let old = slot(reminder.id) else { return add(reminder, nil, at: now) }
    var progress = old.progress
    let samePlan =
      old.reminder.due == reminder.due && old.reminder.repeatRule == reminder.repeatRule
      && old.reminder.repeatChanges == reminder.repeatChanges
      && old.reminder.leads == reminder.leads
    if !samePlan {
      progress.occurrence = firstOccurrence(of: reminder, at: now)
      progress.leadsFired = 0
      if progress.state != .done { progress.state = .armed }
    }
    if !old.reminder.waitsAtTheSamePlace(as: reminder) {
      progress.presence = .unknown
      progress.insideSince = nil
      progress.placesInside = []
      progress.visitSettled = false
    }
    add(reminder, progress, at: now)
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
    guard let index = slots.index(of: id), let slot = slots.slot(index) else { return }
    let reminder = slot.reminder
    let hasMovedOn =
      slot.progress.isUnacknowledged && slot.progress.leadsFired == 0
      && (slot.progress.occurrence.map { $0 > now } ?? false)
    change(index) {
      $0.progress.isUnacknowledged = false
      $0.progress.nagging = nil
    }
    if reminder.repeats, hasMovedOn, !isPop {
      change(index) {
        $0.progress.state = .armed
        $0.progress.snoozedUntil = nil
      }
      activate(index, at: now)
    } else if reminder.repeats, let next = nextOccurrence(of: slot, after: now) {
      change(index) {
        $0.progress.occurrence = next
        $0.progress.leadsFired = 0
        $0.progress.state = .armed
        $0.progress.snoozedUntil = nil
        $0.progress.visitSettled = true
      }
      activate(index, at: now)
    } else if reminder.kind == .location, reminder.everyVisit {
      change(index) {
        $0.progress.state = .armed
        $0.progress.snoozedUntil = nil
        $0.progress.visitSettled = true
      }
      activate(index, at: now)
    } else {
      change(index) {
        $0.progress.state = .done
        $0.progress.snoozedUntil = nil
      }
      deactivate(index)
    }
    schedule(index, at: now)
  }

  mutating func put(off id: String, _ snooze: Snooze, at now: Instant) {
    guard let index = slots.index(of: id), slots.slot(index) != nil else { return }
    change(index) {
      $0.progress.state = .snoozed
      $0.progress.nagging = nil
      switch snooze {
      case .until(let instant): $0.progress.snoozedUntil = instant
      case .nextVisit:
        $0.progress.snoozedUntil = nil
        $0.progress.visitSettled = true
      }
    }
    activate(index, at: now)
    schedule(index, at: now)
  }

  mutating func change(to newZone: TimeZoneRules, at now: Instant) {
    let oldZone = zone
    zone = newZone
    for index in slots.indices where mayDependOnZone(index) {
      guard let slot = slots.slot(index) else { continue }
      if case .floating = slot.reminder.due, let occurrence = slot.progress.occurrence {
        let local = oldZone.localDateTime(at: occurrence)
        change(index) { $0.progress.occurrence = newZone.instant(of: local) }
      }
      schedule(index, at: now)
    }
  }

  /// Whether the zone may affect a reminder: it has a due time or a timer, or waits.
  private func mayDependOnZone(_ index: Int32) -> Bool {
    !slots.isVacant(index)
      && (slots.hasDue(index) || timers.deadline(slot: index) != nil
        || slots.marks(index).contains(.waiting))
  }

  func firstOccurrence(of reminder: Reminder, at now: Instant) -> Instant? {
    guard let due = reminder.due else { return nil }
    let start = resolve(due)
    guard reminder.repeats else { return start }
    let zone = self.zone(of: reminder)
    let occurrences = reminder.occurrences(from: start, zone: zone)
    let isExcluded = occurrences.excludes(start, zone: zone)
    // A place may be reached on the day of an occurrence that has come already.
    let earliest =
      reminder.kind == .location
      ? zone.instant(of: LocalDateTime(date: zone.localDateTime(at: now).date)) : now
    if start >= earliest, !isExcluded { return start }
    return occurrences.next(after: max(start, earliest - .seconds(1)), zone: zone)
      ?? (isExcluded ? nil : start)
  }

  /// The first occurrence after both `moment` and the current one; nil at the end of the series.
  func nextOccurrence(of slot: Slot, after moment: Instant) -> Instant? {
    guard slot.reminder.repeats, let due = slot.reminder.due else { return nil }
    let zone = self.zone(of: slot.reminder)
    return slot.reminder.occurrences(from: resolve(due), zone: zone)
      .next(after: max(moment, slot.progress.occurrence ?? moment), zone: zone)
  }

  /// The zone of a reminder's repeat rule: its own, else the system's.
  func zone(of reminder: Reminder) -> TimeZoneRules {
    guard let own = reminder.repeatChanges.zone, case .absolute = reminder.due else { return zone }
    return own.rules
  }

  mutating func markDirty(_ index: Int32) {
    guard !slots.isVacant(index), !slots.marks(index).contains(.dirty) else { return }
    slots.set(.dirty, true, index)
    dirty.append(index)
  }

  /// Whether position can fire the reminder.
  func listens(_ slot: Slot) -> Bool {
    guard slot.reminder.kind == .location else { return false }
    switch slot.progress.state {
    case .armed: return true
    case .snoozed: return slot.progress.snoozedUntil == nil
    case .fired, .done, .expired: return false
    }
  }

  /// Adds the fence of a listening reminder, or removes it.
  mutating func activate(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index) else { return }
    if slot.reminder.kind == .preemptive, slot.progress.state == .armed {
      slots.set(.preemptive, true, index)
    }
    guard listens(slot) else { return deactivateFence(index) }
    guard !slot.hasFence else { return }
    if let key = CategoryWatch.Key(slot.reminder) {
      join(index, key, at: now)
    } else if let region = slot.reminder.region {
      addFence(region, index, slot.progress.presence)
    }
  }

  mutating func addFence(_ region: Region, _ index: Int32, _ presence: Presence) {
    monitor.add(region, id: index, presence: presence)
    if presence == .unknown {
      if undetermined.count > 2 * slots.indices.count {
        undetermined.removeAll { !slots.marks($0).contains(.undetermined) }
      }
      undetermined.append(index)
      slots.set(.undetermined, true, index)
    }
    slots.set(.fence, true, index)
    fenceCount += 1
  }

  /// Restarts the monitors without the track so far; presences stay. Complexity: O(fences).
  mutating func rebuildMonitor() {
    monitor = monitor.restarted(policy: settings.monitor)
    for number in watches.indices {
      watches[number].monitor = watches[number].monitor.restarted(policy: settings.monitor)
    }
  }

  mutating func deactivate(_ index: Int32) {
    deactivateFence(index)
    timers.cancel(slot: index)
    held.remove(index)
    departures.remove(index)
    slots.set(.preemptive, false, index)
  }

  private mutating func deactivateFence(_ index: Int32) {
    waiting.remove(index)
    slots.set(.undetermined, false, index)
    guard slots.marks(index).contains(.fence) else { return }
    slots.set(.fence, false, index)
    slots.set(.waiting, false, index)
    if !leaveWatch(index) {
      monitor.remove(index)
      fenceCount -= 1
    }
  }
}
