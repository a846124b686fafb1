/// Time stamps as people type them, after systemd.time(7).
extension TimeStamp {
  /// Understands `2026-11-21 09:30`, `2026-11-21`, `09:30`, `now`, `today`, `tomorrow 09:30`, `Mon
  /// 2026-11-23 09:30`, `friday 18:00`, `+20min`, `-5min`, `5min ago`, `in 2h`, `@1700000000.5`,
  /// RFC 3339, and most of them with a zone behind: `UTC`, `Europe/Berlin`, `+01:00`, or an
  /// abbreviation in use in `zone`.
  ///
  /// A stamp with a zone, a relative one and one in seconds are absolute, all others floating. A
  /// time of day alone is the next one; a weekday names the next such day, and before a date it
  /// must match it. A day alone is its midnight.
  ///
  /// - Parameters:
  ///   - zone: where `today` and the next `09:30` are looked up.
  ///   - zoneNamed: finds the zone of a name in the text.
  package init(
    typed text: String, now: Instant, zone: TimeZoneRules,
    zoneNamed: (String) throws(TimeZoneError) -> TimeZoneRules = { name throws(TimeZoneError) in
      try TimeZoneRules(named: name)
    }
  ) throws(TimeStampError) {
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else {
      throw TimeStampError(text: text, reason: "it is empty; write for example 2026-11-21 09:30")
    }
    if let instant = try Self.relative(trimmed, now: now) {
      self = .absolute(instant)
      return
    }
    var words = trimmed.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    var named: TimeZoneRules?
    if words.count > 1, let last = words.last {
      named = try Self.zone(last, of: text, local: zone, zoneNamed: zoneNamed)
      if named != nil { words.removeLast() }
    }
    var phrase = TypedPhrase(words: words, text: text)
    try phrase.read()
    if let offset = phrase.offset {
      guard named == nil else { throw phrase.fault("it names two zones") }
      named = TimeZoneRules(name: "offset", fixedOffset: offset, abbreviation: "")
    }
    let local = try phrase.resolve(now: now, zone: named ?? zone)
    self = named.map { .absolute($0.instant(of: local)) } ?? .floating(local)
  }

  /// `now`, a span before or after it, or seconds since the epoch; nil for all else.
  private static func relative(_ text: String, now: Instant) throws(TimeStampError) -> Instant? {
    func span(_ part: some StringProtocol) throws(TimeStampError) -> TimeSpan {
      do throws(TimeSpanError) {
        return try TimeSpan(parsing: String(part))
      } catch {
        throw TimeStampError(text: text, reason: error.reason)
      }
    }
    let lower = text.lowercased()
    var moved: Instant?
    if lower == "now" {
      return now
    } else if text.hasPrefix("@") {
      return try epoch(text)
    } else if text.hasPrefix("+") {
      moved = now + (try span(text.dropFirst()))
    } else if text.hasPrefix("-") {
      moved = now - (try span(text.dropFirst()))
    } else if lower.hasSuffix(" ago") {
      moved = now - (try span(text.dropLast(4)))
    } else if lower.hasSuffix(" left") {
      moved = now + (try span(text.dropLast(5)))
    } else if lower.hasPrefix("in ") {
      moved = now + (try span(text.dropFirst(3)))
    }
    guard let moved else { return nil }
    return try near(moved, text)
  }

  private static func epoch(_ text: String) throws(TimeStampError) -> Instant {
    var scanner = ByteScanner(text)
    _ = scanner.consume(UInt8(ascii: "@"))
    let isNegative = scanner.consume(UInt8(ascii: "-"))
    guard let seconds = scanner.number(digits: 1...12) else {
      throw TimeStampError(text: text, reason: "write seconds since 1970 like @1700000000")
    }
    var fraction: Int? = 0
    if scanner.consume(UInt8(ascii: ".")) { fraction = scanner.millionths() }
    guard let fraction, scanner.atEnd else {
      throw TimeStampError(text: text, reason: "write seconds since 1970 like @1700000000.5")
    }
    let microseconds = Int64(seconds) * 1_000_000 + Int64(fraction)
    return try near(Instant(microseconds: isNegative ? -microseconds : microseconds), text)
  }

