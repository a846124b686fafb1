/// Days that are named by their week, month or year.
extension TypedPhrase {
  /// `eom`, `end of the month`, `start of next week`, `last day of january`, `first monday of
  /// december`; nil where none of these stands here.
  mutating func readPeriod() throws(TimeStampError) -> TypedDay? {
    let start = index
    if let day = Self.abbreviations[word()] {
      index += 1
      return day
    }
    if let day = try readWeekdayOfMonth() { return day }
    let isEnd = consume("end", "of") || consume("last", "day", "of")
    guard
      isEnd || consume("start", "of") || consume("beginning", "of")
        || consume("first", "day", "of")
    else { return nil }
    if let day = try isEnd ? lastDay() : firstDay() { return day }
    index = start
    return nil
  }

  /// As taskwarrior has them; a start is the coming one.
  private static let abbreviations: [String: TypedDay] = [
    "eow": .endOfWeek, "eom": .endOfMonth, "eoy": .endOfYear, "sow": .weekday(.monday),
    "som": .dayOfMonth(1), "soy": .monthDay(month: 1, day: 1),
  ]

  /// The last day of the period at the present word.
  private mutating func lastDay() throws(TimeStampError) -> TypedDay? {
    let (today, sunday) = (local.date, local.date.adding(days: 7 - local.date.weekday.rawValue))
    if consume("next", "week") { return .fixed(sunday.adding(days: 7)) }
    if consume("next", "month") {
      let (year, month) = nextMonth
      return CivilDate.lastDay(ofMonth: month, year: year).map(TypedDay.fixed)
    }
    if consume("next", "year") {
      return .fixed(try checked(year: today.year + 1, month: 12, day: 31))
    }
    _ = consume("the") || consume("this")
    if consume("week") { return .endOfWeek }
    if consume("month") { return .endOfMonth }
    if consume("year") { return .endOfYear }
    guard let (month, year) = readMonth() else { return nil }
    guard let year else { return .lastOf(month: month) }
    return CivilDate.lastDay(ofMonth: month, year: year).map(TypedDay.fixed)
  }

  /// The first day of the period at the present word, the coming one.
  private mutating func firstDay() throws(TimeStampError) -> TypedDay? {
    let today = local.date
    if consume("next", "week") { return .fixed(today.adding(days: 8 - today.weekday.rawValue)) }
    if consume("next", "month") {
      let (year, month) = nextMonth
      return .fixed(try checked(year: year, month: month, day: 1))
    }
    if consume("next", "year") {
      return .fixed(try checked(year: today.year + 1, month: 1, day: 1))
    }
    _ = consume("the")
    if consume("week") { return .weekday(.monday) }
    if consume("month") { return .dayOfMonth(1) }
    if consume("year") { return .monthDay(month: 1, day: 1) }
    guard let (month, year) = readMonth() else { return nil }
    guard let year else { return .monthDay(month: month, day: 1) }
    return .fixed(try checked(year: year, month: month, day: 1))
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
