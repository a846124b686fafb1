import CivilTime
import JSONText
import Reminders

/// Completing occurrences of a repeating task.
///
/// Times are moved by the names of occurrences: by the readings of the task's own clock, in the
/// forms in which they stand in the file.
extension ItemEditor {
  enum Advance {
    case moved
    /// The task has these dates already.
    case unchanged
    /// There is no next occurrence.
    case ended
  }

  /// Moves a task to its first occurrence after a name.
  func advance(_ item: inout CalendarComponent, past name: LocalDateTime?) -> Advance {
    guard let name, reminder.reminder.repeats,
      let series = reminder.reminder.series(in: zone), let next = series.next(after: name)?.name
    else { return .ended }
    guard let first = series.next()?.name, first < next else { return .unchanged }
    // The task alone, without other components that its reminder includes.
    guard let task = try? CalendarItem(item, zones), task.repeats, let start = task.first,
      moves(task, series, to: next)
    else {
      exclude(&item, of: series, through: name)
      return .moved
    }
    move(&item, task, to: next)
    if let rule = task.rule, let count = rule.count,
      let passed = rule.count(before: next, start: start)
    {
      countDown(&item, to: max(1, count - passed))
    }
    return .moved
  }

  // MARK: - Dates

  /// Whether the same occurrences follow where the task starts at `next`. A single date (RDATE)
  /// may be no start of its rule.
  private func moves(_ task: CalendarItem, _ series: Series, to next: LocalDateTime) -> Bool {
    guard let rule = task.rule, let start = task.first,
      rule.next(after: next.previous, start: start) != next
    else { return true }
    var left = rule
    if let count = rule.count {
      guard let passed = rule.count(before: next, start: start), passed < count else {
        return false
      }
      left = rule.ending(after: count - passed)
    }
    var other = series
    (other.rule, other.first, other.firstInstant, other.includesFirst) = (left, next, nil, true)
    var searches = (
      SeriesSearch(series, maximumWork: Self.maximumWork),
      SeriesSearch(other, maximumWork: Self.maximumWork)
    )
    var last = next
    for _ in 0..<Self.comparedOccurrences {
      let found = (searches.0.next(after: last)?.name, searches.1.next(after: last)?.name)
      guard found.0 == found.1 else { return false }
      guard let later = found.0 else { return true }
      last = later
    }
    return true
  }

  private static let maximumWork = 400_000
  private static let comparedOccurrences = 60

  /// Writes DTSTART, DUE and the absolute alarms of an occurrence.
  private func move(_ item: inout CalendarComponent, _ task: CalendarItem, to next: LocalDateTime) {
    var due = Reminder(id: "", kind: .date, title: "")
    task.repeating(&due, at: .end)
    guard let series = due.series(in: zone), let first = task.first else { return }
    let occurrence = series.occurrence(next)
    // Days alone keep the reading, even in the gap of spring.
    let reading = LocalDateTime(date: next.date.adding(days: series.dueAfter.days), time: next.time)
    let isExact = series.dueAfter.microseconds == 0
    var times: [(property: String, instant: Instant, reading: LocalDateTime?)] = [
      ("DTSTART", occurrence.start, next)
    ]
    let end = item["DTSTART"] == nil ? next : isExact ? reading : nil
    times.append(("DUE", occurrence.due, end))
    for (property, instant, reading) in times {
      guard let line = item[property], let time = try? CalendarValue.time(line, zones) else {
        continue
      }
      item.set(property, text(like: time, instant, reading: reading, task.names.zone?.rules))
    }
    let moved = TimeSpan(microseconds: next.microseconds - first.microseconds)
    let clock = task.names.zone?.rules ?? zone
    changeAlarms(of: &item) { _, alarm in
      guard let trigger = alarm["TRIGGER"], trigger.value != CalendarAlarm.sentinel,
        case .utc(let instant)? = try? CalendarValue.time(trigger, zones)
      else { return }
      let reading = clock.localDateTime(at: instant).adding(moved)
      alarm.set("TRIGGER", clock.instant(of: reading).compact)
    }
    moveFields(&item, to: occurrence)
  }

  /// A time in the form of the present one.
  /// - Parameters:
  ///   - reading: what the clock of the series shows, where that is known.
  ///   - clock: the zone of the series; nil for the system's.
  private func text(
    like time: CalendarTime, _ instant: Instant, reading: LocalDateTime?, _ clock: TimeZoneRules?
  ) -> String {
    let shown = reading ?? (clock ?? zone).localDateTime(at: instant)
    switch time {
    case .date: return shown.date.compact
    case .floating: return shown.compact
    case .zoned(_, let own):
      return own.rules == clock ? shown.compact : own.rules.localDateTime(at: instant).compact
    case .utc: return instant.compact
    }
  }

  /// A count goes down by the occurrences that are behind.
  private func countDown(_ item: inout CalendarComponent, to count: Int) {
    guard let line = item["RRULE"] else { return }
    let parts = line.value.split(separator: ";", omittingEmptySubsequences: false).map { part in
      part.uppercased().hasPrefix("COUNT=") ? "COUNT=\(count)" : String(part)
    }
    item.set("RRULE", parts.joined(separator: ";"))
  }

  /// The due time of our own fields, where the standard properties cannot say it.
  private func moveFields(_ item: inout CalendarComponent, to occurrence: Occurrence) {
    guard let line = item[CalendarItem.fieldsProperty],
      var fields = (try? JSONParser.parse(Array(line.text.utf8)))?.object,
      fields["due"] != nil || fields["repeat_start"] != nil,
      let series = reminder.reminder.series(in: zone), let due = reminder.reminder.due
    else { return }
    func stamp(like old: TimeStamp, _ instant: Instant) -> TimeStamp {
      if case .floating = old {
        .floating(zone.localDateTime(at: instant))
      } else {
        .absolute(instant)
      }
    }
    let own = series.occurrence(occurrence.name)
    if fields["due"] != nil { fields["due"] = .string(stamp(like: due, own.due).description) }
    if fields["repeat_start"] != nil, let start = reminder.reminder.repeatChanges.start {
      fields["repeat_start"] = .string(
        reminder.reminder.repeatChanges.isWholeDay
          ? occurrence.name.date.description : stamp(like: start, own.start).description)
    }
    item.set(CalendarItem.fieldsProperty, CalendarText.escaped(JSONValue.object(fields).line))
  }

  // MARK: - Exceptions

  /// Excludes the occurrences up to a name, where the start cannot move: the rule is in another
  /// component, or the next occurrence is a single date.
  private func exclude(
    _ item: inout CalendarComponent, of series: Series, through name: LocalDateTime
  ) {
    guard let like = item["RECURRENCE-ID"] ?? item["DTSTART"] ?? item["DUE"],
      let time = try? CalendarValue.time(like, zones)
    else { return }
    var names: [LocalDateTime] = []
    var search = SeriesSearch(series, maximumWork: Self.maximumWork)
    while names.count < RepeatChanges.maximumTimes, let next = search.next(after: names.last)?.name,
      next <= name
    {
      names.append(next)
    }
    let values = names.map { name in
      text(like: time, series.occurrence(name).start, reading: name, series.zone)
    }
    item.add(
      "EXDATE", values.joined(separator: ","), like.parameters.filter { $0.name != "RANGE" })
  }
}