  /// Refuses what RFC 3339 has no four-digit year for, most likely a slip of the finger.
  private static func near(_ instant: Instant, _ text: String) throws(TimeStampError) -> Instant {
    guard (0...9999).contains(TimeZoneRules.utc.localDateTime(at: instant).date.year) else {
      throw TimeStampError(text: text, reason: "it is beyond the years 0000 to 9999")
    }
    return instant
  }

  /// The zone that the last word names; nil where it begins with a digit or is a part of the date.
  private static func zone(
    _ word: String, of text: String, local: TimeZoneRules,
    zoneNamed: (String) throws(TimeZoneError) -> TimeZoneRules
  ) throws(TimeStampError) -> TimeZoneRules? {
    if word.hasPrefix("+") || word.hasPrefix("-") {
      var reader = CivilReader(word, of: text)
      guard let offset = try reader.offset(), reader.scanner.atEnd else {
        throw reader.fault("an offset is written like +01:00")
      }
      return TimeZoneRules(name: word, fixedOffset: offset, abbreviation: word)
    }
    guard word.utf8.first?.isLetter == true, Weekday(name: word) == nil,
      TypedPhrase.days[word.lowercased()] == nil
    else { return nil }
    if word == "UTC" || word == "Z" { return .utc }
    if let fixed = local.fixed(abbreviation: word) { return fixed }
    do throws(TimeZoneError) {
      return try zoneNamed(word)
    } catch {
      throw TimeStampError(text: text, reason: error.description)
    }
  }
}

/// The words of a time stamp without its zone: a weekday, a day and a time of day, each optional.
private struct TypedPhrase {
  /// Days from today.
  static let days = ["today": 0, "tomorrow": 1, "yesterday": -1]

  var words: [String]
  let text: String
  private var weekday: Weekday?
  private var daysFromToday: Int?
  private var date: CivilDate?
  /// Microseconds since midnight; a leap second may lead into the next day.
  private var time: Int64?
  /// Seconds east of UTC, where an offset stands right behind the time.
  private(set) var offset: Int?

  init(words: [String], text: String) {
    self.words = words
    self.text = text
  }

  func fault(_ reason: String) -> TimeStampError { TimeStampError(text: text, reason: reason) }

  mutating func read() throws(TimeStampError) {
    if let first = words.first, let day = Weekday(name: first) {
      weekday = day
      words.removeFirst()
    }
    if let first = words.first, let days = Self.days[first.lowercased()] {
      daysFromToday = days
      words.removeFirst()
    }
    guard !words.isEmpty else { return }
    let rest = words.joined(separator: " ")
    var reader = CivilReader(rest, of: text)
    var probe = reader.scanner
    if probe.number(digits: 1...2) != nil, probe.next == UInt8(ascii: ":") {
      time = try reader.timeOfDay()
    } else {
      guard daysFromToday == nil, rest.utf8.first?.isDigit == true else {
        throw fault(
          "\(quoted(rest)) is neither a date nor a time of day; write for example "
            + "2026-11-21 09:30, 09:30, tomorrow 09:30 or +20min")
      }
      date = try reader.date()
      if !reader.scanner.atEnd {
        if reader.scanner.consume(where: { $0 | 0x20 == UInt8(ascii: "t") }) == nil {
          guard reader.scanner.consume(UInt8(ascii: " ")) else {
            throw fault("a blank or T stands between date and time")
          }
        }
        time = try reader.timeOfDay()
      }
    }
    offset = try reader.offset()
    guard reader.scanner.atEnd else {
      throw fault("there is more text behind it: \(quoted(reader.scanner.rest))")
    }
  }

  func resolve(now: Instant, zone: TimeZoneRules) throws(TimeStampError) -> LocalDateTime {
    func reading(_ day: CivilDate) -> LocalDateTime {
      LocalDateTime(date: day).adding(TimeSpan(microseconds: time ?? 0))
    }
    let today = zone.localDateTime(at: now).date
    if let day = date ?? daysFromToday.map({ today.adding(days: $0) }) {
      if let weekday, weekday != day.weekday {
        throw fault("\(day) is a \(day.weekday.name), not a \(weekday.name)")
      }
      return reading(day)
    }
    let ahead = weekday.map { ($0.rawValue - today.weekday.rawValue).flooredRemainder(7) } ?? 0
    let first = reading(today.adding(days: ahead))
    if zone.instant(of: first) > now { return first }
    return reading(today.adding(days: ahead + (weekday == nil ? 1 : 7)))
  }
}
