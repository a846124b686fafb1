/// Times that have passed, where a phrase looks back.
extension TypedPhrase {
  /// The last of the days that has come; a day that is named wholly is that day.
  func last(
    of named: TypedDay, _ reading: (CivilDate) -> LocalDateTime
  ) throws(TimeStampError) -> LocalDateTime {
    let days = named.candidates(from: local.date.adding(days: -named.period), on: weekday)
    let past = { [zone, now] in zone.instant(of: reading($0)) <= now }
    guard let date = named.hasOneDay ? days.first : days.last(where: past) else {
      throw fault("there is no such day in the past years")
    }
    try check(date)
    return reading(date)
  }

  /// `last friday`, `last week`, `last night`, all of them before today; with the number of its
  /// words, but for the part of the day.
  func lastDay() -> (TypedDay, words: Int)? {
    guard word() == "last" else { return nil }
    let today = local.date
    if let named = TimeWords.weekday(word(1)) {
      guard !["of", "in", "next", "this"].contains(word(2)) else { return nil }
      let ago = (today.weekday.rawValue - named.rawValue - 1).flooredRemainder(7) + 1
      return (.fixed(today.adding(days: -ago)), 2)
    }
    if TimeWords.parts[word(1)] != nil { return (.fixed(today.adding(days: -1)), 1) }
    if word(1) == "week" { return (.fixed(today.adding(days: -7)), 2) }
    return ["month": 1, "year": 12][word(1)]
      .flatMap { CalendarSpan(months: -$0).after(today) }
      .map { (.fixed($0), 2) }
  }
}

extension TypedDay {
  /// Days within which one such day has come, at the latest.
  fileprivate var period: Int {
    switch self {
    case .fixed: 0
    case .next: 1
    case .weekday, .weekend, .endOfWeek: 7
    case .dayOfMonth, .lastOf, .nth, .endOfYear: 366
    // 8 years without a leap day lie around 1900.
    case .monthDay: 8 * 366
    }
  }
}
