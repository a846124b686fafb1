import CivilTime
import JSONText
import TestSupport
import Testing

@testable import Reminders

/// What a schedule finds among the due times, against a list of all of them: repeating reminders of
/// all kinds in the nights on which the clocks change, at each moment at which something begins.
@Suite struct DueTimeOracleTests {
  @Test(arguments: UInt64(0)..<48) func aScheduleFindsWhatAListHas(seed: UInt64) throws {
    let sample = try Sample(seed: seed)
    for now in sample.moments {
      var schedule = Schedule(sample.reminder, in: sample.zone)
      for used in sample.names {
        var history = History()
        history.usedUpTo = used
        let open = sample.list.filter { $0.name > used }
        #expect(schedule.next(after: used) == open.first)
        #expect(schedule.passed(after: used, by: now) == open.prefix { $0.due <= now }.last)
        switch sample.reminder.kind {
        case .location: sample.expectPlace(&schedule, history, open, at: now)
        case .date: sample.expectDate(&schedule, history, open, at: now)
        case .preemptive:
          let missed = open.prefix { $0.due <= now }.last
          #expect(schedule.occurrence(history, at: now) == missed ?? open.first)
        }
      }
    }
  }
}

/// A repeating reminder, with all of its due times that count within some days of its start.
private struct Sample {
  var reminder: Reminder
  let zone: TimeZoneRules
  private var dayStart = TimeOfDay.midnight
  var list: [Occurrence] = []
  var moments: [Instant] = []
  /// Names up to which due times are used.
  var names: [LocalDateTime] = []

