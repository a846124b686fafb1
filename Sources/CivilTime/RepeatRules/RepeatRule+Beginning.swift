extension TypedTime {
  /// The time; where it names no day, the rule's first time then, or the first on one of the days:
  /// `8:00` typed on a Saturday, with `weekdays`, is on Monday.
  /// - Parameter days: without a rule, the days that count.
  package func beginning(
    of rule: RepeatRule?, on days: WeekdaySet? = nil, after now: Instant, zone: TimeZoneRules
  ) -> TimeStamp {
    guard !namesDay else { return stamp }
    // The zone that the time names decides the days.
    let zone = namedZone ?? zone
    let local: LocalDateTime
    switch stamp {
    case .floating(let reading): local = reading
    case .absolute(let instant):
      guard namedZone != nil else { return stamp }
      local = zone.localDateTime(at: instant)
    }
    func found(_ local: LocalDateTime) -> TimeStamp {
      namedZone == nil ? .floating(local) : .absolute(zone.instant(of: local))
    }
    if let rule {
      guard rule.namesItsDays, rule.timeOfDay == nil || rule.timeOfDay == local.time,
        let first = rule.first(after: now, at: local.time, zone: zone)
      else { return stamp }
      return found(first)
    }
    let date = days.flatMap { days in
      (0..<7).lazy.map { local.date.adding(days: $0) }.first { days.contains($0.weekday) }
    }
    return date.map { found(LocalDateTime(date: $0, time: local.time)) } ?? stamp
  }
}

/// The beginning of a series without a given start.
extension RepeatRule {
  /// The time of day that the rule names, the earliest of several; nil without an hour.
  package var timeOfDay: TimeOfDay? {
    hours.min().flatMap {
      TimeOfDay(hour: $0, minute: minutes.min() ?? 0, second: seconds.min() ?? 0)
    }
  }

  /// Whether its days follow from the rule alone, but for the phase of an interval: `every monday`,
  /// not `every 2 weeks`.
  package var namesItsDays: Bool {
    switch frequency {
    case .secondly, .minutely, .hourly: false
    case .daily: true
    case .weekly: !days.isEmpty
    case .monthly: !days.isEmpty || !monthDays.isEmpty
    case .yearly: !days.isEmpty || !monthDays.isEmpty || !yearDays.isEmpty
    }
  }

  /// The first time after `moment`, where a series may begin.
  /// - Parameter time: the time of day where the rule names none.
  /// - Returns: nil where no time is left.
  package func first(
    after moment: Instant, at time: TimeOfDay, zone: TimeZoneRules
  ) -> LocalDateTime? {
    var rule = self
    // The series begins with the time that is found, which is the first to count.
    rule.count = nil
    rule.interval = 1
    let today = zone.localDateTime(at: moment).date
    var occurrences = rule.occurrences(from: LocalDateTime(date: today, time: time), zone: zone)
    occurrences.skip(through: zone.earliestReading(after: moment))
    while let local = occurrences.next() {
      if zone.instant(of: local) > moment { return local }
    }
    return nil
  }
}
