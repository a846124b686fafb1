/// A day as it was typed.
enum TypedDay: Equatable {
  /// One day, whatever the time.
  case fixed(CivilDate)
  /// No day was typed: today or tomorrow.
  case next
  case weekday(Weekday)
  /// The day of some month, 1...31.
  case dayOfMonth(Int)
  case monthDay(month: Int, day: Int)
  case weekend
  case endOfWeek, endOfYear
  /// The last day of this month, 1...12, of each one where it is nil.
  case lastOf(month: Int?)
  /// The nth weekday of a month, of each one where `month` is nil; -1 is the last.
  case nth(Int, Weekday, month: Int?)

  var hasOneDay: Bool {
    if case .fixed = self { true } else { false }
  }

  /// Whether a day of today whose time has passed means the next one, not at once.
  var isRepeated: Bool {
    switch self {
    case .next, .weekday: true
    default: false
    }
  }

  /// The days meant from `today` on, nearest first.
  /// - Parameter weekday: a weekday typed beside the day of some month.
  func candidates(from today: CivilDate, on weekday: Weekday?) -> [CivilDate] {
    let monday = today.adding(days: 1 - today.weekday.rawValue)
    var days: [CivilDate]
    switch self {
    case .fixed(let date): days = [date]
    case .next: days = [today, today.adding(days: 1)]
    case .weekday(let day):
      let ahead = (day.rawValue - today.weekday.rawValue).flooredRemainder(7)
      days = [today.adding(days: ahead), today.adding(days: ahead + 7)]
    case .weekend:
      let saturday = monday.adding(days: 5)
      days = [max(saturday, today), saturday.adding(days: 7)]
    case .endOfWeek: days = [monday.adding(days: 6), monday.adding(days: 13)]
    case .dayOfMonth(let day):
      // 48 months hold a 29th of February, and each weekday on each day.
      days = Self.months(48, from: today) { CivilDate(year: $0, month: $1, day: day) }
      if let weekday { days.removeAll { $0.weekday != weekday } }
    case .monthDay(let month, let day):
      days = (0...8).compactMap { CivilDate(year: today.year + $0, month: month, day: day) }
        .filter { $0 >= today }
    case .lastOf(let wanted):
      days = Self.months(24, from: today) { year, month in
        month == wanted ?? month ? CivilDate.lastDay(ofMonth: month, year: year) : nil
      }
    case .nth(let ordinal, let day, let wanted):
      days = Self.months(24, from: today) { year, month in
        month == wanted ?? month
          ? CivilDate.nth(ordinal, day, ofMonth: month, year: year) : nil
      }
    case .endOfYear:
      days = (0...1).compactMap { CivilDate(year: today.year + $0, month: 12, day: 31) }
    }
    return days
  }

  private static func months(
    _ count: Int, from today: CivilDate, _ day: (_ year: Int, _ month: Int) -> CivilDate?
  ) -> [CivilDate] {
    (0..<count).compactMap {
      let month = today.month - 1 + $0
      return day(today.year + month / 12, month % 12 + 1)
    }.filter { $0 >= today }
  }
}

extension TypedPhrase {
  /// A day at the present word; false where there is none.
  mutating func readDay() throws(TimeStampError) -> Bool {
    if direction == .back, let (day, count) = lastDay() {
      try set(day, words: count)
      return true
    }
    let start = index
    let isThis = consume("this", "coming") || consume("this") || consume("coming")
    if !isThis, consume("next") { return try readNext() }
    if let named = TimeWords.weekday(word()) {
      index += 1
      if consume("next", "week") || consume("of", "next", "week") {
        try setNextWeek(named)
      } else if consume("this", "week") || consume("of", "this", "week") {
        let day = local.date.adding(days: named.rawValue - local.date.weekday.rawValue)
        guard day >= local.date || direction == .back else {
          throw fault("\(named.name) of this week is past")
        }
        try set(.fixed(day), words: 0)
      } else {
        if consume("week") { try setWeekLater() }
        guard weekday == nil else { throw fault("it names two weekdays; keep one of them") }
        weekday = named
      }
      return true
    }
    if consume("weekend") {
      try set(.weekend, words: 0)
      return true
    }
    if isThis {
      index = start
      return false
    }
    if let days = TimeWords.daysFromToday[word()] {
      try set(.fixed(local.date.adding(days: days)), words: 1)
      if consume("week") { try setWeekLater() }
    } else if TimeWords.weekday(word(3)) == nil, consume("week", "after", "next") {
      try set(.fixed(local.date.adding(days: 14)), words: 0)
      note = "the week after next is in 14 days"
    } else if consume("day", "after", "tomorrow") {
      try set(.fixed(local.date.adding(days: 2)), words: 0)
    } else if let day = try readPeriod() {
      try set(day, words: 0)
    } else if let (day, count) = try monthAndDay() {
      try set(day, words: count)
    } else if let (day, count) = try numericDate() {
      try set(day, words: count)
    } else {
      return false
    }
    return true
  }

  /// `friday week` is the friday after the next one.
  private mutating func setWeekLater() throws(TimeStampError) {
    guard span == nil else { throw fault("it names two weeks; keep one of them") }
    span = CalendarSpan(days: 7)
  }

