package import CivilTime
import Containers
import Departure

/// Waiting while the clock is not trusted, and the summary of missed firings.
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

  mutating func trustClock(_ isTrusted: Bool, at now: Instant) {
    guard isTrusted != isClockTrusted else { return }
    isClockTrusted = isTrusted
    guard isTrusted else { return }
    isCatchingUp = true
    correctReminders(after: nil, at: now)
    let freed = held.sorted()
    held.removeAll()
    for index in freed { evaluate(at: index, now: now, isFirst: true) }
    for index in waiting.sorted() { evaluateAtPlace(index, at: now) }
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
}
