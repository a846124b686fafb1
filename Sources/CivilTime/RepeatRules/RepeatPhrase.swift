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

struct RepeatPhrase {
  let text: String
  var words: ArraySlice<TimeWord>

  init(_ text: String) {
    self.text = text
    words = TimeWord.split(text)[...]
  }

  static let examples =
    "write for example every day, every 2 weeks, every monday and thursday, "
    + "every last friday of the month, or an RRULE"

  func fault(_ reason: String) -> RepeatRuleError {
    RepeatRuleError(text: text, reason: reason)
  }

  func unknown() -> RepeatRuleError {
    guard let word = words.first else { return fault(Self.examples) }
    guard !Self.known.contains(word.lower) else {
      return fault("\(quoted(word.typed)) does not belong there; \(Self.examples)")
    }
    let hint = TimeWords.nearest(word.lower).map { "did you mean '\($0)'?" } ?? Self.examples
    return fault("\(quoted(word.typed)) was not understood; \(hint)")
  }

  private static let known = Set(
    TimeWords.all + ["every", "each", "other", "once", "working", "business"] + units.keys
      + adverbs.keys)

  var first: String { words.first?.lower ?? "" }

  mutating func consume(_ wanted: String...) -> Bool {
    guard wanted.contains(first) else { return false }
    words.removeFirst()
    return true
  }

  mutating func read() throws(RepeatRuleError) -> RepeatRule {
    guard !words.isEmpty else { throw fault("it is empty; \(Self.examples)") }
    let rule = try time(of: rule())
    guard words.isEmpty else { throw unknown() }
    return rule
  }

  /// The times of day behind a rule: `every monday at 9`, `every morning`, `daily at 9 and 18`.
  private mutating func time(of rule: RepeatRule) throws(RepeatRuleError) -> RepeatRule {
    guard rule.frequency >= .daily else { return rule }
    var rule = rule
    var rest = words
    while let time = try timeOfDay(isNext: !rule.hours.isEmpty) {
      let (hours, part) = time.quotientAndRemainder(dividingBy: 3_600_000_000)
      let (minutes, seconds) = part.quotientAndRemainder(dividingBy: 60_000_000)
      guard seconds == 0 else { throw fault("a repeat has no seconds; write 18:00") }
      guard rule.minutes.isEmpty || rule.minutes == [Int(minutes)] else {
        throw fault("its times have different minutes; add one reminder for each of them")
      }
      rule.hours.append(Int(hours))
      rule.minutes = [Int(minutes)]
      rest = words
      // A list keeps no commas in its words.
      guard consume("and") || text.contains(",") else { break }
    }
    words = rest
    return rule
  }

  /// The time of day at the present word, in microseconds; nil where there is none.
  /// - Parameter isNext: whether it follows another one, and needs no `at`.
  private mutating func timeOfDay(isNext: Bool) throws(RepeatRuleError) -> Int64? {
    guard !words.isEmpty else { return nil }
    var phrase = TypedPhrase(
      Array(words), of: text, now: Instant(microseconds: 0), zone: .utc, dayAlone: .usual)
    let time: Int64
    do throws(TimeStampError) {
      while phrase.index < phrase.words.count {
        let isAt = phrase.consume("at")
        phrase.isAfterAt = isAt || isNext
        // The next clock of a list with commas is another time.
        if phrase.clock != nil, text.contains(",") { break }
        let isClock = try phrase.readClock()
        if !isClock, try !phrase.readPart() {
          if isAt { phrase.index -= 1 }
          break
        }
      }
      let hour = phrase.part.map { Int64($0.hour) * 3_600_000_000 }
      guard let found = try phrase.clock?.microseconds(in: phrase.part, for: phrase) ?? hour,
        phrase.day == nil
      else { return nil }
      time = found
    } catch {
      throw fault(error.reason)
    }
    words = words.dropFirst(phrase.index)
    return time
  }

  typealias Step = (count: Int, frequency: RepeatRule.Frequency)

  private static let adverbs: [String: Step] = [
    "hourly": (1, .hourly), "daily": (1, .daily), "everyday": (1, .daily), "weekly": (1, .weekly),
    "fortnightly": (2, .weekly), "biweekly": (2, .weekly), "bi-weekly": (2, .weekly),
    "monthly": (1, .monthly), "quarterly": (3, .monthly), "yearly": (1, .yearly),
    "annually": (1, .yearly),
  ]

  static let units: [String: Step] = [
    "minute": (1, .minutely), "minutes": (1, .minutely), "min": (1, .minutely),
    "hour": (1, .hourly), "hours": (1, .hourly), "h": (1, .hourly), "day": (1, .daily),
    "days": (1, .daily), "week": (1, .weekly), "weeks": (1, .weekly), "fortnight": (2, .weekly),
    "month": (1, .monthly), "months": (1, .monthly), "quarter": (3, .monthly),
    "year": (1, .yearly), "years": (1, .yearly),
  ]

