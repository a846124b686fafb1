import Bytes
import CivilTime
import Departure
import Geodesy
import JSONText
import Reminders

/// The reminders of an event or task by place and travel time, and the reminders of our own writer.
extension CalendarItem {
  // MARK: - By place

  func placeReminders(_ reading: inout CalendarReading) -> [CalendarReminder] {
    var reminders: [CalendarReminder] = []
    for (index, alarm) in alarms.enumerated() {
      guard case .proximity(let trigger, var places) = alarm.trigger else { continue }
      if places.isEmpty, let own = ownPlace(&reading.leftOut) { places = [own] }
      if places.isEmpty {
        reading.leftOut.add(alarm.line, "an alarm by place without a position")
      }
      for place in places {
        let mark = "\(trigger) \(place.position.latitude) \(place.position.longitude)"
        var reminder = base(.location, "#\(Fingerprint(mark.utf8).text.prefix(8))")
        reminder.place = place
        if place.name == nil {
          reminder.place?.name = component["LOCATION"]?.text.oneLine(limit: 200)
        }
        reminder.trigger = trigger
        if repeats, reference != nil {
          // The place counts once it is due, each time.
          repeating(&reminder, at: referenceBase)
        } else if !isTask, let end = end ?? start {
          reminder.until = end.adding(CalendarSpan(days: end.isDate && end == start ? 1 : 0))
        }
        if alarm.acknowledged != nil, reminder.state == .armed, !repeats {
          reminder.state = .fired
        }
        reminders.append(found(reminder, alarms: [index]))
      }
    }
    return reminders
  }

  // MARK: - Time to leave

  static let travelAdvice = "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR"
  static let travelTime = "X-APPLE-TRAVEL-DURATION"

  private func ownPlace(_ leftOut: inout [Refusal]) -> Reminder.Place? {
    component.read(&leftOut, CalendarPlaces.own) ?? nil
  }

  /// "Time to leave", where it is asked for and the place is known.
  func leaveReminder(_ leftOut: inout [Refusal]) -> CalendarReminder? {
    let advice = component[Self.travelAdvice]?.value.uppercased()
    guard advice == "AUTOMATIC" || fixedTravel != nil, reference != nil, !isDay(referenceBase),
      let place = ownPlace(&leftOut)
    else { return nil }
    var reminder = base(.preemptive, "/leave")
    reminder.place = place
    repeating(&reminder, at: referenceBase)
    reminder.transport =
      switch component["X-APPLE-TRAVEL-START"]?["ROUTING"]?.uppercased() {
      case "WALKING": .walking
      case "BICYCLE", "CYCLING": .cycling
      default: .driving
      }
    return found(reminder, alarms: [])
  }

  // MARK: - Put off

  /// Thunderbird's ACKNOWLEDGED of all alarms, and its end of a snooze; for an occurrence with a
  /// number behind the name.
  static let thunderbird = (acknowledged: "X-MOZ-LASTACK", snooze: "X-MOZ-SNOOZE-TIME")

  /// An alarm that puts another one off (RFC 9074 section 5).
  func putOff(_ reminders: inout [CalendarReminder], _ leftOut: inout [Refusal]) {
    if let until = component.instants(Self.thunderbird.snooze, &leftOut).max(),
      thunderbirdAcknowledged.map({ $0 < until }) ?? true,
      let place = reminders.firstIndex(where: { $0.reminder.kind != .location }),
      reminders[place].reminder.state != .done
    {
      reminders[place].reminder.state = .snoozed
      reminders[place].snoozedUntil = until
    }
    for alarm in alarms {
      guard let original = alarm.snoozed, let until = instant(of: alarm.trigger),
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
      return CalendarReading(reminders: [found], leftOut: reading.leftOut, unread: reading.unread)
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

extension CalendarComponent {
  /// The times in UTC of the properties whose names begin so.
  func instants(_ prefix: String, _ leftOut: inout [Refusal]) -> [Instant] {
    lines.filter { $0.name.hasPrefix(prefix) }
      .compactMap { $0.read(&leftOut, CalendarValue.instant) }
  }
}
