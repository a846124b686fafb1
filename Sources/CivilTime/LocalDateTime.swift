package import Bytes

/// A time of day on a clock face, to the microsecond: 00:00 up to but not including 24:00.
package struct TimeOfDay: Hashable, Comparable, Sendable {
  /// Microseconds in a day of 24 hours.
  package static let dayLength: Int64 = 86_400_000_000

  package static let midnight = TimeOfDay(clamping: 0)

  /// 09:00, when a day without a time of day is meant unless the settings say otherwise.
  package static let nine = TimeOfDay(clamping: 9 * 3_600_000_000)

  /// Since midnight, 0..<86 400 000 000.
  package let microseconds: Int64

  /// Fails outside of 0..<86 400 000 000.
  package init?(microseconds: Int64) {
    guard (0..<Self.dayLength).contains(microseconds) else { return nil }
    self.microseconds = microseconds
  }

  /// `09:30` or `09:30:15`; nil for any other text.
  package init?(parsing text: String) {
    var reader = CivilReader(text.trimmed)
    guard let microseconds = try? reader.timeOfDay(), reader.scanner.atEnd else { return nil }
    self.init(microseconds: microseconds)
  }

  init(clamping microseconds: Int64) {
    self.microseconds = min(max(microseconds, 0), Self.dayLength - 1)
  }

  /// Fails when a part is out of range; there is no leap second on a clock face.
  package init?(hour: Int, minute: Int, second: Int = 0, microsecond: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second),
      (0...999_999).contains(microsecond)
    else { return nil }
    microseconds = Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + Int64(microsecond)
  }

  /// 0...23
  package var hour: Int { Int(microseconds / 3_600_000_000) }
  /// 0...59
  package var minute: Int { Int(microseconds / 60_000_000) % 60 }
  /// 0...59
  package var second: Int { Int(microseconds / 1_000_000) % 60 }
  /// 0...999 999
  package var microsecond: Int { Int(microseconds % 1_000_000) }

  package static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.microseconds < b.microseconds }
}

/// A date and a time of day that no zone is tied to: what a clock on the wall shows.
package struct LocalDateTime: Hashable, Comparable, Sendable {
  package var date: CivilDate
  package var time: TimeOfDay

  package init(date: CivilDate, time: TimeOfDay = .midnight) {
    self.date = date
    self.time = time
  }

  /// Fails when there is no such day or time.
  package init?(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
    microsecond: Int = 0
  ) {
    guard let date = CivilDate(year: year, month: month, day: day),
      let time = TimeOfDay(hour: hour, minute: minute, second: second, microsecond: microsecond)
    else { return nil }
    self.init(date: date, time: time)
  }

  /// The date and time that `microseconds` counts to; clamped to the range of dates.
  package init(microseconds: Int64) {
    let floor = LocalDateTime(date: .first).microseconds
    let ceiling = LocalDateTime(date: .last).microseconds + (TimeOfDay.dayLength - 1)
    let clamped = min(max(microseconds, floor), ceiling)
    date = CivilDate(dayNumber: Int(clamped.flooredQuotient(TimeOfDay.dayLength)))
    time = TimeOfDay(clamping: clamped.flooredRemainder(TimeOfDay.dayLength))
  }

  /// Microseconds from 1970-01-01 00:00 on the same clock, every day taken as 24 hours long.
  package var microseconds: Int64 {
    Int64(date.dayNumber) * TimeOfDay.dayLength + time.microseconds
  }

  /// So much later on the same clock; stays within the range of dates.
  package func adding(_ span: TimeSpan) -> LocalDateTime {
    let (sum, overflow) = microseconds.addingReportingOverflow(span.microseconds)
    return LocalDateTime(microseconds: overflow ? (span.microseconds < 0 ? .min : .max) : sum)
  }

  package static func < (a: LocalDateTime, b: LocalDateTime) -> Bool {
    (a.date, a.time) < (b.date, b.time)
  }
}

/// How many decimals of a second are printed.
package enum SecondDecimals: Sendable {
  /// Always three, truncated.
  case three
  /// Three unless the milliseconds are zero, else none; truncated.
  case threeIfNeeded
  /// As many as the value needs: none, three or six.
  case exact
}

extension TimeOfDay: CustomStringConvertible {
  /// `09:30:00`, `09:30:00.250`.
  package var description: String { text(decimals: .exact) }

  package func text(decimals: SecondDecimals) -> String {
    var text = ByteWriter(capacity: 16)
    write(to: &text, decimals: decimals)
    return text.text
  }

  /// `09:30`.
  package func writeMinutes(to text: inout ByteWriter) {
    text.add(decimal: hour, width: 2)
    text.add(UInt8(ascii: ":"))
    text.add(decimal: minute, width: 2)
  }

  func write(to text: inout ByteWriter, decimals: SecondDecimals) {
    writeMinutes(to: &text)
    text.add(UInt8(ascii: ":"))
    text.add(decimal: second, width: 2)
    let isExact = decimals == .exact && microsecond % 1000 != 0
    let hasDecimals =
      switch decimals {
      case .three: true
      case .threeIfNeeded: microsecond >= 1000
      case .exact: microsecond != 0
      }
    guard hasDecimals else { return }
    text.add(UInt8(ascii: "."))
    text.add(decimal: isExact ? microsecond : microsecond / 1000, width: isExact ? 6 : 3)
  }
}

extension LocalDateTime: CustomStringConvertible {
  /// `2026-11-21T09:30:00`, with decimals where they are not zero.
  package var description: String {
    var text = ByteWriter(capacity: 32)
    write(to: &text, decimals: .exact)
    return text.text
  }

  func write(to text: inout ByteWriter, decimals: SecondDecimals) {
    date.write(to: &text)
    text.add(UInt8(ascii: "T"))
    time.write(to: &text, decimals: decimals)
  }
}