  /// Whether a text has a word that says that something repeats, not a day alone.
  static func saysEvery(_ text: String) -> Bool {
    TimeWord.split(text).contains {
      ["every", "each", "once"].contains($0.lower) || adverbs[$0.lower] != nil
    }
  }

  /// Whether a text that reads as a time is a span from now: `in two weeks`, `a month`.
  static func isSpan(_ text: String) -> Bool {
    TimeWord.split(text).contains { units[$0.lower] != nil }
  }

  private mutating func rule() throws(RepeatRuleError) -> RepeatRule {
    var isEvery = consume("every", "each")
    if !isEvery, consume("once") {
      guard consume("a", "an", "every", "per") else { throw unknown() }
      isEvery = true
    }
    if !isEvery, let step = Self.adverbs[first] {
      words.removeFirst()
      return try days(of: RepeatRule(step.frequency, every: step.count))
    }
    _ = consume("on")
    _ = consume("the")
    let start = words
    if let rule = try counted() { return rule }
    words = start
    if consume("other"), let named = weekdays() {
      return on(named, of: RepeatRule(.weekly, every: 2))
    }
    words = start
    if let named = weekdays() {
      var rule = on(named, of: RepeatRule(.weekly))
      // Friday the 13th.
      if consume("the"), let day = dayNumber() {
        rule = on(named, of: RepeatRule(.monthly, every: 1, monthDays: [day]))
      } else if consume("every", "each"), !consume("week") {
        throw unknown()
      }
      return rule
    }
    guard isEvery else {
      // 27 jan every year.
      if let date = try monthDay(), consume("every", "each"), consume("year") { return date }
      words = start
      throw unknown()
    }
    return try interval()
  }

  /// `2 weeks`, `other month`, `15th`, `27 jan`, behind `every`.
  private mutating func interval() throws(RepeatRuleError) -> RepeatRule {
    let next = words.dropFirst().first?.lower ?? ""
    if let part = ["half": 2, "quarter": 4][first],
      part == 2 || ["hour", "of", "an"].contains(next)
    {
      words.removeFirst()
      _ = consume("of")
      _ = consume("an", "a")
      if consume("hour") { return RepeatRule(.minutely, every: 60 / part) }
      guard part == 2, consume("year") else { throw unknown() }
      return RepeatRule(.monthly, every: 6)
    }
    if TimeWords.parts[first] != nil { return RepeatRule(.daily) }
    let start = words
    if let rule = steps() { return rule }
    let count = try count() ?? 1
    if let step = Self.units[first] {
      words.removeFirst()
      return try days(of: RepeatRule(step.frequency, every: count * step.count))
    }
    if count > 1, let named = weekdays() { return on(named, of: RepeatRule(.weekly, every: count)) }
    let rest = words
    words = start
    if let date = try monthDay() { return date }
    words = rest
    throw unknown()
  }

  /// `other`, `second`, `2nd`, `two`, `2`.
  private mutating func count() throws(RepeatRuleError) -> Int? {
    let ordinal = TimeWords.ordinals[first].flatMap { $0 > 0 ? $0 : nil }
    let number = ordinal ?? TimeWords.ordinal(first) ?? TimeWords.numbers[first] ?? Int(first)
    if consume("other") { return 2 }
    guard let number else { return nil }
    guard (1...10_000).contains(number) else { throw fault("the number \(first) is out of range") }
    words.removeFirst()
    return number
  }

  /// The days behind `on`: weekdays of a week, a day of a month, a date of a year.
  private mutating func days(of rule: RepeatRule) throws(RepeatRuleError) -> RepeatRule {
    guard consume("on") else { return rule }
    _ = consume("the")
    var rule = rule
    switch rule.frequency {
    case .weekly:
      guard let named = weekdays() else { throw unknown() }
      return on(named, of: rule)
    case .monthly:
      let start = words
      if let found = try days(counted: ordinals(), of: rule) { return found }
      words = start
      while let day = dayNumber() {
        rule.monthDays.append(day)
        _ = consume("and")
      }
      guard !rule.monthDays.isEmpty else { throw unknown() }
    case .yearly:
      let start = words
      if let found = try counted(), found.frequency == .yearly {
        rule.days = found.days
        rule.months = found.months
        rule.positions = found.positions
        return rule
      }
      words = start
      guard let date = try monthDay(), !date.months.isEmpty else { throw unknown() }
      rule.months = date.months
      rule.monthDays = date.monthDays
    case .secondly, .minutely, .hourly, .daily: throw unknown()
    }
    return rule
  }
}
