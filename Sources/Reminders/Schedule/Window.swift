import CivilTime

/// The times at which a reminder may fire: its `from`, `until`, `hours` and `days` in a zone.
///
/// Hours over midnight belong to the day on which they begin. With them, a day of the reminder runs
/// from the end of the hours to the next end.
struct Window {
  let from: Instant?
  let until: Instant?
  let hours: HourRange?
  let days: WeekdaySet?
  let zone: TimeZoneRules

  init(_ reminder: Reminder, in zone: TimeZoneRules) {
    from = reminder.from?.instant(in: zone)
    until = reminder.until?.instant(in: zone)
    // A time to leave cannot wait for hours.
    hours = reminder.honouredHours
    days = reminder.days
    self.zone = zone
  }

  // MARK: - Days

  private var dayStart: TimeOfDay { hours?.dayStart ?? .midnight }

  /// The day to which an instant belongs.
  func day(of instant: Instant) -> CivilDate {
    let local = zone.localDateTime(at: instant)
    return local.time < dayStart ? local.date.adding(days: -1) : local.date
  }

  /// The first instant of a day: where the clocks skip its reading, their change.
  func start(of day: CivilDate) -> Instant {
    let reading = LocalDateTime(date: day, time: dayStart)
    let instant = zone.instant(of: reading)
    let skipped = zone.localDateTime(at: instant).microseconds - reading.microseconds
    guard skipped > 0 else { return instant }
    return zone.nextTransition(after: instant - TimeSpan(microseconds: skipped)) ?? instant
  }

  func end(ofDayAt instant: Instant) -> Instant { start(of: day(of: instant).adding(days: 1)) }

  /// Whether `days` has the day of an instant.
  func admitsDay(of instant: Instant) -> Bool {
    days.map { $0.contains(day(of: instant).weekday) } ?? true
  }

  /// The first instant from `instant` on that lies on a day in `days`.
  func nextDay(after instant: Instant) -> Instant {
    var moment = instant
    for _ in 0..<Self.maximumSteps {
      if admitsDay(of: moment) { return moment }
      let date = day(of: moment)
      let step = (1...7).first { days?.contains(date.adding(days: $0).weekday) ?? true } ?? 7
      moment = reach(LocalDateTime(date: date.adding(days: step), time: dayStart), from: moment)
    }
    return moment
  }

  // MARK: - Hours

  /// Whether `hours` has the time of day of an instant.
  func isOpen(at instant: Instant) -> Bool {
    hours.map { $0.contains(zone.localDateTime(at: instant).time) } ?? true
  }

  /// The first instant from `instant` on that lies in the hours.
  func nextHours(after instant: Instant) -> Instant {
    guard let hours else { return instant }
    var moment = instant
    for _ in 0..<Self.maximumSteps {
      let local = zone.localDateTime(at: moment)
      if hours.contains(local.time) { return moment }
      moment = reach(hours.nextOpening(from: local), from: moment)
    }
    return moment
  }

  /// The first instant from `start` on that lies in the hours of an admitted day, and not before
  /// `from`; nil if none is found within a month.
  func opening(from start: Instant) -> Instant? {
    var moment = from.map { max($0, start) } ?? start
    for _ in 0..<Self.maximumSteps {
      if !admitsDay(of: moment) {
        moment = nextDay(after: moment)
      } else if !isOpen(at: moment) {
        moment = nextHours(after: moment)
      } else {
        return moment
      }
    }
    return nil
  }

  /// When a firing that comes due at `moment` may ring: then, or when it has to wait for `from` or
  /// the hours, at the opening. nil where `until` comes first.
  func release(of moment: Instant) -> Instant? {
    let moment = from.map { max($0, moment) } ?? moment
    guard let release = isOpen(at: moment) ? moment : opening(from: moment) else { return nil }
    return until.map { $0 < release } == true ? nil : release
  }

  /// When the clock shows a later reading, or before that its next change: the hour after it may
  /// be skipped, or come a second time.
  private func reach(_ local: LocalDateTime, from instant: Instant) -> Instant {
    let span = local.microseconds - zone.localDateTime(at: instant).microseconds
    let moment = instant + TimeSpan(microseconds: span)
    return zone.nextTransition(after: instant).map { min($0, moment) } ?? moment
  }

  /// Limit of a search: a month of days and hours.
  private static let maximumSteps = 64
}

extension Reminder {
  /// Whether speed or course decide when it may fire.
  var asksMotion: Bool { ReminderField.motionFields.contains { $0.isSet(self) } }

  /// Whether anything limits the times at which it may fire.
  var hasWindow: Bool { from != nil || until != nil || hours != nil || days != nil }
}
