package import CivilTime
import Containers
import Departure
import Geofencing

/// The clock: waiting while it is not trusted, the summary of missed firings, and other zones.
///
/// A board without a clock battery starts in 1970 or at its last shutdown. Dates, times to leave,
/// ends of snoozes and expiry wait until the clock is trusted. Places fire, unless a condition
/// needs the time of day or the day.
extension Engine {
  /// Number of reminders whose deadline has passed by an untrusted clock.
  package var heldCount: Int { held.count }

  /// The firings that wait for the clock, soonest first: dates, times to leave and ends of snoozes.
  /// Complexity: O(n log n) for n held.
  package func waitingForClock(
    limit: Int, at now: Instant
  ) -> [(reminder: Reminder, moment: Instant)] {
    let waiting = held.compactMap { upcoming($0, at: now) }
    return Array(
      waiting.sorted { ($0.moment, $0.reminder.id) < ($1.moment, $1.reminder.id) }
        .prefix(max(0, limit)))
  }

  /// Positions and routes of before are older, or later, than their time says.
  mutating func clockJumped(to now: Instant) {
    restartSilence(at: now)
    departures.markOutdated()
    departures.dropLaterRoutes(at: now)
    firstFixBy = firstFixBy.map { min($0, now + settings.firstFixWait) }
  }

  mutating func trustClock(_ isTrusted: Bool, at now: Instant) {
    guard isTrusted != isClockTrusted else { return }
    isClockTrusted = isTrusted
    guard isTrusted else { return }
    isCatchingUp = true
    correctReminders(after: nil, at: now)
    let freed = held.sorted()
    held.removeAll()
    for index in freed { evaluate(at: index, now: now, isFirst: true) }
    // Stays that wait for an hour or a day.
    for index in slots.indices where slots.progress(index).presence == .inside {
      schedule(index, at: now)
    }
  }

  /// Holds a reminder back while the clock is not trusted; returns whether it did.
  mutating func hold(_ slot: Slot, _ index: Int32, at now: Instant) -> Bool {
    guard !isClockTrusted else { return false }
    let until = slot.progress.state == .armed ? slot.reminder.until.map { resolve($0) } : nil
    let nag = slot.progress.nagging?.next
    var moments = [until, nag, slot.progress.snoozedUntil]
    if slot.reminder.kind != .location { moments.append(nextCheck(slot, now: now)) }
    if slot.reminder.kind == .preemptive { moments.append(nextMoment(ofLeaving: slot, at: now)) }
    guard moments.contains(where: { $0.map { $0 <= now } ?? false }) else { return false }
    held.insert(index)
    // Presence is followed without a clock.
    if slot.reminder.kind == .location, slot.progress.state == .armed { return false }
    timers.cancel(slot: index)
    departures.remove(index)
    return true
  }

  /// Adds one notice for all that this event, and the turns before it that left something, found
  /// missed.
  mutating func sumUpMissed() {
    for firing in firings where firing.late != nil {
      missedCount += 1
      extendMissed(to: firing.due ?? firing.time)
    }
    for moment in leftOut { extendMissed(to: moment) }
    leftOutCount += leftOut.count
    leftOut.removeAll()
    guard !isBehind, !isLoading else { return }
    if let span = missedSpan, missedCount + leftOutCount >= (isCatchingUp ? 1 : 2) {
      notices.append(.missed(Missed(reported: missedCount, leftOut: leftOutCount, span: span)))
    }
    (missedCount, leftOutCount, missedSpan) = (0, 0, nil)
    isCatchingUp = false
  }

  private mutating func extendMissed(to moment: Instant) {
    let span = missedSpan ?? moment...moment
    missedSpan = min(span.lowerBound, moment)...max(span.upperBound, moment)
  }

  // MARK: - Zones

