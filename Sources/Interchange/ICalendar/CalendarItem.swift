import Bytes
import CivilTime
import Reminders

/// A VTODO or VEVENT, read into reminders.
struct CalendarItem {
  /// The time from which a span counts.
  enum Base {
    /// DTSTART; DUE of a task without it.
    case start
    /// DUE or DTEND; DTSTART without them.
    case end
  }

  let component: CalendarComponent
  let zones: CalendarZones
  let isTask: Bool
  private let id: CalendarItemID
  let start: CalendarTime?
  let end: CalendarTime?
  /// From the start to the end, where that is given instead of the end.
  let duration: CalendarSpan?
  /// The end is a day without a time, whatever the start.
  let endsOnDay: Bool
  let alarms: [CalendarAlarm]
  /// Travel time that was set by hand.
  let fixedTravel: TimeSpan?
  /// When all alarms before it were dealt with in Thunderbird.
  let thunderbirdAcknowledged: Instant?
  /// Its parts that cannot be read.
  var leftOut: [Refusal] = []
  /// Whether one of its alarms is among them.
  let hasUnreadAlarm: Bool
  var names: CalendarNames
  var rule: RepeatRule?
  var changes = RepeatChanges()
  /// The name of the first occurrence. After RANGE it differs from the start.
  var first: LocalDateTime?
  /// From the first name to the start, where they differ.
  var shift: CalendarSpan?

  /// Time of day for a whole day without an alarm of its own.
  static let morning = CalendarSpan.hours(9)
  /// Leads of one reminder.
  static let maximumLeads = 32
  private static let maximumAlarms = 256

  /// - Throws: a fault if nothing says when it is, though something should.
  init(_ component: CalendarComponent, _ zones: CalendarZones) throws(Fault) {
    guard !component.isCut else {
      throw Fault("the file ends within it", line: component.line)
    }
    self.component = component
    self.zones = zones
    isTask = component.isTask
    id = CalendarItemID(
      uid: Self.uid(of: component), recurrence: component["RECURRENCE-ID"]?.value)
    var leftOut: [Refusal] = []
    func time(_ name: String) -> CalendarTime? {
      component[name]?.read(&leftOut) { (line) throws(Fault) in try CalendarValue.time(line, zones)
      }
    }
    let start = time("DTSTART")
    let end = time(isTask ? "DUE" : "DTEND")
    if let fault = leftOut.first, start == nil, end == nil || !isTask,
      Self.makesReminders(component)
    {
      throw Fault(fault.reason, line: fault.line)
    }
    if end == nil, let start, let line = component["DURATION"],
      let span = line.read(&leftOut, CalendarValue.span)
    {
      duration = span
      endsOnDay = start.isDate && span.inWholeDays.microseconds == 0
      (self.start, self.end) = (start, start.moved(by: span))
    } else {
      duration = nil
      endsOnDay = end?.isDate ?? start?.isDate ?? false
      (self.start, self.end) = Self.onOneClock(start, end)
    }
    names = CalendarNames(of: self.start ?? self.end, zones)
    first = (self.start ?? self.end)?.local
    let components = component.components("VALARM")
    guard components.count <= Self.maximumAlarms else {
      throw Fault("it has more than \(Self.maximumAlarms) alarms", line: component.line)
    }
    let before = leftOut.count
    alarms = components.map { CalendarAlarm($0, zones, &leftOut) }
    hasUnreadAlarm = leftOut.count > before
    let travel = component[Self.travelTime]?.read(&leftOut, CalendarValue.span)?.length
    fixedTravel = travel.flatMap { $0 > .zero ? $0 : nil }
    thunderbirdAcknowledged = component.instants(Self.thunderbird.acknowledged, &leftOut).max()
    self.leftOut = CalendarProperties.unsupported(in: component)
    guard Self.makesReminders(component) else { return }
    self.leftOut += leftOut + zones.unknown(in: component)
    if self.start ?? self.end == nil, let alarm = alarms.first(where: \.isRelative) {
      self.leftOut.add(
        alarm.line,
        "the alarm has no time, for its \(isTask ? "task has no date" : "event has no DTSTART")")
    }
    try readRepeating()
  }

