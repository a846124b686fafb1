import CivilTime

/// A DATE or DATE-TIME value (RFC 5545 sections 3.3.4 and 3.3.5).
enum CalendarTime: Equatable {
  /// A whole day.
  case date(CivilDate)
  case floating(LocalDateTime)
  case utc(Instant)
  case zoned(LocalDateTime, NamedZone)

  /// The time for a reminder; a whole day begins at midnight.
  var stamp: TimeStamp {
    switch self {
    case .date(let date): .floating(LocalDateTime(date: date))
    case .floating(let local): .floating(local)
    case .utc(let instant): .absolute(instant)
    case .zoned(let local, let zone): .absolute(zone.rules.instant(of: local))
    }
  }

  /// The local clock time, if there is one.
  var local: LocalDateTime {
    switch self {
    case .date(let date): LocalDateTime(date: date)
    case .floating(let local), .zoned(let local, _): local
    case .utc(let instant): LocalDateTime(microseconds: instant.microseconds)
    }
  }

  var isDate: Bool { if case .date = self { true } else { false } }

  /// The time after a span: days by the clock, the rest by elapsed time (section 3.3.6).
  func adding(_ span: CalendarSpan) -> TimeStamp {
    func onDay(_ local: LocalDateTime) -> LocalDateTime {
      LocalDateTime(date: local.date.adding(days: span.days), time: local.time)
    }
    let rest = TimeSpan(microseconds: span.microseconds)
    switch self {
    case .date, .floating: return .floating(onDay(local).adding(rest))
    case .utc: return .absolute(TimeZoneRules.utc.instant(of: onDay(local)) + rest)
    case .zoned(_, let zone): return .absolute(zone.rules.instant(of: onDay(local)) + rest)
    }
  }

  /// The time after a span, in the same form; of a whole day after a part of it a time.
  func moved(by span: CalendarSpan) -> CalendarTime {
    switch (self, adding(span)) {
    case (.date, .floating(let local)) where local.time == .midnight: .date(local.date)
    case (.zoned(_, let zone), .absolute(let instant)):
      .zoned(zone.rules.localDateTime(at: instant), zone)
    case (_, .floating(let local)): .floating(local)
    case (_, .absolute(let instant)): .utc(instant)
    }
  }

  /// A reading of the same clock.
  func reading(_ local: LocalDateTime) -> CalendarTime {
    switch self {
    case .date, .floating: .floating(local)
    case .utc: .utc(TimeZoneRules.utc.instant(of: local))
    case .zoned(_, let zone): .zoned(local, zone)
    }
  }
}

extension TimeStamp {
  /// Time since `other`, elapsed where that is known.
  func distance(from other: TimeStamp) -> TimeSpan {
    if case (.absolute(let a), .absolute(let b)) = (self, other) { return a - b }
    return instant(in: .utc) - other.instant(in: .utc)
  }
}

extension ContentLine {
  /// Its value; nil where that cannot be read, which is named.
  func read<Value>(
    _ leftOut: inout [Refusal], _ read: (ContentLine) throws(Fault) -> Value
  ) -> Value? {
    do throws(Fault) {
      return try read(self)
    } catch {
      leftOut.add(error.line ?? number, error.reason)
      return nil
    }
  }
}

extension CalendarComponent {
  /// Something of the component; nil where that cannot be read, which is named.
  func read<Value>(
    _ leftOut: inout [Refusal], _ read: (CalendarComponent) throws(Fault) -> Value
  ) -> Value? {
    do throws(Fault) {
      return try read(self)
    } catch {
      leftOut.add(error.line ?? line, error.reason)
      return nil
    }
  }
}

/// Reads values of dates, times and spans; the line is for the error.
enum CalendarValue {
  /// `20261121T093000Z`, `20261121T093000` or `20261121`.
  static func time(_ line: ContentLine, _ zones: CalendarZones) throws(Fault) -> CalendarTime {
    try time(line.value, in: line, zones)
  }

  /// All readable values of EXDATE or RDATE; of a period its beginning.
  static func times(
    _ line: ContentLine, _ zones: CalendarZones, _ leftOut: inout [Refusal]
  ) -> [CalendarTime] {
    line.value.split(separator: ",", omittingEmptySubsequences: false).compactMap { part in
      line.read(&leftOut) { (line) throws(Fault) in
        try time(String(part.prefix { $0 != "/" }), in: line, zones)
      }
    }
  }

  private static func time(
    _ text: String, in line: ContentLine, _ zones: CalendarZones
  ) throws(Fault) -> CalendarTime {
    guard let time = CompactTime(text.trimmedText(limit: 64)) else {
      throw Fault(
        "\(line.name) '\(text.prefix(40).description.shownInMessage)' is no date or time; write "
          + "20261121, 20261121T093000 or 20261121T083000Z", line: line.number)
    }
    // `CalendarZones.unknown(in:)` names an unknown zone.
    let zone = line["TZID"].flatMap { zones.zone(named: $0) }
    switch time {
    case .date(let date): return .date(date)
    case .local(let local): return zone.map { .zoned(local, $0) } ?? .floating(local)
    case .absolute(let instant):
      // Beside a zone the Z means nothing to the programs that write and read both.
      guard let zone, !zone.rules.isUTC else { return .utc(instant) }
      return .zoned(TimeZoneRules.utc.localDateTime(at: instant), zone)
    }
  }

