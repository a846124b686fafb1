extension RepeatRule {
  /// The rule in English, `every 2 weeks on Monday`, which `init(typed:)` reads back as the same
  /// rule; nil where English has no short form for it.
  package var words: String? {
    guard hours.isEmpty, minutes.isEmpty else {
      // Only a rule of days has times of day.
      guard frequency >= .daily, !hours.isEmpty, minutes.count == 1 else { return nil }
      let clocks = hours.compactMap { TimeOfDay(hour: $0, minute: minutes[0]) }
        .map { String($0.text(decimals: .exact).prefix(5)) }
      guard clocks.count == hours.count, let list = Self.list(clocks) else { return nil }
      return dayWords.map { "\($0) at \(list)" }
    }
    return dayWords
  }

  /// `a, b and c`; nil for nothing.
  private static func list(_ names: [String]) -> String? {
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) and \(last)"
  }

  private var dayWords: String? {
    guard count == nil, until == nil, seconds.isEmpty,
      yearDays.isEmpty, weekNumbers.isEmpty, positions.isEmpty, weekStart == .monday
    else { return nil }
    let every =
      if interval == 1 {
        "every \(frequency.unit)"
      } else if frequency == .minutely, interval > 60, interval < 1440, interval % 60 != 0 {
        "every \(TimeSpan.minutes(Double(interval)))"
      } else {
        "every \(interval) \(frequency.unit)s"
      }
    switch (days.isEmpty, monthDays.isEmpty, months.isEmpty) {
    case (true, true, true): return frequency == .secondly ? nil : every
    case (false, true, true): return weekdayPhrase(every)
    case (true, false, true):
      guard frequency == .monthly, let day = monthDays.first, monthDays.count == 1 else {
        return nil
      }
      if day == -1 { return "\(every) on the last day" }
      return day > 0 ? "\(every) on the \(day)\(TimeWords.ending(ofDay: day))" : nil
    case (true, false, false):
      guard frequency == .yearly, monthDays.count == 1, months.count == 1,
        let day = monthDays.first, let month = months.first,
        CivilDate(year: 2024, month: month, day: day) != nil
      else { return nil }
      return "\(every) on \(day) \(TimeWords.monthName(month).prefix(3).capitalizedWord)"
    default: return nil
    }
  }

  private func weekdayPhrase(_ every: String) -> String? {
    let set = WeekdaySet(days.map { WeekdaySet($0.weekday) })
    let names = Weekday.allCases.filter(set.contains).map(\.name.capitalizedWord)
    // Each day once, in the order of the week: only that is read back as the same rule.
    guard days.map(\.weekday) == Weekday.allCases.filter(set.contains),
      let list = Self.list(names)
    else { return nil }
    let ordinals = Set(days.map(\.ordinal))
    guard ordinals.count == 1, let ordinal = ordinals.first else { return nil }
    guard let ordinal else {
      guard frequency == .weekly else { return nil }
      if interval > 1 { return "\(every) on \(set == .workdays ? "weekdays" : list)" }
      return set == .workdays ? "on weekdays" : "every \(list)"
    }
    let words = [1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"]
    guard frequency == .monthly, names.count == 1, let word = words[ordinal] else { return nil }
    return interval == 1 ? "every \(word) \(list) of the month" : "\(every) on the \(word) \(list)"
  }
}

extension RepeatRule.Frequency {
  fileprivate var unit: String {
    // `daily` is the one word that is more than its unit and two letters.
    self == .daily ? "day" : String("\(self)".dropLast(2))
  }
}
