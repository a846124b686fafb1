package import CivilTime
import Containers
import Geofencing

/// Due times: which of a reminder's occurrences comes first, next and last.
///
/// `days` is asked of the day of an occurrence; one on another day is skipped. So is one before
/// `from`, unless a place is waited for as well.
extension Engine {
  func firstOccurrence(of reminder: Reminder, at now: Instant) -> Instant? {
    guard let due = reminder.due else { return nil }
    let start = resolve(due)
    guard reminder.repeats else { return start }
    if reminder.kind == .location, let current = occurrenceInForce(of: reminder, at: now) {
      return current
    }
    let zone = self.zone(of: reminder)
    let occurrences = reminder.occurrences(from: start, zone: zone)
    let counts = !occurrences.excludes(start, zone: zone) && admits(start, of: reminder)
    if start >= now, counts { return start }
    return nextOccurrence(of: reminder, after: max(start, now.previous))
  }

  /// For a place: the last occurrence that has begun and whose day has not ended, else the next.
  func occurrenceInForce(of reminder: Reminder, at now: Instant) -> Instant? {
    guard let due = reminder.due else { return nil }
    let window = Window(reminder, in: zone)
    let today = window.start(of: window.day(of: now))
    let start = resolve(due)
    let isFirst =
      start >= today && admits(start, of: reminder)
      && !reminder.occurrences(from: start, zone: zone(of: reminder)).excludes(
        start, zone: zone(of: reminder))
    guard let first = isFirst ? start : nextOccurrence(of: reminder, after: today.previous) else {
      return nil
    }
    let lead = reminder.leads.first?.length ?? .zero
    return latestOccurrence(of: reminder, after: first, upTo: now + lead) ?? first
  }

  /// The occurrence of a repeating reminder whose window changes: the first unused
  /// occurrence that the new ones admit. The old conditions have used up the
  /// earlier occurrences that they admitted.
  /// - Parameters:
  ///   - oldZone: the zone in which the old ones counted.
  ///   - tolerance: how much earlier the same occurrence may be in the present zone.
  func occurrence(
    of old: Slot, in reminder: Reminder, at now: Instant, from oldZone: TimeZoneRules,
    tolerance: TimeSpan = .zero
  ) -> Instant? {
    let current = old.progress.occurrence
    if let current, current <= now, admits(current, of: reminder, in: zone),
      admits(current, of: old.reminder, in: oldZone)
    {
      return current
    }
    var next = firstOccurrence(of: reminder, at: now)
    while let first = next, let current, first < current - tolerance,
      admits(first, of: old.reminder, in: oldZone)
    {
      next = nextOccurrence(of: reminder, after: first)
    }
    return next
  }

  /// The first occurrence after both `moment` and the current one; nil at the end of the series.
  func nextOccurrence(of slot: Slot, after moment: Instant) -> Instant? {
    nextOccurrence(
      of: slot.reminder, after: max(moment, slot.progress.occurrence ?? moment))
  }

  /// The first occurrence after `moment` that the reminder's days and `from` admit.
  func nextOccurrence(of reminder: Reminder, after moment: Instant) -> Instant? {
    guard var search = repeatSearch(of: reminder) else { return nil }
    return nextOccurrence(of: reminder, after: moment, by: &search)
  }

  func nextOccurrence(
    of reminder: Reminder, after moment: Instant, by search: inout RepeatSearch
  ) -> Instant? {
    let window = Window(reminder, in: self.zone)
    var moment = moment
    if reminder.kind != .location, let from = window.from { moment = max(moment, from.previous) }
    // After 400 years the calendar repeats.
    for _ in 0..<400 {
      guard let next = search.next(after: moment) else { return nil }
      if window.admitsDay(of: next) { return next }
      moment = max(next, window.nextDay(after: next).previous)
    }
    return nil
  }

  /// Whether the reminder's days and `from`, and for a time to leave its `until`, admit an
  /// occurrence.
  func admits(_ occurrence: Instant, of reminder: Reminder) -> Bool {
    admits(occurrence, of: reminder, in: zone)
  }

  func admits(
    _ occurrence: Instant, of reminder: Reminder, in zone: TimeZoneRules
  ) -> Bool {
    guard reminder.hasWindow else { return true }
    let window = Window(reminder, in: zone)
    if reminder.kind == .preemptive, let until = window.until, until < occurrence { return false }
    if reminder.kind != .location, reminder.repeats, let from = window.from, occurrence < from {
      return false
    }
    return window.admitsDay(of: occurrence)
  }

