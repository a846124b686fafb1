import CivilTime

/// Dates the epochs of a stream: most sentences have only a time of day.
///
/// An epoch without a date of its own continues from the last dated time. Before the stream gives
/// any date, the reference time of the decoder's options dates it.
struct EpochDates: Sendable {
  /// The last dated time of the stream, milliseconds since 1970.
  private var lastTime: Int64?
  /// Whether `lastTime` comes from the date of a receiver with a fix.
  private var isFromFix = false
  /// The last fix before the stream gave any date, and the reference time that dated it.
  private var lastUndated: (time: Int64, reference: Instant)?

  /// Maximum difference of times between two receivers that share a stream, milliseconds.
  static let lag: Int32 = 10_000

  /// Milliseconds since 1970; nil while the stream has given no date.
  mutating func time(of epoch: Epoch, hasPosition: Bool) -> Int64? {
    if let day = epoch.day {
      return take(day, epoch.timeOfDay, isFromFix: epoch.dayIsFromFix || hasPosition)
    }
    guard let last = lastTime else { return nil }
    // A receiver's clock may be set back. No new day begins until its next date confirms it.
    lastTime = Self.continued(epoch.timeOfDay, from: last, back: 43_200_000)
    return lastTime
  }

  /// The moment of a date and a time of day, from which epochs without a date continue.
  ///
  /// A clock without a fix may show the date of its last shutdown, which never replaces a date that
  /// came with a fix.
  @discardableResult
  mutating func take(_ day: Int32, _ timeOfDay: Int32, isFromFix: Bool) -> Int64 {
    let time = Int64(day) * CivilDay.millisecondsPerDay + Int64(timeOfDay)
    if isFromFix || !self.isFromFix {
      lastTime = time
      self.isFromFix = isFromFix
    }
    return time
  }

  /// The moment with this time of day nearest to the last date that any receiver gave; nil without
  /// one.
  func nearest(_ timeOfDay: Int32) -> Int64? {
    lastTime.map { CivilDay.nearest(timeOfDay, to: $0) }
  }

  /// The time nearest to the reference, for a stream without a date. With a constant reference (a
  /// recording) an epoch continues from the previous one.
  mutating func timeWithoutDate(_ timeOfDay: Int32, _ context: FixContext) -> Int64? {
    guard let reference = context.options.referenceTime,
      let nearest = context.nearestToReference(timeOfDay)
    else { return nil }
    var time = nearest
    if let last = lastUndated, last.reference == reference {
      time = Self.continued(timeOfDay, from: last.time, back: Self.lag)
    }
    lastUndated = (time, reference)
    return time
  }

  /// The moment with this time of day that follows another one: the same day, or the next day if
  /// the time of day is earlier by more than `back` milliseconds. A time late by at most `lag`
  /// across midnight belongs to the previous day.
  private static func continued(_ timeOfDay: Int32, from moment: Int64, back: Int32) -> Int64 {
    let length = CivilDay.millisecondsPerDay
    let step = Int64(timeOfDay) - CivilDay.timeOfDay(moment)
    if step >= length - Int64(lag) { return moment &+ step &- length }
    return step < -Int64(back) ? moment &+ step &+ length : moment &+ step
  }
}
