package import CivilTime
package import Reminders

/// A reminder that an event or task of a calendar makes, and how far that says it has come.
package struct CalendarReminder: Equatable, Sendable {
  package var reminder: Reminder
  /// Until when it was put off.
  package var snoozedUntil: Instant?
  /// How many of its leads were dealt with elsewhere, longest first.
  package var leadsAcknowledged = 0
  /// Of the event or task in its file, counted from 1.
  package var line: Int
  /// Which event or task: its UID and, for a single occurrence of a repeating one, that.
  package var item: CalendarItemID
  /// The alarms it was made from, by their place among those of the item.
  package var alarms: [Int]

  /// What the calendar says of its state, in words that change with it.
  package var standing: String {
    switch reminder.state {
    case .snoozed: "snoozed \(snoozedUntil?.json ?? "")"
    case .armed where leadsAcknowledged > 0: "acknowledged \(leadsAcknowledged)"
    default: reminder.state.rawValue
    }
  }

  /// What a new reminder begins with.
  package var progress: Progress {
    var progress = Progress(state: reminder.state)
    progress.snoozedUntil = snoozedUntil
    progress.leadsFired =
      reminder.state == .fired ? max(1, reminder.leads.count) : leadsAcknowledged
    return progress
  }

  /// What was over for a day before it was first seen is not told any more: a calendar that is read
  /// for the first time has years of it.
  package func settled(at now: Instant, zone: TimeZoneRules) -> CalendarReminder {
    guard reminder.state == .armed, !reminder.repeats, reminder.kind != .location,
      let due = reminder.due?.instant(in: zone), due < now - .hours(24)
    else { return self }
    var settled = self
    settled.reminder.state = .fired
    return settled
  }
}

/// Names an event or task within its stream.
package struct CalendarItemID: Hashable, Sendable {
  package var uid: String
  /// As it is written in RECURRENCE-ID; nil is the repeating item itself, or one that does not
  /// repeat.
  package var recurrence: String?
}

/// What a calendar holds for us.
package struct CalendarReading: Equatable, Sendable {
  package var reminders: [CalendarReminder] = []
  /// Alarms by place that give no position, and the like: what was left out and why.
  package var leftOut: [Refusal] = []
}

extension CalendarReading {
  /// The reminders of all events and tasks. Where an id comes twice the later one counts.
  ///
  /// Ids follow from UID, RECURRENCE-ID and the alarm, so that reading again gives the same. All or
  /// nothing: a value that a reminder depends on and that cannot be read is an error with its line.
  package init(_ document: CalendarDocument, file: String) throws(InterchangeError) {
    let zones = CalendarZones(document)
    var places: [String: Int] = [:]
    do throws(Fault) {
      for calendar in document.calendars {
        for series in CalendarSeries.all(in: calendar) {
          let found = try series.reminders(zones)
          leftOut += found.leftOut
          for reminder in found.reminders {
            if let place = places[reminder.reminder.id] {
              reminders[place] = reminder
            } else {
              places[reminder.reminder.id] = reminders.count
              reminders.append(reminder)
            }
          }
        }
      }
    } catch {
      throw error.error(in: file, at: nil)
    }
  }

  package init(_ bytes: [UInt8], file: String) throws(InterchangeError) {
    try self.init(CalendarDocument(bytes, name: file), file: file)
  }
}
