package import CivilTime
package import JSONText

/// The times of devices, for every input: their forms, and the weeks that receivers miscount.
package enum DeviceTime {
  /// 1024 weeks, the period of the GPS week number (IS-GPS-200, 20.3.3.3.1.1).
  private static let rollover = TimeSpan.hours(24 * 7168)
  /// A time counts as rolled over if the correction brings it this near to the present.
  private static let tolerance = TimeSpan.hours(24 * 30)

  /// Seconds or milliseconds since 1970, whichever gives a date before the year 5000; nil for
  /// anything else.
  package static func read(_ number: Double?) -> Instant? {
    guard let number, number > 0, number < 1e14 else { return nil }
    return Instant(seconds: number < 1e11 ? number : number / 1000)
  }

  /// Such a number in decimal digits, or ISO 8601 as `TimeStamp` reads it, since 1970.
  /// - Parameter zone: where a time without a zone is meant.
  package static func read(
    _ text: String, in zone: TimeZoneRules = .utc
  ) throws(TimeStampError) -> Instant {
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    if isNumber, let time = read(Double(text)) { return time }
    let time = try TimeStamp(parsing: text).instant(in: zone)
    guard time.microseconds >= 0 else {
      throw TimeStampError(text: text, reason: "no device has a time before 1970")
    }
    return time
  }

  /// A number or a text of a JSON document; nil where it is no time.
  package static func read(_ value: JSONValue?) -> Instant? {
    if let text = value?.string { return try? read(text) }
    return read(value?.double)
  }

  /// The time moved by whole rollover periods, if that brings it near the present; else nil. Any
  /// other wrong date is as it is: an old recording, or a clock never set.
  package static func corrected(_ time: Instant, near now: Instant) -> Instant? {
    let periods = ((now - time).seconds / rollover.seconds).rounded()
    guard periods != 0 else { return nil }
    let moved = time + .seconds(periods * rollover.seconds)
    return max(now, moved) - min(now, moved) <= tolerance ? moved : nil
  }
}
