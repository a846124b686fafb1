import CivilTime
import Positioning

/// Preemptive reminders: when it is time to leave.
extension Engine {
  /// When to leave for one more lead, as things stand: due − lead − travel time from the last fix.
  func leaving(_ slot: Slot) -> Departure? {
    let leads = slot.reminder.effectiveLeads
    guard let occurrence = slot.progress.occurrence, let place = slot.reminder.place else {
      return nil
    }
    let lead = leads[min(slot.progress.leadsFired, leads.count - 1)]
    let travel = lastFix.map {
      settings.travel.time(from: $0.position, to: place, by: slot.reminder.transport)
    }
    let target = occurrence - (travel ?? .zero)
    return Departure(
      moment: target - lead, target: target, travel: travel, occurrence: occurrence)
  }

  struct Departure {
    /// The last moment to leave, less the lead that comes next.
    let moment: Instant
    /// The last moment to leave.
    let target: Instant
    /// nil where no position is known.
    let travel: TimeSpan?
    let occurrence: Instant
  }

  mutating func lookAtLeaving(_ index: Int32, at now: Instant, isFirst: Bool) {
    guard let slot = slots.slot(index), let departure = leaving(slot) else { return }
    let leads = slot.reminder.effectiveLeads
    if slot.progress.leadsFired >= leads.count || slot.progress.state == .fired {
      lookAfterLeaving(index, departure, at: now)
      return
    }
    guard slot.progress.state == .armed, departure.moment <= now else { return }
    // Leads that have passed together are told once, as the last of them.
    let passed = passedLeads(of: slot, departure, at: now)
    let moment = departure.target - leads[max(0, passed - 1)]
    let late = now - moment
    if let limit = settings.skipOlderThan, late > limit, departure.occurrence < now {
      advance(index, after: now, spent: .expired)
      return
    }
    let tolerance = isFirst ? settings.lateAfter : settings.leaveLateAfter
    change(index) { $0.progress.leadsFired = max(passed, $0.progress.leadsFired + 1) }
    fire(
      index, leaveFiring(slot, departure, at: now, late: late > tolerance ? late : nil), at: now)
  }

  /// It has said "leave": say so again only if much slack has come back; go on to the next
  /// occurrence when this one is over.
  private mutating func lookAfterLeaving(_ index: Int32, _ departure: Departure, at now: Instant) {
    if departure.occurrence <= now {
      advance(index, after: now, spent: .fired)
    } else if departure.travel != nil, departure.moment - now > settings.leaveAgainSlack {
      let passed = slots.slot(index).map { passedLeads(of: $0, departure, at: now) } ?? 0
      change(index) {
        $0.progress.state = .armed
        $0.progress.leadsFired = passed
      }
      slots.set(.preemptive, true, index)
    }
  }

  /// How many leads, longest first, have their moment behind them.
  private func passedLeads(of slot: Slot, _ departure: Departure, at now: Instant) -> Int {
    slot.reminder.effectiveLeads.prefix { departure.target - $0 <= now }.count
  }

  func nextLookAfterLeaving(_ slot: Slot, now: Instant) -> Instant? {
    guard let occurrence = slot.progress.occurrence, occurrence > now else {
      return nextOccurrence(of: slot, after: now) == nil ? nil : now
    }
    return min(occurrence, now + .minutes(1))
  }

  /// The earliest moment at which it can be time to leave: the slack shrinks by one second a second
  /// as time goes by, and by `growth` more while the device moves away at top speed.
  func nextLookAtLeaving(_ slot: Slot, now: Instant) -> Instant? {
    guard slot.progress.leadsFired < slot.reminder.effectiveLeads.count else {
      return nextLookAfterLeaving(slot, now: now)
    }
    guard let departure = leaving(slot) else { return nil }
    guard departure.travel != nil else { return departure.moment }
    return soonestLook(before: departure.moment, by: slot.reminder.transport, at: now)
  }

  /// A moment at which it cannot have become time to leave yet, if it is at `moment` as things stand.
  func soonestLook(
    before moment: Instant, by transport: Reminder.Transport, at now: Instant
  ) -> Instant {
    let slack = (moment - now).seconds
    guard slack > 0 else { return now }
    let soonest = max(1, slack / (1 + settings.travel.growth(of: transport)))
    return min(moment, now + TimeSpan(seconds: soonest))
  }
}
