import CivilTime
import Reminders

/// The series of an item: its rule, single dates and exceptions, all about starts.
extension CalendarItem {
  mutating func readRepeating() throws(Fault) {
    if let id = component["RECURRENCE-ID"], id["RANGE"]?.uppercased() != "THISANDFUTURE" {
      for line in component.properties("RRULE") + component.properties("RDATE") {
        leftOut.add(line.number, "\(line.name): a changed occurrence does not repeat")
      }
      return
    }
    let rules = self.rules("RRULE")
    rule = rules.first
    changes.additionRules = Array(rules.dropFirst())
    changes.exceptionRules = self.rules("EXRULE")
    for line in component.properties("RDATE") {
      for time in CalendarValue.times(line, zones, &leftOut) { add(names.name(of: time)) }
    }
    for line in component.properties("EXDATE") {
      exclude(CalendarValue.times(line, zones, &leftOut))
    }
    guard changes.additions.count <= RepeatChanges.maximumTimes else {
      throw Fault(
        "it has more than \(RepeatChanges.maximumTimes) single dates", line: component.line)
    }
    if repeats { changes.zone = zoneOfDue }
  }

  private mutating func rules(_ name: String) -> [RepeatRule] {
    let rules = component.properties(name).prefix(RepeatChanges.maximumRules)
      .compactMap { CalendarRule.read($0, &leftOut) }
    guard case .days = names.clock else { return rules }
    return rules.map { rule in
      let rule = rule.ofWholeDays
      guard let until = rule.until else { return rule }
      return rule.ending(until: .date(reading(of: until).date))
    }
  }

  private mutating func add(_ name: CompactTime) {
    // A day among dates with a time means that time on the day.
    if case .date(let date) = name, let first {
      let reading = LocalDateTime(date: date, time: first.time)
      // Completing a task moves its start past its completed occurrences.
      if !isTask || reading >= first { changes.additions.append(.floating(reading)) }
    } else if !isTask || first.map({ name.reading >= $0 }) ?? true {
      changes.additions.append(name.stamp)
    }
  }

  /// Occurrences that do not take place, or that another component describes.
  mutating func exclude(_ times: [CalendarTime]) {
    for time in times { exclude(names.name(of: time)) }
  }

  mutating func exclude(_ name: CompactTime) {
    guard
      changes.exceptions.count + changes.exceptionDays.count < RepeatChanges.maximumTimes
    else { return }
    if case .date(let date) = name {
      changes.exceptionDays.append(date)
    } else {
      changes.exceptions.append(name.stamp)
    }
  }

  func excludes(_ name: CompactTime) -> Bool {
    changes.exceptions.contains(name.stamp) || changes.exceptionDays.contains(name.reading.date)
  }

  var repeats: Bool { rule != nil || !changes.additions.isEmpty }

  /// The zone by whose clock the due time repeats; nil for the system's.
  var zoneOfDue: NamedZone? {
    switch reference {
    case .zoned(_, let zone): names.zone ?? zone
    case .utc: names.zone ?? .utc
    default: nil
    }
  }

  /// Whether it has no occurrence, as where a program ends a whole series.
  var endsBeforeItBegins: Bool {
    guard let until = rule?.until, let first, changes.additions.isEmpty,
      changes.additionRules.isEmpty
    else { return false }
    return ends(until, before: first)
  }

  // MARK: - Parts of a series

  /// Ends the series before an occurrence, from which another component describes it.
  /// - Returns: the rest, which begins there.
  mutating func cut(before name: LocalDateTime) -> CalendarItem {
    func isBefore(_ stamp: TimeStamp) -> Bool {
      if case .floating(let local) = stamp { local < name } else { true }
    }
    var rest = self
    rest.first = name
    rest.changes.additions.removeAll(where: isBefore)
    if let whole = rule, let first {
      let count = whole.count(before: name, start: first, maximumWork: Self.maximumCountingWork)
      if let total = whole.count {
        let left = total - (count ?? 0)
        rest.rule = count == nil ? whole.ending() : left > 0 ? whole.ending(after: left) : nil
      }
      if let count, count > 0 {
        rule = whole.ending(after: count)
      } else {
        rule = whole.ending(until: earlier(whole.until, before: name))
      }
    }
    changes.additions.removeAll { !isBefore($0) }
    changes.additionRules = changes.additionRules.map {
      $0.ending(until: earlier($0.until, before: name))
    }
    return rest
  }

  /// Counting occurrences, of which a file may ask many times, ends after so many steps.
  private static let maximumCountingWork = 5_000
  private static let maximumStepsToName = 100

