import CivilTime
import Geofencing

extension Engine {
  mutating func add(_ reminder: Reminder, _ kept: Progress?, at now: Instant) {
    _ = remove(reminder.id)
    let progress = startingProgress(of: reminder, kept, at: now)
    let index: Int32
    if let free = freeSlots.popLast() {
      index = free
    } else {
      index = Int32(slots.count)
      slots.append(nil)
    }
    slotOfID[reminder.id] = index
    slots[Int(index)] = Slot(reminder: reminder, progress: progress)
    activate(index, at: now)
    if let slot = slots[Int(index)], listens(slot), slot.progress.presence == .inside,
      reminder.trigger == .arrive, !slot.progress.visitSettled
    {
      // An arrival that was held back when it happened.
      slots[Int(index)]?.isWaiting = true
      waiting.insert(index)
    }
    look(at: index, now: now, isFirst: true)
    if progress != kept { markDirty(index) }
  }

  /// What a reminder begins with: what was kept, brought in line with the reminder, or what its own
  /// state says.
  private func startingProgress(
    of reminder: Reminder, _ kept: Progress?, at now: Instant
  )
    -> Progress
  {
    var progress = kept ?? Progress(state: reminder.state)
    if kept == nil {
      if progress.state == .fired { progress.leadsFired = reminder.effectiveLeads.count }
      // A snooze without its time is one that nothing would end.
      if progress.state == .snoozed, reminder.kind != .location { progress.state = .armed }
    }
    var isNew = progress.occurrence == nil
    if case .floating = reminder.due, reminder.repeatRule == nil, progress.leadsFired == 0 {
      // The zone may be another one than at the last run.
      isNew = true
    }
    if isNew { progress.occurrence = firstOccurrence(of: reminder, at: now) }
    return progress
  }

  /// A new text or place for a reminder; what it has gone through stays where it still means
  /// something: the occurrence and its leads only while the due time is the same.
  mutating func replace(_ reminder: Reminder, at now: Instant) {
    guard let old = slot(reminder.id) else { return add(reminder, nil, at: now) }
    var progress = old.progress
    let samePlan =
      old.reminder.due == reminder.due && old.reminder.repeatRule == reminder.repeatRule
      && old.reminder.leads == reminder.leads
    if !samePlan {
      progress.occurrence = firstOccurrence(of: reminder, at: now)
      progress.leadsFired = 0
      if progress.state != .done { progress.state = .armed }
    }
    if old.reminder.place != reminder.place || old.reminder.area != reminder.area
      || old.reminder.kind != reminder.kind
    {
      progress.presence = .unknown
      progress.insideSince = nil
      progress.visitSettled = false
    }
    add(reminder, progress, at: now)
    if let index = slotOfID[reminder.id] { markDirty(index) }
  }

  /// Answers whether there was one.
  mutating func remove(_ id: String) -> Bool {
    guard let index = slotOfID.removeValue(forKey: id) else { return false }
    deactivate(index)
    slots[Int(index)] = nil
    dirty.removeAll { $0 == index }
    freeSlots.append(index)
    return true
  }

  /// Completes the current occurrence; a repeating reminder is armed for the next one. Where it has
  /// fired and gone on to the next occurrence already, there is nothing more to skip.
  mutating func complete(_ id: String, isPop: Bool = false, at now: Instant) {
    guard let index = slotOfID[id], let slot = slots[Int(index)] else { return }
    let reminder = slot.reminder
    let hasGoneOn =
      slot.progress.isUnacknowledged && slot.progress.leadsFired == 0
      && (slot.progress.occurrence.map { $0 > now } ?? false)
    change(index) { $0.progress.isUnacknowledged = false }
    if reminder.repeatRule != nil, hasGoneOn, !isPop {
      change(index) {
        $0.progress.state = .armed
        $0.progress.snoozedUntil = nil
      }
      activate(index, at: now)
    } else if reminder.repeatRule != nil, let next = nextOccurrence(of: slot, after: now) {
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
    guard let index = slotOfID[id] else { return }
    change(index) {
      $0.progress.state = .snoozed
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
    for index in slots.indices.map(Int32.init) {
      guard let slot = slots[Int(index)] else { continue }
      if case .floating = slot.reminder.due, let occurrence = slot.progress.occurrence {
        let local = oldZone.localDateTime(at: occurrence)
        change(index) { $0.progress.occurrence = newZone.instant(of: local) }
      }
      schedule(index, at: now)
    }
  }

  func firstOccurrence(of reminder: Reminder, at now: Instant) -> Instant? {
    guard let due = reminder.due else { return nil }
    let start = resolve(due)
    guard let rule = reminder.repeatRule, start < now else { return start }
    return rule.next(after: now, start: zone.localDateTime(at: start), zone: zone) ?? start
  }

  /// The first occurrence of a repeating reminder that is later than both `moment` and the current
  /// one; nil where it does not repeat or has come to its end.
  func nextOccurrence(of slot: Slot, after moment: Instant) -> Instant? {
    guard let rule = slot.reminder.repeatRule, let due = slot.reminder.due else { return nil }
    let after = max(moment, slot.progress.occurrence ?? moment)
    return rule.next(after: after, start: zone.localDateTime(at: resolve(due)), zone: zone)
  }

  mutating func markDirty(_ index: Int32) {
    guard slots[Int(index)]?.isDirty == false else { return }
    slots[Int(index)]?.isDirty = true
    dirty.append(index)
  }

  /// Whether the reminder still listens to where the device is.
  func listens(_ slot: Slot) -> Bool {
    guard slot.reminder.kind == .location, slot.reminder.region != nil else { return false }
    switch slot.progress.state {
    case .armed: return true
    case .snoozed: return slot.progress.snoozedUntil == nil
    case .fired, .done, .expired: return false
    }
  }

  /// Puts the fence of a listening reminder up, or takes it down.
  mutating func activate(_ index: Int32, at now: Instant) {
    guard let slot = slots[Int(index)] else { return }
    if slot.reminder.kind == .preemptive, slot.progress.state == .armed {
      preemptive.insert(index)
    }
    guard listens(slot), let region = slot.reminder.region else { return deactivateFence(index) }
    guard !slot.hasFence else { return }
    monitor.add(region, id: index, presence: slot.progress.presence)
    if slot.progress.presence == .unknown { undetermined.insert(index) }
    slots[Int(index)]?.hasFence = true
    fenceCount += 1
  }

  /// A new monitor with the same fences: the track so far is forgotten, where the device is relative
  /// to each fence is not. Complexity: O(fences).
  mutating func rebuildMonitor() {
    var fresh = FenceMonitor(policy: settings.monitor)
    for index in slots.indices.map(Int32.init) {
      guard let slot = slots[Int(index)], slot.hasFence, let region = slot.reminder.region else {
        continue
      }
      fresh.add(region, id: index, presence: monitor.presence(of: index))
    }
    monitor = fresh
  }

  mutating func deactivate(_ index: Int32) {
    deactivateFence(index)
    timers.cancel(slot: index)
    preemptive.remove(index)
  }

  private mutating func deactivateFence(_ index: Int32) {
    waiting.remove(index)
    undetermined.remove(index)
    guard slots[Int(index)]?.hasFence == true else { return }
    monitor.remove(index)
    fenceCount -= 1
    slots[Int(index)]?.hasFence = false
    slots[Int(index)]?.isWaiting = false
  }
}
