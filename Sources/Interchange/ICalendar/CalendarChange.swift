import Bytes
package import CivilTime
import Reminders

/// A change of a reminder that is to be written into its calendar.
package enum CalendarChange: Equatable, Sendable {
  /// Completed. A repeating task goes on to the occurrence that is due then; nil is its last one.
  case done(next: Instant?)
  case snoozed(until: Instant)
  /// Armed again after it was completed or has fired.
  case reopened
  /// As it was before a change: the event or task of then.
  case restored(CalendarComponent)

  package var isRestoration: Bool { if case .restored = self { true } else { false } }

  /// Whether it applies to a task that its file says is done.
  package var isReturn: Bool { self == .reopened || isRestoration }
}

extension CalendarDocument {
  /// Writes a change into a reminder's event or task only; returns whether anything changed.
  ///
  /// - A task that does not repeat is completed (RFC 5545 section 3.8.1.11).
  /// - A repeating task gets the dates of its next occurrence, as programs for tasks do.
  /// - An event cannot be completed: its alarms are acknowledged (RFC 9074 section 6).
  /// - A snooze acknowledges the alarm and adds another one (RFC 9074 section 5).
  /// - A restored item gets a later revision than the present item, so that other programs take it.
  package mutating func apply(
    _ change: CalendarChange, to reminder: CalendarReminder, at now: Instant
  ) throws(InterchangeError) -> Bool {
    let before = self
    let zones = CalendarZones(self)
    var editor = ItemEditor(reminder: reminder, now: now, lineEnd: lineEnd, zones: zones)
    changeItem(reminder.item) { editor.apply(change, to: &$0) }
    return self != before
  }

  /// The event or task that counts for this item; nil if there is none.
  package func item(_ id: CalendarItemID) -> CalendarComponent? {
    guard let (outer, inner) = place(of: id), case .component(let calendar) = nodes[outer],
      case .component(let item) = calendar.nodes[inner]
    else { return nil }
    return item
  }

  private mutating func changeItem(
    _ id: CalendarItemID, _ body: (inout CalendarComponent) -> Void
  ) {
    guard let (outer, inner) = place(of: id), case .component(var calendar) = nodes[outer],
      case .component(var item) = calendar.nodes[inner]
    else { return }
    body(&item)
    calendar.nodes[inner] = .component(item)
    nodes[outer] = .component(calendar)
  }

  /// Where the component is that counts for this item: of several the one of the highest revision.
  private func place(of id: CalendarItemID) -> (calendar: Int, item: Int)? {
    var found: (calendar: Int, item: Int, sequence: Int)?
    for (outer, node) in nodes.enumerated() {
      guard case .component(let calendar) = node else { continue }
      for (inner, node) in calendar.nodes.enumerated() {
        guard case .component(let item) = node, item.isTask || item.isEvent,
          CalendarItem.uid(of: item) == id.uid, item["RECURRENCE-ID"]?.value == id.recurrence,
          item.sequence >= found?.sequence ?? .min
        else { continue }
        found = (outer, inner, item.sequence)
      }
    }
    return found.map { ($0.calendar, $0.item) }
  }
}

/// Changes one component.
private struct ItemEditor {
  let reminder: CalendarReminder
  let now: Instant
  let lineEnd: [UInt8]
  let zones: CalendarZones

  mutating func apply(_ change: CalendarChange, to item: inout CalendarComponent) {
    let before = item
    var isRevision = false
    switch change {
    case .done(let next) where item.isTask:
      removeSnoozes(&item)
      if let next, advance(&item, to: next) {
        reopen(&item)
      } else {
        set("STATUS", "COMPLETED", &item)
        set("COMPLETED", now.compact, &item)
        set("PERCENT-COMPLETE", "100", &item)
      }
      isRevision = true
    case .done:
      removeSnoozes(&item)
      acknowledge(&item)
    case .snoozed(let until): snooze(&item, until: until)
    case .reopened:
      removeSnoozes(&item)
      reopen(&item)
      isRevision = true
    case .restored(let old):
      item = old
      isRevision = old.sequence != before.sequence
    }
    guard item != before else { return }
    set("LAST-MODIFIED", now.compact, &item)
    // In a store DTSTAMP is the time of the last revision (RFC 5545 section 3.8.7.2).
    set("DTSTAMP", now.compact, &item)
    if isRevision { set("SEQUENCE", "\(max(before.sequence, item.sequence) &+ 1)", &item) }
  }

