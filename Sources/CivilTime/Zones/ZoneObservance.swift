/// A part of a zone that a file describes (STANDARD or DAYLIGHT, RFC 5545 section 3.6.5): the
/// readings at which its offset begins.
package struct ZoneObservance: Sendable {
  /// The first onset, a reading of the offset before it.
  package let start: LocalDateTime
  /// Further onsets (RDATE), and the rule of more (RRULE).
  package let dates: [LocalDateTime]
  package let rule: RepeatRule?
  /// Seconds east of UTC before each onset, and from it on.
  package let offsets: (before: Int, after: Int)
  package let isDST: Bool
  /// TZNAME; another name stands for one that is no abbreviation of POSIX.
  package let abbreviation: String

  /// - Returns: nil for an offset of more than 24 hours.
  package init?(
    start: LocalDateTime, dates: [LocalDateTime], rule: RepeatRule?,
    offsets: (before: Int, after: Int), isDST: Bool, name: String
  ) {
    guard abs(offsets.before) <= 86_400, abs(offsets.after) <= 86_400 else { return nil }
    self.start = start
    self.dates = dates
    self.rule = rule
    self.offsets = offsets
    self.isDST = isDST
    let isName = (3...10).contains(name.utf8.count) && name.utf8.allSatisfy(\.isAbbreviation)
    abbreviation = isName ? name : isDST ? "DST" : "STD"
  }

  /// Whether its rule has no end.
  package var isOpen: Bool { rule.map { $0.count == nil && $0.until == nil } ?? false }

  /// The onsets up to a year, the first of all and those of its rule since 1900; at most 400.
  func onsets(through year: Int) -> [LocalDateTime] {
    var onsets = [start] + dates
    guard let rule, rule.frequency == .yearly else { return onsets }
    let clock = TimeZoneRules(name: "", fixedOffset: offsets.before, abbreviation: "STD")
    var occurrences = rule.occurrences(from: start, zone: clock)
    occurrences.maximumWork = 10_000
    if let past = LocalDateTime(year: 1899, month: 12, day: 31) { occurrences.skip(through: past) }
    while onsets.count < 400, let next = occurrences.next(), next.date.year <= year {
      onsets.append(next)
    }
    return onsets
  }

  /// The instant of an onset, in seconds since the epoch.
  func seconds(_ onset: LocalDateTime) -> Int64 {
    onset.microseconds / 1_000_000 - Int64(offsets.before)
  }

  /// The first onset.
  package var first: Instant { Instant(microseconds: seconds(start) * 1_000_000) }

  /// Its type as a zone of POSIX: `<CET>-1`.
  var type: String { Self.type(abbreviation, offsets.after) }

  /// POSIX counts west of Greenwich.
  static func type(_ name: String, _ offset: Int) -> String {
    "<\(name)>\(offset > 0 ? "-" : "")\(clock(Int(offset.magnitude)))"
  }

  /// `2`, `2:30`, `26:00:01`
  private static func clock(_ seconds: Int) -> String {
    var parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
    while parts.count > 1, parts.last == 0 { parts.removeLast() }
    return "\(parts[0])" + parts.dropFirst().map { ":\($0.padded(2))" }.joined()
  }

  /// The yearly onset in the form of POSIX; nil where that cannot say it.
  var change: String? {
    guard let rule, rule == plain(rule), rule.months.count <= 1 else { return nil }
    let month = rule.months.first ?? start.date.month
    let time = Int(start.time.microseconds / 1_000_000)
    guard let day = rule.days.first else {
      let day = rule.monthDays.first ?? start.date.day
      // 2025 has no leap day, as POSIX counts.
      guard rule.monthDays.count <= 1, let date = CivilDate(year: 2025, month: month, day: day)
      else { return nil }
      let number = date.dayNumber - CivilDate.dayNumber(year: 2025, month: 1) + 1
      return "J\(number)/\(Self.clock(time))"
    }
    guard rule.days.count == 1, !rule.months.isEmpty else { return nil }
    func weekday(_ week: Int, later days: Int = 0) -> String {
      let weekday = (day.weekday.rawValue - days).flooredRemainder(7)
      return "M\(month).\(week).\(weekday)/\(Self.clock(time + days * 86_400))"
    }
    if let ordinal = day.ordinal {
      guard rule.monthDays.isEmpty, ordinal == -1 || (1...4).contains(ordinal) else { return nil }
      return weekday(ordinal == -1 ? 5 : ordinal)
    }
    // The Friday of the 23rd to the 29th is a day after the fourth Thursday.
    guard let first = rule.monthDays.min(), first > 0,
      rule.monthDays == Array(first..<first + 7), (first - 1) / 7 < 4,
      first + 6 <= CivilDate.daysInMonth(month, year: 2025)
    else { return nil }
    // The last seven days of a month of this length.
    if first + 6 == CivilDate.daysInMonth(month, year: 2025), month != 2 { return weekday(5) }
    return weekday((first - 1) / 7 + 1, later: (first - 1) % 7)
  }

  /// The rule with the parts alone that `change` can say.
  private func plain(_ rule: RepeatRule) -> RepeatRule {
    var plain = RepeatRule(.yearly)
    (plain.months, plain.days, plain.monthDays) = (rule.months, rule.days, rule.monthDays)
    plain.weekStart = rule.weekStart
    return plain
  }
}

extension UInt8 {
  fileprivate var isAbbreviation: Bool {
    isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
  }
}
