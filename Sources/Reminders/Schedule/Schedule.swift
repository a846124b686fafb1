package import CivilTime

/// The due times of a reminder and their use: pure functions of the reminder, its history and the
/// zone.
///
/// A value serves one evaluation. It holds the search among the due times, which counts its work.
package struct Schedule: Sendable {
  @Shared private(set) var reminder: Reminder
  /// The system's.
  let zone: TimeZoneRules
  let window: Window
  /// The zone by whose clocks days before a due time are counted.
  let calendar: TimeZoneRules
  /// nil without a due time.
  private var search: SeriesSearch?

  /// Steps that the searches of one value may take; see `SeriesSearch.work`. A new reminder may
  /// take a tenth of them: the work grows with the years since the start of a rule.
  static let maximumWork = 400_000

  package init(_ reminder: Reminder, in zone: TimeZoneRules) {
    self.init(Shared(wrappedValue: reminder), in: zone)
  }

  init(_ shared: Shared<Reminder>, in zone: TimeZoneRules) {
    _reminder = shared
    let reminder = shared.wrappedValue
    self.zone = zone
    window = Window(reminder, in: zone)
    calendar = reminder.calendarZone(zone)
    search = reminder.series(in: zone).map { SeriesSearch($0, maximumWork: Self.maximumWork) }
  }

  /// Steps taken so far.
  package var work: Int { search?.work ?? 0 }

  // MARK: - Due times

  /// The one occurrence of a reminder without a due time: it is always in force.
  static let always = Occurrence(
    name: .always, start: Instant(microseconds: .min), due: Instant(microseconds: .min))

  /// The first due time with a later name that the conditions admit.
  ///
  /// `days` is asked of the day of a due time. Of several, one before `from` is left out, unless a
  /// place is waited for as well; so is a time to leave after `until`.
  package mutating func next(after name: LocalDateTime?) -> Occurrence? {
    guard let series = search?.series else {
      return name.map { $0 < .always } ?? true ? Self.always : nil
    }
    var name = later(name, firstAdmitted(series))
    // After 400 years the calendar repeats.
    for _ in 0..<400 {
      guard let next = search?.next(after: name) else { return nil }
      if isTooLate(next) { return nil }
      if admits(next) { return next }
      let passed = window.admitsDay(of: next.due) ? next.due : window.nextDay(after: next.due)
      name = max(next.name, series.lastName(dueBy: passed.previous))
    }
    return nil
  }

  /// The last admitted one with a later name that is due by an instant.
  mutating func latest(after name: LocalDateTime?, dueBy instant: Instant) -> Occurrence? {
    guard let series = search?.series else { return next(after: name) }
    let name = later(name, firstAdmitted(series))
    var moment = instant
    if reminder.kind == .preemptive, let until = window.until { moment = min(moment, until) }
    for _ in 0..<400 {
      guard let latest = search?.latest(after: name, dueBy: moment) else { return nil }
      if admits(latest) { return latest }
      guard !window.admitsDay(of: latest.due) else { return nil }
      moment = window.start(of: window.day(of: latest.due)).previous
    }
    return nil
  }

  /// The last one with a later name before which, and with which, all are due by an instant. In the
  /// gap of spring a later reading may be due earlier.
  mutating func passed(after name: LocalDateTime?, by instant: Instant) -> Occurrence? {
    var last = latest(after: name, dueBy: instant)
    for _ in 0..<Self.maximumSteps {
      guard let next = next(after: last?.name ?? name), next.due <= instant else { break }
      last = next
    }
    return last
  }

  /// Due times of some hours, one each second.
  static let maximumSteps = 20_000

  /// A name before which `from` admits none; nil without such a bound.
  private func firstAdmitted(_ series: Series) -> LocalDateTime? {
    earliest.map { series.lastName(dueBy: $0.previous) }
  }

  /// Before it, no due time of several counts.
  private var earliest: Instant? {
    reminder.repeats && reminder.kind != .location ? window.from : nil
  }

  private func isTooLate(_ occurrence: Occurrence) -> Bool {
    reminder.kind == .preemptive && window.until.map { $0 < occurrence.due } ?? false
  }

  func admits(_ occurrence: Occurrence) -> Bool {
    guard reminder.hasWindow, reminder.due != nil else { return true }
    // At a place a single due time is one condition, and its day another.
    if reminder.kind == .location, !reminder.repeats { return true }
    return window.admitsDay(of: occurrence.due) && !isTooLate(occurrence)
      && earliest.map { $0 <= occurrence.due } ?? true
  }

  /// A name such that all names up to it are due by the instant.
  func lastName(dueBy instant: Instant) -> LocalDateTime {
    search?.series.lastName(dueBy: instant) ?? .always
  }

  private func later(_ a: LocalDateTime?, _ b: LocalDateTime?) -> LocalDateTime? {
    guard let a, let b else { return a ?? b }
    return max(a, b)
  }

  // MARK: - Leads

  /// Longest first; never empty.
  var leads: [CalendarSpan] { reminder.leads.isEmpty ? [.zero] : reminder.leads }

  /// When a lead of a due time comes; the due time itself after the last one.
  func moment(of lead: Int, before due: Instant) -> Instant {
    lead < leads.count ? leads[lead].before(due, in: calendar) : due
  }

  func lead(_ number: Int, of occurrence: Occurrence) -> Lead {
    Lead(occurrence: occurrence, number: number, moment: moment(of: number, before: occurrence.due))
  }

  /// How many leads of an occurrence are used.
  func leadsUsed(of occurrence: Occurrence, _ history: History) -> Int {
    history.leadsUsed[occurrence.name] ?? 0
  }

  /// An instant such that all due times up to it have passed this lead at `now`.
  func horizon(of lead: Int, at now: Instant) -> Instant {
    let end = leads[lead].after(now, in: calendar) ?? now
    // For some time after a change of the clocks, a later reading may be an earlier instant.
    let hasChanged =
      leads[lead].days != 0
      && [now, end].contains { calendar.offset(at: $0) != calendar.offset(at: $0 - .hours(3)) }
    return hasChanged ? end - .hours(3) : end
  }
}

/// A time at which a date or a time to leave may ring.
struct Lead: Equatable {
  let occurrence: Occurrence
  /// From 0, longest first.
  let number: Int
  /// Without regard to hours and `from`.
  let moment: Instant
}

extension Instant {
  /// The last instant before this one.
  var previous: Instant { self - TimeSpan(microseconds: 1) }
}
