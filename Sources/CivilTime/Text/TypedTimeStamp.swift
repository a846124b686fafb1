/// The time that a day without a time of day means.
package enum DayAlone: Sendable {
  /// This time of day; at once where the day is today and the time has passed.
  case at(TimeOfDay)
  /// This time of day as if it were typed: a repeat rule may name it.
  case clock(TimeOfDay)
  /// The first moment of the day.
  case start
  /// The last second of the day.
  case end

  package static let usual = DayAlone.at(.nine)
}

/// Which of the times that fit a phrase is meant: a bare `18:00`, `friday` or `2h`.
package enum TimeDirection: Sendable {
  /// The next one, of something to come.
  case ahead
  /// The last one, of something that has happened.
  case back
}

/// A time as a person typed it.
package struct TypedTime: Equatable, Sendable {
  package let stamp: TimeStamp
  /// How a phrase was read that people read in two ways; nil where there is nothing to say.
  package let note: String?
  /// Whether it says which day; a time of day alone does not.
  package let namesDay: Bool
  /// The zone that the text names, not by an offset alone.
  package let namedZone: TimeZoneRules?

  /// Understands what systemd.time(7) does, RFC 3339, and English as people say it: `tomorrow
  /// 18:00`, `6pm friday`, `next week`, `27 jan`, `in half an hour`, `3 days from now at 9`, with a
  /// zone behind: `UTC`, `Europe/Berlin`, `+01:00`, or an abbreviation in use in `zone`.
  ///
  /// A stamp with a zone, a span from now and one in seconds are absolute, all others floating. A
  /// time of day alone is the next one, and so is a weekday. Before a date a weekday must match it.
  ///
  /// Where `direction` is back, both are the last one, and a span alone is so long ago. `last
  /// friday` and `last night` have a meaning there.
  ///
  /// - Parameters:
  ///   - zone: where `today` and the next `09:30` are looked up.
  ///   - dayAlone: the time of a day that is typed without one.
  ///   - zoneNamed: finds the zone of a name in the text.
  /// - Throws: the word that was not understood, and a form that is.
  package init(
    _ text: String, now: Instant, zone: TimeZoneRules, dayAlone: DayAlone = .usual,
    direction: TimeDirection = .ahead,
    zoneNamed: (String) throws(TimeZoneError) -> TimeZoneRules = { name throws(TimeZoneError) in
      try TimeZoneRules(named: name)
    }
  ) throws(TimeStampError) {
    do throws(TimeStampError) {
      try self.init(
        simple: text, now: now, zone: zone, dayAlone: dayAlone, direction: direction,
        zoneNamed: zoneNamed)
    } catch {
      // `HumanTime.full` says the distance behind the time: `Fri 27 Nov 2026 18:00, in 3 days`.
      let printed = text.trimmed.lowercased()
      guard printed.utf8.count < 80, let comma = printed.lastIndex(of: ","),
        let head = try? TypedTime(
          simple: String(printed[..<comma]), now: now, zone: zone, dayAlone: dayAlone,
          direction: direction, zoneNamed: zoneNamed),
        HumanTime(now: now, zone: zone).full(head.stamp.instant(in: zone)).lowercased() == printed
      else { throw error }
      self = head
    }
  }

  /// As `init(_:now:zone:dayAlone:zoneNamed:)`, without a distance behind the time.
  private init(
    simple text: String, now: Instant, zone: TimeZoneRules, dayAlone: DayAlone,
    direction: TimeDirection, zoneNamed: (String) throws(TimeZoneError) -> TimeZoneRules
  ) throws(TimeStampError) {
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else {
      throw TimeStampError(text: text, reason: "it is empty; write for example tomorrow 18:00")
    }
    if let instant = try Self.relative(trimmed, now: now, zone: zone) {
      (stamp, note, namesDay, namedZone) = (.absolute(instant), nil, true, nil)
      return
    }
    var words = TimeWord.split(trimmed)
    var named: TimeZoneRules?
    if words.count > 1, let last = words.last {
      named = try Self.zone(last, of: text, local: zone, zoneNamed: zoneNamed)
      if named != nil { words.removeLast() }
    }
    var phrase = TypedPhrase(
      words, of: text, now: now, zone: named ?? zone, dayAlone: dayAlone, direction: direction)
    let reading = try phrase.read()
    namedZone = named
    note = phrase.note
    namesDay = phrase.day != nil || phrase.span != nil
    switch reading {
    case .absolute(let instant): stamp = .absolute(try Self.near(instant, text))
    case .floating(let local):
      if let offset = phrase.offset {
        guard named == nil else { throw phrase.fault("it names two zones") }
        named = TimeZoneRules(name: "offset", fixedOffset: offset, abbreviation: "")
      }
      stamp = named.map { .absolute($0.instant(of: local)) } ?? .floating(local)
    }
  }

  /// Whether the words say that a time is past: `yesterday at 5`, `2 hours ago`.
  package static func saysPast(_ text: String) -> Bool {
    TimeWord.split(text).contains { ["yesterday", "ago"].contains($0.lower) }
  }

  /// `now`, a span before or after it, or seconds since the epoch; nil for all else.
  private static func relative(
    _ text: String, now: Instant, zone: TimeZoneRules
  ) throws(TimeStampError) -> Instant? {
    let lower = text.lowercased()
    let span: CalendarSpan
    if lower == "now" {
      return now
    } else if text.hasPrefix("@"), text.utf8.dropFirst().allSatisfy(\.isPartOfNumber) {
      return try epoch(text)
    } else if let shift = try shift(text) {
      span = shift
    } else if lower.hasSuffix(" ago"), let past = try? shift("-\(text.dropLast(4))") {
      span = past
    } else if lower.hasSuffix(" left"), let left = try? shift("+\(text.dropLast(5))") {
      span = left
    } else {
      return nil
    }
    return try moved(now, by: span, in: zone, text)
  }

  private static let beyond = "it is beyond the years 0000 to 9999"

  fileprivate static func moved(
    _ instant: Instant, by span: CalendarSpan, in zone: TimeZoneRules, _ text: String
  ) throws(TimeStampError) -> Instant {
    guard let moved = span.after(instant, in: zone) else {
      throw TimeStampError(text: text, reason: beyond)
    }
    return try near(moved, text)
  }

  /// The span behind a sign, `+1h` or `-2d`; nil without a sign. Days, weeks, months and years go
  /// by the calendar.
  package static func shift(_ text: String) throws(TimeStampError) -> CalendarSpan? {
    let text = text.trimmed
    let isNegative = text.hasPrefix("-")
    guard isNegative || text.hasPrefix("+") else { return nil }
    do throws(TimeSpanError) {
      let span = try CalendarSpan(
        parsing: String(text.dropFirst()), behindHours: "min", hasMonths: true)
      guard isNegative else { return span }
      return CalendarSpan(
        months: -span.months, days: -span.days, microseconds: -span.microseconds)
    } catch {
      throw TimeStampError(text: text, reason: error.reason)
    }
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
  fileprivate static func near(_ instant: Instant, _ text: String) throws(TimeStampError) -> Instant
  {
    guard (0...9999).contains(TimeZoneRules.utc.localDateTime(at: instant).date.year) else {
      throw TimeStampError(text: text, reason: beyond)
    }
    return instant
  }

  /// The zone that the last word names; nil where it begins with a digit or belongs to the phrase.
  private static func zone(
    _ word: TimeWord, of text: String, local: TimeZoneRules,
    zoneNamed: (String) throws(TimeZoneError) -> TimeZoneRules
  ) throws(TimeStampError) -> TimeZoneRules? {
    var name = word.typed
    if name.hasPrefix("+") || name.hasPrefix("-") {
      // As date(1) prints it: +0100.
      if name.utf8.count == 5, name.dropFirst().utf8.allSatisfy(\.isDigit) {
        name.insert(":", at: name.index(name.endIndex, offsetBy: -2))
      }
      var reader = CivilReader(name, of: text)
      guard let offset = try reader.offset(), reader.scanner.atEnd else {
        throw reader.fault("an offset is written like +01:00")
      }
      return TimeZoneRules(name: name, fixedOffset: offset, abbreviation: name)
    }
    guard name.utf8.first?.isLetter == true, !TimeWords.contains(word.lower) else { return nil }
    if name == "UTC" || name == "Z" { return .utc }
    if let fixed = local.fixed(abbreviation: name) { return fixed }
    do throws(TimeZoneError) {
      return try zoneNamed(name)
    } catch {
      guard name.contains("/") else { return nil }
      throw TimeStampError(text: text, reason: error.description)
    }
  }
}

extension UInt8 {
  fileprivate var isPartOfNumber: Bool {
    isDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
  }
}

extension TimeStamp {
  /// The time so much later or earlier as a span with a sign says, `+1h` or `-2d`; a floating time
  /// moves on its own clock.
  /// - Parameter zone: by whose clocks days and months of an absolute time count.
  /// - Returns: nil for a text without a sign.
  package func moved(
    typed text: String, in zone: TimeZoneRules
  ) throws(TimeStampError) -> TimeStamp? {
    guard let shift = try TypedTime.shift(text) else { return nil }
    switch self {
    case .absolute(let instant):
      return .absolute(try TypedTime.moved(instant, by: shift, in: zone, text))
    case .floating(let local):
      let moved = try TypedTime.moved(
        TimeZoneRules.utc.instant(of: local), by: shift, in: .utc, text)
      return .floating(TimeZoneRules.utc.localDateTime(at: moved))
    }
  }
}
