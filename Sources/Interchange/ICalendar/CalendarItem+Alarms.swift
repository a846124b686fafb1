import Bytes
import CivilTime
import Departure
import Geodesy
import JSONText
import Reminders

/// The reminders of an event or task: by its alarms, due time or travel time.
extension CalendarItem {
  // MARK: - By place

  func placeReminders(
    _ reading: inout CalendarReading
  ) throws(Fault) -> [CalendarReminder] {
    var reminders: [CalendarReminder] = []
    for (index, alarm) in alarms.enumerated() {
      guard case .proximity(let trigger, var places) = alarm.trigger else { continue }
      if places.isEmpty, let own = try CalendarPlaces.own(of: component) { places = [own] }
      if places.isEmpty {
        reading.leftOut.append(
          Refusal(line: alarm.line, reason: "an alarm by place without a position"))
      }
      for place in places {
        let mark = "\(trigger) \(place.position.latitude) \(place.position.longitude)"
        var reminder = base(.location, "#\(Fingerprint(mark.utf8).text.prefix(8))")
        reminder.place = place
        if reminder.place?.name == nil {
          let name = component["LOCATION"]?.text.trimmedText(limit: 200) ?? ""
          reminder.place?.name = name.isEmpty ? nil : name
        }
        reminder.trigger = trigger
        if repeats, let reference {
          // The place counts once it is due, each time.
          repeating(&reminder, due: reference.stamp)
        } else if !isTask, let end = end ?? start {
          reminder.until = end.isDate ? end.adding(.hours(end == start ? 24 : 0)) : end.stamp
        }
        if alarm.acknowledged != nil, reminder.state == .armed, !repeats {
          reminder.state = .fired
        }
        reminders.append(found(reminder, alarms: [index]))
      }
    }
    return reminders
  }

  // MARK: - By time

  /// A moment at which an alarm rings.
  private struct Moment {
    /// Offset from `reference`; nil for an independent time.
    let offset: TimeSpan?
    let stamp: TimeStamp
    let alarm: Int?
    let isAcknowledged: Bool
  }

  func dateReminders() -> [CalendarReminder] {
    var moments = self.moments()
    guard let reference else { return alone(moments) }
    let hasAlarm = alarms.contains { $0.snoozed == nil && $0.trigger != .none }
    if moments.isEmpty, isTask, !hasAlarm {
      // A task without an alarm fires when it is due.
      let offset = reference.isDate ? Self.morning : .zero
      moments.append(
        Moment(
          offset: offset, stamp: reference.adding(offset), alarm: nil, isAcknowledged: false))
    }
    if let travel = fixedTravel, !reference.isDate, (try? leaveReminder()) == nil {
      let offset = TimeSpan(microseconds: -travel.microseconds)
      moments.append(
        Moment(
          offset: offset, stamp: reference.adding(offset), alarm: nil, isAcknowledged: false))
    }
    var reminders: [CalendarReminder] = []
    let before = moments.filter { $0.offset.map { $0 <= .zero } ?? false }
    if !before.isEmpty {
      var reminder = base(.date, "")
      repeating(&reminder, due: reference.stamp)
      reminders.append(lead(reminder, before))
    }
    for moment in moments.filter({ $0.offset.map { $0 > .zero } ?? true }).prefix(Self.maximumLeads)
    {
      let suffix =
        reminders.isEmpty ? "" : "+\(moment.offset.map { $0.iCalendar } ?? "\(moment.stamp)")"
      var reminder = base(.date, suffix)
      if let offset = moment.offset {
        repeating(&reminder, due: moment.stamp, shift: offset)
      } else {
        reminder.due = moment.stamp
      }
      if moment.isAcknowledged, !repeats, reminder.state == .armed { reminder.state = .fired }
      reminders.append(found(reminder, alarms: moment.alarm.map { [$0] } ?? []))
    }
    return reminders
  }

  /// Reminders of an item with alarms and no time: due at the last alarm, the others are leads.
  private func alone(_ moments: [Moment]) -> [CalendarReminder] {
    let instants = moments.compactMap { moment -> (Instant, Moment)? in
      if case .absolute(let instant) = moment.stamp { (instant, moment) } else { nil }
    }
    guard let last = instants.map(\.0).max() else { return [] }
    let earliest = last - .seconds(Double(CalendarValue.longestSpan))
    var reminder = base(.date, "")
    reminder.due = .absolute(last)
    let timed = instants.filter { $0.0 >= earliest }.map { instant, moment in
      Moment(
        offset: instant - last, stamp: moment.stamp, alarm: moment.alarm,
        isAcknowledged: moment.isAcknowledged)
    }
    return [lead(reminder, timed)]
  }

  /// Adds these moments, none after the due time, as leads.
  private func lead(_ reminder: Reminder, _ moments: [Moment]) -> CalendarReminder {
    func span(_ offset: TimeSpan) -> TimeSpan { TimeSpan(microseconds: -offset.microseconds) }
    var reminder = reminder
    let leads = Set(moments.compactMap { $0.offset.map(span) }).sorted(by: >)
      .suffix(Self.maximumLeads)
    reminder.leads = leads == [.zero] ? [] : leads.map { CalendarSpan($0) }
    var acknowledged = 0
    if !repeats, reminder.state == .armed {
      let open = moments.filter { !$0.isAcknowledged }.compactMap { $0.offset.map(span) }.max()
      acknowledged = leads.filter { lead in open.map { lead > $0 } ?? true }.count
      if acknowledged == leads.count {
        reminder.state = .fired
        acknowledged = 0
      }
    }
    var found = found(reminder, alarms: moments.compactMap(\.alarm))
    found.leadsAcknowledged = acknowledged
    return found
  }

