/// A recursive-descent reader of the words of a typed time: a day and a time of day in either
/// order, or a span from now. Each word is used, or the text is refused.
///
///     time   = span | { "at" | "on" | "the" | day | clock | part }
///     span   = [ "in" ] amount { amount } [ "from now" | "ago" | "after" time | time ]
///     day    = "tomorrow" | [ "next" ] weekday | date | period | …
///     period = ( "end" | "start" ) "of" month | "first monday of" month | …
///     clock  = 18:00 | 6pm | 18h30 | "half past" hour | "noon" | …
///     part   = "morning" | "afternoon" | "evening" | "night" | "tonight"
struct TypedPhrase {
  /// The meaning of a phrase in its zone.
  enum Reading {
    case absolute(Instant)
    case floating(LocalDateTime)
  }

  let words: [TimeWord]
  let text: String
  let now: Instant
  let zone: TimeZoneRules
  let dayAlone: DayAlone
  let direction: TimeDirection
  /// The date and time of `now` in the zone.
  let local: LocalDateTime

  var index = 0
  var day: TypedDay?
  var weekday: Weekday?
  var clock: TypedClock?
  var part: DayPart?
  /// Added to the day: `a week after friday`.
  var span: CalendarSpan?
  /// Seconds east of UTC, where an offset stands right behind the time.
  var offset: Int?
  var note: String?
  /// Whether the word before was `at`.
  var isAfterAt = false

  init(
    _ words: [TimeWord], of text: String, now: Instant, zone: TimeZoneRules, dayAlone: DayAlone,
    direction: TimeDirection = .ahead
  ) {
    self.words = words
    self.text = text
    self.now = now
    self.zone = zone
    self.dayAlone = dayAlone
    self.direction = direction
    local = zone.localDateTime(at: now)
  }

  static let examples = "write for example tomorrow 18:00, friday 6pm, 27 jan or in 20 minutes"

  func fault(_ reason: String) -> TimeStampError { TimeStampError(text: text, reason: reason) }

  /// The word so many places on; empty behind the last.
  func word(_ ahead: Int = 0) -> String {
    index + ahead < words.count ? words[index + ahead].lower : ""
  }

  /// Whether the words from here on are these; they are consumed then.
  mutating func consume(_ wanted: String...) -> Bool {
    guard wanted.enumerated().allSatisfy({ word($0.offset) == $0.element }) else { return false }
    index += wanted.count
    return true
  }

  mutating func read() throws(TimeStampError) -> Reading {
    if let instant = try readSpan() { return .absolute(instant) }
    while index < words.count {
      if consume("at") || consume("on") || consume("the") {
        isAfterAt = words[index - 1].lower == "at"
        guard index < words.count else {
          throw fault("nothing stands behind \(quoted(words[index - 1].typed)); \(Self.examples)")
        }
        continue
      }
      let isRead = try readDay()
      if !isRead {
        let isClock = try readClock()
        if !isClock, try !readPart() { throw unknown() }
      }
      isAfterAt = false
    }
    return try resolve()
  }

  /// The word here belongs to no form.
  func unknown() -> TimeStampError {
    let typed = words[index].typed
    if typed.utf8.allSatisfy(\.isDigit) {
      let isHour = Int(typed).map { $0 < 24 } == true || Self.compactClock(typed) != nil
      let hour = isHour ? "at \(typed) for an hour, " : ""
      return fault("the number \(typed) stands alone; write \(hour)\(typed)min for a span")
    }
    if word() == "last" {
      return fault("\(quoted(typed)) is a day that has passed; \(Self.examples)")
    }
    if TimeWords.contains(word()) {
      return fault("\(quoted(typed)) does not belong there; \(Self.examples)")
    }
    let hint = TimeWords.nearest(word()).map { "; did you mean '\($0)'?" } ?? "; \(Self.examples)"
    return fault("\(quoted(typed)) was not understood\(hint)")
  }

  mutating func set(_ new: TypedDay, words count: Int) throws(TimeStampError) {
    guard day == nil else { throw fault("it names two days; keep one of them") }
    day = new
    index += count
  }

