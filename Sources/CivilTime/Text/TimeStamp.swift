/// Why a text is not a time stamp.
package struct TimeStampError: Error, Equatable, CustomStringConvertible {
  package let text: String
  /// The fault and the remedy.
  package let reason: String

  package init(text: String, reason: String) {
    self.text = text
    self.reason = reason
  }

  package var description: String { "\(quoted(text)) is not a time stamp: \(reason)" }
}

/// A moment as a document names it: a point of time, or a clock reading that follows whatever zone
/// the system is in ("floating", RFC 5545 section 3.3.5).
package enum TimeStamp: Hashable, Sendable {
  case absolute(Instant)
  case floating(LocalDateTime)

  /// RFC 3339, or the same without a zone: floating. Seconds, or the whole time of day, may be left
  /// out of a floating stamp.
  package init(parsing text: String) throws(TimeStampError) {
    var reader = CivilReader(text)
    let local = try reader.dateTime()
    let offset = try reader.offset()
    guard reader.scanner.atEnd else {
      throw reader.fault("there is more text behind it: \(quoted(reader.scanner.rest))")
    }
    self = try reader.stamp(local, offset: offset)
  }

  /// Fast path for whole seconds of UTC, `2026-11-21T09:30:00Z`. nil for any other form and for
  /// nonexistent times.
  package init?(utc text: Span<UInt8>) {
    guard text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[19] == UInt8(ascii: "Z"), let century = Self.twoDigits(text, 0),
      let year = Self.twoDigits(text, 2), let month = Self.twoDigits(text, 5),
      let day = Self.twoDigits(text, 8), let hour = Self.twoDigits(text, 11), hour <= 23,
      let minute = Self.twoDigits(text, 14), minute <= 59,
      let second = Self.twoDigits(text, 17), second <= 59,
      let date = CivilDate(year: 100 * century + year, month: month, day: day)
    else { return nil }
    let time = ((date.dayNumber * 24 + hour) * 60 + minute) * 60 + second
    self = .absolute(Instant(microseconds: Int64(time) * 1_000_000))
  }

  /// 0...99; nil where there is no digit.
  private static func twoDigits(_ text: Span<UInt8>, _ start: Int) -> Int? {
    let (tens, ones) = (text[start] ^ 0x30, text[start + 1] ^ 0x30)
    return tens <= 9 && ones <= 9 ? 10 * Int(tens) + Int(ones) : nil
  }

  /// The instant meant in a zone.
  package func instant(in zone: TimeZoneRules) -> Instant {
    switch self {
    case .absolute(let instant): instant
    case .floating(let local): zone.instant(of: local)
    }
  }
}

extension TimeStamp: CustomStringConvertible {
  /// `2026-11-21T09:30:00Z` or, floating, `2026-11-21T09:30:00`; reads back as the same value.
  package var description: String {
    switch self {
    case .absolute(let instant): instant.description
    case .floating(let local): local.description
    }
  }
}