  private func moments() -> [Moment] {
    var moments: [Moment] = []
    for (index, alarm) in alarms.enumerated() where alarm.snoozed == nil {
      for count in 0...alarm.repetitions {
        let later = TimeSpan(
          microseconds: alarm.interval.microseconds.multipliedReportingOverflow(
            by: Int64(count)
          ).partialValue)
        guard let (offset, stamp) = moment(of: alarm.trigger, later: later),
          abs(offset?.seconds ?? 0) <= Double(CalendarValue.longestSpan)
        else { continue }
        var isAcknowledged = false
        if let acknowledged = alarm.acknowledged {
          isAcknowledged = stamp.instant(in: .utc) <= acknowledged + Self.greatestOffset(of: stamp)
        }
        moments.append(
          Moment(offset: offset, stamp: stamp, alarm: index, isAcknowledged: isAcknowledged))
      }
    }
    return moments
  }

  /// A floating time may be so much earlier somewhere than it is in UTC.
  private static func greatestOffset(of stamp: TimeStamp) -> TimeSpan {
    if case .floating = stamp { .hours(14) } else { .zero }
  }

  private func moment(
    of trigger: CalendarAlarm.Trigger, later: TimeSpan
  ) -> (offset: TimeSpan?, stamp: TimeStamp)? {
    func relative(_ span: TimeSpan, to base: CalendarTime?) -> (TimeSpan?, TimeStamp)? {
      guard let base, let reference else { return nil }
      let total = TimeSpan(microseconds: span.microseconds + later.microseconds)
      let shift = base.distance(from: reference)
      return (
        TimeSpan(microseconds: total.microseconds + shift.microseconds), base.adding(total)
      )
    }
    switch trigger {
    case .start(let span): return relative(span, to: start ?? end)
    case .end(let span): return relative(span, to: end ?? start)
    case .absolute(let instant):
      let instant = instant + later
      // A repeating task repeats its alarms, even Apple's with a date.
      if !repeats || isTask, case .absolute(let due)? = reference?.stamp {
        return (instant - due, .absolute(instant))
      }
      return (nil, .absolute(instant))
    case .proximity, .none: return nil
    }
  }

  // MARK: - Time to leave

  static let travelAdvice = "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR"
  static let travelTime = "X-APPLE-TRAVEL-DURATION"

  /// Travel time that was set by hand.
  private var fixedTravel: TimeSpan? {
    component[Self.travelTime].flatMap { try? CalendarValue.span($0) }
      .flatMap { $0 > .zero ? $0 : nil }
  }

  /// "Time to leave", where it is asked for and the place is known.
  func leaveReminder() throws(Fault) -> CalendarReminder? {
    let advice = component[Self.travelAdvice]?.value.uppercased()
    guard advice == "AUTOMATIC" || fixedTravel != nil, let reference, !reference.isDate,
      let place = try CalendarPlaces.own(of: component)
    else { return nil }
    var reminder = base(.preemptive, "/leave")
    reminder.place = place
    repeating(&reminder, due: reference.stamp)
    reminder.transport =
      switch component["X-APPLE-TRAVEL-START"]?["ROUTING"]?.uppercased() {
      case "WALKING": .walking
      case "BICYCLE", "CYCLING": .cycling
      default: .driving
      }
    return found(reminder, alarms: [])
  }

  // MARK: - Put off

  /// An alarm that puts another one off (RFC 9074 section 5).
  func putOff(_ reminders: inout [CalendarReminder]) {
    for alarm in alarms {
      guard let original = alarm.snoozed, case .absolute(let until) = alarm.trigger,
        alarm.acknowledged.map({ $0 < until }) ?? true
      else { continue }
      let index = alarms.firstIndex { $0.uid == original }
      let place =
        reminders.firstIndex { reminder in index.map { reminder.alarms.contains($0) } ?? false }
        ?? reminders.indices.first
      guard let place, reminders[place].reminder.state != .done else { continue }
      reminders[place].reminder.state = .snoozed
      reminders[place].snoozedUntil = until
    }
  }

  // MARK: - Our own

  /// Property in which `CalendarWriter` puts values without a standard one.
  static let fieldsProperty = "X-GEOREMIND-FIELDS"

  /// Reads an item of our own writer: standard properties, then our fields on top.
  func own(_ line: ContentLine) throws(Fault) -> CalendarReading {
    let reading = try standard()
    do {
      let fields = try JSONParser.parse(Array(line.text.utf8)).object ?? JSONObject()
      var object = reading.reminders.first?.reminder.json ?? base(.date, "").json
      for (key, value) in fields.members { object[key] = value == .null ? nil : value }
      var found =
        reading.reminders.first
        ?? self.found(base(.date, ""), alarms: [])
      found.reminder = try Reminder(json: object, newID: found.reminder.id)
      found.reminder.source = nil
      return CalendarReading(reminders: [found], leftOut: reading.leftOut)
    } catch {
      throw Fault("\(Self.fieldsProperty): \(error)".shownInMessage, line: line.number)
    }
  }

  /// Reads the standard properties only, as any other program would.
  func standard() throws(Fault) -> CalendarReading {
    var plain = component
    plain.remove(Self.fieldsProperty)
    return try CalendarItem(plain, zones).reminders()
  }
}