  mutating func set(_ new: TypedClock, words count: Int) throws(TimeStampError) {
    guard clock == nil else { throw fault("it names two times of day; keep one of them") }
    clock = new
    index += count
  }

  /// `morning`, `this evening`, `in the afternoon`, `at night`, `tonight`.
  mutating func readPart() throws(TimeStampError) -> Bool {
    let start = index
    var named: DayPart? = consume("tonight") ? .night : nil
    let isToday = named != nil || consume("this")
    if named == nil {
      if consume("in") { _ = consume("the") }
      named = TimeWords.parts[word()]
      index = named == nil ? start : index + 1
    }
    guard let named else { return false }
    if isToday { try set(.fixed(local.date), words: 0) }
    guard part == nil else { throw fault("it names two parts of a day; keep one of them") }
    part = named
    return true
  }
}

extension TypedPhrase {
  /// The date and time that the words mean together.
  private mutating func resolve() throws(TimeStampError) -> Reading {
    if let weekday, day == nil { day = .weekday(weekday) }
    let reading: (CivilDate) -> LocalDateTime
    var isExact = true
    let keepsTime = day == nil && span != nil
    if clock == nil, part == nil, !keepsTime, case .clock(let time) = dayAlone {
      clock = TypedClock(time.microseconds)
    }
    if let clock {
      let time = try clock.microseconds(in: part, for: self)
      let isMidnightAhead =
        direction == .ahead && clock.isMidnight && (day == nil || day == .fixed(local.date))
      reading = {
        LocalDateTime(date: isMidnightAhead ? $0.adding(days: 1) : $0)
          .adding(TimeSpan(microseconds: time))
      }
    } else if let part {
      reading = {
        LocalDateTime(date: $0, time: TimeOfDay(hour: part.hour, minute: 0) ?? .midnight)
      }
    } else {
      isExact = false
      let (dayAlone, spanTime) = (dayAlone, local.time)
      reading = { LocalDateTime(date: $0, time: keepsTime ? spanTime : dayAlone.time) }
    }
    let named = day ?? .next
    if direction == .back { return .floating(try later(last(of: named, reading))) }
    let candidates = named.candidates(from: local.date, on: weekday)
    guard let first = candidates.first else {
      throw fault("there is no such day in the next years")
    }
    try check(first)
    let isAhead = { [zone, now] in zone.instant(of: reading($0)) > now }
    if first != local.date || named.isRepeated || isExact && part == nil {
      let date = named.hasOneDay ? first : candidates.first(where: isAhead) ?? first
      return .floating(try later(reading(date)))
    }
    return try today(reading, isExact: isExact)
  }

  /// Checks that a date has the weekday typed beside it.
  func check(_ date: CivilDate) throws(TimeStampError) {
    guard let weekday, date.weekday != weekday else { return }
    throw fault("\(date) is a \(date.weekday.name), not a \(weekday.name)")
  }

  /// A day that is today, without an hour.
  private mutating func today(
    _ reading: (CivilDate) -> LocalDateTime, isExact: Bool
  ) throws(TimeStampError) -> Reading {
    let wanted = reading(local.date)
    let waits = isExact || dayAlone.isAtOnceWhenPast
    guard span == nil, waits, zone.instant(of: wanted) <= now else {
      return .floating(try later(wanted))
    }
    note = "\(wanted.time.text(decimals: .exact).prefix(5)) has passed, so it is at once"
    return .absolute(now)
  }

  /// The span of `a week after friday` behind the day.
  private func later(_ reading: LocalDateTime) throws(TimeStampError) -> LocalDateTime {
    guard let span else { return reading }
    guard let date = span.after(reading.date) else { throw fault("it is too far away") }
    return LocalDateTime(date: date, time: reading.time)
  }
}

extension DayAlone {
  var time: TimeOfDay {
    switch self {
    case .at(let time), .clock(let time): time
    case .start: .midnight
    case .end: TimeOfDay(clamping: TimeOfDay.dayLength - 1_000_000)
    }
  }

  fileprivate var isAtOnceWhenPast: Bool {
    if case .at = self { true } else { false }
  }
}
