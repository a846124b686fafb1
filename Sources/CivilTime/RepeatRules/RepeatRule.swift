/// A recurrence rule of RFC 5545 section 3.3.10: every part of it, over the Gregorian calendar.
///
/// A rule is a filter over local times: it is expanded in local time, and `TimeZoneRules` converts
/// the results to instants. Nonexistent dates are skipped. The start supplies the parts that a rule
/// leaves open, and is itself an occurrence only if the rule matches it.
package struct RepeatRule: Hashable, Sendable {
  package enum Frequency: Int, CaseIterable, Comparable, Sendable {
    case secondly, minutely, hourly, daily, weekly, monthly, yearly

    package static func < (a: Frequency, b: Frequency) -> Bool { a.rawValue < b.rawValue }
  }

  /// The last moment that may still be an occurrence; a date lasts to its end.
  package typealias Until = CompactTime

  /// A weekday, all of them in a month or year or the nth; negative counts from the end.
  package struct Day: Hashable, Sendable {
    package let ordinal: Int?
    package let weekday: Weekday

    package init(_ weekday: Weekday, ordinal: Int? = nil) {
      self.ordinal = ordinal
      self.weekday = weekday
    }
  }

  package let frequency: Frequency
  /// 1...1 000 000 000
  package internal(set) var interval = 1
  package internal(set) var count: Int?
  package internal(set) var until: Until?
  /// 0...59; the leap second 60 is read as 59.
  package internal(set) var seconds: [Int] = []
  package internal(set) var minutes: [Int] = []
  package internal(set) var hours: [Int] = []
  package internal(set) var days: [Day] = []
  /// ±1...31
  package internal(set) var monthDays: [Int] = []
  /// ±1...366
  package internal(set) var yearDays: [Int] = []
  /// ±1...53
  package internal(set) var weekNumbers: [Int] = []
  package internal(set) var months: [Int] = []
  /// ±1...366
  package internal(set) var positions: [Int] = []
  package internal(set) var weekStart = Weekday.monday
  /// The treatment of a day that its month does not have.
  package internal(set) var skip = Skip.omit

  /// RFC 7529 section 4.1: such a day is left out, or the one before it or after it counts.
  package enum Skip: String, CaseIterable, Sendable { case omit, backward, forward }

  package init(_ frequency: Frequency) { self.frequency = frequency }

  init(
    _ frequency: Frequency, every interval: Int, months: [Int] = [], monthDays: [Int] = []
  ) {
    self.frequency = frequency
    (self.interval, self.months, self.monthDays) = (interval, months, monthDays)
  }

  /// Whether every occurrence has the start's time of day.
  package var keepsTimeOfDay: Bool {
    frequency >= .daily && seconds.isEmpty && minutes.isEmpty && hours.isEmpty
  }
}

extension RepeatRule {
  /// The same rule with another end.
  package func ending(after count: Int? = nil, until: Until? = nil) -> RepeatRule {
    var rule = self
    rule.count = count
    rule.until = until
    return rule
  }

  /// The rule of whole days, which has no times of day (RFC 5545 section 3.3.10).
  package var ofWholeDays: RepeatRule {
    guard frequency >= .daily else { return self }
    var rule = self
    (rule.hours, rule.minutes, rule.seconds) = ([], [], [])
    return rule
  }

  /// The number of occurrences of a rule with COUNT before a reading; nil where the rule has no
  /// COUNT, or counting takes more steps than `maximumWork`.
  package func count(
    before local: LocalDateTime, start: LocalDateTime, maximumWork: Int = .max
  ) -> Int? {
    guard let count else { return nil }
    guard local > start.wholeSeconds else { return 0 }
    var occurrences = occurrences(from: start)
    occurrences.maximumWork = maximumWork
    occurrences.skip(through: local.previous)
    if occurrences.end == .gaveUp { return nil }
    return min(count, occurrences.emitted)
  }

  /// The occurrences in local time from `start` on, in rising order. Fractions of the start's
  /// second are dropped.
  ///
  /// - Parameter zone: where an UNTIL in UTC is looked up.
  package func occurrences(
    from start: LocalDateTime, zone: TimeZoneRules = .utc
  ) -> RepeatOccurrences {
    RepeatOccurrences(rule: self, start: start, zone: zone)
  }

  /// The first occurrence after a local time. Without COUNT, or without BY parts, the time between
  /// costs nothing; with both, occurrences are counted by the day or the interval. nil beyond some
  /// thousand years.
  package func next(
    after local: LocalDateTime, start: LocalDateTime, zone: TimeZoneRules = .utc
  ) -> LocalDateTime? {
    var occurrences = occurrences(from: start, zone: zone)
    occurrences.skip(through: local)
    return occurrences.next()
  }
}

extension TimeZoneRules {
  /// A local time such that no reading up to it is an instant after the given one, whatever the
  /// zone's last change of offset.
  func earliestReading(after instant: Instant) -> LocalDateTime {
    let now = segment(at: instant.wholeSeconds)
    var offset = now.type.offset
    if now.start > .min {
      let before = segment(at: now.start - 1).type.offset
      let moved = Int64(offset - before)
      // Within the length of the gap behind it, readings of the gap still lie ahead; within the
      // second turn of an hour all readings up to its end have been.
      if instant.wholeSeconds - now.start < moved { offset = before }
      if instant.wholeSeconds - now.start < -moved {
        let end = (now.start + Int64(before)) * 1_000_000
        return LocalDateTime(microseconds: end - 1)
      }
    }
    return LocalDateTime(
      microseconds: (instant + TimeSpan(microseconds: Int64(offset) * 1_000_000)).microseconds)
  }
}
