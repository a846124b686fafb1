package import Bytes

/// Why a text is not a span of time.
package struct TimeSpanError: Error, Equatable, CustomStringConvertible {
  package let text: String
  /// The fault and the remedy.
  package let reason: String

  package var description: String { "\(quoted(text)) is not a span of time: \(reason)" }
}

/// Spans as in systemd.time(7): `90`, `5min`, `1h 30min`.
extension TimeSpan: CustomStringConvertible {
  /// Microseconds of systemd's month.
  static let month: Int64 = 2_629_800_000_000

  /// Microseconds of the units; a month is 30.44 days and a year 365.25 days, as in systemd.
  private static let units: [(names: [String], microseconds: Int64)] = [
    (["y", "year", "years"], 31_557_600_000_000),
    (["month", "M", "months"], month),
    (["w", "week", "weeks"], 604_800_000_000),
    (["d", "day", "days"], 86_400_000_000),
    (["h", "hr", "hour", "hours"], 3_600_000_000),
    (["min", "m", "minute", "minutes"], 60_000_000),
    (["s", "sec", "second", "seconds"], 1_000_000),
    (["ms", "msec"], 1000),
    (["us", "usec", "µs", "μs"], 1),
  ]

  /// Numbers, whole or with decimals, each with its unit, blanks between them as one likes; they
  /// add up. A number without a unit is in seconds. Never negative; what does not fit is refused.
  /// - Parameter behindHours: the unit of a number without one behind hours: `1h30` of systemd is
  ///   30 s longer than an hour, and of people half an hour.
  package init(parsing text: String, behindHours: String = "s") throws(TimeSpanError) {
    var total: Int64 = 0
    try Self.forEachPart(of: text, behindHours: behindHours) { digits, fraction, unit in
      Self.product(digits, fraction, unit).map { total.add($0) } ?? false
    }
    self.init(microseconds: total)
  }

  /// A span that a person types: 10 may be seconds or minutes, so that it needs a unit.
  package init(typedWithUnit text: String) throws(TimeSpanError) {
    try self.init(parsing: text, behindHours: "min")
    guard self == .zero || text.contains(where: \.isLetter) else {
      let number = text.trimmed
      throw TimeSpanError(text: text, reason: "give a unit: \(number)s, \(number)min or \(number)h")
    }
  }

  /// Calls `body` with the digits, the decimals and the unit of each part, until it answers false:
  /// then the span is too long.
  static func forEachPart(
    of text: String, behindHours: String = "s",
    _ body: (ArraySlice<UInt8>, ArraySlice<UInt8>, Int64) -> Bool
  ) throws(TimeSpanError) {
    func fault(_ reason: String) -> TimeSpanError { TimeSpanError(text: text, reason: reason) }
    var scanner = ByteScanner(text.trimmed)
    guard !scanner.atEnd else { throw fault("it is empty; write for example 90, 5min or 1h 30min") }
    guard scanner.next != UInt8(ascii: "-") else { throw fault("it must not be negative") }
    var bare = "s"
    repeat {
      let digits = scanner.run(where: \.isDigit)
      var fraction: ArraySlice<UInt8> = []
      if scanner.consume(UInt8(ascii: ".")) {
        fraction = scanner.run(where: \.isDigit)
        guard !fraction.isEmpty else { throw fault("digits should stand behind the point") }
      }
      guard !digits.isEmpty || !fraction.isEmpty else {
        throw fault("a number should stand before \(quoted(scanner.rest))")
      }
      scanner.skipSpace()
      let word = String(decoding: scanner.run { $0.isLetter || $0 >= 0x80 }, as: UTF8.self)
      scanner.skipSpace()
      let unit = Self.units.first { $0.names.contains(word.isEmpty ? bare : word) }
      bare = unit?.names[0] == "h" ? behindHours : "s"
      guard let size = unit?.microseconds else {
        throw fault("\(quoted(word)) is not a unit; use us, ms, s, min, h, d, w, month or y")
      }
      guard body(digits, fraction, size) else { throw fault("it is too long") }
    } while !scanner.atEnd
  }

  /// A decimal number times a unit, cut to whole microseconds; nil when it does not fit.
  static func product(
    _ digits: ArraySlice<UInt8>, _ fraction: ArraySlice<UInt8>, _ unit: Int64
  ) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      let (tens, first) = value.multipliedReportingOverflow(by: 10)
      let (sum, second) = tens.addingReportingOverflow(Int64(digit &- UInt8(ascii: "0")))
      if first || second { return nil }
      value = sum
    }
    let (whole, overflow) = value.multipliedReportingOverflow(by: unit)
    if overflow { return nil }
    // Quotient and remainder apart: neither product exceeds 10^18.
    var numerator: Int64 = 0
    var scale: Int64 = 1
    for digit in fraction.prefix(9) {
      numerator = numerator * 10 + Int64(digit &- UInt8(ascii: "0"))
      scale *= 10
    }
    let (sum, tooLong) = whole.addingReportingOverflow(
      unit / scale * numerator + unit % scale * numerator / scale)
    return tooLong ? nil : sum
  }

  /// `1h 30min`, `2d`, `15.250s`, as systemd prints it; `0` for nothing.
  @usableFromInline package var description: String {
    var text = ByteWriter(capacity: 32)
    write(to: &text)
    return text.text
  }

  /// The description, cut to its two largest units: `5month 2w`.
  package var brief: String {
    description.split(separator: " ").prefix(2).joined(separator: " ")
  }

  /// Adds the description.
  package func write(to text: inout ByteWriter) {
    guard microseconds != 0 else { return text.add(UInt8(ascii: "0")) }
    if microseconds < 0 { text.add(UInt8(ascii: "-")) }
    var rest = microseconds.magnitude
    var isFirst = true
    for number in Self.units.indices where rest > 0 {
      let unit = UInt64(Self.units[number].microseconds)
      guard rest >= unit else { continue }
      if !isFirst { text.add(UInt8(ascii: " ")) }
      isFirst = false
      text.add(decimal: Int(rest / unit))
      var part = rest % unit
      // Below a minute the rest is a fraction of the largest unit that applies.
      if part != 0, rest < 60_000_000 {
        text.add(UInt8(ascii: "."))
        let isShort = part % 1000 == 0
        text.add(decimal: Int(isShort ? part / 1000 : part), width: isShort || unit == 1000 ? 3 : 6)
        part = 0
      }
      text.add(Self.units[number].names[0])
      rest = part
    }
  }
}

extension Int64 {
  /// Adds a number; false where the sum does not fit.
  mutating func add(_ other: Int64) -> Bool {
    let (sum, overflow) = addingReportingOverflow(other)
    if !overflow { self = sum }
    return !overflow
  }
}
