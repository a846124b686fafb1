import CivilTime

/// Reminders that wait for a silence: a silence is a visit that begins anew whenever anything
/// comes.
extension Engine {
  mutating func watchSilence(_ index: Int32, at now: Instant) {
    slots.set(.fence, true, index)
    silences.insert(index)
    guard slots.stay(index) == .unknown else { return }
    let since = reception.heard ?? now
    change(index) { $0.stay = .inside(Stay.Visit(since: since)) }
  }

  /// Something came. The timers stay: when they run out the plan knows better. A silence that has
  /// rung is over; the beginning of another one is stored now and then.
  /// - Complexity: O(reminders that wait for a silence).
  mutating func hear(at now: Instant) {
    // Until then nobody knows how long the last run still heard something.
    let isFirst = reception.heard == nil
    reception.heard = now
    guard !silences.isEmpty else { return }
    for index in silences.sorted() {
      guard let slot = slots.slot(index), case .inside(let visit) = slot.history.stay else {
        continue
      }
      let isOld = now - visit.since >= Schedule.unstoredSpan(of: slot.reminder.hold)
      let ends = visit.settledUpTo != nil || slot.history.silence == .nextVisit
      guard isOld || ends else {
        if isFirst { replan(index, at: now) }
        continue
      }
      change(index) { $0.stay = .inside(Stay.Visit(since: now)) }
      apply(to: index) { $0.visited(&$1) }
      replan(index, at: now)
    }
  }

  /// Notes that the device was at the place of a reminder that fires if it was not.
  mutating func notePresence(_ index: Int32, since: Instant) {
    guard let slot = slots.slot(index), slot.reminder.trigger == .absent else { return }
    change(index) { $0.there = max($0.there ?? since, since) }
  }

  /// Erases the position and the trips. Stays are unknown from now on.
  mutating func forgetPosition(at now: Instant) {
    let heard = (reception.heard, reception.runSince, reception.silentSince)
    reception = Reception()
    (reception.heard, reception.runSince, reception.silentSince) = heard
    learning = TripLearning()
    excursion = nil
    rebuildMonitor()
    usePredictor()
    for index in slots.indices where slots.marks(index).contains(.fence) {
      if silences.contains(index) { continue }
      // Nobody will know when it is left.
      if slots.slot(index)?.history.silence == .untilLeave {
        change(index) { $0.silence = .until(now) }
      }
      removeFence(index)
      replan(index, at: now)
    }
  }
}

extension Firing.Event {
  /// The event of a stay that is long enough.
  init(stay trigger: Reminder.Trigger) {
    self =
      switch trigger {
      case .dwell: .dwell
      case .absent: .absent
      case .silent: .silent
      case .arrive, .depart: .arrive
      }
  }
}
