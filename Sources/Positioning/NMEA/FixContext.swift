import CivilTime

/// The decoder's options and statistics, shared with its assemblers.
struct FixContext: Sendable {
  var options = FixDecoder.Options()
  var statistics = DecoderStatistics()

  /// 1024 weeks, the period of the GPS week number (IS-GPS-200, 20.3.3.3.1.1), in milliseconds.
  static let rollover: Int64 = 7168 * CivilDay.millisecondsPerDay
  /// A date counts as rolled over if the correction brings it this near to the reference,
  /// milliseconds.
  static let rolloverTolerance: Int64 = 30 * CivilDay.millisecondsPerDay

  /// Releases a fix of a receiver whose previous one had the time `last`, and counts it.
  mutating func give(_ fix: Fix, after last: inout Instant?, into fixes: inout [Fix]) {
    statistics.fixes &+= 1
    if fix.source.isEstimate { statistics.estimatedFixes &+= 1 }
    if let time = fix.time {
      if let last, time <= last { statistics.outOfOrderFixes &+= 1 }
      last = time
    }
    fixes.append(fix)
  }

  /// The moment with this time of day nearest to the reference time, in milliseconds since 1970.
  func nearestToReference(_ timeOfDay: Int32) -> Int64? {
    options.referenceTime.map {
      CivilDay.nearest(timeOfDay, to: $0.microseconds / 1000)
    }
  }

  /// The time, moved by whole rollover periods if that brings it near the reference time. Any other
  /// wrong date is unchanged: an old recording, or a clock never set.
  mutating func corrected(_ time: Int64) -> Int64 {
    guard options.correctsWeekRollover, let reference = options.referenceTime else { return time }
    let now = reference.microseconds / 1000
    let (difference, overflow) = now.subtractingReportingOverflow(time)
    guard !overflow, difference.magnitude > UInt64(Self.rollover / 2) else { return time }
    let periods = Int64((Double(difference) / Double(Self.rollover)).rounded())
    let moved = time &+ periods &* Self.rollover
    guard (now &- moved).magnitude <= UInt64(Self.rolloverTolerance) else { return time }
    statistics.weekRollovers &+= 1
    return moved
  }
}
