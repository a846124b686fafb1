import CivilTime
import Geodesy
import JSONText
import Reminders

/// A VTODO or VEVENT, read into reminders.
struct CalendarItem {
  let component: CalendarComponent
  private let zones: CalendarZones
  private let isTask: Bool
  private let id: CalendarItemID
  private let start: CalendarTime?
  private let end: CalendarTime?
  private let alarms: [CalendarAlarm]
  private var rule: RepeatRule?
  private var changes = RepeatChanges()

  /// What a whole day without an alarm of its own is told at.
  private static let morning = TimeSpan.hours(9)
  /// Leads of one reminder.
  private static let mostLeads = 32
  private static let mostAlarms = 256

  init(_ component: CalendarComponent, _ zones: CalendarZones) throws(Fault) {
    self.component = component
    self.zones = zones
    isTask = component.name == "VTODO"
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
    guard components.count <= Self.mostAlarms else {
      throw Fault("it has more than \(Self.mostAlarms) alarms", line: component.line)
    }
    alarms = try components.map { (alarm) throws(Fault) in try CalendarAlarm(alarm, zones) }
    try readRepeating()
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
    guard changes.additions.count <= RepeatChanges.mostTimes else {
      throw Fault(
        "it has more than \(RepeatChanges.mostTimes) single dates", line: component.line)
    }
    // Without a rule its own time is one of the set.
    if rule == nil, changes.additions.isEmpty { return }
    switch reference {
    case .zoned(_, let zone): changes.zone = zone.text
    case .utc: changes.zone = "UTC"
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
    let room = RepeatChanges.mostTimes - changes.exceptions.count - changes.exceptionDays.count
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

  /// EXDATE and RECURRENCE-ID speak of DTSTART; a task is told by what it is due.
  private var shiftFromStart: TimeSpan? {
    guard let start, let reference, start != reference else { return nil }
    return TimeSpan(microseconds: reference.local.microseconds - start.local.microseconds)
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

  /// "This and all that follow": the rule goes on from here. How many of a count were used up before is
  /// not known, so a count is left out.
  mutating func inherit(from master: CalendarComponent?) {
    guard rule == nil, let text = master?["RRULE"]?.value else { return }
    let parts = text.split(separator: ";").filter { !$0.uppercased().hasPrefix("COUNT=") }
    rule = try? RepeatRule(parsing: parts.joined(separator: ";"))
    switch reference {
    case .zoned(_, let zone): changes.zone = zone.text
    case .utc: changes.zone = "UTC"
    default: break
    }
  }

  private var repeats: Bool { rule != nil || !changes.additions.isEmpty }

  /// What a reminder calls due: when a task is due, when an event begins. A rule with days in it counts
  /// from the beginning, so that this is taken where it is on another day.
  private var reference: CalendarTime? {
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
    return reading
  }

  private func base(_ kind: Reminder.Kind, _ suffix: String) -> Reminder {
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
    return isPlain && name.utf8.count <= 256 ? name : Fingerprint(Array(name.utf8)).text
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

  private func repeating(_ reminder: inout Reminder, due: TimeStamp, shift: TimeSpan = .zero) {
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

  private func found(_ reminder: Reminder, alarms: [Int]) -> CalendarReminder {
    CalendarReminder(reminder: reminder, line: component.line, item: id, alarms: alarms)
  }

  // MARK: - By place

  private func placeReminders(
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
        var reminder = base(.location, "#\(Fingerprint(Array(mark.utf8)).text.prefix(8))")
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
    /// From `reference`; nil for one that stands for itself.
    let offset: TimeSpan?
    let stamp: TimeStamp
    let alarm: Int?
    let isAcknowledged: Bool
  }

  private func dateReminders() -> [CalendarReminder] {
    var moments = self.moments()
    guard let reference else { return alone(moments) }
    let isTold = alarms.contains { $0.snoozed == nil && $0.trigger != .none }
    if moments.isEmpty, isTask, !isTold {
      // A task without an alarm is told when it is due.
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
      reminders.append(lead(reminder, before) { TimeSpan(microseconds: -$0.microseconds) })
    }
    for moment in moments.filter({ $0.offset.map { $0 > .zero } ?? true }).prefix(Self.mostLeads) {
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

  /// Of one with alarms and no time of its own: due at the last, the others are leads.
  private func alone(_ moments: [Moment]) -> [CalendarReminder] {
    let instants = moments.compactMap { moment -> (Instant, Moment)? in
      if case .absolute(let instant) = moment.stamp { (instant, moment) } else { nil }
    }
    guard let last = instants.map(\.0).max() else { return [] }
    var reminder = base(.date, "")
    reminder.due = .absolute(last)
    let timed = instants.map { instant, moment in
      Moment(
        offset: instant - last, stamp: moment.stamp, alarm: moment.alarm,
        isAcknowledged: moment.isAcknowledged)
    }
    return [lead(reminder, timed) { TimeSpan(microseconds: -$0.microseconds) }]
  }

  private func lead(
    _ reminder: Reminder, _ moments: [Moment], _ span: (TimeSpan) -> TimeSpan
  ) -> CalendarReminder {
    var reminder = reminder
    let leads = Set(moments.compactMap { $0.offset.map(span) }).sorted(by: >)
      .suffix(Self.mostLeads)
    reminder.leads = leads == [.zero] ? [] : Array(leads)
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
        guard let (offset, stamp) = moment(of: alarm.trigger, later: later) else { continue }
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
      let shift = base.local.microseconds - reference.local.microseconds
      return (TimeSpan(microseconds: total.microseconds + shift), base.adding(total))
    }
    switch trigger {
    case .start(let span): return relative(span, to: start ?? end)
    case .end(let span): return relative(span, to: end ?? start)
    case .absolute(let instant):
      let instant = instant + later
      // A repeating task has its alarms again each time, also those that Apple's programs give a date.
      if !repeats || isTask, case .absolute(let due)? = reference?.stamp {
        return (instant - due, .absolute(instant))
      }
      return (nil, .absolute(instant))
    case .proximity, .none: return nil
    }
  }

  // MARK: - Time to leave

  /// What was set by hand as the time of the way.
  private var fixedTravel: TimeSpan? {
    component["X-APPLE-TRAVEL-DURATION"].flatMap { try? CalendarValue.span($0) }
      .flatMap { $0 > .zero ? $0 : nil }
  }

  /// "Time to leave", where it is asked for and the place is known.
  private func leaveReminder() throws(Fault) -> CalendarReminder? {
    let advice = component["X-APPLE-TRAVEL-ADVISORY-BEHAVIOR"]?.value.uppercased()
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
  private func putOff(_ reminders: inout [CalendarReminder]) {
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

  /// Where `CalendarWriter` puts what has no property of its own.
  static let fieldsProperty = "X-GEOREMIND-FIELDS"

  /// One that we wrote: its standard properties, under the fields that these cannot say.
  private func own(_ line: ContentLine) throws(Fault) -> CalendarReading {
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

  /// What any other program would make of it.
  func standard() throws(Fault) -> CalendarReading {
    var plain = component
    plain.remove(Self.fieldsProperty)
    return try CalendarItem(plain, zones).reminders()
  }
}

extension CalendarTime {
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

  /// As a time of the same form.
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

/// FNV-1a, 64 bits, as 16 hexadecimal digits: names what has no name.
struct Fingerprint {
  let text: String

  init(_ bytes: [UInt8]) {
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    text = String(repeating: "0", count: 16 - digits.count) + digits
  }
}
