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
  package func waitingForClock(limit: Int, at now: Instant) -> [Upcoming] {
    let waiting = held.compactMap { upcoming($0, at: now) }
    return Array(waiting.sorted(by: <).prefix(max(0, limit)))
  }

  /// Positions and routes of before are older, or later, than their time says.
  mutating func clockJumped(to now: Instant) {
    restartSilence(at: now)
    restartShares()
    departures.markOutdated()
    departures.dropLaterRoutes(at: now)
    reception.firstFixBy = reception.firstFixBy.map { min($0, now + settings.firstFixWait) }
  }

  mutating func trustClock(_ isTrusted: Bool, at now: Instant) {
    guard isTrusted != isClockTrusted else { return }
    isClockTrusted = isTrusted
    guard isTrusted else { return }
    missed.isCatchingUp = true
    correctReminders(after: nil, at: now)
  }

  /// Adds one notice for all that this event, and the turns before it that left something, found
  /// missed.
  mutating func sumUpMissed() {
    missed.take(outcome.firings)
    guard !isBehind, !isLoading else { return }
    if let notice = missed.notice { outcome.notices.append(.missed(notice)) }
    missed = MissedFirings()
  }

  // MARK: - Zones

  /// Readings of the clock are other instants now. The names of what has rung stay.
  mutating func change(to newZone: TimeZoneRules, at now: Instant) {
    let oldZone = zone
    zone = newZone
    for index in slots.indices {
      guard let slot = slots.slot(index) else { continue }
      var before = Schedule(slot.$reminder, in: oldZone)
      var after = Schedule(slot.$reminder, in: newZone)
      change(index) { before.moved(to: &after, &$0, at: now) }
      turn.work += before.work + after.work
      replan(index, at: now)
    }
  }
}

/// Firings that were missed since the engine was last not behind.
struct MissedFirings: Sendable {
  /// Whether even a single one is summed up.
  var isCatchingUp = false
  /// Due times of missed firings that this event drops for their age.
  var leftOut: [Instant] = []
  private var reported = 0
  private var leftOutCount = 0
  /// When the first and the last were due.
  private var span: ClosedRange<Instant>?

  mutating func take(_ firings: [Firing]) {
    for firing in firings where firing.late != nil {
      reported += 1
      extend(to: firing.due ?? firing.time)
    }
    for moment in leftOut { extend(to: moment) }
    leftOutCount += leftOut.count
    leftOut.removeAll()
  }

  private mutating func extend(to moment: Instant) {
    let span = span ?? moment...moment
    self.span = min(span.lowerBound, moment)...max(span.upperBound, moment)
  }

  var notice: Missed? {
    guard let span, reported + leftOutCount >= (isCatchingUp ? 1 : 2) else { return nil }
    return Missed(reported: reported, leftOut: leftOutCount, span: span)
  }
}
