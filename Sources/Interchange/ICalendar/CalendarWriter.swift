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
  /// VTIMEZONEs that were written.
  private var zones: Set<String> = []
  private var tasks: [CalendarComponent] = []

  package init(now: Instant, zone: TimeZoneRules) {
    self.now = now
    self.zone = zone
  }

  package var bytes: [UInt8] {
    var whole = document
    whole.changeCalendar { calendar in
      for task in tasks { calendar.append(task) }
    }
    return whole.bytes
  }

  /// - Parameter snoozedUntil: the end of a snooze, written as an alarm of its own (RFC 9074
  ///   section 5).
  package mutating func add(_ reminder: Reminder, snoozedUntil: Instant? = nil) {
    var reminder = reminder
    reminder.source = nil
    var task = CalendarComponent("VTODO", lineEnd: lineEnd)
    let stamp = now.compact
    put("UID", reminder.id, &task)
    put("DTSTAMP", stamp, &task)
    put("LAST-MODIFIED", stamp, &task)
    putText("SUMMARY", reminder.title, &task)
    putText("DESCRIPTION", reminder.notes, &task)
    putText("CATEGORIES", reminder.category, &task)
    if reminder.priority > 0 { put("PRIORITY", "\(reminder.priority)", &task) }
    put("STATUS", reminder.state == .done ? "COMPLETED" : "NEEDS-ACTION", &task)
    if reminder.state == .done { put("PERCENT-COMPLETE", "100", &task) }
    if let due = reminder.due { addTimes(reminder, due, &task) }
    if let place = reminder.place {
      putText("LOCATION", place.name, &task)
      put(
        "GEO",
        "\(CalendarText.decimal(place.position.latitude));"
          + CalendarText.decimal(place.position.longitude), &task)
    }
    switch reminder.kind {
    case .location: addProximity(reminder, &task)
    case .date: addLeads(reminder, &task)
    case .preemptive:
      addLeads(reminder, &task)
      if let place = reminder.place {
        task.append(structuredLocation(place))
        put("X-APPLE-TRAVEL-ADVISORY-BEHAVIOR", "AUTOMATIC", &task)
      }
    }
    if let snoozedUntil { addSnooze(reminder, until: snoozedUntil, &task) }
    addFields(reminder, &task)
    tasks.append(task)
  }

  var lineEnd: [UInt8] { document.lineEnd }

  func put(_ name: String, _ value: String, _ task: inout CalendarComponent) {
    task.append(.make(name, [], value, lineEnd: lineEnd))
  }

  private func putText(_ name: String, _ text: String?, _ task: inout CalendarComponent) {
    if let text { put(name, CalendarText.escaped(text), &task) }
  }

  // MARK: - Times

  /// Adds a zone's changes within ten years, which a TZID requires (RFC 5545 section 3.2.19).
  mutating func addZone(_ rules: TimeZoneRules, _ name: String, from start: Instant) {
    guard zones.insert(name).inserted else { return }
    var component = CalendarComponent("VTIMEZONE", lineEnd: lineEnd)
    put("TZID", name, &component)
    var moment = start - .hours(24 * 366)
    let end = start + .hours(24 * 366 * 10)
    addObservance(of: rules, at: moment, to: &component)
    while let next = rules.nextTransition(after: moment), next < end {
      addObservance(of: rules, at: next, to: &component)
      moment = next
    }
    document.changeCalendar { $0.append(component) }
  }

  private func addObservance(
    of rules: TimeZoneRules, at moment: Instant, to component: inout CalendarComponent
  ) {
    let before = rules.offset(at: moment - .seconds(1))
    let after = rules.offset(at: moment)
    var observance = CalendarComponent(
      rules.isDST(at: moment) ? "DAYLIGHT" : "STANDARD", lineEnd: lineEnd)
    let local = LocalDateTime(
      microseconds: (moment + .seconds(Double(before))).microseconds)
    put("DTSTART", local.compact, &observance)
    put("TZOFFSETFROM", Self.offset(before), &observance)
    put("TZOFFSETTO", Self.offset(after), &observance)
    put("TZNAME", rules.abbreviation(at: moment), &observance)
    component.append(observance)
  }

  /// `+0100`
  private static func offset(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let size = abs(seconds)
    let text = (seconds < 0 ? "-" : "+") + two(size / 3_600) + two(size / 60 % 60)
    return size % 60 == 0 ? text : text + two(size % 60)
  }

  // MARK: - Alarms

  private func addLeads(_ reminder: Reminder, _ task: inout CalendarComponent) {
    let timeOfDay = timeOfWholeDay(reminder)?.microseconds ?? 0
    for lead in reminder.leads.isEmpty ? [.zero] : reminder.leads {
      let offset = CalendarSpan(
        days: -lead.days, microseconds: timeOfDay - lead.microseconds
      ).withOneSign
      var alarm = self.alarm(reminder)
      alarm.append(
        .make(
          "TRIGGER", [ContentLine.Parameter(name: "RELATED", values: ["END"])],
          offset.iCalendar, lineEnd: lineEnd))
      task.append(alarm)
    }
  }

  private func addSnooze(
    _ reminder: Reminder, until: Instant, _ task: inout CalendarComponent
  ) {
    var alarm = self.alarm(reminder)
    alarm.append(
      .make(
        "TRIGGER", [ContentLine.Parameter(name: "VALUE", values: ["DATE-TIME"])], until.compact,
        lineEnd: lineEnd))
    alarm.append(
      .make(
        "RELATED-TO", [ContentLine.Parameter(name: "RELTYPE", values: ["SNOOZE"])], reminder.id,
        lineEnd: lineEnd))
    task.append(alarm)
  }

  private func alarm(_ reminder: Reminder) -> CalendarComponent {
    var alarm = CalendarComponent("VALARM", lineEnd: lineEnd)
    put("ACTION", "DISPLAY", &alarm)
    putText("DESCRIPTION", reminder.title, &alarm)
    return alarm
  }

  /// In the forms of Apple and of RFC 9074, with their common trigger for "no time".
  private func addProximity(_ reminder: Reminder, _ task: inout CalendarComponent) {
    guard let place = reminder.place else { return }
    var alarm = self.alarm(reminder)
    alarm.append(
      .make(
        "TRIGGER", [ContentLine.Parameter(name: "VALUE", values: ["DATE-TIME"])],
        CalendarAlarm.sentinel, lineEnd: lineEnd))
    let proximity = reminder.trigger == .depart ? "DEPART" : "ARRIVE"
    put("PROXIMITY", proximity, &alarm)
    put("X-APPLE-PROXIMITY", proximity, &alarm)
    alarm.append(structuredLocation(place))
    var location = CalendarComponent("VLOCATION", lineEnd: lineEnd)
    put("UID", "\(reminder.id)-place", &location)
    putText("NAME", place.name, &location)
    put("URL", "\(Self.uri(place.position));u=\(place.radius)", &location)
    alarm.append(location)
    task.append(alarm)
  }

  private func structuredLocation(_ place: Reminder.Place) -> ContentLine {
    var parameters = [
      ContentLine.Parameter(name: "VALUE", values: ["URI"]),
      ContentLine.Parameter(name: "X-APPLE-RADIUS", values: ["\(place.radius)"]),
      ContentLine.Parameter(name: "X-APPLE-REFERENCEFRAME", values: ["1"]),
    ]
    if let name = place.name {
      parameters.append(ContentLine.Parameter(name: "X-TITLE", values: [name]))
    }
    return .make(
      "X-APPLE-STRUCTURED-LOCATION", parameters, Self.uri(place.position), lineEnd: lineEnd)
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
    putText(CalendarItem.fieldsProperty, JSONValue.object(fields).line, &task)
  }
}

extension CalendarDocument {
  /// Changes the first calendar of the stream.
  mutating func changeCalendar(_ body: (inout CalendarComponent) -> Void) {
    for index in nodes.indices {
      guard case .component(var component) = nodes[index] else { continue }
      body(&component)
      nodes[index] = .component(component)
      return
    }
  }
}
