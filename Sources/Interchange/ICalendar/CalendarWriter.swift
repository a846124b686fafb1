package import CivilTime
import Geodesy
import JSONText
package import Reminders

/// Writes reminders as tasks of an iCalendar stream.
///
/// Values without a standard property go into a property of ours: the JSON fields in which the
/// reminder differs from the standard properties as `CalendarReading` reads them. So nothing is
/// lost, and changes by other programs count.
package struct CalendarWriter {
  private static let product = "-//georemind//georemind//EN"

  private var document = CalendarDocument(product: Self.product)
  private let now: Instant
  /// The system's: repeating reminders that name no zone go by its clocks.
  let zone: TimeZoneRules
  /// The zones of the times, with the first and the last of them.
  private var zones: [String: (rules: TimeZoneRules, uses: ClosedRange<Instant>)] = [:]
  private var tasks: [CalendarComponent] = []

  package init(now: Instant, zone: TimeZoneRules) {
    self.now = now
    self.zone = zone
  }

  package var bytes: [UInt8] {
    var whole = document
    let described = zones.sorted { $0.key < $1.key }.map {
      Self.description($0.value.rules, $0.key, of: $0.value.uses)
    }
    whole.changeCalendar { calendar in
      for component in described + tasks { calendar.append(component) }
    }
    return whole.bytes
  }

  /// - Parameter snoozedUntil: the end of a snooze, written as an alarm of its own (RFC 9074
  ///   section 5).
  package mutating func add(_ reminder: Reminder, snoozedUntil: Instant? = nil) {
    var reminder = reminder
    reminder.source = nil
    var task = CalendarComponent("VTODO")
    let stamp = now.compact
    task.add("UID", reminder.id)
    task.add("DTSTAMP", stamp)
    task.add("LAST-MODIFIED", stamp)
    task.addText("SUMMARY", reminder.title)
    task.addText("DESCRIPTION", reminder.notes)
    task.addText("CATEGORIES", reminder.category)
    if reminder.priority > 0 { task.add("PRIORITY", "\(reminder.priority)") }
    task.add("STATUS", reminder.state == .done ? "COMPLETED" : "NEEDS-ACTION")
    if reminder.state == .done { task.add("PERCENT-COMPLETE", "100") }
    if let due = reminder.due { addTimes(reminder, due, &task) }
    if let place = reminder.place {
      task.addText("LOCATION", place.name)
      task.add(
        "GEO",
        "\(CalendarText.decimal(place.position.latitude));"
          + CalendarText.decimal(place.position.longitude))
    }
    switch reminder.kind {
    case .location: addProximity(reminder, &task)
    case .date: addLeads(reminder, &task)
    case .preemptive:
      addLeads(reminder, &task)
      if let place = reminder.place {
        addLocation(place, &task)
        task.add("X-APPLE-TRAVEL-ADVISORY-BEHAVIOR", "AUTOMATIC")
      }
    }
    if let snoozedUntil { addSnooze(reminder, until: snoozedUntil, &task) }
    addFields(reminder, &task)
    tasks.append(task)
  }

  // MARK: - Times

  /// Notes a time in a zone, which a TZID has to describe (RFC 5545 section 3.2.19).
  mutating func addZone(_ rules: TimeZoneRules, _ name: String, from start: Instant) {
    let old = zones[name]?.uses ?? start...start
    zones[name] = (rules, min(old.lowerBound, start)...max(old.upperBound, start))
  }

  /// A zone's changes from a year before its first time to ten years after its last one.
  private static func description(
    _ rules: TimeZoneRules, _ name: String, of uses: ClosedRange<Instant>
  ) -> CalendarComponent {
    var component = CalendarComponent("VTIMEZONE")
    component.add("TZID", name)
    var moment = uses.lowerBound - .hours(24 * 366)
    let end = uses.upperBound + .hours(24 * 366 * 10)
    addObservance(of: rules, at: moment, to: &component)
    while let next = rules.nextTransition(after: moment), next < end {
      addObservance(of: rules, at: next, to: &component)
      moment = next
    }
    return component
  }

  private static func addObservance(
    of rules: TimeZoneRules, at moment: Instant, to component: inout CalendarComponent
  ) {
    let before = rules.offset(at: moment - .seconds(1))
    let after = rules.offset(at: moment)
    var observance = CalendarComponent(rules.isDST(at: moment) ? "DAYLIGHT" : "STANDARD")
    let local = LocalDateTime(microseconds: (moment + .seconds(Double(before))).microseconds)
    observance.add("DTSTART", local.compact)
    observance.add("TZOFFSETFROM", offset(before))
    observance.add("TZOFFSETTO", offset(after))
    observance.add("TZNAME", rules.abbreviation(at: moment))
    component.append(observance)
  }

  /// `+0100`
  private static func offset(_ seconds: Int) -> String {
    let size = abs(seconds)
    let text = (seconds < 0 ? "-" : "+") + (size / 3_600).padded(2) + (size / 60 % 60).padded(2)
    return size % 60 == 0 ? text : text + (size % 60).padded(2)
  }

  // MARK: - Alarms

  private func addLeads(_ reminder: Reminder, _ task: inout CalendarComponent) {
    let timeOfDay = timeOfWholeDay(reminder)?.microseconds ?? 0
    for lead in reminder.leads.isEmpty ? [.zero] : reminder.leads {
      let offset = CalendarSpan(
        days: -lead.days, microseconds: timeOfDay - lead.microseconds
      ).withOneSign
      var alarm = CalendarComponent.alarm(reminder.title)
      alarm.add("TRIGGER", offset.iCalendar, [.init("RELATED", "END")])
      task.append(alarm)
    }
  }

  private func addSnooze(
    _ reminder: Reminder, until: Instant, _ task: inout CalendarComponent
  ) {
    var alarm = CalendarComponent.alarm(reminder.title)
    alarm.add("TRIGGER", until.compact, [.init("VALUE", "DATE-TIME")])
    alarm.add("RELATED-TO", reminder.id, [.init("RELTYPE", "SNOOZE")])
    task.append(alarm)
  }

  /// In the forms of Apple and of RFC 9074, with their common trigger for "no time".
  private func addProximity(_ reminder: Reminder, _ task: inout CalendarComponent) {
    guard let place = reminder.place else { return }
    var alarm = CalendarComponent.alarm(reminder.title)
    alarm.add("TRIGGER", CalendarAlarm.sentinel, [.init("VALUE", "DATE-TIME")])
    let proximity = reminder.trigger == .depart ? "DEPART" : "ARRIVE"
    alarm.add("PROXIMITY", proximity)
    alarm.add("X-APPLE-PROXIMITY", proximity)
    addLocation(place, &alarm)
    var location = CalendarComponent("VLOCATION")
    location.add("UID", "\(reminder.id)-place")
    location.addText("NAME", place.name)
    location.add("URL", "\(Self.uri(place.position));u=\(place.radius)")
    alarm.append(location)
    task.append(alarm)
  }

  private func addLocation(_ place: Reminder.Place, _ component: inout CalendarComponent) {
    var parameters: [ContentLine.Parameter] = [
      .init("VALUE", "URI"), .init("X-APPLE-RADIUS", "\(place.radius)"),
      .init("X-APPLE-REFERENCEFRAME", "1"),
    ]
    if let name = place.name { parameters.append(.init("X-TITLE", name)) }
    component.add("X-APPLE-STRUCTURED-LOCATION", Self.uri(place.position), parameters)
  }

  private static func uri(_ position: Coordinate) -> String {
    "geo:\(CalendarText.decimal(position.latitude)),\(CalendarText.decimal(position.longitude))"
  }

  // MARK: - What is ours

  private func addFields(_ reminder: Reminder, _ task: inout CalendarComponent) {
    var probe = document
    probe.changeCalendar { $0.append(task) }
    let read = try? CalendarReading(probe.bytes, file: "").reminders.first?.reminder
    let standard = read?.json ?? JSONObject()
    let wanted = reminder.json
    var fields = JSONObject()
    for (key, value) in wanted.members where standard[key] != value { fields[key] = value }
    for (key, _) in standard.members where wanted[key] == nil { fields[key] = .null }
    guard !fields.isEmpty || read == nil else { return }
    task.addText(CalendarItem.fieldsProperty, JSONValue.object(fields).line)
  }
}

extension CalendarComponent {
  /// A displayed alarm without a trigger.
  static func alarm(_ title: String, lineEnd: [UInt8] = [0x0D, 0x0A]) -> CalendarComponent {
    var alarm = CalendarComponent("VALARM", lineEnd: lineEnd)
    alarm.add("ACTION", "DISPLAY")
    alarm.addText("DESCRIPTION", title)
    return alarm
  }
}

extension CalendarDocument {
  /// Changes the first calendar of the stream.
  mutating func changeCalendar(_ body: (inout CalendarComponent) -> Void) {
    guard let index = nodes.firstIndex(where: { $0.component != nil }),
      var component = nodes[index].component
    else { return }
    body(&component)
    nodes[index] = .component(component)
  }
}
