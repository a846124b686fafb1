/// The periods that a rule steps through: which of them its interval meets, and whether any can
/// match.
extension RepeatOccurrences {
  /// Units in a day, for frequencies below a day.
  static func unitsInDay(_ frequency: RepeatRule.Frequency) -> Int {
    switch frequency {
    case .hourly: 24
    case .minutely: 1440
    case .secondly: 86_400
    default: 1
    }
  }

  static func period(of local: LocalDateTime, rule: RepeatRule) -> Int {
    switch rule.frequency {
    case .yearly: return local.date.year
    case .monthly: return local.date.year * 12 + local.date.month - 1
    case .weekly:
      let day = local.date.dayNumber
      return day - (local.date.weekday.rawValue - rule.weekStart.rawValue).flooredRemainder(7)
    default:
      let units = unitsInDay(rule.frequency)
      let length = TimeOfDay.dayLength / Int64(units)
      return local.date.dayNumber * units + Int(local.time.microseconds / length)
    }
  }

  /// From one interval to the next in units of `period`.
  var stride: Int { rule.frequency == .weekly ? 7 * rule.interval : rule.interval }

  /// The first period of the rule not before `target`.
  func aligned(_ target: Int) -> Int {
    target + (period - target).flooredRemainder(stride)
  }

  /// Whether the interval can ever meet the rule's hours, minutes and seconds: a time of day t
  /// occurs only if it differs from the start by a multiple of gcd(interval, day).
  static func canEverAlign(_ rule: RepeatRule, start: Int) -> Bool {
    guard rule.frequency <= .daily, rule.interval > 1 else { return true }
    let units = unitsInDay(rule.frequency)
    if rule.interval % (7 * units) == 0, !rule.days.isEmpty {
      // Steps of whole weeks stay on one weekday.
      let weekday = Weekday(dayNumber: start.flooredQuotient(units))
      if !rule.days.contains(where: { $0.weekday == weekday }) { return false }
    }
    guard rule.frequency < .daily else { return true }
    var divisor = units
    var rest = rule.interval
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    let residue = start.flooredRemainder(divisor)
    let hours = rule.hours.isEmpty ? Array(0...23) : rule.hours
    let minutes = rule.minutes.isEmpty ? Array(0...59) : rule.minutes
    let seconds = rule.seconds.isEmpty ? Array(0...59) : rule.seconds
    for hour in hours {
      if units == 24 {
        if hour % divisor == residue { return true }
        continue
      }
      for minute in minutes {
        let time = hour * 60 + minute
        if units == 1440 {
          if time % divisor == residue { return true }
          continue
        }
        if seconds.contains(where: { (time * 60 + $0) % divisor == residue }) { return true }
      }
    }
    return false
  }

  /// Whether BYSETPOS may find a place in an interval, by the most occurrences that one can have.
  static func canEverChoose(_ rule: RepeatRule) -> Bool {
    guard !rule.positions.isEmpty else { return true }
    let lists: [(values: [Int], least: RepeatRule.Frequency)] = [
      (rule.seconds, .minutely), (rule.minutes, .hourly), (rule.hours, .daily),
    ]
    let size = lists.reduce(daysOfPeriod(rule)) { size, list in
      rule.frequency >= list.least ? size * Swift.max(1, list.values.count) : size
    }
    return leastSize(rule) <= size
  }

  /// How many occurrences an interval must have for BYSETPOS to choose one of them.
  static func leastSize(_ rule: RepeatRule) -> Int {
    rule.positions.lazy.map { Swift.abs($0) }.min() ?? 1
  }

  /// The most days that an interval can have.
  private static func daysOfPeriod(_ rule: RepeatRule) -> Int {
    let isOpen =
      rule.days.isEmpty && rule.monthDays.isEmpty && rule.yearDays.isEmpty
      && rule.weekNumbers.isEmpty
    switch rule.frequency {
    // A rule without a day part takes the day of the start.
    case .yearly: return isOpen ? Swift.max(1, rule.months.count) : 366
    case .monthly where isOpen, .weekly where isOpen: return 1
    case .monthly: return 31
    case .weekly:
      let weekdays = rule.days.reduce(into: UInt8(0)) { $0 |= 1 << UInt8($1.weekday.rawValue) }
      return weekdays == 0 ? 7 : weekdays.nonzeroBitCount
    default: return 1
    }
  }
}
