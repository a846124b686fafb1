package import CivilTime
package import Departure
package import Geodesy
package import JSONText

/// Something a person wants to be told, and when or where.
package struct Reminder: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case location
    case date
    case preemptive
  }

  package enum State: String, CaseIterable, Sendable {
    /// Waiting for its moment.
    case armed
    /// It has fired and will not fire again by itself.
    case fired
    /// It has fired and was put off.
    case snoozed
    /// The user has completed it.
    case done
    /// Its `until` has passed.
    case expired
  }

  /// What a location reminder waits for.
  package enum Trigger: String, CaseIterable, Sendable {
    case arrive
    case depart
    case dwell
  }

  /// What a new reminder does when its region already holds the device.
  package enum IfInside: String, CaseIterable, Sendable {
    case wait
    case fire
  }

  package typealias Transport = Departure.Transport

  /// A spot with a name. As a region it is a circle.
  package struct Place: Equatable, Sendable {
    package var name: String?
    package var position: Coordinate
    /// Metres, 1…5 000 000.
    package var radius: Double

    package static let defaultRadius = 150.0
    /// Those it may have.
    package static let radii = 1.0...5_000_000

    package init(name: String? = nil, position: Coordinate, radius: Double = defaultRadius) {
      self.name = name
      self.position = position
      self.radius = radius
    }
  }

  /// Unique; any text, printed as it is.
  package var id: String
  package var kind: Kind
  package var title: String
  package var notes: String?
  package var category: String?
  /// As in iCalendar: 1 is the most urgent, 9 the least, 0 says nothing.
  package var priority: Int
  /// Where it fires (location) or where the user must be (preemptive).
  package var place: Place?
  /// Where it fires (location) instead of at a place.
  package var area: Area?
  /// In place of `place`: any place of this category.
  package var nearCategory: String?
  /// With `nearCategory`: metres around each place, 1…5 000 000; nil is each place's own.
  package var nearRadius: Double?
  package var trigger = Trigger.arrive
  /// How long to stay inside before it fires; for `Trigger.dwell`.
  package var dwell = TimeSpan.minutes(5)
  package var due: TimeStamp?
  /// How long before `due` it fires, each once; longest first. Empty means at `due` itself.
  package var leads: [TimeSpan]
  /// How long after a firing it is told again, until it is done or snoozed; nil is never.
  package var nag: TimeSpan?
  package var transport: Transport
  /// How long the way takes, by the user's own word, in place of any estimate; for preemptive ones.
  package var travel: TimeSpan?
  package var repeatRule: RepeatRule?
  /// Single times that come to the rule or fall out of it.
  package var repeatChanges = RepeatChanges()
  /// Fires on each visit, not on the first alone.
  package var everyVisit: Bool
  /// Least time between two firings of a reminder for every visit.
  package var cooldown = TimeSpan.zero
  /// Does not fire before this.
  package var from: TimeStamp?
  /// Expires after this.
  package var until: TimeStamp?
  package var hours: HourRange?
  package var days: WeekdaySet?
  /// Metres a second; does not fire while faster.
  package var maximumSpeed: Double?
  package var ifInside = IfInside.wait
  package var state: State
  /// The calendar file that it was read from; nil for one of the user's own.
  package var source: Source?
  /// The user (uid) who added it and alone may change it; nil where everyone may who may change
  /// any.
  package var owner: UInt32?
  /// Fields of the document that this program does not know, kept for the way back.
  package var unknown = JSONObject()

  package init(
    id: String, kind: Kind, title: String, notes: String? = nil, category: String? = nil,
    priority: Int = 0, place: Place? = nil, due: TimeStamp? = nil, leads: [TimeSpan] = [],
    transport: Transport = .driving, everyVisit: Bool = false, state: State = .armed
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.notes = notes
    self.category = category
    self.priority = priority
    self.place = place
    self.due = due
    self.leads = leads.sorted(by: >)
    self.transport = transport
    self.everyVisit = everyVisit
    self.state = state
  }

  /// The name of the place or region, or words for one that has none.
  package var placeName: String? {
    if let area { return area.name ?? "the region" }
    return place.map { $0.name ?? "the place" }
  }

  /// Whether there is more than the one due time.
  package var repeats: Bool { repeatRule != nil || !repeatChanges.additions.isEmpty }

  /// Whether what was known of where the device is with respect to the one holds for the other.
  func waitsAtTheSamePlace(as other: Reminder) -> Bool {
    kind == other.kind && place == other.place && area == other.area
      && nearCategory == other.nearCategory && nearRadius == other.nearRadius
  }

  /// Where it stands among those that fire at one moment: lower first; 0 (undefined) is last.
  var urgency: Int { priority == 0 ? 10 : priority }

  /// The reminder's own leads, or the one at `due`.
  var effectiveLeads: [TimeSpan] { leads.isEmpty ? Self.leadsAtDue : leads }

  private static let leadsAtDue = [TimeSpan.zero]
}
