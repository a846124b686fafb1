/// The days of a repeat: weekdays, days of a month, dates of a year.
extension RepeatPhrase {
  func on(_ named: WeekdaySet, ordinals: [Int] = [], of rule: RepeatRule) -> RepeatRule {
    var rule = rule
    let days = Weekday.allCases.filter(named.contains)
    rule.days =
      ordinals.isEmpty
      ? days.map { .init($0) }
      : ordinals.flatMap { ordinal in days.map { .init($0, ordinal: ordinal) } }
    return rule
  }

  /// `first and third monday of the month`, `last working day of each month`, `1st and 15th`, `last
  /// sunday of march`, behind `every`; nil where none of these stands here.
  mutating func counted() throws(RepeatRuleError) -> RepeatRule? {
    let ordinals = ordinals()
    guard let rule = try days(counted: ordinals, of: RepeatRule(.monthly)) else { return nil }
    if let month = monthOfYear() {
      guard rule.monthDays.isEmpty || rule.monthDays == [-1] else { return nil }
      var yearly = RepeatRule(.yearly, every: 1, months: [month], monthDays: rule.monthDays)
      (yearly.days, yearly.positions) = (rule.days, rule.positions)
      if consume("every", "each"), !consume("year") { throw unknown() }
      return yearly
    }
    let isOfMonth = try ofMonth()
    // Every second monday is every other one, and every third day counts from the first.
    if !isOfMonth, ordinals == [2], rule.positions.isEmpty, !rule.days.isEmpty {
      let named = rule.days.reduce(into: WeekdaySet()) { $0.insert(WeekdaySet($1.weekday)) }
      return on(named, of: RepeatRule(.weekly, every: 2))
    }
    let isClear = rule.positions.isEmpty && (!rule.days.isEmpty || ordinals.count > 1)
    guard isOfMonth || isClear else {
      guard rule.monthDays.isEmpty else { return nil }
      throw fault("'of the month' is missing; \(Self.examples)")
    }
    return rule
  }

  /// The days behind ordinals, of a monthly rule: weekdays, working days, or days of the month.
  mutating func days(
    counted ordinals: [Int], of rule: RepeatRule
  ) throws(RepeatRuleError) -> RepeatRule? {
    guard !ordinals.isEmpty else { return nil }
    var rule = rule
    // The last weekday is one of five, the last monday is one alone.
    let isGroup = WeekdaySet.named[first] != nil || ["working", "business"].contains(first)
    if let named = weekdays() {
      guard ordinals.allSatisfy({ $0 <= 5 || isGroup }) else { return nil }
      guard isGroup else { return on(named, ordinals: ordinals, of: rule) }
      rule = on(named, of: rule)
      rule.positions = ordinals
      return rule
    }
    if consume("day", "days"), !ordinals.allSatisfy({ $0 == 1 || $0 == -1 }) { return nil }
    rule.monthDays = ordinals
    return rule
  }

  /// Whether `of the month`, or `every month`, stands here.
  private mutating func ofMonth() throws(RepeatRuleError) -> Bool {
    let isOf = consume("of")
    guard isOf || consume("in") || ["each", "every"].contains(first) else { return false }
    // `the first sunday in a month` is one of next month.
    if !isOf || !consume("a") { _ = consume("the", "each", "every") }
    guard consume("month") else { throw unknown() }
    return true
  }

  /// The month of `of march` or `in march`.
  private mutating func monthOfYear() -> Int? {
    guard ["of", "in"].contains(first), let month = words.dropFirst().first?.lower,
      let number = TimeWords.month(month)
    else { return nil }
    words.removeFirst(2)
    return number
  }

  /// `monday`, `mondays and thursdays`, `mon, wed and fri`, `weekdays`.
  mutating func weekdays() -> WeekdaySet? {
    if consume("working", "business") { return consume("day", "days") ? .workdays : nil }
    // The longest run of words that are a set of days.
    for count in stride(from: words.count, to: 0, by: -1) where !isJoint(first) {
      let named = words.prefix(count).map(\.lower)
      guard let last = named.last, !isJoint(last) else { continue }
      let list = named.filter { !isJoint($0) }.joined(separator: ",")
      if let days = try? WeekdaySet(parsing: list.replacing(",to,", with: "-")) {
        words.removeFirst(count)
        return days
      }
    }
    return nil
  }

  private func isJoint(_ word: String) -> Bool { word == "and" || word == "on" }

  /// `first and third`, `1st, 15th and last`; empty where no such word stands here.
  mutating func ordinals() -> [Int] {
    var found: [Int] = []
    while true {
      let start = words
      if !found.isEmpty, consume("and") { _ = consume("the") }
      guard let ordinal = TimeWords.ordinals[first] ?? TimeWords.ordinal(first) else {
        words = start
        return found
      }
      words.removeFirst()
      found.append(ordinal)
    }
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
      return RepeatRule(.monthly, every: 1, monthDays: [day])
    }
    guard CivilDate(year: 2024, month: month, day: day) != nil else {
      throw fault("\(TimeWords.monthName(month)) has no day \(day)")
    }
    return RepeatRule(.yearly, every: 1, months: [month], monthDays: [day])
  }
}