  /// A start and an end of one kind: a floating time takes the clock of the other one.
  private static func onOneClock(
    _ start: CalendarTime?, _ end: CalendarTime?
  ) -> (CalendarTime?, CalendarTime?) {
    guard let start, let end else { return (start, end) }
    return switch (start, end) {
    case (.floating(let local), .utc), (.floating(let local), .zoned): (end.reading(local), end)
    case (_, .floating), (_, .date): (start, start.isDate ? end : start.reading(end.local))
    default: (start, end)
    }
  }

  /// An event without an alarm or a time to leave is no reminder, so its repeating may be wrong.
  private static func makesReminders(_ component: CalendarComponent) -> Bool {
    component.isTask || !component.components("VALARM").isEmpty || component[fieldsProperty] != nil
      || component[travelAdvice] != nil || component[travelTime] != nil
  }

  /// The UID; for one without, a number from what it says.
  static func uid(of component: CalendarComponent) -> String {
    if let uid = component["UID"]?.text.trimmedText(limit: 4_000), !uid.isEmpty { return uid }
    return Fingerprint(component.bytes).text
  }

  // MARK: - Times

  func time(of base: Base) -> CalendarTime? { base == .start ? start ?? end : end ?? start }

  /// The due time of the reminder: DUE of a task, the start of an event.
  var referenceBase: Base { isTask ? .end : .start }

  var reference: CalendarTime? { isTask ? end ?? start : start }

  /// Whether a time is a day without a time of day.
  func isDay(_ base: Base) -> Bool {
    guard base == .end, end != nil else { return start?.isDate ?? endsOnDay }
    return endsOnDay
  }

  // MARK: - Reminders

  func reminders() throws(Fault) -> CalendarReading {
    if let line = component[Self.fieldsProperty] { return try own(line) }
    var reading = CalendarReading()
    reading.leftOut = leftOut
    if !repeats, let time = start ?? end, excludes(names.name(of: time)) {
      // Without an EXDATE another component has changed it.
      if let line = component["EXDATE"] {
        reading.unalarmed.add(line.number, "EXDATE excludes its only occurrence")
      }
      return reading
    }
    if !isTask, let line = component["RRULE"], endsBeforeItBegins {
      reading.unalarmed.add(line.number, "UNTIL is before its first occurrence")
      return reading
    }
    let places = placeReminders(&reading)
    let leave = leaveReminder(&reading.leftOut)
    let dates = dateReminders(hasLeave: leave != nil)
    reading.reminders = dates + places + (leave.map { [$0] } ?? [])
    if hasUnreadAlarm { reading.unread.append(id.uid) }
    putOff(&reading.reminders, &reading.leftOut)
    if reading.reminders.isEmpty, reading.leftOut.isEmpty {
      let reason = isTask ? "a task without an alarm or a date" : "an event without an alarm"
      reading.unalarmed.add(component.line, "\(reason); add an alarm in the calendar")
    }
    return reading
  }

  func base(_ kind: Reminder.Kind, _ suffix: String) -> Reminder {
    var name = id.uid
    if let recurrence = id.recurrence { name += "/\(recurrence)" }
    let priority = component["PRIORITY"].flatMap { try? CalendarValue.count($0) } ?? 0
    var reminder = Reminder(
      id: Self.identifier(name + suffix), kind: kind, title: title, notes: notes,
      category: component["CATEGORIES"].flatMap { line in
        CalendarText.list(line.value).lazy.compactMap { $0.oneLine(limit: 200) }.first
      },
      priority: (0...9).contains(priority) ? priority : 0)
    if isOver { reminder.state = .done }
    return reminder
  }

  /// An id has no blanks and 256 bytes at most; another name becomes a number.
  private static func identifier(_ name: String) -> String {
    isIdentifier(name) ? name : Fingerprint(name.utf8).text
  }

  static func isIdentifier(_ name: String) -> Bool {
    name.utf8.count <= 256
      && name.unicodeScalars.allSatisfy {
        $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace
      }
  }

  private var title: String {
    [component["SUMMARY"], component["LOCATION"]].lazy
      .compactMap { $0?.text.oneLine(limit: 1_000) }.first ?? "Untitled"
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

  func found(_ reminder: Reminder, alarms: [Int]) -> CalendarReminder {
    CalendarReminder(reminder: reminder, line: component.line, item: id, alarms: alarms)
  }
}