  /// The last occurrence after the current one and not after `moment` that the reminder's days and
  /// `from` admit; nil if there is none.
  func latestOccurrence(
    of reminder: Reminder, after current: Instant, upTo moment: Instant
  ) -> Instant? {
    guard var search = repeatSearch(of: reminder) else { return nil }
    return latestOccurrence(of: reminder, after: current, upTo: moment, by: &search)
  }

  func latestOccurrence(
    of reminder: Reminder, after current: Instant, upTo moment: Instant,
    by search: inout RepeatSearch
  ) -> Instant? {
    let window = Window(reminder, in: self.zone)
    var (current, moment) = (current, moment)
    if reminder.kind != .location, let from = window.from { current = max(current, from.previous) }
    for _ in 0..<400 {
      guard let latest = search.latest(after: current, upTo: moment) else { return nil }
      if window.admitsDay(of: latest) { return latest }
      moment = window.start(of: window.day(of: latest)).previous
    }
    return nil
  }

  // MARK: - Work

  /// Steps that one search for the due times of a reminder may take; see `RepeatSearch.work`. A new
  /// reminder may take a tenth of them: the work grows with the years since the start of a rule.
  static let maximumRepeatWork = 400_000

  /// nil where the reminder does not repeat.
  func repeatSearch(of reminder: Reminder) -> RepeatSearch? {
    guard reminder.repeats, let due = reminder.due else { return nil }
    let zone = self.zone(of: reminder)
    return RepeatSearch(
      reminder.occurrences(from: resolve(due), zone: zone), zone: zone,
      maximumWork: Self.maximumRepeatWork)
  }

  /// Steps that finding the due times of a new reminder takes at `now`.
  package func repeatWork(of reminder: Reminder, at now: Instant) -> Int {
    guard var search = repeatSearch(of: reminder), let due = reminder.due else { return 0 }
    let start = resolve(due)
    _ = latestOccurrence(of: reminder, after: start, upTo: now, by: &search)
    _ = nextOccurrence(of: reminder, after: max(start, now), by: &search)
    return search.work
  }

  /// The zone of a reminder's repeat rule: its own, else the system's.
  func zone(of reminder: Reminder) -> TimeZoneRules {
    guard let own = reminder.repeatChanges.zone, case .absolute = reminder.due else { return zone }
    return own.rules
  }

  // MARK: - Stays

  /// Whether its due time is still to come: until then being inside uses up no visit.
  func waitsForDue(_ slot: Slot, at now: Instant) -> Bool {
    isAhead(slot.progress.occurrence, of: slot.reminder, at: now)
  }

  func isAhead(_ occurrence: Instant?, of reminder: Reminder, at now: Instant) -> Bool {
    occurrence.map { $0 - (reminder.leads.first?.length ?? .zero) > now } ?? false
  }

  /// The end of a repeating due time at a place: the end of its day, or the next due time.
  func occurrenceEnd(_ slot: Slot) -> Instant? {
    guard slot.reminder.kind == .location, slot.reminder.repeats,
      let occurrence = slot.progress.occurrence
    else { return nil }
    let next = nextOccurrence(of: slot, after: occurrence)
    return sooner(
      Window(slot.reminder, in: zone).end(ofDayAt: occurrence),
      next.map { $0 - (slot.reminder.leads.first?.length ?? .zero) })
  }

  /// Moves on to the occurrence that holds, or to the next one, when the current one has ended.
  mutating func rollOver(_ index: Int32, at now: Instant) {
    guard isClockTrusted, let slot = slots.slot(index), slot.reminder.repeats, hasPresence(slot),
      let end = occurrenceEnd(slot), end <= now
    else { return }
    if let next = occurrenceInForce(of: slot.reminder, at: now),
      slot.progress.occurrence.map({ $0 < next }) ?? true
    {
      open(next, index)
    } else if slot.progress.state != .armed {
      return
    } else if slot.progress.lastFired == nil {
      expire(index)
    } else {
      change(index) { $0.state = .fired }
      deactivate(index)
    }
  }

  /// Starts an occurrence; a stay counts for it anew.
  mutating func open(_ occurrence: Instant, _ index: Int32) {
    change(index) {
      $0.occurrence = occurrence
      $0.leadsFired = 0
      $0.visitSettled = false
    }
  }
}

extension Instant {
  /// The last instant before this one.
  var previous: Instant { self - TimeSpan(microseconds: 1) }
}