  private func set(_ name: String, _ value: String, _ item: inout CalendarComponent) {
    item.set(name, item[name]?.parameters ?? [], value, lineEnd: lineEnd)
  }

  // MARK: - Alarms

  private func changeAlarms(
    of item: inout CalendarComponent, _ body: (Int, inout CalendarComponent) -> Void
  ) {
    var number = 0
    for index in item.nodes.indices {
      guard case .component(var alarm) = item.nodes[index], alarm.name == "VALARM" else { continue }
      body(number, &alarm)
      item.nodes[index] = .component(alarm)
      number += 1
    }
  }

  private func removeSnoozes(_ item: inout CalendarComponent, of uid: String? = nil) {
    item.nodes.removeAll { node in
      guard case .component(let alarm) = node, alarm.name == "VALARM" else { return false }
      return alarm.properties("RELATED-TO").contains {
        $0["RELTYPE"]?.uppercased() == "SNOOZE" && (uid == nil || $0.text == uid)
      }
    }
  }

  /// Acknowledges the reminder's own alarms; future ones at their time of ringing.
  private func acknowledge(_ item: inout CalendarComponent) {
    let wanted = Set(reminder.alarms)
    let due = reminder.reminder.due?.instant(in: .utc) ?? now
    let moment = reminder.reminder.repeats ? now : max(now, due)
    changeAlarms(of: &item) { number, alarm in
      if wanted.contains(number) {
        alarm.set("ACKNOWLEDGED", [], moment.compact, lineEnd: lineEnd)
      }
    }
  }

  private func snooze(_ item: inout CalendarComponent, until: Instant) {
    let wanted: Int
    if let alarm = reminder.alarms.first {
      wanted = alarm
    } else if let made = addAlarm(to: &item) {
      wanted = made
    } else {
      return
    }
    var original = ""
    var description: String?
    changeAlarms(of: &item) { number, alarm in
      guard number == wanted else { return }
      if let uid = (alarm["UID"] ?? alarm["X-WR-ALARMUID"])?.text {
        original = uid
      } else {
        original = name("alarm \(number)")
        alarm.append(.make("UID", [], original, lineEnd: lineEnd))
      }
      description = alarm["DESCRIPTION"]?.value
      alarm.set("ACKNOWLEDGED", [], now.compact, lineEnd: lineEnd)
    }
    guard !original.isEmpty else { return }
    removeSnoozes(&item, of: original)
    var alarm = CalendarComponent("VALARM", lineEnd: lineEnd)
    let lines: [(String, [ContentLine.Parameter], String)] = [
      ("ACTION", [], "DISPLAY"),
      ("UID", [], name("snooze \(until.compact)")),
      ("TRIGGER", [ContentLine.Parameter(name: "VALUE", values: ["DATE-TIME"])], until.compact),
      (
        "RELATED-TO", [ContentLine.Parameter(name: "RELTYPE", values: ["SNOOZE"])],
        CalendarText.escaped(original)
      ),
      (
        "DESCRIPTION", [],
        description ?? CalendarText.escaped(reminder.reminder.title)
      ),
    ]
    for (name, parameters, value) in lines {
      alarm.append(.make(name, parameters, value, lineEnd: lineEnd))
    }
    item.append(alarm)
  }

