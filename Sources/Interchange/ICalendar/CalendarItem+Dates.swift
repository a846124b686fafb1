import CivilTime
import Reminders

/// The reminders of an event or task by time: of its alarms or its due time.
extension CalendarItem {
  /// A moment at which an alarm rings.
  private struct Moment {
    /// The time to which it is relative; nil for an independent time.
    var base: Base?
    var offset = CalendarSpan.zero
    /// From the due time, by which the reminders of an item differ.
    var distance: TimeSpan?
    let stamp: TimeStamp
    var alarm: Int?
    /// When its alarm was dealt with.
    var acknowledged: Instant?

    var isAcknowledged: Bool {
      acknowledged.map {
        stamp.instant(in: .utc) <= $0 + CalendarItem.greatestOffset(of: stamp)
      } ?? false
    }

    /// Whether it is not after its base.
    var isEarly: Bool { offset.days <= 0 && offset.microseconds <= 0 }

    /// Before a whole day at a time at which clocks change: no lead, which is elapsed time, but a
    /// time of day.
    var isAtNight: Bool { offset.microseconds < -20 * 3_600_000_000 }
  }

  /// - Parameter hasLeave: whether a reminder of the time to leave stands for the travel time.
  func dateReminders(hasLeave: Bool) -> [CalendarReminder] {
    var moments = self.moments()
    guard reference != nil else { return alone(moments) }
    let hasAlarm = alarms.contains { $0.snoozed == nil && $0.trigger != .none }
    let isLost = alarms.contains { $0.trigger == .unknown }
    // A task without an alarm fires when it is due; so does an item with an alarm whose time is
    // lost.
    if moments.isEmpty, isTask && !hasAlarm || isLost {
      moments.append(moment(isDay(referenceBase) ? Self.morning : .zero, after: referenceBase))
    }
    if let travel = fixedTravel, !isDay(referenceBase), !hasLeave {
      moments.append(moment(-CalendarSpan(travel), after: referenceBase))
    }
    // Where the item does not repeat, all that is before the due time is a lead of it.
    func isLead(_ moment: Moment) -> Bool {
      if let base = moment.base, isDay(base), moment.isAtNight { return false }
      guard repeats else { return moment.distance.map { $0 <= .zero } ?? false }
      return moment.base == referenceBase && moment.isEarly
    }
    var reminders: [CalendarReminder] = []
    let before = moments.filter(isLead)
    if !before.isEmpty {
      var reminder = base(.date, "")
      repeating(&reminder, at: referenceBase)
      reminders.append(lead(reminder, before))
    }
    func isAtStart(_ moment: Moment) -> Bool {
      repeats && moment.base == .start && referenceBase != .start && moment.isEarly
        && !(isDay(.start) && moment.isAtNight)
    }
    let atStart = moments.filter(isAtStart)
    if !atStart.isEmpty {
      var reminder = base(.date, reminders.isEmpty ? "" : "/start")
      repeating(&reminder, at: .start)
      reminders.append(lead(reminder, atStart))
    }
    let others = moments.filter { !isLead($0) && !isAtStart($0) }
    for moment in others.prefix(Self.maximumLeads) {
      var reminder = base(.date, reminders.isEmpty ? "" : suffix(moment))
      if let base = moment.base { repeating(&reminder, at: base, after: moment.offset) }
      reminder.due = moment.stamp
      if moment.isAcknowledged, !repeats, reminder.state == .armed { reminder.state = .fired }
      var found = found(reminder, alarms: moment.alarm.map { [$0] } ?? [])
      if repeats { found.acknowledgedThrough = moment.acknowledged }
      reminders.append(found)
    }
    return reminders
  }

  /// The part of an id that names an alarm: by its own words where the item repeats, for a distance
  /// in time is another one when the clocks change.
  private func suffix(_ moment: Moment) -> String {
    guard let base = moment.base, let distance = moment.distance else { return "+\(moment.stamp)" }
    guard repeats else { return "+\(CalendarSpan(distance).inWholeDays.iCalendar)" }
    let place = base == referenceBase ? "" : base == .start ? "/start" : "/end"
    let offset = moment.offset
    guard offset.days != 0, (offset.days < 0) != (offset.microseconds < 0) else {
      return "\(place)+\(offset.iCalendar)"
    }
    let rest = CalendarSpan(microseconds: offset.microseconds)
    return "\(place)+\(CalendarSpan(days: offset.days).iCalendar)+\(rest.iCalendar)"
  }

  /// Reminders of an item with alarms and no time: due at the last alarm, the others are leads.
  private func alone(_ moments: [Moment]) -> [CalendarReminder] {
    let instants = moments.map { $0.stamp.instant(in: .utc) }
    guard let last = instants.max() else { return [] }
    let earliest = last - .seconds(Double(CalendarValue.longestSpan))
    var reminder = base(.date, "")
    reminder.due = .absolute(last)
    let timed = zip(instants, moments).filter { $0.0 >= earliest }.map { instant, moment in
      var timed = moment
      timed.distance = instant - last
      return timed
    }
    return [lead(reminder, timed)]
  }

