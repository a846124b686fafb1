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
    guard let place = place(of: reminder.item), var calendar = nodes[place.calendar].component,
      var item = calendar.nodes[place.item].component
    else { return false }
    let before = item
    let editor = ItemEditor(
      reminder: reminder, now: now, zone: zone,
      zones: CalendarZones(calendar, CalendarZones.descriptions(in: calendars)),
      isFileOfThunderbird: calendar["PRODID"]?.text.contains("Mozilla") ?? false)
    editor.apply(change, to: &item)
    calendar.nodes[place.item] = .component(item)
    nodes[place.calendar] = .component(calendar)
    return item != before
  }

  /// The event or task that counts for this item; nil if there is none.
  package func item(_ id: CalendarItemID) -> CalendarComponent? {
    place(of: id).flatMap { nodes[$0.calendar].component?.nodes[$0.item].component }
  }

  /// Where the component is that counts for this item: of several the one of the highest revision.
  private func place(of id: CalendarItemID) -> (calendar: Int, item: Int)? {
    var found: (calendar: Int, item: Int, sequence: Int)?
    for (outer, node) in nodes.enumerated() {
      for (inner, node) in (node.component?.nodes ?? []).enumerated() {
        guard let item = node.component, item.isTask || item.isEvent,
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
        item.set("STATUS", "COMPLETED")
        item.set("COMPLETED", now.compact)
        item.set("PERCENT-COMPLETE", "100")
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
    // A change would give another number to an item without a UID.
    let uid = item["UID"]?.text.trimmedText(limit: 1) ?? ""
    if uid.isEmpty { item.set("UID", reminder.item.uid) }
    item.set("LAST-MODIFIED", now.compact)
    // In a store DTSTAMP is the time of the last revision (RFC 5545 section 3.8.7.2).
    item.set("DTSTAMP", now.compact)
    if isRevision { item.set("SEQUENCE", "\(max(before.sequence, item.sequence) &+ 1)") }
  }

  // MARK: - Alarms

  func changeAlarms(
    of item: inout CalendarComponent, _ body: (Int, inout CalendarComponent) -> Void
  ) {
    var number = 0
    for index in item.nodes.indices {
      guard var alarm = item.nodes[index].component, alarm.name == "VALARM" else { continue }
      body(number, &alarm)
      item.nodes[index] = .component(alarm)
      number += 1
    }
  }

  /// Thunderbird knows its own properties only.
  private func isOfThunderbird(_ item: CalendarComponent) -> Bool {
    isFileOfThunderbird || item.lines.contains { $0.name.hasPrefix("X-MOZ-") }
  }

  private func removeSnoozes(_ item: inout CalendarComponent, of uid: String? = nil) {
    item.nodes.removeAll { node in
      if let line = node.line { return line.name.hasPrefix(CalendarItem.thunderbird.snooze) }
      guard let alarm = node.component, alarm.name == "VALARM" else { return false }
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
      item.set(CalendarItem.thunderbird.acknowledged, moment.compact)
    }
    changeAlarms(of: &item) { number, alarm in
      if wanted.contains(number) { alarm.set("ACKNOWLEDGED", moment.compact, []) }
    }
  }

  private func snooze(_ item: inout CalendarComponent, until: Instant) {
    guard let wanted = reminder.alarms.first ?? addAlarm(to: &item) else { return }
    var original = ""
    var description: String?
    changeAlarms(of: &item) { number, alarm in
      guard number == wanted else { return }
      if let uid = (alarm["UID"] ?? alarm["X-WR-ALARMUID"])?.text {
        original = uid
      } else {
        original = name("alarm \(number)")
        alarm.add("UID", original)
      }
      description = alarm["DESCRIPTION"]?.value
      alarm.set("ACKNOWLEDGED", now.compact, [])
    }
    guard !original.isEmpty else { return }
    let isOfThunderbird = isOfThunderbird(item)
    removeSnoozes(&item, of: original)
    if isOfThunderbird {
      item.set(CalendarItem.thunderbird.acknowledged, now.compact)
      item.set(CalendarItem.thunderbird.snooze, until.compact)
    }
    var alarm = CalendarComponent("VALARM", lineEnd: item.lineEnd)
    alarm.add("ACTION", "DISPLAY")
    alarm.add("UID", name("snooze \(until.compact)"))
    alarm.add("TRIGGER", until.compact, [.init("VALUE", "DATE-TIME")])
    alarm.add("RELATED-TO", CalendarText.escaped(original), [.init("RELTYPE", "SNOOZE")])
    alarm.add("DESCRIPTION", description ?? CalendarText.escaped(reminder.reminder.title))
    item.append(alarm)
  }

  /// Adds the implied alarm of a task without one, so that it can be snoozed. nil if no alarm can
  /// express the reminder.
  private func addAlarm(to item: inout CalendarComponent) -> Int? {
    guard item.isTask, reminder.reminder.kind == .date, let due = reminder.reminder.due,
      let reference = item["DUE"] ?? item["DTSTART"],
      let time = try? CalendarValue.time(reference, zones)
    else { return nil }
    let offset = CalendarSpan(due.instant(in: zone) - time.stamp.instant(in: zone))
    var alarm = CalendarComponent.alarm(reminder.reminder.title, lineEnd: item.lineEnd)
    alarm.add("TRIGGER", offset.iCalendar, item["DUE"] == nil ? [] : [.init("RELATED", "END")])
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
    if item["STATUS"] != nil { item.set("STATUS", "NEEDS-ACTION") }
    changeAlarms(of: &item) { _, alarm in alarm.remove("ACKNOWLEDGED") }
  }
}
