import CivilTime

/// The decoder's options and statistics, shared with its assemblers.
struct FixContext: Sendable {
  var options = FixDecoder.Options()
  var statistics = DecoderStatistics()
  /// The dates of all receivers of the stream, for a receiver without one.
  var dates = EpochDates()

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

  /// The time, moved by whole rollover periods where the options ask for it
  /// (`DeviceTime.corrected`).
  mutating func corrected(_ time: Instant) -> Instant {
    guard options.correctsWeekRollover, let reference = options.referenceTime,
      let moved = DeviceTime.corrected(time, near: reference)
    else { return time }
    statistics.weekRollovers &+= 1
    return moved
  }
}