  mutating func change(to newZone: TimeZoneRules, at now: Instant) {
    for index in slots.indices { goOnWhileSnoozed(index, at: now) }
    let oldZone = zone
    zone = newZone
    for index in slots.indices where mayDependOnZone(index) {
      // A reminder that has fired for a past time stays fired, also while it is snoozed.
      if let slot = slots.slot(index), let occurrence = slot.progress.occurrence,
        occurrence > now || !hasFired(slot)
      {
        let moved = move(occurrence, of: slot, from: oldZone, at: now)
        change(index) { $0.occurrence = moved }
        if let earlier = regained(before: moved, of: slot, from: oldZone, at: now) {
          open(earlier, index)
          if slot.progress.state == .fired { armAgain(index) }
          // At the new moment `from` may exclude it.
        } else if slot.reminder.repeats, slot.reminder.kind != .location,
          slot.progress.state == .armed,
          !admits(moved, of: slot.reminder),
          let next = nextOccurrence(of: slot.reminder, after: moved)
        {
          open(next, index)
        }
      }
      schedule(index, at: now)
    }
  }

  /// A time to leave that is over stays so in another zone: its next one moves.
  private mutating func goOnWhileSnoozed(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index), slot.reminder.kind == .preemptive,
      slot.progress.state == .snoozed, hasFired(slot),
      slot.progress.occurrence.map({ $0 <= now }) ?? false,
      let next = nextOccurrence(of: slot, after: now)
    else { return }
    open(next, index)
  }

  /// The same occurrence in the present zone: a floating one keeps its reading of the clock. One of
  /// a series that begins at an instant moves by the difference of summer times, or to another day
  /// that is admitted.
  private func move(
    _ occurrence: Instant, of slot: Slot, from oldZone: TimeZoneRules, at now: Instant
  ) -> Instant {
    if case .floating(let due) = slot.reminder.due {
      guard slot.reminder.repeats else { return zone.instant(of: due) }
      return skipped(occurrence, of: slot.reminder, in: oldZone)
        ?? zone.instant(of: oldZone.localDateTime(at: occurrence))
    }
    guard slot.reminder.repeats else { return occurrence }
    let moved = self.occurrence(
      of: slot, in: slot.reminder, at: now, from: oldZone, tolerance: .hours(2))
    return moved ?? occurrence
  }

  /// In the hour after the clock went forward a moment stands for the hour that was left out, too.
  /// Where the series has that reading, it is the next one.
  private func skipped(
    _ occurrence: Instant, of reminder: Reminder, in oldZone: TimeZoneRules
  ) -> Instant? {
    let offset = Double(oldZone.offset(at: occurrence - .hours(24)))
    let reading = LocalDateTime(microseconds: (occurrence + .seconds(offset)).microseconds)
    guard reading < oldZone.localDateTime(at: occurrence),
      oldZone.instant(of: reading) == occurrence
    else { return nil }
    let moment = zone.instant(of: reading)
    let isInSeries =
      reminder.due.map { resolve($0) } == moment
      || nextOccurrence(of: reminder, after: moment.previous) == moment
    return isInSeries ? moment : nil
  }

  /// An occurrence ahead of a floating series that `from` excluded in the old zone alone: it is
  /// earlier than the current one, and nothing has used it up.
  private func regained(
    before moved: Instant, of slot: Slot, from oldZone: TimeZoneRules, at now: Instant
  ) -> Instant? {
    let reminder = slot.reminder
    guard case .floating = reminder.due, reminder.repeats, reminder.kind != .location,
      reminder.from != nil, slot.progress.state != .done, slot.progress.state != .expired,
      slot.progress.state != .fired || reminder.kind == .preemptive,
      let first = firstOccurrence(of: reminder, at: now), first < moved,
      !admits(oldZone.instant(of: zone.localDateTime(at: first)), of: reminder, in: oldZone)
    else { return nil }
    return first
  }

  /// Whether all leads of its occurrence have fired.
  private func hasFired(_ slot: Slot) -> Bool {
    slot.progress.state == .fired
      || slot.progress.state == .snoozed
        && slot.progress.leadsFired >= slot.reminder.effectiveLeads.count
  }

  /// Whether the zone may affect a reminder: it has a due time or a timer, or waits.
  private func mayDependOnZone(_ index: Int32) -> Bool {
    !slots.isVacant(index)
      && (slots.hasDue(index) || timers.deadline(slot: index) != nil
        || slots.marks(index).contains(.waiting))
  }
}
