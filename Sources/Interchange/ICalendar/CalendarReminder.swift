package import CivilTime
package import Reminders

/// A reminder that an event or task of a calendar makes, and how far that says it has come.
package struct CalendarReminder: Equatable, Sendable {
  package var reminder: Reminder
  /// Until when it was put off.
  package var snoozedUntil: Instant?
  /// Number of leads that were acknowledged elsewhere, longest first.
  package var leadsAcknowledged = 0
  /// When the alarms of a repeating reminder were dealt with elsewhere: all that was to ring until
  /// then has been heard.
  package var acknowledgedThrough: Instant?
  /// Line of the event or task in its file, from 1.
  package var line: Int
  /// UID of the event or task, with the occurrence where it is a single one.
  package var item: CalendarItemID
  /// Indices of the item's alarms that it was made from.
  package var alarms: [Int]

  /// The calendar's state of the reminder, as text that changes with it.
  package var standing: String {
    switch reminder.state {
    case .snoozed: "snoozed \(snoozedUntil?.json ?? "")"
    case .armed where leadsAcknowledged > 0: "acknowledged \(leadsAcknowledged)"
    case .armed: acknowledgedThrough.map { "acknowledged \($0.json)" } ?? "armed"
    default: reminder.state.rawValue
    }
  }

  /// The history that follows from the calendar.
  /// - Parameter now: when it is read for the first time; nil where it is known already.
  package func history(at now: Instant?, in zone: TimeZoneRules) -> History {
    var history = History()
    var schedule = Schedule(reminder, in: zone)
    history.silence = snoozedUntil.map { .until($0) }
    if let now { schedule.begin(reminder.state, &history, at: now) }
    if leadsAcknowledged > 0, let next = schedule.next(after: history.usedUpTo) {
      schedule.use(next, leads: leadsAcknowledged, &history)
    }
    if let acknowledgedThrough { schedule.acknowledged(&history, through: acknowledgedThrough) }
    return history
  }

  /// The reminder as fired if it was due more than a day before its first import: a calendar has
  /// years of old dates.
  package func settled(at now: Instant, zone: TimeZoneRules) -> CalendarReminder {
    guard reminder.state == .armed || reminder.state == .snoozed, !reminder.repeats,
      reminder.kind != .location, let due = snoozedUntil ?? reminder.due?.instant(in: zone),
      due < now - Schedule.missedBeforeReading
    else { return self }
    var settled = self
    settled.snoozedUntil = nil
    settled.reminder.state = .fired
    return settled
  }
}

/// Names an event or task within its stream.
package struct CalendarItemID: Hashable, Sendable {
  package var uid: String
  /// The text of RECURRENCE-ID; nil for the series itself or a single item.
  package var recurrence: String?
}

/// The reminders of a calendar.
package struct CalendarReading: Equatable, Sendable {
  package var reminders: [CalendarReminder] = []
  /// Left-out parts with reasons, such as alarms by place without a position.
  package var leftOut: [Refusal] = []
  /// Events and tasks that make no reminder because no alarm asks for one.
  package var unalarmed: [Refusal] = []
  /// UIDs of items of which a reminder may be missing, for it cannot be read; nil if that is not
  /// known.
  package var unread: [String?] = []

  /// Whether a reminder that the calendar had may be in a part of it that cannot be read.
  package func mayHold(_ id: String) -> Bool {
    unread.contains { uid in
      guard let uid, CalendarItem.isIdentifier(uid) else { return true }
      // An alarm, a place or an occurrence of it follows the UID.
      return id.hasPrefix(uid)
        && id.utf8.dropFirst(uid.utf8.count).first.map { "/#+".utf8.contains($0) } ?? true
    }
  }
}

extension CalendarReading {
  /// Reads the reminders of all events and tasks. Of a repeated id the later one counts.
  ///
  /// Ids follow from UID, RECURRENCE-ID and the alarm, so each reading gives the same. The
  /// smallest unreadable part is left out with its line: a parameter, a property, an alarm or an
  /// item.
  package init(_ document: CalendarDocument) {
    let descriptions = CalendarZones.descriptions(in: document.calendars)
    let calendars = document.calendars.map { ($0, CalendarZones($0, descriptions)) }
    var places: [String: Int] = [:]
    leftOut = document.damage + calendars.flatMap { $0.1.leftOut }
    if !document.isBalanced { unread.append(nil) }
    leftOut += calendars.flatMap { CalendarProperties.unsupported(in: $0.0) }
    for series in CalendarSeries.all(in: calendars) {
      var found = series.reminders()
      let all = found.reminders
      found.reminders = []
      add(found)
      for reminder in all {
        if let place = places[reminder.reminder.id] {
          reminders[place] = reminder
        } else {
          places[reminder.reminder.id] = reminders.count
          reminders.append(reminder)
        }
      }
    }
    var said: Set<Refusal> = []
    leftOut = leftOut.filter { said.insert($0).inserted }.sorted { $0.line < $1.line }
  }

  mutating func add(_ other: CalendarReading) {
    reminders += other.reminders
    leftOut += other.leftOut
    unalarmed += other.unalarmed
    unread += other.unread
  }

  package init(_ bytes: [UInt8], file: String) throws(InterchangeError) {
    self.init(try CalendarDocument(bytes, name: file))
  }
}
