import CivilTime

/// How the occurrences of an item are named: by the reading of a clock at their start.
///
/// RDATE, EXDATE, RECURRENCE-ID and UNTIL are compared with starts as names. In a whole-day series
/// some programs write the midnights of a zone; the machine's zone has no part in that.
struct CalendarNames: Equatable {
  enum Clock: Equatable {
    /// A start is a whole day.
    case days
    /// The system's clock.
    case floating
    case zone(NamedZone)
  }

  let clock: Clock
  private let zones: CalendarZones

  /// - Parameters:
  ///   - start: DTSTART, or DUE of a task without it.
  ///   - zones: the zones of the calendar.
  init(of start: CalendarTime?, _ zones: CalendarZones) {
    self.zones = zones
    clock =
      switch start {
      case .date: .days
      case .floating, nil: .floating
      case .utc: .zone(.utc)
      case .zoned(_, let zone): .zone(zone)
      }
  }

  static func == (a: CalendarNames, b: CalendarNames) -> Bool { a.clock == b.clock }

  /// The zone of the series; nil for the system's.
  var zone: NamedZone? { if case .zone(let zone) = clock { zone } else { nil } }

  /// The name of the occurrence that starts at a time, or of all occurrences of a day.
  ///
  /// A time in UTC among floating ones stays absolute: the system's zone gives its name.
  func name(of time: CalendarTime) -> CompactTime {
    switch (clock, time) {
    case (.days, .utc(let instant)): .date(zones.day(of: instant))
    case (.days, _): .date(time.local.date)
    case (_, .date(let date)): .date(date)
    case (_, .floating(let local)), (.floating, .zoned(let local, _)): .local(local)
    case (.floating, .utc(let instant)): .absolute(instant)
    case (.zone(let zone), .utc(let instant)): .local(zone.rules.localDateTime(at: instant))
    case (.zone(let zone), .zoned(let local, let other)):
      .local(
        zone == other ? local : zone.rules.localDateTime(at: other.rules.instant(of: local)))
    }
  }
}

/// The name of an occurrence, or of all occurrences of a day.
extension CompactTime {
  /// The reading for the order of names; midnight of a day.
  var reading: LocalDateTime {
    switch self {
    case .local(let local): local
    case .date(let date): LocalDateTime(date: date)
    case .absolute(let instant): TimeZoneRules.utc.localDateTime(at: instant)
    }
  }

  var stamp: TimeStamp {
    if case .absolute(let instant) = self { .absolute(instant) } else { .floating(reading) }
  }
}

extension NamedZone {
  static let utc = NamedZone(name: "UTC", rules: .utc)
}

extension CalendarZones {
  /// The day that a program means by an instant in a whole-day series.
  ///
  /// Exchange writes the midnight of the calendar's zone (`20261215T230000Z` for 16 December in
  /// Berlin), Google the midnight of UTC; others write the last second of the day.
  func day(of instant: Instant) -> CivilDate {
    for second in [0, 1] {
      let midnight = instant + .seconds(Double(second))
      for zone in first + [.utc] {
        let local = zone.rules.localDateTime(at: midnight)
        if local.time == .midnight { return local.date.adding(days: -second) }
      }
    }
    // Zones that the calendar does not name have their midnight at a quarter of an hour, too.
    let utc = TimeZoneRules.utc.localDateTime(at: instant)
    let quarter = Int64(900_000_000)
    if utc.time.microseconds % quarter == 0 {
      return utc.date.adding(days: utc.time.hour > 12 ? 1 : 0)
    }
    guard utc.time.second == 59, (utc.time.microseconds + 1_000_000) % quarter == 0 else {
      return utc.date
    }
    return utc.date.adding(days: utc.time.hour < 12 ? -1 : 0)
  }
}