  /// Berlin; Havana, whose clocks change at midnight; Lord Howe, by half an hour.
  private static let zones = [
    ("CET-1CEST,M3.5.0,M10.5.0/3", ["2026-03-27", "2026-10-23"]),
    ("CST5CDT,M3.2.0/0,M11.1.0/1", ["2026-03-06", "2026-10-30"]),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", ["2026-10-02", "2026-04-03"]),
  ]
  private static let kinds = [
    #""kind":"date""#, #""kind":"preemptive","travel_s":600,\#(EngineHarness.place())"#,
    #""kind":"location",\#(EngineHarness.place())"#,
  ]
  private static let rules = [
    "FREQ=HOURLY", "FREQ=HOURLY;INTERVAL=3", "FREQ=DAILY", "FREQ=DAILY;BYHOUR=1,2,3,23",
    "FREQ=MINUTELY;INTERVAL=20",
  ]
  private static let leads: [[CalendarSpan]] = [
    [], [.zero], [CalendarSpan(days: 1)], [.hours(24), .hours(1)],
    [CalendarSpan(days: 2), .minutes(30), .zero],
  ]
  /// With the time at which a day begins.
  private static let hours: [(String, TimeOfDay)?] = [
    nil, nil, ("08:00-18:00", .midnight), ("22:00-02:30", TimeOfDay(parsing: "02:30") ?? .midnight),
  ]
  private static let days = [nil, nil, "mon,wed,fri", "sat,sun"]

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: values.indices, using: &random)]
    }
    let (posix, starts) = pick(Self.zones)
    zone = try #require(TimeZoneRules(posix: posix))
    let kind = pick(Self.kinds)
    // At a place, due times that the gap of spring puts in another order have no page.
    let rule = pick(kind.contains("location") ? Self.rules.dropLast() : Self.rules)
    let minute = pick(["00:00", "02:10", "02:30", "22:00"])
    let start = "\(pick(starts))T\(minute)"
    let text =
      #"{"id":"r","title":"R",\#(kind),"due":"\#(start):00","repeat":"\#(rule)"}"#
    reminder = try Reminder(json: try #require(try JSONParser.parse(text).object))
    reminder.leads = pick(Self.leads)
    if reminder.kind != .preemptive, let (text, start) = pick(Self.hours) {
      reminder.hours = try HourRange(parsing: text)
      dayStart = start
    }
    reminder.days = try pick(Self.days).map { try WeekdaySet(parsing: $0) }
    let first = try #require(reminder.due).instant(in: zone)
    if pick([true, false, false]) { reminder.from = .absolute(first + .hours(40)) }
    if pick([true, false, false]) { reminder.until = .absolute(first + .hours(70)) }
    let end = first + .hours(24 * 16)
    var search = SeriesSearch(try #require(reminder.series(in: zone)))
    var name: LocalDateTime?
    while let next = search.next(after: name), next.due < end {
      if counts(next) { list.append(next) }
      name = next.name
    }
    let whole = list.filter { $0.due < first + .hours(24 * 5) }
    names = [.always] + (0..<4).compactMap { _ in whole.randomElement(using: &random)?.name }
    var moments = whole.flatMap { [$0.due, opening($0)] }
    moments += (0..<5).map { startOfDay(zone.localDateTime(at: first).date.adding(days: $0)) }
    let after = zone.nextTransition(after: first) ?? first
    moments += [after, after + .hours(1), after - .hours(1)]
    moments = (0..<12).compactMap { _ in moments.randomElement(using: &random) }
    self.moments = moments.flatMap { [$0 - .seconds(1), $0, $0 + .seconds(1)] }
  }

  private func day(of moment: Instant) -> CivilDate {
    let local = zone.localDateTime(at: moment)
    return local.time < dayStart ? local.date.adding(days: -1) : local.date
  }

  private func startOfDay(_ day: CivilDate) -> Instant {
    let reading = LocalDateTime(date: day, time: dayStart)
    let moment = zone.instant(of: reading)
    if zone.localDateTime(at: moment) == reading { return moment }
    // The clocks skip it.
    return zone.nextTransition(after: moment - .hours(2)) ?? moment
  }

  private func counts(_ occurrence: Occurrence) -> Bool {
    let due = occurrence.due
    if let days = reminder.days, !days.contains(day(of: due).weekday) { return false }
    if reminder.kind == .location { return true }
    if let from = reminder.from, due < from.instant(in: zone) { return false }
    guard reminder.kind == .preemptive, let until = reminder.until else { return true }
    return due <= until.instant(in: zone)
  }

  /// The moments of the leads, or of the due time, that are not used.
  private func alarms(_ occurrence: Occurrence) -> [Instant] {
    let leads = reminder.leads.map { $0.before(occurrence.due, in: zone) }
    return leads.isEmpty ? [occurrence.due] : leads
  }

  private func opening(_ occurrence: Occurrence) -> Instant { alarms(occurrence)[0] }

  private func close(_ place: Int) -> Instant {
    let own = startOfDay(day(of: list[place].due).adding(days: 1))
    return place + 1 < list.count ? min(own, opening(list[place + 1])) : own
  }

  // MARK: - What the pages say

  func expectPlace(
    _ schedule: inout Schedule, _ history: History, _ open: [Occurrence], at now: Instant
  ) {
    let held = list.indices.last { opening(list[$0]) <= now && now < close($0) }.map { list[$0] }
    #expect(schedule.inForce(at: now) == held)
    let next = open.first { opening($0) > now }
    let isUnused = held.map { held in open.contains { $0.name == held.name } } ?? false
    #expect(schedule.current(history, at: now) == (isUnused ? held : next))
    if let begun = schedule.begun(at: now) {
      for due in list { #expect((due.name <= begun) == (opening(due) <= now), "\(due.name)") }
    }
  }

  func expectDate(
    _ schedule: inout Schedule, _ history: History, _ open: [Occurrence], at now: Instant
  ) {
    let whole = open.prefix { alarms($0).allSatisfy { $0 <= now } }
    let (passed, upcoming) = schedule.dateLeads(history, open.first, at: now)
    if let last = whole.last {
      #expect(passed?.occurrence == last)
      #expect(passed?.number == alarms(last).count - 1)
      let next = open.dropFirst(whole.count).first
      #expect(upcoming?.occurrence == next && upcoming?.number ?? 0 == 0)
    } else if let first = open.first {
      let count = alarms(first).prefix { $0 <= now }.count
      #expect(passed?.number == (count == 0 ? nil : count - 1))
      #expect(upcoming?.occurrence == first && upcoming?.number == count)
    } else {
      #expect(passed == nil && upcoming == nil)
    }
  }
}
