package import Bytes

/// The date and time forms of RFC 3339: `2026-11-21T09:30:00.25+01:00`.
extension Instant: CustomStringConvertible {
  /// Accepts `t` and `z` in lower case, a space for the `T`, a fraction of any length (cut to
  /// microseconds) and the leap second `23:59:60` UTC, which is read as the second after it.
  package init(rfc3339 text: String) throws(TimeStampError) {
    switch try TimeStamp(parsing: text) {
    case .absolute(let instant): self = instant
    case .floating:
      throw TimeStampError(text: text, reason: "the zone is missing; end it in Z or +hh:mm")
    }
  }

  /// The form for people, with the zone's offset; `Z` for UTC itself.
  package func rfc3339(
    zone: TimeZoneRules = .utc, decimals: SecondDecimals = .threeIfNeeded
  ) -> String {
    // RFC 3339 has no seconds in offsets; with the offset cut to minutes the instant stays the
    // same.
    let minutes = zone.offset(at: self) / 60
    let local = LocalDateTime(
      microseconds: (self + TimeSpan(microseconds: Int64(minutes) * 60_000_000)).microseconds)
    var text = ByteWriter(capacity: 32)
    local.write(to: &text, decimals: decimals)
    if minutes == 0, zone.isUTC {
      text.add(UInt8(ascii: "Z"))
    } else {
      let size = Int(minutes.magnitude)
      text.add(UInt8(ascii: minutes < 0 ? "-" : "+"))
      text.add(decimal: size / 60, width: 2)
      text.add(UInt8(ascii: ":"))
      text.add(decimal: size % 60, width: 2)
    }
    return text.text
  }

  /// The form of JSON members: UTC, milliseconds only where they are not zero.
  package var json: String {
    var text = ByteWriter(capacity: 32)
    writeJSON(to: &text)
    return text.text
  }

  /// Adds the form of JSON members.
  package func writeJSON(to text: inout ByteWriter) {
    LocalDateTime(microseconds: microseconds).write(to: &text, decimals: .threeIfNeeded)
    text.add(UInt8(ascii: "Z"))
  }

  /// The form of `time` in gpsd's TPV: UTC, always with three decimals.
  package var tpv: String { rfc3339(decimals: .three) }

  /// UTC with all digits that matter; reads back as the same value.
  @usableFromInline package var description: String { rfc3339(decimals: .exact) }
}

/// Reads dates, times of day and offsets in sequence and reports faults.
struct CivilReader {
  let text: String
  var scanner: ByteScanner
  /// Whether the last time of day was a leap second.
  private var sawLeapSecond = false
  private var sawTime = false

  init(_ text: String) { self.init(text, of: text) }

  /// Reads a part of a text; errors name the whole.
  init(_ part: String, of text: String) {
    self.text = text
    scanner = ByteScanner(part)
  }

  func fault(_ reason: String) -> TimeStampError { TimeStampError(text: text, reason: reason) }

  /// `2026-11-21`, or ISO 8601's expanded year with a sign and six digits.
  mutating func date() throws(TimeStampError) -> CivilDate {
    let sign = scanner.consume { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    guard let digits = scanner.number(digits: sign == nil ? 4...4 : 6...6),
      scanner.consume(UInt8(ascii: "-")), let month = scanner.number(digits: 2...2),
      scanner.consume(UInt8(ascii: "-")), let day = scanner.number(digits: 2...2)
    else { throw fault("a date is written like 2026-11-21") }
    let year = sign == UInt8(ascii: "-") ? -digits : digits
    guard let date = CivilDate(year: year, month: month, day: day) else {
      guard CivilDate.years.contains(year) else { throw fault("the year \(year) is out of range") }
      guard (1...12).contains(month) else { throw fault("there is no month \(month)") }
      throw fault("that month has no day \(day)")
    }
    return date
  }

  /// `09:30`, `09:30:15`, `09:30:15.25`: microseconds since midnight. A second 60 makes it run into
  /// the next minute.
  mutating func timeOfDay() throws(TimeStampError) -> Int64 {
    guard let hour = scanner.number(digits: 1...2), scanner.consume(UInt8(ascii: ":")),
      let minute = scanner.number(digits: 2...2)
    else { throw fault("a time of day is written like 09:30 or 09:30:15") }
    var second = 0
    var fraction = 0
    if scanner.consume(UInt8(ascii: ":")) {
      guard let digits = scanner.number(digits: 2...2) else {
        throw fault("the seconds are two digits")
      }
      second = digits
      if scanner.consume(UInt8(ascii: ".")) || scanner.consume(UInt8(ascii: ",")) {
        guard let digits = scanner.millionths() else { throw fault("digits are missing") }
        fraction = digits
      }
    }
    guard hour <= 23 else { throw fault("there is no hour \(hour); hours go from 00 to 23") }
    guard minute <= 59 else { throw fault("there is no minute \(minute)") }
    guard second <= 60 else { throw fault("there is no second \(second)") }
    sawTime = true
    sawLeapSecond = second == 60
    // The fraction of a leap second would repeat the one of the second after it.
    if sawLeapSecond { fraction = 0 }
    return Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + Int64(fraction)
  }

  /// A date, and a time of day behind a `T` or blanks; a date alone is its midnight.
  mutating func dateTime() throws(TimeStampError) -> LocalDateTime {
    let day = try date()
    let beforeSeparator = scanner
    if scanner.consume(where: { $0 | 0x20 == UInt8(ascii: "t") }) == nil {
      scanner.skipSpace()
      guard scanner.next?.isDigit == true else {
        scanner = beforeSeparator
        return LocalDateTime(date: day)
      }
    }
    return LocalDateTime(date: day).adding(TimeSpan(microseconds: try timeOfDay()))
  }

  /// Seconds east of UTC, or nil where no offset stands here.
  mutating func offset() throws(TimeStampError) -> Int? {
    if scanner.consume(where: { $0 | 0x20 == UInt8(ascii: "z") }) != nil { return 0 }
    guard let sign = scanner.consume(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") })
    else { return nil }
    // ISO 8601's basic form has no colon.
    let basic = scanner.number(digits: 4...4)
    guard let hours = basic.map({ $0 / 100 }) ?? scanner.number(digits: 2...2),
      basic != nil || scanner.consume(UInt8(ascii: ":")),
      let minutes = basic.map({ $0 % 100 }) ?? scanner.number(digits: 2...2), hours <= 23,
      minutes <= 59
    else { throw fault("an offset is written like +01:00") }
    let seconds = (hours * 60 + minutes) * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }

  /// Fails where more text stands behind.
  func checkEnd() throws(TimeStampError) {
    guard scanner.atEnd else {
      throw fault("there is more text behind it: \(quoted(scanner.rest))")
    }
  }

  func stamp(_ local: LocalDateTime, offset: Int?) throws(TimeStampError) -> TimeStamp {
    guard let offset else { return .floating(local) }
    guard sawTime else { throw fault("the time of day is missing") }
    let instant = Instant(microseconds: local.microseconds) - TimeSpan.seconds(Double(offset))
    if sawLeapSecond, instant.microseconds.flooredRemainder(TimeOfDay.dayLength) != 0 {
      throw fault("a leap second stands only at 23:59:60 UTC")
    }
    return .absolute(instant)
  }
}