  private func earlier(_ until: RepeatRule.Until?, before name: LocalDateTime) -> RepeatRule.Until {
    let cut: RepeatRule.Until =
      names.clock == .days
      ? .date(name.date.adding(days: -1)) : .local(name.adding(.seconds(-1)))
    return until.flatMap { ends($0, before: name) ? $0 : nil } ?? cut
  }

  /// Whether an end is before a reading of the series; a date lasts to its end.
  private func ends(_ until: RepeatRule.Until, before name: LocalDateTime) -> Bool {
    if case .date(let date) = until { date < name.date } else { reading(of: until) < name }
  }

  /// The reading of an end by the clock of the series; midnight of a day.
  private func reading(of until: RepeatRule.Until) -> LocalDateTime {
    if case .absolute(let instant) = until {
      names.name(of: .utc(instant)).reading
    } else {
      until.reading
    }
  }

  /// THISANDFUTURE without a rule of its own: the series goes on, moved as its first occurrence is.
  mutating func goOn(with rest: CalendarItem) {
    guard let anchor = start ?? end, let own = first else { return }
    let exceptions = changes
    changes = rest.changes
    for stamp in exceptions.exceptions {
      if case .floating(let local) = stamp { exclude(.local(local)) }
    }
    for date in exceptions.exceptionDays { exclude(.date(date)) }
    rule = rest.rule
    names = rest.names
    first = rest.first
    shift = own == rest.first ? nil : nearestSpan(to: anchor)
    changes.zone = zoneOfDue
  }

  /// Excludes an occurrence by the reading to which a RANGE has moved it, which some programs write
  /// instead of its name.
  mutating func exclude(moved name: CompactTime) {
    guard let shift, case .local(let reading) = name, let first, reading >= first else { return }
    var search = SeriesSearch(
      Series(rule: rule?.ending(), first: first, zone: .utc), maximumWork: Self.maximumStepsToName)
    guard search.next(after: reading.previous)?.name != reading else { return }
    let date = reading.date.adding(days: -shift.days)
    exclude(
      .local(
        LocalDateTime(date: date, time: reading.time)
          .adding(TimeSpan(microseconds: -shift.microseconds))))
  }

  // MARK: - Reminders

  /// Sets the due time of a reminder, so long after a time of the item, and its series.
  func repeating(_ reminder: inout Reminder, at base: Base, after offset: CalendarSpan = .zero) {
    guard let time = time(of: base) else { return }
    let due = time.adding(offset)
    reminder.due = due
    guard repeats, let first else { return }
    reminder.repeatRule = rule
    reminder.repeatChanges = changes
    let intended = span(to: base) + offset
    let start = startStamp(first)
    guard names.clock == .days || start != due || intended != .zero else { return }
    reminder.repeatChanges.start = start
    reminder.repeatChanges.isWholeDay = names.clock == .days
    guard names.clock != .days else { return }
    let derived = reminder.series(in: .utc)?.dueAfter
    // Among floating times the first due time says how long that is in the system's zone, but for
    // a span that is given itself.
    let isGiven = names.zone == nil && intended.microseconds != 0 && hasGivenSpan(base)
    if derived != intended || isGiven { reminder.repeatChanges.dueAfter = intended }
  }

  private func startStamp(_ first: LocalDateTime) -> TimeStamp {
    guard let zone = names.zone?.rules else { return .floating(first) }
    let instant = zone.instant(of: first)
    // A reading in the gap of spring is its name, not the later one.
    return zone.localDateTime(at: instant) == first ? .absolute(instant) : .floating(first)
  }

  private func hasGivenSpan(_ base: Base) -> Bool {
    base == .start || duration != nil || time(of: base) == (start ?? end)
  }

  /// From the name of an occurrence to its start or end.
  private func span(to base: Base) -> CalendarSpan {
    guard let time = time(of: base), let first else { return .zero }
    if base == .end, let duration { return (shift ?? .zero) + duration }
    guard shift == nil else { return nearestSpan(to: time) }
    guard time != start ?? end else { return .zero }
    return Series(first: first, zone: names.zone?.rules ?? .utc).span(to: time.stamp)
  }

  /// An hour earlier is no day less and 23 hours.
  private func nearestSpan(to time: CalendarTime) -> CalendarSpan {
    guard let first else { return .zero }
    return Series(first: first, zone: names.zone?.rules ?? .utc)
      .span(to: time.stamp, isNearest: true)
  }
}
