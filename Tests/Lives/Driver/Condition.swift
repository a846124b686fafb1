import ReferenceModel

/// The conditions that reminders combine, and the kinds that take each of them.
package enum Condition: String, CaseIterable, Sendable {
  case due, repeats, lead, leads, hours, night, days, from, until, cooldown, nag
  case everyVisit = "every visit"
  case maximumSpeed = "max speed"
  case minimumSpeed = "min speed"
  case heading
  case nagLimit = "nag limit"
  case ifInside = "if inside"
  /// About another tracker than the machine; about several.
  case who, several

  func isSet(in spec: ReminderSpec) -> Bool {
    switch self {
    case .due: spec.due != nil
    case .repeats: spec.repeats != nil
    case .lead: spec.leads.count == 1
    case .leads: spec.leads.count > 1
    case .hours: spec.hours.map { !$0.isOverMidnight } ?? false
    case .night: spec.hours?.isOverMidnight ?? false
    case .days: spec.days != nil
    case .from: spec.from != nil
    case .until: spec.until != nil
    case .cooldown: spec.cooldown != nil
    case .nag: spec.nag != nil
    case .everyVisit: spec.everyVisit
    case .maximumSpeed: spec.maximumSpeed != nil
    case .minimumSpeed: spec.minimumSpeed != nil
    case .heading: spec.heading != nil
    case .nagLimit: spec.nagLimit != nil
    case .ifInside: spec.ifInside == .fire
    case .who: spec.who != Model.machine && !spec.isAboutSeveral
    case .several: spec.isAboutSeveral
    }
  }

  func remove(from spec: inout ReminderSpec) {
    switch self {
    case .due: if spec.isLocation, !spec.isAbsence, spec.repeats == nil { spec.due = nil }
    case .repeats: spec.repeats = nil
    case .lead, .leads: spec.leads = []
    case .hours, .night: spec.hours = nil
    case .days: spec.days = nil
    case .from: spec.from = nil
    case .until: spec.until = nil
    case .cooldown: spec.cooldown = nil
    case .nag: (spec.nag, spec.nagLimit) = (nil, nil)
    case .nagLimit: spec.nagLimit = nil
    case .everyVisit: spec.everyVisit = false
    case .maximumSpeed: spec.maximumSpeed = nil
    case .minimumSpeed: spec.minimumSpeed = nil
    case .heading: spec.heading = nil
    case .ifInside: spec.ifInside = .wait
    case .who, .several: spec.who = Model.machine
    }
  }

  /// Several trackers have no common speed and course.
  var isAboutMotion: Bool { [.maximumSpeed, .minimumSpeed, .heading].contains(self) }

  /// Whether reminders of this kind take it; the others are refused.
  func applies(to kind: KindName) -> Bool {
    switch (self, kind) {
    case (.due, _), (.repeats, _), (.days, _), (.from, _), (.until, _): true
    case (.cooldown, _), (.nag, _), (.nagLimit, _): true
    case (.lead, .date), (.lead, .leave), (.leads, .date), (.leads, .leave): true
    case (.lead, _), (.leads, _): false
    case (.hours, .leave), (.night, .leave): false
    case (.hours, _), (.night, _): true
    case (.everyVisit, .absent): false
    case (.maximumSpeed, .absent), (.minimumSpeed, .absent), (.heading, .absent): false
    case (.maximumSpeed, .silent), (.minimumSpeed, .silent), (.heading, .silent): false
    case (.everyVisit, _), (.maximumSpeed, _), (.minimumSpeed, _), (.heading, _): kind.isLocation
    case (.who, _): kind != .date
    case (.several, _): kind.isLocation && kind != .silent
    case (.ifInside, _): kind == .arrive || kind == .dwell || kind == .category || kind == .area
    }
  }
}

/// The rows of the table of coverage: kinds, and the ways to wait for a place.
package enum KindName: String, CaseIterable, Sendable {
  case arrive, depart, dwell
  /// Any place of a category; a polygon.
  case category, area
  case date, leave
  case absent, silent

  var isLocation: Bool { self != .date && self != .leave }

  init(_ spec: ReminderSpec) {
    switch spec.kind {
    case .date: self = .date
    case .leave: self = .leave
    case .location(.absent): self = .absent
    case .location where spec.region == Area.food.rawValue: self = .category
    case .location where spec.region == Area.campus.rawValue: self = .area
    case .location(.arrive): self = .arrive
    case .location(.depart): self = .depart
    case .location(.dwell): self = .dwell
    case .location(.silent): self = .silent
    }
  }
}