  /// A time in UTC.
  static func instant(_ line: ContentLine) throws(Fault) -> Instant {
    guard case .utc(let instant) = try time(line, CalendarZones()) else {
      throw Fault("\(line.name) is a time in UTC, with a Z behind it", line: line.number)
    }
    return instant
  }

  /// A whole number.
  static func count(_ line: ContentLine) throws(Fault) -> Int {
    guard let count = Int(line.value.trimmedText(limit: 20)) else {
      throw Fault(
        "\(line.name) '\(line.value.shownInMessage)' is no whole number", line: line.number)
    }
    return count
  }

  /// `-PT15M`, `P1DT12H`, `P2W` (section 3.3.6), any order of the parts that is unambiguous.
  static func span(_ line: ContentLine) throws(Fault) -> CalendarSpan {
    let given = line.value.trimmedText(limit: 64)
    let text = given.uppercased()
    func fault() -> Fault {
      Fault(
        "\(line.name) '\(given.shownInMessage)' is no span; write for example -PT15M or P1D",
        line: line.number)
    }
    var rest = text[...]
    let sign: Int64 = rest.hasPrefix("-") ? -1 : 1
    if sign < 0 || rest.hasPrefix("+") { rest.removeFirst() }
    // `P` and `PT` are no time, as Outlook and Zimbra write it; days may be behind the T, too.
    guard rest.popFirst() == "P" else { throw fault() }
    var total: Int64 = 0
    var days: Int64 = 0
    var isTime = false
    while !rest.isEmpty {
      if !isTime, rest.hasPrefix("T") {
        isTime = true
        rest.removeFirst()
      }
      guard !rest.isEmpty else { break }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest[digits.endIndex...]
      guard digits.utf8.count <= 9, let count = Int64(digits), let unit = rest.popFirst(),
        let seconds = unitSeconds[unit], isTime || seconds >= 86_400
      else { throw fault() }
      total += count * seconds
      if seconds >= 86_400 { days += count * (seconds / 86_400) }
      guard total <= longestSpan else {
        throw Fault("\(line.name) '\(text)' is longer than a century", line: line.number)
      }
    }
    return CalendarSpan(
      days: Int(sign * days), microseconds: sign * (total - days * 86_400) * 1_000_000)
  }

  private static let unitSeconds: [Character: Int64] = [
    "W": 604_800, "D": 86_400, "H": 3_600, "M": 60, "S": 1,
  ]

  /// Seconds; a reminder's lead may not be longer.
  static let longestSpan: Int64 = 100 * 366 * 86_400
}

extension CalendarSpan {
  /// The sum of spans of some centuries at most.
  static func + (a: CalendarSpan, b: CalendarSpan) -> CalendarSpan {
    CalendarSpan(days: a.days + b.days, microseconds: a.microseconds + b.microseconds)
  }

  static prefix func - (span: CalendarSpan) -> CalendarSpan {
    CalendarSpan(days: -span.days, microseconds: -span.microseconds)
  }

  /// `-PT15M`, `P1D`, `PT24H`; fractions of a second are cut off. Days and the rest have one sign.
  var iCalendar: String {
    var seconds = microseconds.magnitude / 1_000_000
    if days == 0, seconds == 0 { return "PT0S" }
    var text = days < 0 || microseconds < 0 ? "-P" : "P"
    if days != 0 { text += "\(days.magnitude)D" }
    guard seconds > 0 else { return text }
    text += "T"
    let hours = seconds / 3_600
    seconds %= 3_600
    if hours > 0 { text += "\(hours)H" }
    // An hour and seconds have their minutes between them in the grammar.
    if seconds >= 60 || (hours > 0 && seconds > 0) { text += "\(seconds / 60)M" }
    if seconds % 60 > 0 { text += "\(seconds % 60)S" }
    return text
  }

  /// The same with days and the rest of one sign.
  var withOneSign: CalendarSpan {
    guard days != 0, microseconds != 0, (days < 0) != (microseconds < 0) else { return self }
    let day = TimeOfDay.dayLength
    if (length < .zero) == (days < 0) {
      // Days are taken back, as many as the rest needs.
      let back = Int((microseconds.magnitude + UInt64(day) - 1) / UInt64(day))
      let count = days < 0 ? min(back, -days) : -min(back, days)
      return CalendarSpan(days: days + count, microseconds: microseconds - Int64(count) * day)
    }
    return CalendarSpan(length)
  }

  /// Days of 24 hours, and the rest of a day.
  var inWholeDays: CalendarSpan {
    let length = length.microseconds
    return CalendarSpan(
      days: Int(length / TimeOfDay.dayLength), microseconds: length % TimeOfDay.dayLength)
  }
}
