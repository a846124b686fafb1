/// Repeat rules in English, as people type them: `every 2 weeks`, `weekdays`, `every monday and
/// thursday`, `every last friday of the month`, `every year on 27 jan`.
extension RepeatRule {
  /// Reads such a phrase, or what `init(parsing:)` reads.
  /// - Throws: the word that was not understood, and a form that is.
  package init(typed text: String) throws(RepeatRuleError) {
    if text.contains("=") {
      try self.init(parsing: text)
    } else {
      var phrase = RepeatPhrase(text)
      self = try phrase.read()
    }
  }
}

private struct RepeatPhrase {
  private let text: String
  private var words: ArraySlice<TimeWord>

  init(_ text: String) {
    self.text = text
    words = TimeWord.split(text)[...]
  }

  private static let examples =
    "write for example every day, every 2 weeks, every monday and thursday, "
    + "every last friday of the month, or an RRULE"

  private func fault(_ reason: String) -> RepeatRuleError {
    RepeatRuleError(text: text, reason: reason)
  }

  private func unknown() -> RepeatRuleError {
    guard let word = words.first else { return fault(Self.examples) }
    guard !Self.known.contains(word.lower) else {
      return fault("\(quoted(word.typed)) does not belong there; \(Self.examples)")
    }
    let hint = TimeWords.nearest(word.lower).map { "did you mean '\($0)'?" } ?? Self.examples
    return fault("\(quoted(word.typed)) was not understood; \(hint)")
  }

  private static let known = Set(
    TimeWords.all + ["every", "each", "other", "last", "second", "third", "first", "fourth"])

  private var first: String { words.first?.lower ?? "" }

  private mutating func consume(_ wanted: String...) -> Bool {
    guard wanted.contains(first) else { return false }
    words.removeFirst()
    return true
  }

  mutating func read() throws(RepeatRuleError) -> RepeatRule {
    guard !words.isEmpty else { throw fault("it is empty; \(Self.examples)") }
    let rule = try rule()
    guard words.isEmpty else { throw unknown() }
    return rule
  }

  private static let adverbs: [String: RepeatRule.Frequency] = [
    "hourly": .hourly, "daily": .daily, "weekly": .weekly, "monthly": .monthly, "yearly": .yearly,
    "annually": .yearly,
  ]

  private mutating func rule() throws(RepeatRuleError) -> RepeatRule {
    let isEvery = consume("every", "each")
    if !isEvery, let frequency = Self.adverbs[first] {
      words.removeFirst()
      return try days(of: RepeatRule(frequency))
    }
    _ = consume("on")
    _ = consume("the")
    if let ordinal = ordinal(), let last = weekdays() {
      // The second monday of the month; every second monday is every other one.
      if try ofMonth() { return on(last, ordinal: ordinal, of: RepeatRule(.monthly)) }
      guard ordinal == 2 else { throw fault("'of the month' is missing; \(Self.examples)") }
      return on(last, ordinal: nil, of: every(2, .weekly))
    }
    let start = words
    if consume("other"), let named = weekdays() {
      return on(named, ordinal: nil, of: every(2, .weekly))
    }
    words = start
    if let named = weekdays() { return on(named, ordinal: nil, of: RepeatRule(.weekly)) }
    guard isEvery else { throw unknown() }
    return try interval()
  }

  /// Whether `of the month` stands here.
  private mutating func ofMonth() throws(RepeatRuleError) -> Bool {
    guard consume("of") else { return false }
    _ = consume("the", "each", "every")
    guard consume("month") else { throw unknown() }
    return true
  }

  /// `2 weeks`, `other month`, `15th`, `27 jan`, behind `every`.
  private mutating func interval() throws(RepeatRuleError) -> RepeatRule {
    let start = words
    if let date = try monthDay() { return date }
    words = start
    var count = 1
    if consume("other", "second") {
      count = 2
    } else if consume("third") {
      count = 3
    } else if let number = TimeWords.numbers[first] ?? Int(first) {
      guard (1...10_000).contains(number) else {
        throw fault("the number \(first) is out of range")
      }
      count = number
      words.removeFirst()
    }
    let frequency: RepeatRule.Frequency =
      switch first {
      case "minute", "minutes", "min": .minutely
      case "hour", "hours", "h": .hourly
      case "day", "days": .daily
      case "week", "weeks": .weekly
      case "month", "months": .monthly
      case "year", "years": .yearly
      default: throw unknown()
      }
    words.removeFirst()
    return try days(of: every(count, frequency))
  }

  private func every(_ count: Int, _ frequency: RepeatRule.Frequency) -> RepeatRule {
    var rule = RepeatRule(frequency)
    rule.interval = count
    return rule
  }

  /// The days behind `on`: weekdays of a week, a day of a month, a date of a year.
  private mutating func days(of rule: RepeatRule) throws(RepeatRuleError) -> RepeatRule {
    guard consume("on") else { return rule }
    _ = consume("the")
    var rule = rule
    switch rule.frequency {
    case .weekly:
      guard let named = weekdays() else { throw unknown() }
      return on(named, ordinal: nil, of: rule)
    case .monthly:
      let start = words
      if let ordinal = ordinal() {
        if let named = weekdays() { return on(named, ordinal: ordinal, of: rule) }
        if ordinal == -1, consume("day") {
          rule.monthDays = [-1]
          return rule
        }
      }
      words = start
      guard let day = dayNumber() else { throw unknown() }
      rule.monthDays = [day]
    case .yearly:
      guard let date = try monthDay(), !date.months.isEmpty else { throw unknown() }
      rule.months = date.months
      rule.monthDays = date.monthDays
    case .secondly, .minutely, .hourly, .daily: throw unknown()
    }
    return rule
  }

  private func on(_ named: WeekdaySet, ordinal: Int?, of rule: RepeatRule) -> RepeatRule {
    var rule = rule
    rule.days = Weekday.allCases.filter(named.contains).map { .init($0, ordinal: ordinal) }
    return rule
  }

  /// `monday`, `mondays and thursdays`, `mon, wed and fri`, `weekdays`.
  private mutating func weekdays() -> WeekdaySet? {
    if let named = WeekdaySet.named[first] {
      words.removeFirst()
      return named
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
      all.insert(WeekdaySet(day))
      words.removeFirst()
    }
    return all.isEmpty ? nil : all
  }

  /// `first` … `fourth`, `last`, `2nd`, where a weekday or `day` stands behind it.
  private mutating func ordinal() -> Int? {
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
  private mutating func dayNumber() -> Int? {
    guard let day = TimeWords.ordinal(first) ?? Int(first), (1...31).contains(day) else {
      return nil
    }
    words.removeFirst()
    return day
  }

  /// `27 jan`, `january 27th`: yearly; `15th` alone: monthly.
  private mutating func monthDay() throws(RepeatRuleError) -> RepeatRule? {
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

  private func dated(_ frequency: RepeatRule.Frequency, month: Int?, day: Int) -> RepeatRule {
    var rule = RepeatRule(frequency)
    rule.months = month.map { [$0] } ?? []
    rule.monthDays = [day]
    return rule
  }
}
