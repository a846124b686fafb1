/// The conditions, each asked of one moment.
extension ReminderSpec {
  /// The day that a moment belongs to, in days since 1970-01-01. `hours` over midnight belong to
  /// the day on which they begin.
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

  func isFrom(_ moment: Moment, in zone: Zone) -> Bool {
    from.map { $0.moment(in: zone) <= moment } ?? true
  }

  /// `until` itself still counts.
  func isUntil(_ moment: Moment, in zone: Zone) -> Bool {
    until.map { moment <= $0.moment(in: zone) } ?? true
  }

  /// Whether a place may ring: all conditions hold.
  /// - Parameter motion: nil if unknown.
  func holds(_ moment: Moment, _ motion: Motion?, in zone: Zone) -> Bool {
    isFrom(moment, in: zone) && isUntil(moment, in: zone) && isInHours(moment, in: zone)
      && isOnDays(moment, in: zone) && admits(motion)
  }

  private func admits(_ motion: Motion?) -> Bool {
    if maximumSpeed == nil, minimumSpeed == nil, heading == nil { return true }
    guard let motion else { return false }
    if let maximumSpeed, motion.speed > maximumSpeed { return false }
    if let minimumSpeed, motion.speed < minimumSpeed { return false }
    if let heading { return motion.hasCourse && heading.contains(motion.course) }
    return true
  }

  /// Whether a due time is not left out.
  func counts(_ due: Moment, in zone: Zone) -> Bool {
    let isSeries = repeats != nil
    if isLocation, !isSeries { return true }
    if !isOnDays(due, in: zone) { return false }
    if isLocation { return true }
    if isSeries, !isFrom(due, in: zone) { return false }
    if case .leave = kind { return isUntil(due, in: zone) }
    return true
  }

  /// The moments at which the hours open, on any day.
  func openings(in zone: Zone, from start: Moment, to end: Moment) -> [Moment] {
    guard let hours else { return [] }
    var moments = zone.changeMoments
    for day in zone.local(at: start).day - 1...zone.local(at: end).day + 1 {
      moments += zone.moments(of: LocalTime(day: day, second: hours.start))
    }
    return moments.sorted().filter { isInHours($0, in: zone) && !isInHours($0 - 1, in: zone) }
  }
}

extension Motion {
  /// Below this speed the course is noise.
  fileprivate var hasCourse: Bool { speed >= 0.5 }
}
