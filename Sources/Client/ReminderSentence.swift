import CivilTime
import Companion
import Geodesy
import Reminders

/// What a reminder will do, as a sentence for people.
enum ReminderSentence {
  /// Without a final stop: `Will ring once when you arrive within 150 m of Rewe`.
  static func text(_ reminder: Reminder, zone: TimeZoneRules) -> String {
    var text = "Will ring "
    switch reminder.kind {
    case .location: text += location(reminder)
    case .date: text += date(reminder, zone)
    case .preemptive: text += preemptive(reminder, zone)
    }
    if let rule = reminder.repeatRule {
      text += ", again by \(rule)"
    } else if reminder.repeats {
      let times = reminder.repeatChanges.additions.count
      text += times == 1 ? ", again once" : ", again \(times) times"
    }
    if reminder.kind == .location, let due = reminder.due {
      text += ", once it is \(time(due, zone))"
    }
    if let hours = reminder.hours { text += ", between \(hours)" }
    if let days = reminder.days { text += ", on \(days)" }
    if let from = reminder.from { text += ", not before \(time(from, zone))" }
    if let until = reminder.until { text += ", not after \(time(until, zone))" }
    if let speed = reminder.maximumSpeed {
      text += ", not while faster than \(Int((speed * 3.6).rounded())) km/h"
    }
    if reminder.cooldown > .zero { text += ", at most once in \(reminder.cooldown)" }
    return text.printable
  }

  private static func location(_ reminder: Reminder) -> String {
    if let category = reminder.nearCategory { return near(category, reminder) }
    let name = name(reminder) ?? "the place"
    let visit = reminder.everyVisit ? "each time" : "once when"
    let already = reminder.ifInside == .fire ? ", or are there already" : ""
    if let area = reminder.area {
      let there = area.width.map { "the \(Length.formatted(metres: $0)) along \(name)" } ?? name
      switch reminder.trigger {
      case .arrive: return "\(visit) you enter \(there)\(already)"
      case .depart: return "\(visit) you leave \(there)"
      case .dwell: return "\(visit) you have stayed \(reminder.dwell) in \(there)"
      }
    }
    let radius = Length.formatted(metres: reminder.place?.radius ?? .nan)
    switch reminder.trigger {
    case .arrive: return "\(visit) you arrive within \(radius) of \(name)\(already)"
    case .depart: return "\(visit) you leave the \(radius) around \(name)"
    case .dwell: return "\(visit) you have stayed \(reminder.dwell) within \(radius) of \(name)"
    }
  }

  private static func near(_ category: String, _ reminder: Reminder) -> String {
    let visit = reminder.everyVisit ? "each time" : "once when"
    let name = "any place of category \(category)"
    let within = reminder.nearRadius.map { "within \(Length.formatted(metres: $0)) of " }
    switch reminder.trigger {
    case .arrive:
      let already = reminder.ifInside == .fire ? ", or are there already" : ""
      return "\(visit) you arrive \(within ?? "at ")\(name)\(already)"
    case .depart:
      let around = reminder.nearRadius.map { "the \(Length.formatted(metres: $0)) around " } ?? ""
      return "\(visit) you leave \(around)\(name)"
    case .dwell: return "\(visit) you have stayed \(reminder.dwell) \(within ?? "at ")\(name)"
    }
  }

  private static func date(_ reminder: Reminder, _ zone: TimeZoneRules) -> String {
    guard let due = reminder.due else { return "when it is due" }
    guard !reminder.leads.isEmpty else { return "at \(time(due, zone))" }
    let leads = reminder.leads.map { $0 == .zero ? "at the moment" : "\($0) before" }
    return leads.joined(separator: " and ") + " it is due at \(time(due, zone))"
  }

  private static func preemptive(_ reminder: Reminder, _ zone: TimeZoneRules) -> String {
    let place = reminder.place.map { name($0) } ?? "the place"
    let due = reminder.due.map { time($0, zone) } ?? "the time"
    let early = reminder.leads.first.map { $0 == .zero ? "" : " \($0) early" } ?? ""
    let way = reminder.travel.map { "\($0) of \(reminder.transport.rawValue)" }
    return "when it is time to leave for \(place) by \(way ?? reminder.transport.rawValue), "
      + "to be there\(early) at \(due)"
  }

  /// The name of the place or region, or where it is; nil where it has neither.
  static func name(_ reminder: Reminder) -> String? {
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

  static func time(_ stamp: TimeStamp, _ zone: TimeZoneRules) -> String {
    stamp.instant(in: zone).rfc3339(zone: zone)
  }
}
