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
  var canEverAlign: Bool {
    guard rule.frequency <= .daily, rule.interval > 1 else { return true }
    if rule.interval % (7 * units) == 0, !rule.days.isEmpty {
      // Steps of whole weeks stay on one weekday.
      let weekday = Weekday(dayNumber: period.flooredQuotient(units))
      if !rule.days.contains(where: { $0.weekday == weekday }) { return false }
    }
    var divisor = units
    var rest = rule.interval
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    return admittedUnit(from: period.flooredRemainder(divisor), step: divisor) < units
  }

  /// Whether BYSETPOS may find a place in an interval, by the most days that one can have.
  var canEverChoose: Bool {
    switch rule.frequency {
    case .yearly: leastDays <= 366
    case .monthly: leastDays <= 31
    // A rule without days takes the one of the start.
    case .weekly: leastDays <= Swift.max(1, rule.days.count)
    default: leastDays <= 1
    }
  }

  /// The first unit of a day from `unit` on, in steps, that the hours, minutes and seconds admit;
  /// not less than the number of units in a day if there is none.
  /// - Complexity: O(1) for an admitted unit, else a step for each hour, minute or second that is
  ///   not admitted on the way.
  func admittedUnit(from unit: Int, step: Int) -> Int {
    var unit = unit
    while unit < units {
      let admitted = admittedUnit(from: unit)
      if admitted == unit { break }
      unit = admitted + (unit - admitted).flooredRemainder(step)
    }
    return unit
  }

  /// The first unit of a day from `unit` on that the hours, minutes and seconds admit. It may
  /// only open the next hour or minute. The number of units if there is none.
  private func admittedUnit(from unit: Int) -> Int {
    guard units > 1 else { return unit }
    let perHour = units / 24
    let hour = unit / perHour
    guard rule.hours.isEmpty || rule.hours.contains(hour) else {
      return (rule.hours.first { $0 > hour } ?? 24) * perHour
    }
    guard perHour > 1 else { return unit }
    let perMinute = perHour / 60
    let minute = unit % perHour / perMinute
    guard rule.minutes.isEmpty || rule.minutes.contains(minute) else {
      return hour * perHour + (rule.minutes.first { $0 > minute } ?? 60) * perMinute
    }
    guard perMinute > 1 else { return unit }
    let second = unit % 60
    guard rule.seconds.isEmpty || rule.seconds.contains(second) else {
      return unit - second + (rule.seconds.first { $0 > second } ?? 60)
    }
    return unit
  }

  /// Counts the intervals of a day from a unit with a step up to another unit, exclusive.
  /// - Complexity: O(1) for whole days without an interval, else a step for each interval.
  func countIntervals(from unit: Int, to end: Int) -> Int {
    if rule.interval == 1, unit == 0, end == units {
      let sizes = [
        (RepeatRule.Frequency.hourly, rule.hours.count, 24), (.minutely, rule.minutes.count, 60),
        (.secondly, rule.seconds.count, 60),
      ]
      return sizes.reduce(1) { product, size in
        rule.frequency <= size.0 ? product * (size.1 == 0 ? size.2 : size.1) : product
      }
    }
    var count = 0
    var unit = admittedUnit(from: unit, step: rule.interval)
    while unit < end {
      count += 1
      unit = admittedUnit(from: unit + rule.interval, step: rule.interval)
    }
    return count
  }
}
