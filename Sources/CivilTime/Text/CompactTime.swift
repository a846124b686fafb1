/// A day, or a time on one, in the basic form of ISO 8601, as iCalendar writes it (RFC 5545
/// sections 3.3.4 and 3.3.5).
package enum CompactTime: Hashable, Sendable {
  case date(CivilDate)
  /// By whatever clock.
  case local(LocalDateTime)
  /// In UTC.
  case absolute(Instant)

  /// `20261121`, `20261121T093000` or `20261121T083000Z`; nil for another text. A leap second is
  /// the one before it, and 24:00 midnight of the next day.
  package init?(_ text: some StringProtocol) {
    var scanner = ByteScanner(text)
    guard let day = scanner.number(digits: 8...8),
      let date = CivilDate(year: day / 10_000, month: day / 100 % 100, day: day % 100)
    else { return nil }
    guard !scanner.atEnd else {
      self = .date(date)
      return
    }
    guard scanner.consume(where: { $0 | 0x20 == UInt8(ascii: "t") }) != nil,
      let clock = scanner.number(digits: 6...6), clock <= 240_000, clock % 100 <= 60,
      let time = TimeOfDay(
        hour: clock / 10_000 % 24, minute: clock / 100 % 100, second: min(clock % 100, 59))
    else { return nil }
    let local = LocalDateTime(date: date.adding(days: clock / 240_000), time: time)
    if scanner.atEnd {
      self = .local(local)
    } else if scanner.consume(where: { $0 | 0x20 == UInt8(ascii: "z") }) != nil, scanner.atEnd {
      self = .absolute(Instant(microseconds: local.microseconds))
    } else {
      return nil
    }
  }
}

extension CompactTime: CustomStringConvertible {
  /// The text; reads back as the same value, but for fractions of a second and years beyond 9999.
  package var description: String {
    switch self {
    case .date(let date): date.compact
    case .local(let local): local.compact
    case .absolute(let instant): instant.compact
    }
  }
}

extension CivilDate {
  /// `20261121`
  package var compact: String { year.padded(4) + month.padded(2) + day.padded(2) }
}

extension LocalDateTime {
  /// `20261121T093000`; fractions of a second are cut off.
  package var compact: String {
    date.compact + "T" + time.hour.padded(2) + time.minute.padded(2) + time.second.padded(2)
  }
}

extension Instant {
  /// `20261121T083000Z`; fractions of a second are cut off.
  package var compact: String { LocalDateTime(microseconds: microseconds).compact + "Z" }
}
