import Bytes
import CivilTime
import Reminders

/// A VTODO or VEVENT, read into reminders.
struct CalendarItem {
  let component: CalendarComponent
  let zones: CalendarZones
  let isTask: Bool
  private let id: CalendarItemID
  let start: CalendarTime?
  let end: CalendarTime?
  let alarms: [CalendarAlarm]
  var rule: RepeatRule?
  private var changes = RepeatChanges()

  /// Time of day for a whole day without an alarm of its own.
  static let morning = TimeSpan.hours(9)
  /// Leads of one reminder.
  static let maximumLeads = 32
  private static let maximumAlarms = 256

  init(_ component: CalendarComponent, _ zones: CalendarZones) throws(Fault) {
    self.component = component
    self.zones = zones
    isTask = component.isTask
    id = CalendarItemID(
      uid: Self.uid(of: component), recurrence: component["RECURRENCE-ID"]?.value)
    start = try component["DTSTART"].map { (line) throws(Fault) in
      try CalendarValue.time(line, zones)
    }
    let end = try component[isTask ? "DUE" : "DTEND"].map { (line) throws(Fault) in
      try CalendarValue.time(line, zones)
    }
    if end == nil, let start, let line = component["DURATION"] {
      self.end = start.moved(by: try CalendarValue.span(line))
    } else {
      self.end = end
    }
    let components = component.components("VALARM")
    guard components.count <= Self.maximumAlarms else {
      throw Fault("it has more than \(Self.maximumAlarms) alarms", line: component.line)
    }
    alarms = try components.map { (alarm) throws(Fault) in try CalendarAlarm(alarm, zones) }
    if makesReminders { try readRepeating() }
  }

  /// An event without an alarm or a time to leave is no reminder, so its repeating may be wrong.
  private var makesReminders: Bool {
    isTask || !alarms.isEmpty || component[Self.fieldsProperty] != nil
      || component[Self.travelAdvice] != nil || component[Self.travelTime] != nil
  }

  /// The UID; for one without, a number from what it says.
  static func uid(of component: CalendarComponent) -> String {
    if let uid = component["UID"]?.text.trimmedText(limit: 4_000), !uid.isEmpty { return uid }
    return Fingerprint(component.bytes).text
  }

  // MARK: - Repeating

  private mutating func readRepeating() throws(Fault) {
    if let line = component["RRULE"] { rule = try Self.rule(line.value, line: line.number) }
    for line in component.properties("RDATE") {
      for time in try CalendarValue.times(line, zones) {
        // A day among dates with a time means that time on the day.
        let stamp: TimeStamp =
          if case .date(let date) = time, let start, !start.isDate {
            start.on(date).stamp
          } else {
            time.stamp
          }
        changes.additions.append(stamp)
      }
    }
    for line in component.properties("EXDATE") { exclude(try CalendarValue.times(line, zones)) }
    guard changes.additions.count <= RepeatChanges.maximumTimes else {
      throw Fault(
        "it has more than \(RepeatChanges.maximumTimes) single dates", line: component.line)
    }
    // Without a rule the item's own time is one of the set.
    if rule == nil, changes.additions.isEmpty { return }
    switch reference {
    case .zoned(_, let zone): changes.zone = zone
    case .utc: changes.zone = NamedZone(name: "UTC", rules: .utc)
    default: break
    }
  }

  private static func rule(_ text: String, line: Int) throws(Fault) -> RepeatRule {
    do {
      return try RepeatRule(parsing: text.trimmedText(limit: 4_000))
    } catch {
      throw Fault("\(error)".shownInMessage, line: line)
    }
  }

  /// Occurrences that do not take place, or that another component describes.
  mutating func exclude(_ times: [CalendarTime]) {
    let room = RepeatChanges.maximumTimes - changes.exceptions.count - changes.exceptionDays.count
    for time in times.prefix(max(0, room)) {
      if case .date(let date) = time {
        changes.exceptionDays.append(date)
      } else if let shift = shiftFromStart {
        changes.exceptions.append(time.adding(shift))
      } else {
        changes.exceptions.append(time.stamp)
      }
    }
  }

  /// EXDATE and RECURRENCE-ID refer to DTSTART, but a task's reminder to DUE.
  private var shiftFromStart: TimeSpan? {
    guard let start, let reference, start != reference else { return nil }
    return reference.distance(from: start)
  }

  /// The series goes on in another component from this occurrence on.
  mutating func end(before time: CalendarTime) {
    guard let text = component["RRULE"]?.value else { return }
    let last: String =
      switch time {
      case .date(let date): CivilDate(dayNumber: date.dayNumber - 1).compact
      case .floating(let local): local.adding(.seconds(-1)).compact
      case .utc, .zoned:
        (time.stamp.instant(in: .utc) + (shiftFromStart ?? .zero) - .seconds(1)).compact
      }
    rule = (try? RepeatRule(parsing: Self.replacingEnd(of: text, by: last))) ?? rule
  }

  private static func replacingEnd(of rule: String, by last: String) -> String {
    let parts = rule.split(separator: ";").filter {
      let name = $0.uppercased()
      return !name.hasPrefix("UNTIL=") && !name.hasPrefix("COUNT=")
    }
    return parts.joined(separator: ";") + ";UNTIL=" + last
  }

  /// THISANDFUTURE: the rule goes on from here, without COUNT, whose used part is unknown.
  mutating func inherit(from master: CalendarComponent?) {
    guard rule == nil, let text = master?["RRULE"]?.value else { return }
    let parts = text.split(separator: ";").filter { !$0.uppercased().hasPrefix("COUNT=") }
    rule = try? RepeatRule(parsing: parts.joined(separator: ";"))
    switch reference {
    case .zoned(_, let zone): changes.zone = zone
    case .utc: changes.zone = NamedZone(name: "UTC", rules: .utc)
    default: break
    }
  }

