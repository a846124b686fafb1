/// The days of a repeat: weekdays, days of a month, dates of a year.
extension RepeatPhrase {
  func on(_ named: WeekdaySet, ordinal: Int?, of rule: RepeatRule) -> RepeatRule {
    var rule = rule
    rule.days = Weekday.allCases.filter(named.contains).map { .init($0, ordinal: ordinal) }
    return rule
  }

  /// `monday`, `mondays and thursdays`, `mon, wed and fri`, `weekdays`.
  mutating func weekdays() -> WeekdaySet? {
    if let named = WeekdaySet.named[first] {
      words.removeFirst()
      return named
    }
    if consume("working", "business") {
      guard consume("day", "days") else { return nil }
      return .workdays
    }
    if first.contains("-") || first.contains(".."), let range = try? WeekdaySet(parsing: first) {
      words.removeFirst()
      return range
    }
    var all: WeekdaySet = []
    while !words.isEmpty {
      let start = words
      if !all.isEmpty { _ = consume("and") }
      let isPlural = first.hasSuffix("days")
      guard let day = TimeWords.weekday(isPlural ? String(first.dropLast()) : first) else {
        words = start
        break
      }
      words.removeFirst()
      if all.isEmpty, first == "to", let last = words.dropFirst().first?.lower,
        let range = try? WeekdaySet(parsing: "\(day.name)-\(last)")
      {
        words.removeFirst(2)
        return range
      }
      all.insert(WeekdaySet(day))
    }
    return all.isEmpty ? nil : all
  }

  /// `first` … `fourth`, `last`, `2nd`, where a weekday or `day` stands behind it.
  mutating func ordinal() -> Int? {
    let named = ["first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1]
    let counted = TimeWords.ordinal(first).flatMap { $0 <= 5 ? $0 : nil }
    guard let value = named[first] ?? counted else { return nil }
    let rest = words.dropFirst()
    guard let next = rest.first?.lower,
      next == "day" && value == -1 || TimeWords.weekday(next) != nil
    else { return nil }
    words = rest
    return value
  }

  /// `15th` or `15`.
  mutating func dayNumber() -> Int? {
    guard let day = TimeWords.ordinal(first) ?? Int(first), (1...31).contains(day) else {
      return nil
    }
    words.removeFirst()
    return day
  }

  /// `27 jan`, `january 27th`: yearly; `15th` alone: monthly.
  mutating func monthDay() throws(RepeatRuleError) -> RepeatRule? {
    var month = TimeWords.month(first)
    if month != nil { words.removeFirst() }
    let isOrdinal = TimeWords.ordinal(first) != nil
    guard let day = dayNumber() else { return nil }
    if month == nil {
      let start = words
      _ = consume("of")
      month = TimeWords.month(first)
      if month != nil { words.removeFirst() } else { words = start }
    }
    guard let month else {
      guard isOrdinal else { return nil }
      _ = try ofMonth()
      return dated(.monthly, month: nil, day: day)
    }
    guard CivilDate(year: 2024, month: month, day: day) != nil else {
      throw fault("\(TimeWords.monthName(month)) has no day \(day)")
    }
    return dated(.yearly, month: month, day: day)
  }

  func dated(_ frequency: RepeatRule.Frequency, month: Int?, day: Int) -> RepeatRule {
    var rule = RepeatRule(frequency)
    rule.months = month.map { [$0] } ?? []
    rule.monthDays = [day]
    return rule
  }

  /// `15th of every month`, `last day of the month`.
  mutating func dayOfMonth() -> RepeatRule? {
    guard let day = TimeWords.ordinals[first] ?? TimeWords.ordinal(first) else { return nil }
    words.removeFirst()
    if consume("day"), day != -1, day != 1 { return nil }
    guard consume("of") else { return nil }
    _ = consume("the", "each", "every")
    guard consume("month") else { return nil }
    return dated(.monthly, month: nil, day: day)
  }
}
