/// How a due time repeats: a part of RFC 5545, by readings of the clock on the wall.
package struct RepeatingTimes: Equatable, Sendable {
  package enum Unit: String, Sendable {
    case hourly = "HOURLY"
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
  }

  package var unit: Unit
  package var interval = 1
  /// For daily and weekly: only these days; 0 is Monday. Empty is every day, or the first one's.
  package var weekdays: Set<Int> = []
  package var count: Int?

  package init(_ unit: Unit, interval: Int = 1, weekdays: Set<Int> = [], count: Int? = nil) {
    self.unit = unit
    self.interval = interval
    self.weekdays = weekdays
    self.count = count
  }

  package var rule: String {
    let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    var text = "FREQ=\(unit.rawValue)"
    if interval > 1 { text += ";INTERVAL=\(interval)" }
    if !weekdays.isEmpty {
      text += ";BYDAY=" + weekdays.sorted().map { names[$0] }.joined(separator: ",")
    }
    if let count { text += ";COUNT=\(count)" }
    return text
  }

  /// The readings from the first one to `end`, rising.
  func readings(from start: LocalTime, to end: LocalTime) -> [LocalTime] {
    var found: [LocalTime] = []
    for period in 0... {
      guard let first = self.start(of: period, from: start), first <= end else { break }
      for reading in readings(of: period, from: start) where reading >= start {
        guard found.count < count ?? .max else { return found }
        if reading <= end { found.append(reading) }
      }
    }
    return found
  }

  /// A reading not later than any of a period.
  private func start(of period: Int, from start: LocalTime) -> LocalTime? {
    switch unit {
    case .hourly: LocalTime(seconds: start.seconds + period * interval * 3600)
    case .daily: LocalTime(seconds: start.seconds + period * interval * 86_400)
    case .weekly: LocalTime(seconds: start.seconds + (period * interval - 1) * 7 * 86_400)
    case .monthly: LocalTime(seconds: start.seconds + period * interval * 28 * 86_400)
    }
  }

  private func readings(of period: Int, from start: LocalTime) -> [LocalTime] {
    let second = start.secondOfDay
    switch unit {
    case .hourly:
      return [LocalTime(seconds: start.seconds + period * interval * 3600)]
    case .daily:
      let day = start.day + period * interval
      let isWanted = weekdays.isEmpty || weekdays.contains(LocalTime.weekday(ofDay: day))
      return isWanted ? [LocalTime(day: day, second: second)] : []
    case .weekly:
      // A week begins on Monday.
      let weekday = LocalTime.weekday(ofDay: start.day)
      let monday = start.day - weekday + period * interval * 7
      let days = weekdays.isEmpty ? [weekday] : weekdays
      return days.sorted().map { LocalTime(day: monday + $0, second: second) }
    case .monthly:
      let first = civil(ofDay: start.day)
      let month = first.month - 1 + period * interval
      // A date that does not exist is left out.
      let found = day(year: first.year + month / 12, month: month % 12 + 1, day: first.day)
      return found.map { [LocalTime(day: $0, second: second)] } ?? []
    }
  }
}