  var repeats: Bool { rule != nil || !changes.additions.isEmpty }

  /// The reminder's due time: DUE of a task, the start of an event. A rule with days counts from
  /// the start, so that is used if it is on another day.
  var reference: CalendarTime? {
    guard isTask else { return start }
    guard let end else { return start }
    if let rule, let start, start.local.date != end.local.date, rule.namesDays { return start }
    return end
  }

  // MARK: - Reminders

  func reminders() throws(Fault) -> CalendarReading {
    if let line = component[Self.fieldsProperty] { return try own(line) }
    var reading = CalendarReading()
    let places = try placeReminders(&reading)
    let dates = dateReminders()
    reading.reminders = dates + places + (try leaveReminder().map { [$0] } ?? [])
    putOff(&reading.reminders)
    if reading.reminders.isEmpty, reading.leftOut.isEmpty {
      let reason = isTask ? "a task without an alarm or a date" : "an event without an alarm"
      reading.unalarmed.append(
        Refusal(line: component.line, reason: "\(reason); add an alarm in the calendar"))
    }
    return reading
  }

  func base(_ kind: Reminder.Kind, _ suffix: String) -> Reminder {
    var name = id.uid
    if let recurrence = id.recurrence { name += "/\(recurrence)" }
    let priority = component["PRIORITY"].flatMap { Int($0.value) } ?? 0
    var reminder = Reminder(
      id: Self.identifier(name + suffix), kind: kind, title: title, notes: notes,
      category: component["CATEGORIES"].flatMap { line in
        CalendarText.list(line.value).map { $0.trimmedText(limit: 200) }.first { !$0.isEmpty }
      },
      priority: (0...9).contains(priority) ? priority : 0)
    if isOver { reminder.state = .done }
    return reminder
  }

  /// An id has no blanks and 256 bytes at most; another name becomes a number.
  private static func identifier(_ name: String) -> String {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace
    }
    return isPlain && name.utf8.count <= 256 ? name : Fingerprint(name.utf8).text
  }

  private var title: String {
    for text in [component["SUMMARY"]?.text, component["LOCATION"]?.text] {
      let words = (text ?? "").split { $0.isNewline }.joined(separator: " ")
      let title = words.trimmedText(limit: 1_000)
      if !title.isEmpty { return title }
    }
    return "Untitled"
  }

  private var notes: String? {
    var notes = component["DESCRIPTION"]?.text.trimmedText(limit: 12_000) ?? ""
    if let url = component["URL"]?.value.trimmedText(limit: 2_000), !url.isEmpty,
      !notes.contains(url)
    {
      notes += (notes.isEmpty ? "" : "\n") + url
    }
    return notes.isEmpty ? nil : notes
  }

  /// Done, or called off.
  private var isOver: Bool {
    switch component["STATUS"]?.value.uppercased() {
    case "COMPLETED", "CANCELLED": return true
    case "NEEDS-ACTION", "IN-PROCESS": return false
    default:
      return isTask
        && (component["COMPLETED"] != nil || component["PERCENT-COMPLETE"]?.value == "100")
    }
  }

  func repeating(_ reminder: inout Reminder, due: TimeStamp, shift: TimeSpan = .zero) {
    reminder.due = due
    reminder.repeatRule = rule
    reminder.repeatChanges = changes
    guard shift != .zero else { return }
    func moved(_ stamp: TimeStamp) -> TimeStamp {
      switch stamp {
      case .absolute(let instant): .absolute(instant + shift)
      case .floating(let local): .floating(local.adding(shift))
      }
    }
    reminder.repeatChanges.additions = changes.additions.map(moved)
    reminder.repeatChanges.exceptions = changes.exceptions.map(moved)
  }

  func found(_ reminder: Reminder, alarms: [Int]) -> CalendarReminder {
    CalendarReminder(reminder: reminder, line: component.line, item: id, alarms: alarms)
  }
}

extension CalendarTime {
  /// Time since `other`, elapsed where that is known.
  func distance(from other: CalendarTime) -> TimeSpan {
    if case (.absolute(let a), .absolute(let b)) = (stamp, other.stamp) { return a - b }
    return TimeSpan(microseconds: local.microseconds - other.local.microseconds)
  }

  /// The same time of day on another day.
  fileprivate func on(_ date: CivilDate) -> CalendarTime {
    switch self {
    case .date: .date(date)
    case .floating(let local): .floating(LocalDateTime(date: date, time: local.time))
    case .utc(let instant):
      .utc(
        TimeZoneRules.utc.instant(
          of: LocalDateTime(
            date: date, time: LocalDateTime(microseconds: instant.microseconds).time)))
    case .zoned(let local, let zone):
      .zoned(LocalDateTime(date: date, time: local.time), zone)
    }
  }

  /// The time plus a span, in the same form.
  fileprivate func moved(by span: TimeSpan) -> CalendarTime {
    switch self {
    case .date(let date):
      .date(LocalDateTime(date: date).adding(span).date)
    case .floating(let local): .floating(local.adding(span))
    case .utc(let instant): .utc(instant + span)
    case .zoned(_, let zone):
      .zoned(
        zone.rules.localDateTime(at: adding(span).instant(in: zone.rules)), zone)
    }
  }
}

extension RepeatRule {
  /// Whether it says on which days.
  fileprivate var namesDays: Bool {
    !days.isEmpty || !monthDays.isEmpty || !yearDays.isEmpty || !weekNumbers.isEmpty
  }
}