  /// Adds these moments, none after the due time, as leads.
  private func lead(_ reminder: Reminder, _ moments: [Moment]) -> CalendarReminder {
    var reminder = reminder
    let leads = Set(moments.map { span($0, before: reminder.due) })
      .sorted { ($0.length, $0.days) > ($1.length, $1.days) }.suffix(Self.maximumLeads)
    reminder.leads = leads == [.zero] ? [] : Array(leads)
    if leads.contains(where: { $0.days != 0 }), reminder.repeatChanges.zone == nil {
      reminder.repeatChanges.zone = zoneOfDue
    }
    var acknowledged = 0
    if !repeats, reminder.state == .armed {
      let open = moments.filter { !$0.isAcknowledged }
        .map { span($0, before: reminder.due).length }.max()
      acknowledged = leads.filter { lead in open.map { lead.length > $0 } ?? true }.count
      if acknowledged == leads.count {
        reminder.state = .fired
        acknowledged = 0
      }
    }
    var found = found(reminder, alarms: moments.compactMap(\.alarm))
    found.leadsAcknowledged = acknowledged
    if repeats { found.acknowledgedThrough = moments.compactMap(\.acknowledged).max() }
    return found
  }

  /// How long a moment is before the due time.
  private func span(_ moment: Moment, before due: TimeStamp?) -> CalendarSpan {
    if let base = moment.base, let time = time(of: base), time.stamp == due, moment.isEarly {
      return -moment.offset
    }
    let lead = CalendarSpan(microseconds: -(moment.distance?.microseconds ?? 0))
    if case .floating? = due { return lead.inWholeDays }
    return lead
  }

  private func moments() -> [Moment] {
    var moments: [Moment] = []
    for (index, alarm) in alarms.enumerated() where alarm.snoozed == nil {
      for count in 0...alarm.repetitions {
        let later = CalendarSpan(
          days: alarm.interval.days * count,
          microseconds: alarm.interval.microseconds * Int64(count))
        guard var moment = moment(of: alarm.trigger, later: later),
          abs(moment.distance?.seconds ?? 0) <= Double(CalendarValue.longestSpan)
        else { continue }
        moment.alarm = index
        moment.acknowledged =
          [alarm.acknowledged, thunderbirdAcknowledged].compactMap { $0 }.max()
        moments.append(moment)
      }
    }
    return moments
  }

  /// A floating time may be so much earlier somewhere than it is in UTC.
  private static func greatestOffset(of stamp: TimeStamp) -> TimeSpan {
    if case .floating = stamp { .hours(14) } else { .zero }
  }

  /// When an alarm rings once, whatever the clocks; nil where it repeats, or goes by a clock alone.
  func instant(of trigger: CalendarAlarm.Trigger) -> Instant? {
    if case .absolute(let instant) = trigger { return instant }
    guard !repeats, case .absolute(let instant)? = moment(of: trigger, later: .zero)?.stamp else {
      return nil
    }
    return instant
  }

  private func moment(of trigger: CalendarAlarm.Trigger, later: CalendarSpan) -> Moment? {
    func relative(_ span: CalendarSpan, to base: Base) -> Moment? {
      guard reference != nil else { return nil }
      return moment(span + later, after: base)
    }
    switch trigger {
    case .start(let span): return relative(span, to: .start)
    case .end(let span): return relative(span, to: .end)
    case .absolute(let instant):
      let instant = instant + later.length
      // A repeating task repeats its alarms, even Apple's with a date.
      guard !repeats || isTask, case .absolute(let due)? = reference?.stamp else {
        return Moment(stamp: .absolute(instant))
      }
      var offset = CalendarSpan(instant - due)
      if repeats { offset = calendarSpan(from: due, to: instant) }
      return Moment(
        base: referenceBase, offset: offset, distance: instant - due, stamp: .absolute(instant))
    case .proximity, .none, .unknown: return nil
    }
  }

  private func moment(_ offset: CalendarSpan, after base: Base) -> Moment {
    let time = time(of: base) ?? .floating(LocalDateTime(date: .first))
    let offset = isDay(base) ? offset.inWholeDays : offset
    let stamp = time.adding(offset)
    // The start may be the due time as well.
    return Moment(
      base: time == reference ? referenceBase : base, offset: offset,
      distance: stamp.distance(from: reference?.stamp ?? stamp), stamp: stamp)
  }

  /// Days by the calendar towards a moment, and the rest.
  private func calendarSpan(from due: Instant, to moment: Instant) -> CalendarSpan {
    let zone = names.zone?.rules ?? zoneOfDue?.rules ?? .utc
    let (from, to) = (zone.localDateTime(at: due), zone.localDateTime(at: moment))
    var days = to.date.dayNumber - from.date.dayNumber
    if days > 0, to.time < from.time { days -= 1 }
    if days < 0, to.time > from.time { days += 1 }
    let day = CalendarSpan(days: days).after(due, in: zone) ?? due
    return CalendarSpan(days: days, microseconds: (moment - day).microseconds).withOneSign
  }
}
