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
        text += reminder.trigger == .absent ? ", at " : ", once it is "
        text += "\(early)\(time(due, display))"
      }
    case .date: text += date(reminder, display)
    case .preemptive: text += preemptive(reminder, display, detail)
    }
    for clause in ReminderField.all.compactMap({ $0.clause(reminder, display.zone) }) {
      text += ", \(display.sentence(clause))"
    }
    if beginsOutsideItsRule(reminder, display.zone) {
      text += "; this first time is none of the rule's"
    }
    return text.printable
  }

  /// When a date rings, where its conditions let it ring after its due time alone.
  static func later(_ entry: ListedReminder, _ display: Display) -> String {
    guard entry.reminder.kind == .date, entry.reminder.state == .armed, let due = entry.due,
      let moment = entry.moment, moment - due >= .seconds(0.001)
    else { return "" }
    return "; next at \(display.answer(moment))"
  }

  /// Whether the next due time is on a day that its rule leaves out: RFC 5545 counts it as well.
  private static func beginsOutsideItsRule(_ reminder: Reminder, _ zone: TimeZoneRules) -> Bool {
    guard let rule = reminder.repeatRule, rule.namesItsDays,
      reminder.repeatChanges == RepeatChanges(), let due = reminder.due?.instant(in: zone)
    else { return false }
    // The clocks may skip its time of day.
    let date = zone.localDateTime(at: due).date
    let day = zone.instant(of: LocalDateTime(date: date, time: .midnight))
    let first = rule.first(
      after: day - .seconds(1), at: zone.localDateTime(at: due).time, zone: zone)
    return first?.date != date
  }

  /// ` (52.520000, 13.405000), 2.3 km from here`: what the name leaves open.
  private static func positionDetail(
    of reminder: Reminder, _ display: Display, _ detail: Detail
  ) -> String {
    guard case .position(let here) = detail, reminder.nearCategory == nil,
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
    let visit = reminder.everyVisit ? "each time" : "once when"
    let name = (name(reminder) ?? "the place") + positionDetail(of: reminder, display, detail)
    let (arrival, stay, surroundings) = words(of: reminder, name, display)
    let who = Subject(reminder.who)
    return switch reminder.trigger {
    case .arrive: "\(visit) \(who) \(who.verb(arrival))\(already(reminder, who))"
    case .depart: "\(visit) \(leaving(surroundings, reminder, who))"
    case .dwell:
      "\(visit) \(who) \(who.verb("have")) stayed \(reminder.hold) \(stay)"
        + already(reminder, who)
    case .absent: "when \(who) \(who.verb("are")) not \(stay), nor since midnight"
    case .silent:
      "\(visit) nothing was heard \(reminder.who.map { "of \($0) " } ?? "")for \(reminder.hold)"
    }
  }

  /// The tracker that comes and leaves, as a subject.
  private struct Subject: CustomStringConvertible {
    let description: String
    private let isThirdPerson: Bool

    init(_ who: Who?) {
      description = who.map { $0 == .all ? "all of them" : "\($0)" } ?? "you"
      isThirdPerson = who != nil && who != .all
    }

    /// A phrase that begins with a verb as with "you".
    func verb(_ phrase: String) -> String {
      guard isThirdPerson else { return phrase }
      let verb = phrase.prefix { $0 != " " }
      let form = verb == "have" ? "has" : verb == "are" ? "is" : "\(verb)s"
      return form + phrase.dropFirst(verb.count)
    }
  }

  /// How one comes to a place, stays there, and what one leaves.
  private static func words(
    of reminder: Reminder, _ name: String, _ display: Display
  ) -> (arrival: String, stay: String, surroundings: String) {
    let isNear = reminder.nearCategory != nil
    if !isNear, let area = reminder.area {
      let there = area.width.map { "the \(display.length($0)) along \(name)" } ?? name
      return ("enter \(there)", "in \(there)", there)
    }
    guard let metres = isNear ? reminder.nearRadius : reminder.place?.radius ?? .nan else {
      return ("arrive at \(name)", "at \(name)", name)
    }
    let within = "within \(display.length(metres)) of \(name)"
    return ("come \(within)", within, "the \(display.length(metres)) around \(name)")
  }

  private static func already(_ reminder: Reminder, _ who: Subject) -> String {
    reminder.ifInside == .fire ? ", or at once if \(who) \(who.verb("are already there"))" : ""
  }

  private static func leaving(_ place: String, _ reminder: Reminder, _ who: Subject) -> String {
    reminder.hold > .zero
      ? "\(who) \(who.verb("have")) been away from \(place) for \(reminder.hold)"
      : "\(who) \(who.verb("leave \(place)"))"
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
    let way = reminder.travel.map { ", \($0) away," } ?? " by \(reminder.transport.rawValue),"
    let who = reminder.who.map { " for \($0)" } ?? ""
    return "when it is time\(who) to leave for \(place)\(way) "
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