  /// Adds the implied alarm of a task without one, so that it can be snoozed. nil if no alarm can
  /// express the reminder.
  private func addAlarm(to item: inout CalendarComponent) -> Int? {
    guard item.isTask, reminder.reminder.kind == .date else { return nil }
    let reference = item["DUE"] ?? item["DTSTART"]
    guard let reference, let time = try? CalendarValue.time(reference, zones),
      let due = reminder.reminder.due
    else { return nil }
    let offset = due.instant(in: .utc) - time.stamp.instant(in: .utc)
    var alarm = CalendarComponent("VALARM", lineEnd: lineEnd)
    alarm.append(.make("ACTION", [], "DISPLAY", lineEnd: lineEnd))
    alarm.append(
      .make(
        "DESCRIPTION", [], CalendarText.escaped(reminder.reminder.title), lineEnd: lineEnd))
    let related =
      item["DUE"] == nil ? [] : [ContentLine.Parameter(name: "RELATED", values: ["END"])]
    alarm.append(.make("TRIGGER", related, offset.iCalendar, lineEnd: lineEnd))
    item.append(alarm)
    return item.components("VALARM").count - 1
  }

  /// The same again for the same item and purpose.
  private func name(_ purpose: String) -> String {
    let text = reminder.item.uid + (reminder.item.recurrence ?? "") + purpose
    return "georemind-" + Fingerprint(text.utf8).text
  }

  // MARK: - The next occurrence

  private func reopen(_ item: inout CalendarComponent) {
    item.remove("COMPLETED")
    item.remove("PERCENT-COMPLETE")
    if item["STATUS"] != nil { set("STATUS", "NEEDS-ACTION", &item) }
    changeAlarms(of: &item) { _, alarm in alarm.remove("ACKNOWLEDGED") }
  }

  /// Moves DTSTART, DUE and absolute alarms to be due at `next`; false without a rule or time.
  private func advance(_ item: inout CalendarComponent, to next: Instant) -> Bool {
    guard item["RRULE"] != nil || item["RDATE"] != nil, let due = reminder.reminder.due,
      let line = item["DUE"] ?? item["DTSTART"],
      let time = try? CalendarValue.time(line, zones)
    else { return false }
    let zone: TimeZoneRules =
      switch time {
      case .zoned(_, let zone): zone.rules
      default: .utc
      }
    // Local time in the item's zone; a floating time is treated as UTC.
    let moved = zone.localDateTime(at: next)
    let old = zone.localDateTime(at: due.instant(in: zone))
    let shift = TimeSpan(microseconds: moved.microseconds - old.microseconds)
    guard shift > .zero else { return false }
    for name in ["DTSTART", "DUE"] {
      guard let line = item[name], let time = try? CalendarValue.time(line, zones) else { continue }
      set(name, Self.text(time, movedBy: shift), &item)
    }
    changeAlarms(of: &item) { _, alarm in
      guard let trigger = alarm["TRIGGER"], trigger.value != CalendarAlarm.sentinel,
        case .utc(let instant)? = try? CalendarValue.time(trigger, zones)
      else { return }
      let elapsed = next - due.instant(in: zone)
      alarm.set("TRIGGER", trigger.parameters, (instant + elapsed).compact, lineEnd: lineEnd)
    }
    countDown(&item, from: due.instant(in: zone), to: next, zone)
    return true
  }

  private static func text(_ time: CalendarTime, movedBy shift: TimeSpan) -> String {
    switch time {
    case .date(let date): LocalDateTime(date: date).adding(shift).date.compact
    case .floating(let local), .zoned(let local, _): local.adding(shift).compact
    case .utc(let instant): (instant + shift).compact
    }
  }

  /// A count goes down by the occurrences that are behind.
  private func countDown(
    _ item: inout CalendarComponent, from due: Instant, to next: Instant, _ zone: TimeZoneRules
  ) {
    guard let line = item["RRULE"], let rule = reminder.reminder.repeatRule,
      let count = rule.count
    else { return }
    var passed = 0
    for instant in rule.instants(from: zone.localDateTime(at: due), zone: zone) {
      guard instant < next, passed < count else { break }
      passed += 1
    }
    let parts = line.value.split(separator: ";").map { part in
      part.uppercased().hasPrefix("COUNT=") ? "COUNT=\(max(1, count - passed))" : String(part)
    }
    set("RRULE", parts.joined(separator: ";"), &item)
  }
}
