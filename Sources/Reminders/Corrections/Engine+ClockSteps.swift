import CivilTime
import Departure
import Geofencing

/// Correction of what a wrong clock has brought about.
///
/// While a clock is ahead, it fires reminders before their time, and moves repeating ones past due
/// times that are still to come. Once it goes back by more than `clockTolerance`, each of them is
/// armed again for its next true due time. The firings that then come a second time are marked.
///
/// If the clock was right and goes wrong backward, the same happens. When it is set back to its
/// time, what had fired counts again: nothing fires twice. Time that passes in suspend or while the
/// machine is off is no such return.
extension Engine {
  /// A smaller step back, such as one of NTP, takes nothing back. A reminder that is due sooner
  /// than this does not fire again.
  static let clockTolerance = TimeSpan.minutes(10)

  /// The times that the clock has shown since it was last set.
  struct ClockRun: Sendable {
    var start: Instant
    var latest: Instant

    init(_ start: Instant) {
      self.start = start
      latest = start
    }
  }

  /// Corrects all reminders after the clock was set to `now`, or became trusted.
  /// - Parameter run: the times before that; nil where nothing is known of them.
  /// - Complexity: O(reminders), and O(log n) for each corrected one.
  mutating func correctReminders(after run: ClockRun?, at now: Instant) {
    guard isClockTrusted else { return }
    for index in slots.indices {
      guard let slot = slots.slot(index), let progress = corrected(slot, after: run, at: now) else {
        continue
      }
      add(slot.reminder, progress, at: now)
      if let index = slots.index(of: slot.reminder.id) { markDirty(index) }
    }
  }

  /// The progress of a reminder without what a wrong clock has brought about; nil if it is right.
  func corrected(_ slot: Slot, after run: ClockRun?, at now: Instant) -> Progress? {
    guard isClockTrusted, run != nil || settings.correctsAtStart else { return nil }
    var progress = slot.progress
    if let early = progress.early, early.upperBound <= now, run != nil || settings.wasClockSet {
      count(asFired: early.upperBound, slot.reminder, &progress)
    }
    let limit = now + Self.clockTolerance
    let fired = progress.lastFired.flatMap { $0 > limit ? $0 : nil }
    let reached = run.flatMap { $0.latest > limit ? $0.latest : nil }
    if let end = [fired, reached].compactMap({ $0 }).max() {
      let start = min(run?.start ?? end, fired ?? end)
      takeBack(limit...end, from: start, fired, slot, &progress, at: now)
    }
    return progress == slot.progress ? nil : progress
  }

  // MARK: - The clock was ahead

  /// Takes back what a clock that was ahead did between `span.lowerBound` and `span.upperBound`.
  /// - Parameters:
  ///   - start: when its wrong time began.
  ///   - fired: when the reminder fired by it; nil if it did not.
  private func takeBack(
    _ span: ClosedRange<Instant>, from start: Instant, _ fired: Instant?, _ slot: Slot,
    _ progress: inout Progress, at now: Instant
  ) {
    // No time that the clock has yet to reach.
    if fired != nil { progress.lastFired = now }
    if let nag = slot.reminder.nag, let next = progress.nagging?.next, next > now + nag {
      progress.nagging?.next = now + nag
    }
    let until = slot.reminder.until.map { resolve($0) }
    switch progress.state {
    case .done: return
    case .snoozed where fired == nil || slot.reminder.due == nil: return
    case .expired:
      guard let until, span.contains(until) else { return }
      progress.state = .armed
    case .armed, .fired, .snoozed: break
    }
    guard let pending = pending(slot, progress, span, fired) else { return }
    progress.state = .armed
    // A cooldown counts from true firings.
    if fired != nil { progress.lastFired = nil }
    progress.occurrence = pending.occurrence
    progress.occurrenceOffset = nil
    progress.leadsFired = pending.leadsFired
    progress.visitSettled = false
    progress.isUnacknowledged = false
    progress.snoozedUntil = nil
    progress.nagging = nil
    if !slot.hasFence {
      progress.presence = .unknown
      progress.presenceSince = nil
      progress.placesInside = []
    }
    guard let fired else { return }
    var first = span.lowerBound
    if slot.reminder.repeats, slot.reminder.kind != .preemptive,
      let missed = latestOccurrence(of: slot.reminder, after: first, upTo: start)
    {
      // Of those before the wrong time began, only the last fired, as missed.
      first = max(first, missed - (slot.reminder.leads.first?.length ?? .zero))
    }
    progress.early = first...max(first, fired)
  }

