/// Days that are named by their week, month or year.
extension TypedPhrase {
  /// `eom`, `end of the month`, `start of next week`, `last day of january`, `first monday of
  /// december`; nil where none of these stands here.
  mutating func readPeriod() throws(TimeStampError) -> TypedDay? {
    let start = index
    for (name, first, last) in Self.periods {
      if consume("so\(name.prefix(1))") { return first }
      if consume("eo\(name.prefix(1))") { return last }
    }
    if let day = try readWeekdayOfMonth() { return day }
    let isEnd = consume("end", "of") || consume("last", "day", "of")
    guard
      isEnd || consume("start", "of") || consume("beginning", "of")
        || consume("first", "day", "of")
    else { return nil }
    if let day = try edge(isEnd: isEnd) { return day }
    index = start
    return nil
  }

  /// The coming first and last day of each; `sow` and `eow` as taskwarrior has them.
  private static let periods: [(name: String, first: TypedDay, last: TypedDay)] = [
    ("week", .weekday(.monday), .endOfWeek), ("month", .dayOfMonth(1), .lastOf(month: nil)),
    ("year", .monthDay(month: 1, day: 1), .endOfYear),
  ]

  /// The first or the last day of the period at the present word.
  private mutating func edge(isEnd: Bool) throws(TimeStampError) -> TypedDay? {
    let today = local.date
    func edge(of month: Int, _ year: Int) throws(TimeStampError) -> TypedDay {
      let last = CivilDate.daysInMonth(month, year: year)
      return .fixed(try checked(year: year, month: month, day: isEnd ? last : 1))
    }
    if consume("next", "week") {
      return .fixed(today.adding(days: (isEnd ? 14 : 8) - today.weekday.rawValue))
    }
    if consume("next", "month") { return try edge(of: nextMonth.month, nextMonth.year) }
    if consume("next", "year") { return try edge(of: isEnd ? 12 : 1, today.year + 1) }
    // The start of this week is past.
    _ = consume("the") || isEnd && consume("this")
    for (name, first, last) in Self.periods where consume(name) { return isEnd ? last : first }
    guard let (month, year) = readMonth() else { return nil }
    guard let year else { return isEnd ? .lastOf(month: month) : .monthDay(month: month, day: 1) }
    return try edge(of: month, year)
  }

  /// `first monday of december`, `last friday of next month`, `2nd tuesday in march 2027`.
  private mutating func readWeekdayOfMonth() throws(TimeStampError) -> TypedDay? {
    guard let ordinal = TimeWords.ordinals[word()] ?? TimeWords.ordinal(word()), ordinal <= 5,
      let day = TimeWords.weekday(word(1)),
      ["of", "in"].contains(word(2)) || ["next", "this"].contains(word(2)) && word(3) == "month"
    else { return nil }
    let start = index
    index += ["of", "in"].contains(word(2)) ? 3 : 2
    var named: (month: Int, year: Int?)?
    if consume("next", "month") {
      named = (nextMonth.month, nextMonth.year)
    } else {
      _ = consume("the") || consume("this")
      if consume("month") { return .nth(ordinal, day, month: nil) }
      named = readMonth()
    }
    guard let (month, year) = named else {
      index = start
      return nil
    }
    guard let year else { return .nth(ordinal, day, month: month) }
    guard let date = CivilDate.nth(ordinal, day, ofMonth: month, year: year) else {
      throw fault("\(TimeWords.monthName(month)) \(year) has no such \(day.name)")
    }
    return .fixed(date)
  }

  /// A month by its name, and the year that may follow.
  private mutating func readMonth() -> (month: Int, year: Int?)? {
    guard let month = TimeWords.month(word()) else { return nil }
    index += 1
    guard word().utf8.count == 4, word().utf8.allSatisfy(\.isDigit), let year = Int(word()) else {
      return (month, nil)
    }
    index += 1
    return (month, year)
  }

  var nextMonth: (year: Int, month: Int) {
    let date = local.date
    return date.month == 12 ? (date.year + 1, 1) : (date.year, date.month + 1)
  }
}

extension CivilDate {
  /// The last day of a month; nil beyond the years of the calendar.
  static func lastDay(ofMonth month: Int, year: Int) -> CivilDate? {
    CivilDate(year: year, month: month, day: daysInMonth(month, year: year))
  }

  /// The nth weekday of a month, -1 for the last; nil where the month has no such day.
  static func nth(_ ordinal: Int, _ day: Weekday, ofMonth month: Int, year: Int) -> CivilDate? {
    if ordinal < 0 {
      guard let last = lastDay(ofMonth: month, year: year) else { return nil }
      return last.adding(days: -(last.weekday.rawValue - day.rawValue).flooredRemainder(7))
    }
    guard let first = CivilDate(year: year, month: month, day: 1) else { return nil }
    let ahead = (day.rawValue - first.weekday.rawValue).flooredRemainder(7)
    return CivilDate(year: year, month: month, day: 1 + ahead + 7 * (ordinal - 1))
  }
}
