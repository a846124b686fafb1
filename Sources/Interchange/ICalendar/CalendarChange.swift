import Bytes
package import CivilTime
import Reminders

/// A change of a reminder that is to be written into its calendar.
package enum CalendarChange: Equatable, Sendable {
  /// Completed: of a repeating task all occurrences up to this name (see `Series`). nil completes
  /// the whole task.
  case done(through: LocalDateTime?)
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
  /// - A repeating task gets the dates of its next occurrence, as programs for tasks do. A task
  ///   with these dates stays as it is, so a change may be written twice.
  /// - An event cannot be completed: its alarms are acknowledged (RFC 9074 section 6).
  /// - A snooze acknowledges the alarm and adds another one (RFC 9074 section 5).
  /// - A restored item gets a later revision than the present item, so that other programs take it.
  /// - Parameter zone: the system's.
  package mutating func apply(
    _ change: CalendarChange, to reminder: CalendarReminder, at now: Instant,
    in zone: TimeZoneRules
  ) throws(InterchangeError) -> Bool {
    let before = self
    let product = place(of: reminder.item).flatMap { place -> String? in
      if case .component(let calendar) = nodes[place.calendar] {
        calendar["PRODID"]?.text
      } else {
        nil
      }
    }
    let editor = ItemEditor(
      reminder: reminder, now: now, zone: zone, lineEnd: lineEnd, zones: CalendarZones(self),
      isFileOfThunderbird: product?.contains("Mozilla") ?? false)
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
struct ItemEditor {
  let reminder: CalendarReminder
  let now: Instant
  /// The system's.
  let zone: TimeZoneRules
  let lineEnd: [UInt8]
  let zones: CalendarZones
  /// Whether Thunderbird has written the file.
  let isFileOfThunderbird: Bool

  func apply(_ change: CalendarChange, to item: inout CalendarComponent) {
    let before = item
    var isRevision = false
    switch change {
    case .done(let name) where item.isTask:
      removeSnoozes(&item)
      switch advance(&item, past: name) {
      case .moved:
        reopen(&item)
        isRevision = true
      case .ended:
        set("STATUS", "COMPLETED", &item)
        set("COMPLETED", now.compact, &item)
        set("PERCENT-COMPLETE", "100", &item)
        isRevision = true
      case .unchanged: break
      }
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

  func set(_ name: String, _ value: String, _ item: inout CalendarComponent) {
    item.set(name, item[name]?.parameters ?? [], value, lineEnd: lineEnd)
  }

  // MARK: - Alarms

  func changeAlarms(
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

  /// Thunderbird knows its own properties only.
  private func isOfThunderbird(_ item: CalendarComponent) -> Bool {
    isFileOfThunderbird
      || item.nodes.contains {
        if case .line(let line) = $0 { line.name.hasPrefix("X-MOZ-") } else { false }
      }
  }

  private func removeSnoozes(_ item: inout CalendarComponent, of uid: String? = nil) {
    item.nodes.removeAll {
      if case .line(let line) = $0 {
        line.name.hasPrefix(CalendarItem.thunderbird.snooze)
      } else {
        false
      }
    }
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
    let due = reminder.reminder.due?.instant(in: zone) ?? now
    let moment = reminder.reminder.repeats ? now : max(now, due)
    if isOfThunderbird(item) {
      set(CalendarItem.thunderbird.acknowledged, moment.compact, &item)
    }
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
    let isOfThunderbird = isOfThunderbird(item)
    removeSnoozes(&item, of: original)
    if isOfThunderbird {
      set(CalendarItem.thunderbird.acknowledged, now.compact, &item)
      set(CalendarItem.thunderbird.snooze, until.compact, &item)
    }
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
    let offset = CalendarSpan(due.instant(in: zone) - time.stamp.instant(in: zone))
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

  private func reopen(_ item: inout CalendarComponent) {
    item.remove("COMPLETED")
    item.remove("PERCENT-COMPLETE")
    item.remove(CalendarItem.thunderbird.acknowledged)
    if item["STATUS"] != nil { set("STATUS", "NEEDS-ACTION", &item) }
    changeAlarms(of: &item) { _, alarm in alarm.remove("ACKNOWLEDGED") }
  }
}