  /// The first due time with a lead after the beginning of `span` that the reminder has passed
  /// within it; nil if there is none.
  private func pending(
    _ slot: Slot, _ progress: Progress, _ span: ClosedRange<Instant>, _ fired: Instant?
  ) -> (occurrence: Instant, leadsFired: Int)? {
    let reminder = slot.reminder
    let leads = deciding(reminder)
    guard let current = progress.occurrence, let last = leads.last else { return nil }
    let now = span.lowerBound - Self.clockTolerance
    var occurrence = current
    if reminder.repeats {
      guard let next = nextOccurrence(of: reminder, after: span.lowerBound + last) else {
        return nil
      }
      occurrence = next
      if reminder.kind == .location, fired == nil,
        let open = occurrenceInForce(of: reminder, at: now), open - last <= now,
        progress.lastFired.map({ $0 < open - last }) ?? true
      {
        return open < current ? (open, 0) : nil
      }
    }
    let target = occurrence - travel(slot, at: now)
    let passed = leads.prefix { target - $0 <= span.lowerBound }.count
    let hasPassed =
      occurrence < current || passed < progress.leadsFired || progress.state == .fired
    guard occurrence <= current, passed < leads.count, target - leads[passed] <= span.upperBound,
      hasPassed
    else { return nil }
    return (occurrence, passed)
  }

  /// The leads that decide: at a place the first one opens a due time.
  private func deciding(_ reminder: Reminder) -> [TimeSpan] {
    reminder.kind == .location ? [reminder.leads.first?.length ?? .zero] : reminder.effectiveLeads
  }

  /// The travel time that a time to leave counts before a due time.
  private func travel(_ slot: Slot, at now: Instant) -> TimeSpan {
    guard slot.reminder.kind == .preemptive, let place = slot.reminder.place else { return .zero }
    return departures.way(
      slot.index, to: place.position, radius: place.radius, fixed: slot.reminder.travel,
      by: slot.reminder.transport, at: now)?.time ?? .zero
  }

  // MARK: - The clock was behind

  /// Counts each due time up to `time` as fired: it fired before the clock went wrong backward.
  private func count(asFired time: Instant, _ reminder: Reminder, _ progress: inout Progress) {
    progress.early = nil
    guard progress.state == .armed, let current = progress.occurrence else { return }
    let leads = deciding(reminder)
    let next =
      reminder.repeats ? nextOccurrence(of: reminder, after: time + (leads.last ?? .zero)) : current
    let occurrence = next ?? current
    let passed = next == nil ? leads.count : leads.prefix { occurrence - $0 <= time }.count
    guard occurrence > current || (occurrence == current && passed > progress.leadsFired) else {
      return
    }
    progress.occurrence = occurrence
    progress.occurrenceOffset = nil
    progress.leadsFired = reminder.kind == .location ? 0 : passed
    if passed == leads.count { progress.state = .fired }
    progress.lastFired = max(progress.lastFired ?? time, time)
  }

  // MARK: - Firings

  /// Marks a firing that a wrong clock has brought about before.
  /// - Parameter leadsFired: leads of this due time fired, this one included.
  /// - Returns: whether later firings may be such, too.
  func mark(_ firing: inout Firing, _ slot: Slot, leadsFired: Int) -> Bool {
    guard let early = slot.progress.early, let due = slot.progress.occurrence else { return false }
    let leads = deciding(slot.reminder)
    let lead = leads[max(0, min(leadsFired, leads.count) - 1)]
    let moment = due - lead - (firing.travel ?? .zero)
    if early.contains(moment) {
      firing.repeated = .clock
      // It may come at the very microsecond of the false one.
      firing.id = Firing.identifier(
        reminder: firing.reminderID, event: firing.event, time: firing.time, due: firing.due,
        repeated: .clock)
      firing.why += "; a wrong clock has fired it before"
    }
    return moment < early.upperBound
  }
}
