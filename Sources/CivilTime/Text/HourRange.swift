/// Why a text is not a range of hours or a set of weekdays.
package struct ClockError: Error, Equatable, CustomStringConvertible {
  package let text: String
  /// The expected kind of text.
  package let kind: String
  /// The fault and the remedy.
  package let reason: String

  package var description: String { "\(quoted(text)) is not a \(kind): \(reason)" }
}

/// A part of every day on the clock, `08:00-18:00`: the start belongs to it, the end does not. It
/// runs over midnight where the end is not later than the start, `22:00-06:00`.
package struct HourRange: Hashable, Sendable {
  /// Microseconds since midnight, 0..<one day.
  let start: Int64
  /// Microseconds since midnight, over 0 up to one whole day, not equal to `start`.
  let end: Int64

  /// `08:00-18:00`, `8-18`, `8am-6pm`. Seconds where wanted; the end may be 24:00.
  package init(parsing text: String) throws(ClockError) {
    func fault(_ reason: String) -> ClockError {
      ClockError(text: text, kind: "range of hours", reason: reason)
    }
    let form = "write it like 08:00-18:00"
    let bounds = "the clock goes from 00:00 to 24:00"
    var scanner = ByteScanner(text.trimmed)
    func clock() throws(ClockError) -> Int64 {
      guard var hour = scanner.number(digits: 1...2) else { throw fault(form) }
      var seconds = 0
      for unit in [60, 1] where scanner.consume(UInt8(ascii: ":")) {
        guard let digits = scanner.number(digits: 2...2) else { throw fault(form) }
        guard digits <= 59 else { throw fault(bounds) }
        seconds += digits * unit
      }
      scanner.skipSpace()
      if let half = scanner.half {
        guard (1...12).contains(hour) else { throw fault("\(hour)\(half) is no time") }
        hour = hour % 12 + (half == "pm" ? 12 : 0)
      }
      guard hour * 3_600 + seconds <= 86_400 else { throw fault(bounds) }
      return Int64(hour * 3_600 + seconds) * 1_000_000
    }
    let first = try clock()
    scanner.skipSpace()
    guard scanner.consume(UInt8(ascii: "-")) || scanner.consumeWord("to") else {
      throw fault(form)
    }
    scanner.skipSpace()
    let last = try clock()
    guard scanner.atEnd else { throw fault("there is more text behind it") }
    start = first == TimeOfDay.dayLength ? 0 : first
    end = last == 0 ? TimeOfDay.dayLength : last
    guard start != end else {
      throw fault("both ends are the same; write 00:00-24:00 for the whole day")
    }
  }

  /// Whether it runs over midnight.
  package var wraps: Bool { end < start }

  /// When a day begins that the range does not divide: midnight, or the end of a range over it.
  package var dayStart: TimeOfDay { TimeOfDay(clamping: wraps ? end : 0) }

  package func contains(_ time: TimeOfDay) -> Bool {
    wraps
      ? time.microseconds >= start || time.microseconds < end
      : time.microseconds >= start && time.microseconds < end
  }

  /// The first reading after `local` at which the range ends.
  package func nextClosing(after local: LocalDateTime) -> LocalDateTime {
    let isWhole = end == TimeOfDay.dayLength
    let clock = TimeOfDay(clamping: isWhole ? 0 : end)
    let today = LocalDateTime(date: local.date, time: clock)
    return today > local ? today : LocalDateTime(date: local.date.adding(days: 1), time: clock)
  }

  /// The first reading from `local` on that lies in the range, `local` itself where it does.
  package func nextOpening(from local: LocalDateTime) -> LocalDateTime {
    if contains(local.time) { return local }
    let opening = LocalDateTime(date: local.date, time: TimeOfDay(clamping: start))
    return opening >= local
      ? opening : LocalDateTime(date: local.date.adding(days: 1), time: opening.time)
  }
}

extension ByteScanner {
  /// `am` or `pm`, consumed.
  fileprivate var half: String? {
    mutating get { consumeWord("am") ? "am" : consumeWord("pm") ? "pm" : nil }
  }

  /// A word of small letters in any case.
  fileprivate mutating func consumeWord(_ word: String) -> Bool {
    guard rest.lowercased().hasPrefix(word) else { return false }
    for _ in word.utf8 { _ = consume { _ in true } }
    return true
  }
}

extension HourRange: CustomStringConvertible {
  /// `08:00-18:00`, with seconds where they are not zero.
  package var description: String { "\(Self.clock(start))-\(Self.clock(end))" }

  private static func clock(_ microseconds: Int64) -> String {
    let seconds = Int(microseconds / 1_000_000)
    let minutes = "\((seconds / 3600).padded(2)):\((seconds / 60 % 60).padded(2))"
    return seconds % 60 == 0 ? minutes : "\(minutes):\((seconds % 60).padded(2))"
  }
}
