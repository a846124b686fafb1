/// Counts the intervals of a rule in a day that it admits: hours, minutes, seconds, or the day
/// itself, in steps of the rule's interval. Counts are cached: years of days cost a look-up each.
struct RepeatDayCounts {
  /// Maximum number of days counted: more than 4000 years.
  static let maximumDays = 1_500_000

  private let frequency: RepeatRule.Frequency
  private let interval: Int
  private let units: Int
  /// A bit for each hour, minute and second that the rule admits.
  private let hours: UInt64
  private let minutes: UInt64
  private let seconds: UInt64
  /// Counts by the first unit of the day on which a step falls.
  private var known: [Int: Int] = [:]

  init(_ rule: RepeatRule) {
    frequency = rule.frequency
    interval = rule.interval
    units = RepeatOccurrences.unitsInDay(rule.frequency)
    func mask(_ values: [Int], of count: UInt64) -> UInt64 {
      values.isEmpty ? 1 << count - 1 : values.reduce(0) { $0 | 1 << UInt64($1) }
    }
    hours = mask(rule.hours, of: 24)
    minutes = mask(rule.minutes, of: 60)
    seconds = mask(rule.seconds, of: 60)
  }

  /// Counts from a unit with a step to the end of the day.
  /// - Complexity: O(1) for a unit met before, else a step for each; over all of them no more than
  ///   there are units in a day.
  mutating func count(from unit: Int) -> Int {
    if let count = known[unit] { return count }
    let count = count(from: unit, to: units)
    known[unit] = count
    return count
  }

  /// Counts from a unit with a step up to another unit, exclusive.
  func count(from unit: Int, to end: Int) -> Int {
    if interval == 1, unit == 0, end == units { return wholeDay }
    return stride(from: unit, to: end, by: interval).count { admits($0) }
  }

  private var wholeDay: Int {
    switch frequency {
    case .hourly: hours.nonzeroBitCount
    case .minutely: hours.nonzeroBitCount * minutes.nonzeroBitCount
    case .secondly:
      hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
    default: 1
    }
  }

  private func admits(_ unit: Int) -> Bool {
    func has(_ mask: UInt64, _ value: Int) -> Bool { mask & 1 << UInt64(value) != 0 }
    return switch frequency {
    case .hourly: has(hours, unit)
    case .minutely: has(hours, unit / 60) && has(minutes, unit % 60)
    case .secondly:
      has(hours, unit / 3600) && has(minutes, unit / 60 % 60) && has(seconds, unit % 60)
    default: true
    }
  }
}