  /// Reads the words behind `next`.
  private mutating func readNext() throws(TimeStampError) -> Bool {
    let today = local.date
    if let named = TimeWords.weekday(word()) {
      index += 1
      try setNextWeek(named)
      note = "next \(named.name) is the \(named.name) of next week"
      return true
    }
    let monday = today.adding(days: 8 - today.weekday.rawValue)
    if consume("weekend") {
      try set(.fixed(monday.adding(days: 5)), words: 0)
    } else if consume("week") {
      let hasOn = consume("on")
      if let named = TimeWords.weekday(word()) {
        index += 1
        try setNextWeek(named)
      } else {
        if hasOn { index -= 1 }
        try set(.fixed(today.adding(days: 7)), words: 0)
        note = "next week is in seven days"
      }
    } else if let months = ["month": 1, "year": 12][word()] {
      guard let day = CalendarSpan(months: months).after(today) else {
        throw fault("it is too far away")
      }
      note = "next \(word()) is the same day of the next \(word())"
      try set(.fixed(day), words: 1)
    } else if !TimeWords.contains(word()), TimeWords.nearest(word()) != nil {
      throw unknown()
    } else {
      throw fault("a weekday, week, month or year stands behind next, such as next friday")
    }
    return true
  }

  private mutating func setNextWeek(_ named: Weekday) throws(TimeStampError) {
    let today = local.date
    try set(.fixed(today.adding(days: 7 - today.weekday.rawValue + named.rawValue)), words: 0)
  }

  /// `27 jan`, `27th of january 2027`, `jan 27th`, `27th`; with the number of its words.
  private mutating func monthAndDay() throws(TimeStampError) -> (TypedDay, words: Int)? {
    if let month = TimeWords.month(word()) {
      let skipped = word(1) == "the" ? 2 : 1
      guard let (day, _) = Self.dayNumber(word(skipped)) ?? Self.dayWord(word(skipped)) else {
        throw fault("the day of \(TimeWords.monthName(month)) is missing; write 27 jan")
      }
      return try date(month: month, day: day, words: skipped + 1)
    }
    let skipped = word(1) == "of" ? 2 : 1
    guard let (day, isOrdinal) = Self.dayNumber(word()) ?? Self.dayWord(word()) else {
      return nil
    }
    if let month = TimeWords.month(word(skipped)) {
      return try date(month: month, day: day, words: skipped + 1)
    }
    if skipped == 2, isOrdinal {
      let last = ["the", "this"].contains(word(2)) ? 3 : 2
      if word(last) == "month" { return (.dayOfMonth(day), last + 1) }
      if word(2) == "next", word(3) == "month" {
        let (year, month) = nextMonth
        return (.fixed(try checked(year: year, month: month, day: day)), 4)
      }
    }
    guard TimeWords.ordinals[word()] == nil else { return nil }
    if isOrdinal, day <= 5, let named = TimeWords.weekday(word(1)) {
      note = "the \(word()) \(named.name) of a month"
      return (.nth(day, named, month: nil), 2)
    }
    return isOrdinal && word(1) != "of" ? (.dayOfMonth(day), 1) : nil
  }

  /// A month and a day, and the year that may follow.
  private mutating func date(
    month: Int, day: Int, words count: Int
  ) throws(TimeStampError) -> (TypedDay, words: Int) {
    let digits = word(count)
    if let year = year(digits) {
      if let (hour, minute) = Self.compactClock(digits) {
        note = "\(digits) is the year; write \(hour.padded(2)):\(minute.padded(2)) for the time"
      }
      return (.fixed(try checked(year: year, month: month, day: day)), count + 1)
    }
    if word(count) == "next", word(count + 1) == "year" {
      let date = try checked(year: local.date.year + 1, month: month, day: day)
      return (.fixed(date), count + 2)
    }
    return (try typedDay(nil, month, day), count)
  }

  /// Four digits beside a day that are a year, and no time of day: one of the next thirty years,
  /// or of the past where it is asked about.
  func year(_ digits: String) -> Int? {
    guard digits.utf8.count == 4, digits.utf8.allSatisfy(\.isDigit), let year = Int(digits) else {
      return nil
    }
    let now = local.date.year
    let years = direction == .back ? min(1970, now)...now : now - 1...now + 30
    return years.contains(year) || Self.compactClock(digits) == nil ? year : nil
  }

  /// A day that exists; without a year, in some year.
  func typedDay(_ year: Int?, _ month: Int, _ day: Int) throws(TimeStampError) -> TypedDay {
    let date = try checked(year: year ?? 2024, month: month, day: day)
    return year == nil ? .monthDay(month: month, day: day) : .fixed(date)
  }

  /// A date that exists.
  func checked(year: Int, month: Int, day: Int) throws(TimeStampError) -> CivilDate {
    if let date = CivilDate(year: year, month: month, day: day) { return date }
    guard (1...12).contains(month) else { throw fault("there is no month \(month)") }
    throw fault("\(TimeWords.monthName(month)) has no day \(day)")
  }

  /// 1...10 of `first` … `tenth`.
  private static func dayWord(_ word: String) -> (day: Int, isOrdinal: Bool)? {
    guard let day = TimeWords.ordinals[word], day > 0 else { return nil }
    return (day, true)
  }

  /// 1...31 of `27`, `27th` or `27.`, and whether it has such an ending.
  private static func dayNumber(_ word: String) -> (day: Int, isOrdinal: Bool)? {
    if let day = TimeWords.ordinal(word) { return (day, true) }
    var scanner = ByteScanner(word)
    guard let day = scanner.number(digits: 1...2), (1...31).contains(day) else { return nil }
    if scanner.atEnd { return (day, false) }
    return scanner.rest == "." ? (day, true) : nil
  }
}
