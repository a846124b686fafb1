/// The occurrences of a reminder, a task or an event (RFC 5545 section 3.8.5).
///
/// The rule, the times added (RDATE) and taken out (EXDATE) are all about the start, and are
/// compared as readings of the clock. A reading in the gap of spring is an occurrence of its own,
/// though a later reading has the same instant.
package struct Series: Equatable, Sendable {
  package var rule: RepeatRule?
  /// The first start: an occurrence, unless it is taken out or `includesFirst` is false.
  package var first: LocalDateTime
  package var includesFirst = true
  /// The instant of the first start, where its reading stands for two.
  package var firstInstant: Instant?
  /// Readings of further starts, in any order.
  package var additions: [LocalDateTime] = []
  package var exceptions: Set<LocalDateTime> = []
  /// Rules of further starts from the first one on, and of starts that are taken out.
  package var otherRules: [RepeatRule] = []
  package var exceptionRules: [RepeatRule] = []
  /// Days on which nothing starts.
  package var exceptionDays: Set<CivilDate> = []
  /// From the start to the due time: days by the calendar, then the rest by elapsed time.
  package var dueAfter = CalendarSpan()
  /// A start is a day. The rest of `dueAfter` is then a time of day, whatever the clocks do.
  package var isWholeDay = false
  /// The zone of the readings.
  package let zone: TimeZoneRules

  /// - Parameter first: with a rule, fractions of its second are dropped.
  package init(rule: RepeatRule? = nil, first: LocalDateTime, zone: TimeZoneRules) {
    self.rule = rule
    self.first = rule == nil ? first : first.wholeSeconds
    self.zone = zone
  }

  /// The occurrence of a name, whether or not it is one of the series.
  package func occurrence(_ name: LocalDateTime) -> Occurrence {
    let start = (name == first ? firstInstant : nil) ?? zone.instant(of: name)
    return Occurrence(name: name, start: start, due: due(name, start))
  }

  private func due(_ name: LocalDateTime, _ start: Instant) -> Instant {
    let time = TimeSpan(microseconds: dueAfter.microseconds)
    let date = name.date.adding(days: dueAfter.days)
    if isWholeDay { return zone.instant(of: LocalDateTime(date: date).adding(time)) }
    guard dueAfter.days != 0 else { return start + time }
    return zone.instant(of: LocalDateTime(date: date, time: name.time)) + time
  }

  /// From the first start to a due time: as many whole days as there are, then the rest.
  /// - Parameter isNearest: whether the days are the nearest ones, and the rest may be negative.
  package func span(to due: TimeStamp, isNearest: Bool = false) -> CalendarSpan {
    let last =
      switch due {
      case .floating(let local): local
      case .absolute(let instant): zone.localDateTime(at: instant)
      }
    func span(_ days: Int) -> CalendarSpan {
      let day = LocalDateTime(date: first.date.adding(days: days), time: first.time)
      let from = days == 0 ? occurrence(first).start : zone.instant(of: day)
      let time =
        isWholeDay
        ? last.microseconds - day.microseconds : (due.instant(in: zone) - from).microseconds
      return CalendarSpan(days: days, microseconds: time)
    }
    let days = last.date.dayNumber - first.date.dayNumber
    let whole = span(last.time < first.time ? days - 1 : days)
    guard isNearest, whole.microseconds > TimeOfDay.dayLength / 2 else { return whole }
    return span(whole.days + 1)
  }

  /// Whether an exception takes a start out.
  package func excludes(_ name: LocalDateTime) -> Bool {
    exceptions.contains(name) || exceptionDays.contains(name.date)
      || exceptionRules.contains { $0.next(after: name.previous, start: first, zone: zone) == name }
  }

  /// A reading such that no name up to it is due after the instant, however the clocks are put.
  /// - Complexity: O(log n) in the changes of the zone.
  package func lastName(dueBy instant: Instant) -> LocalDateTime {
    let time = TimeSpan(microseconds: dueAfter.microseconds)
    let reading =
      isWholeDay
      ? zone.earliestReading(after: instant).adding(.zero - time)
      : zone.earliestReading(after: instant - time)
    return LocalDateTime(date: reading.date.adding(days: -dueAfter.days), time: reading.time)
  }

  /// The first occurrence with a later name; all of them where `name` is nil.
  package func next(after name: LocalDateTime? = nil) -> Occurrence? {
    var search = SeriesSearch(self)
    return search.next(after: name)
  }

  /// The last occurrence with a later name that is due by an instant; see `lastName(dueBy:)`.
  package func latest(after name: LocalDateTime? = nil, dueBy instant: Instant) -> Occurrence? {
    var search = SeriesSearch(self)
    return search.latest(after: name, dueBy: instant)
  }
}

extension LocalDateTime {
  /// The last reading before this one.
  package var previous: LocalDateTime { LocalDateTime(microseconds: microseconds - 1) }

  var wholeSeconds: LocalDateTime {
    LocalDateTime(microseconds: microseconds - microseconds.flooredRemainder(1_000_000))
  }
}

extension TimeSpan {
  package static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
    let (difference, overflow) = a.microseconds.subtractingReportingOverflow(b.microseconds)
    return TimeSpan(microseconds: overflow ? (a < b ? .min : .max) : difference)
  }
}
