/// The conditions on the moment of a firing.
extension ReminderSpec {
  /// The day that a moment belongs to, in days since 1970-01-01: the date, but the part of `hours`
  /// after midnight belongs to the day on which the hours began.
  func day(of moment: Moment, in zone: Zone) -> Int {
    let local = zone.local(at: moment)
    guard let hours, hours.isOverMidnight, local.secondOfDay < hours.end else { return local.day }
    return local.day - 1
  }

  func isOnDays(_ moment: Moment, in zone: Zone) -> Bool {
    days?.contains(LocalTime.weekday(ofDay: day(of: moment, in: zone))) ?? true
  }

  func isInHours(_ moment: Moment, in zone: Zone) -> Bool {
    hours?.contains(zone.local(at: moment).secondOfDay) ?? true
  }

  func isAfterFrom(_ moment: Moment, in zone: Zone) -> Bool {
    from.map { $0.moment(in: zone) <= moment } ?? true
  }

  /// `until` itself is not too late.
  func isBeforeEnd(_ moment: Moment, in zone: Zone) -> Bool {
    until.map { moment <= $0.moment(in: zone) } ?? true
  }

  /// Whether a place may fire at this moment.
  /// - Parameter motion: nil if unknown.
  func permits(_ moment: Moment, _ motion: Motion?, in zone: Zone) -> Bool {
    isAfterFrom(moment, in: zone) && isBeforeEnd(moment, in: zone)
      && isInHours(moment, in: zone) && isOnDays(moment, in: zone) && permits(motion)
  }

  private func permits(_ motion: Motion?) -> Bool {
    guard let motion else { return maximumSpeed == nil && minimumSpeed == nil && heading == nil }
    return motion.speed <= maximumSpeed ?? .infinity && motion.speed >= minimumSpeed ?? 0
      && (heading.map { motion.speed >= 0.5 && $0.contains(motion.course) } ?? true)
  }

  /// Whether an occurrence of a date or a time to leave is left out: it is on another day than the
  /// permitted ones or, of several, before `from`.
  func skips(_ due: Moment, in zone: Zone) -> Bool {
    !isOnDays(due, in: zone) || (repeats != nil && !isAfterFrom(due, in: zone))
  }

  /// Whether an occurrence is left out, or is a time to leave after `until`. In another zone that
  /// may come before it.
  func excludes(_ due: Moment, in zone: Zone) -> Bool {
    if case .leave = kind, !isBeforeEnd(due, in: zone) { return true }
    return skips(due, in: zone)
  }
}
