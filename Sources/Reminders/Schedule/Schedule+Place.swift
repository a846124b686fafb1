import CivilTime

/// The due times of a place: each holds from its longest lead to the end of its day or to the next
/// one, and counts anew for a stay.
extension Schedule {
  func opening(of occurrence: Occurrence) -> Instant {
    reminder.due == nil ? occurrence.due : moment(of: 0, before: occurrence.due)
  }

  /// The end of one of several; a single due time has none.
  mutating func end(of occurrence: Occurrence) -> Instant? {
    guard reminder.repeats else { return nil }
    let next = next(after: occurrence.name).map { opening(of: $0) }
    return sooner(window.end(ofDayAt: occurrence.due), next)
  }

  /// The due time that holds, used or not.
  mutating func inForce(at now: Instant) -> Occurrence? {
    guard reminder.repeats else {
      return next(after: nil).flatMap { opening(of: $0) <= now ? $0 : nil }
    }
    guard let latest = lastOpened(at: now), let end = end(of: latest), now < end else { return nil }
    return latest
  }

  /// The last due time of several that has opened today.
  private mutating func lastOpened(at now: Instant) -> Occurrence? {
    let before = lastName(dueBy: window.start(of: window.day(of: now)).previous)
    var last = latest(after: before, dueBy: horizon(of: 0, at: now))
    for _ in 0..<Self.maximumSteps {
      guard let next = next(after: last?.name ?? before), opening(of: next) <= now else { break }
      last = next
    }
    return last
  }

  /// The due time that it waits for: the unused one in force, else the next.
  mutating func current(_ history: History, at now: Instant) -> Occurrence? {
    guard reminder.repeats else { return next(after: history.usedUpTo) }
    let open = inForce(at: now)
    if let open, history.usedUpTo.map({ $0 < open.name }) ?? true { return open }
    let passed = open?.name ?? begun(at: now) ?? .always
    return next(after: max(history.usedUpTo ?? passed, passed))
  }

  /// The name up to which due times have begun: a visit that counts for none of them is settled up
  /// to here. nil where none has.
  mutating func begun(at now: Instant) -> LocalDateTime? {
    guard reminder.repeats else { return inForce(at: now)?.name }
    return lastOpened(at: now)?.name ?? lastName(dueBy: horizon(of: 0, at: now))
  }

  /// The name up to which a visit that is on is settled when it is found; a silence that is on
  /// counts.
  mutating func settledIfFound(at now: Instant) -> LocalDateTime? {
    reminder.ifInside == .fire || reminder.trigger == .silent ? nil : begun(at: now)
  }

  /// From when on a visit that has not rung yet is long enough; nil where none counts. A silence
  /// counts as a visit. That nobody came counts from the opening on.
  func openStay(
    _ history: History, _ current: Occurrence, _ surroundings: Surroundings
  ) -> Instant? {
    if reminder.trigger == .absent { return opening(of: current) }
    guard case .inside(let visit) = history.stay,
      visit.settledUpTo.map({ $0 < current.name }) ?? true
    else { return nil }
    switch reminder.trigger {
    case .arrive: return visit.since
    case .dwell: return visit.since + reminder.hold
    case .silent: return silenceEnd(visit, surroundings)
    case .depart, .absent: return nil
    }
  }

  /// How much later than the history says the tracker may have been heard: a position a second is
  /// not stored.
  static func unstoredSpan(of hold: TimeSpan) -> TimeSpan {
    TimeSpan(microseconds: hold.microseconds / 8)
  }

  /// When a silence has lasted for the span. After a start nobody knows when the last run heard the
  /// tracker last, but that it was not later than the next time to store it.
  private func silenceEnd(_ visit: Stay.Visit, _ surroundings: Surroundings) -> Instant {
    if let heard = surroundings.heard { return max(heard, visit.since) + reminder.hold }
    let isOfEarlierRun = surroundings.runSince.map { visit.since < $0 } ?? true
    return visit.since + reminder.hold
      + (isOfEarlierRun ? Self.unstoredSpan(of: reminder.hold) : .zero)
  }

  /// Whether the device is at the place of `absent`, or was since midnight of the day on which it
  /// is due. Before that day it has no say.
  func wasThere(_ history: History, for occurrence: Occurrence, at now: Instant) -> Bool {
    let midnight = window.start(of: window.day(of: occurrence.due))
    if history.stay.isInside { return now >= midnight }
    return history.there.map { $0 >= midnight } ?? false
  }

  /// When a departure has been held for long enough; nil where none is.
  func departureEnd(_ history: History) -> Instant? {
    guard reminder.kind == .location, reminder.trigger == .depart,
      case .outside(let since?) = history.stay
    else { return nil }
    return since + reminder.hold
  }

  /// The first condition of a place that fails at a moment, or `.holds`.
  func condition(_ current: Occurrence?, _ surroundings: Surroundings, at now: Instant) -> Condition
  {
    let situation = situation(current, surroundings, at: now)
    for condition in ReminderField.allConditions {
      let answer = condition.check(reminder, situation)
      if answer != .holds { return answer }
    }
    return .holds
  }

  func situation(
    _ current: Occurrence?, _ surroundings: Surroundings, at now: Instant
  ) -> Situation {
    Situation(
      now: now, zone: zone, isClockTrusted: surroundings.isClockTrusted,
      speed: surroundings.speed, course: surroundings.course, bearing: surroundings.bearing,
      start: current.map { opening(of: $0) }, window: window)
  }
}
