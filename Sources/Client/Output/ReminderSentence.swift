import CivilTime
import Companion
import Departure
import Geodesy
import Reminders

/// A reminder's effect as a sentence for people.
enum ReminderSentence {
  /// Level of detail for a place.
  enum Detail {
    /// Its name.
    case name
    /// Its position as well and, from where the device is, its distance.
    case position(here: Coordinate?)
  }

  /// The sentence about a reminder of the daemon: with its next due time and open leads.
  static func text(
    _ entry: ListedReminder, _ display: Display, detail: Detail = .name
  ) -> String {
    var reminder = entry.reminder
    if let due = entry.due { reminder.due = .absolute(due) }
    let passed = reminder.leads.prefix(entry.leadsPassed)
    reminder.leads.removeFirst(passed.count)
    let text = text(reminder, display, detail: detail)
    guard !passed.isEmpty else { return text }
    let words = passed.map { "\($0) before" }.joined(separator: " and ")
    return text + " (\(words) \(passed.count == 1 ? "has" : "have") passed)"
  }

  /// The sentence without a final stop: `Will ring once when you come within 150 m of Rewe`.
  static func text(
    _ reminder: Reminder, _ display: Display, detail: Detail = .name
  ) -> String {
    var text = "Will ring "
    switch reminder.kind {
    case .location:
      text += location(reminder, display, detail)
      if let due = reminder.due {
        let early = reminder.leads.first.map { $0 == .zero ? "" : "\($0) before " } ?? ""
        text += ", once it is \(early)\(time(due, display))"
      }
    case .date: text += date(reminder, display)
    case .preemptive: text += preemptive(reminder, display, detail)
    }
    for clause in ReminderField.all.compactMap({ $0.clause(reminder, display.zone) }) {
      text += ", \(display.sentence(clause))"
    }
    return text.printable
  }

  /// ` (52.520000, 13.405000), 2.3 km from here`: what the name leaves open.
  private static func positionDetail(
    of reminder: Reminder, _ display: Display, _ detail: Detail
  ) -> String {
    guard case .position(let here) = detail,
      let middle = reminder.area?.middle ?? reminder.place?.position
    else { return "" }
    let isNamed = (reminder.area?.name ?? reminder.place?.name) != nil
    let position = isNamed ? " (\(middle.formatted(.decimalDegrees)))" : ""
    let distance = here.map { ", \(display.length($0.distance(to: middle))) from here" }
    return position + (distance ?? "")
  }

  private static func location(
    _ reminder: Reminder, _ display: Display, _ detail: Detail
  ) -> String {
    if let category = reminder.nearCategory { return near(category, reminder, display) }
    let name = (name(reminder) ?? "the place") + positionDetail(of: reminder, display, detail)
    let visit = reminder.everyVisit ? "each time" : "once when"
    let already = already(reminder)
    if let area = reminder.area {
      let there = area.width.map { "the \(display.length($0)) along \(name)" } ?? name
      switch reminder.trigger {
      case .arrive: return "\(visit) you enter \(there)\(already)"
      case .depart: return "\(visit) \(leaving(there, reminder))"
      case .dwell: return "\(visit) you have stayed \(reminder.hold) in \(there)\(already)"
      }
    }
    let radius = display.length(reminder.place?.radius ?? .nan)
    switch reminder.trigger {
    case .arrive: return "\(visit) you come within \(radius) of \(name)\(already)"
    case .depart: return "\(visit) \(leaving("the \(radius) around \(name)", reminder))"
    case .dwell:
      return "\(visit) you have stayed \(reminder.hold) within \(radius) of \(name)\(already)"
    }
  }

  private static func already(_ reminder: Reminder) -> String {
    reminder.ifInside == .fire ? ", or at once if you are already there" : ""
  }

  private static func leaving(_ place: String, _ reminder: Reminder) -> String {
    reminder.hold > .zero
      ? "you have been away from \(place) for \(reminder.hold)" : "you leave \(place)"
  }

  private static func near(
    _ category: String, _ reminder: Reminder, _ display: Display
  ) -> String {
    let visit = reminder.everyVisit ? "each time" : "once when"
    let name = anyPlace(of: category)
    let within = reminder.nearRadius.map { "within \(display.length($0)) of " }
    switch reminder.trigger {
    case .arrive:
      return "\(visit) you \(within.map { "come \($0)" } ?? "arrive at ")\(name)"
        + already(reminder)
    case .depart:
      let around = reminder.nearRadius.map { "the \(display.length($0)) around " } ?? ""
      return "\(visit) \(leaving("\(around)\(name)", reminder))"
    case .dwell:
      return "\(visit) you have stayed \(reminder.hold) \(within ?? "at ")\(name)"
        + already(reminder)
    }
  }

  private static func time(_ stamp: TimeStamp, _ display: Display) -> String {
    display.answer(stamp.instant(in: display.zone))
  }

  private static func date(_ reminder: Reminder, _ display: Display) -> String {
    guard let due = reminder.due else { return "when it is due" }
    guard !reminder.leads.isEmpty else { return "at \(time(due, display))" }
    let leads = reminder.leads.map { $0 == .zero ? "when" : "\($0) before" }
    return leads.joined(separator: " and ") + " it is due at \(time(due, display))"
  }

  private static func preemptive(
    _ reminder: Reminder, _ display: Display, _ detail: Detail
  ) -> String {
    let place =
      (reminder.place.map { name($0) } ?? "the place")
      + positionDetail(of: reminder, display, detail)
    let due = reminder.due.map { time($0, display) } ?? "the time"
    let leads = reminder.leads.map { $0 == .zero ? "in time" : "\($0) early" }
    let early =
      leads.isEmpty || reminder.leads == [.zero] ? "" : " " + leads.joined(separator: " and ")
    let way = reminder.travel.map { "\($0) of \(reminder.transport.rawValue)" }
    return "when it is time to leave for \(place) by \(way ?? reminder.transport.rawValue), "
      + "to be there\(early) at \(due)"
  }

  private static func anyPlace(of category: String) -> String {
    "any place of category \(category)"
  }

  /// Name or position of the place or region; for a category, any of its places.
  static func name(_ reminder: Reminder) -> String? {
    if let category = reminder.nearCategory { return anyPlace(of: category) }
    if let area = reminder.area {
      let middle = area.middle
      return area.name
        ?? "the \(area.width == nil ? "area" : "line") around \(middle.formatted(.decimalDegrees))"
    }
    return reminder.place.map { name($0) }
  }

  static func name(_ place: Reminder.Place) -> String {
    place.name ?? place.position.formatted(.decimalDegrees)
  }
}
