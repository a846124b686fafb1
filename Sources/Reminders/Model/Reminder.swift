package import CivilTime
package import Containers
package import Departure
package import Geodesy
import Geofencing
package import JSONText

/// A notification bound to a place, a region, a time or a time to leave.
package struct Reminder: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case location
    case date
    case preemptive
  }

  package enum State: String, CaseIterable, Sendable {
    case armed
    /// It has fired and will not fire again by itself.
    case fired
    case snoozed
    case done
    /// Its `until` has passed.
    case expired
  }

  /// Event on which a location reminder fires.
  package enum Trigger: String, CaseIterable, Sendable {
    case arrive
    case depart
    case dwell
    /// Not at the place, nor since midnight, when it is due.
    case absent
    /// Nothing heard for the time of `dwell`; it has no place.
    case silent
  }

  /// Behaviour of a new reminder whose region already contains the device.
  package enum IfInside: String, CaseIterable, Sendable {
    case wait
    case fire
  }

  package typealias Transport = Departure.Transport

  /// A named position. As a region it is a circle.
  package struct Place: Equatable, Sendable {
    package var name: String?
    package var position: Coordinate
    /// Metres, one of `radii`.
    package var radius: Double

    package static let defaultRadius = 150.0
    /// Permitted radii, metres.
    package static let radii = Circle.radii
    /// The objection to another radius.
    package static let radiusRule =
      "must be \(Int(radii.lowerBound)) to \(Int(radii.upperBound))"

    package init(name: String? = nil, position: Coordinate, radius: Double = defaultRadius) {
      self.name = name
      self.position = position
      self.radius = radius
    }
  }

  /// Unique; any text, printed as it is.
  package var id: String
  package var title: String
  package var notes: String?
  package var category: String?
  /// As in iCalendar: 1 is the most urgent, 9 the least, 0 undefined.
  package var priority: Int
  /// Where it fires (location) or where the user must be (preemptive).
  package var place: Place?
  /// Where it fires (location) instead of at a place.
  package var area: Area?
  /// Whose position it follows; nil is the machine's own.
  package var who: Who?
  /// Whose destinations alone receive its firings; nil are all that serve no person.
  @Boxed package var recipient: String?
  /// In place of `place`: any place of this category.
  @Boxed package var nearCategory: String?
  /// With `nearCategory`: metres around each place, 1…5 000 000; nil is each place's own.
  @Boxed package var nearRadius: Double?
  /// Time inside, outside after a departure, or of silence, before it fires; nil is the trigger's
  /// own.
  @Boxed package var dwell: TimeSpan?
  package var due: TimeStamp?

  // In the room that the stamp before them leaves in its words.
  package var kind: Kind
  package var trigger = Trigger.arrive
  package var transport: Transport
  /// Fires on each visit, not only on the first.
  package var everyVisit: Bool
  package var ifInside = IfInside.wait
  /// A departure decided by the circle alone, with an alarm when the position is lost.
  package var isAnchorWatch = false
  package var state: State

  /// Times before `due` at which it fires, longest first. Empty means at `due` itself.
  package var leads: [CalendarSpan]
  /// Interval of repetition until it is done or snoozed; nil is never.
  @Boxed package var nag: TimeSpan?
  /// Number of repetitions, 0 for no end; nil is `defaultNagLimit`.
  @Boxed package var nagLimit: Int?
  /// For preemptive reminders: travel time set by the user, in place of any estimate.
  @Boxed package var travel: TimeSpan?
  @Boxed package var repeatRule: RepeatRule?
  /// Single times added to the rule or excluded from it.
  package var repeatChanges: RepeatChanges {
    get { storedChanges ?? RepeatChanges() }
    set { storedChanges = newValue == RepeatChanges() ? nil : newValue }
  }
  @Boxed private var storedChanges: RepeatChanges?
  /// Minimum time between two firings.
  package var cooldown = TimeSpan.zero
  /// Earliest time at which it may fire.
  @Boxed package var from: TimeStamp?
  /// Expires after this.
  @Boxed package var until: TimeStamp?
  @Boxed package var hours: HourRange?
  /// Metres a second; it does not fire above this speed.
  @Boxed package var maximumSpeed: Double?
  /// Metres a second; it does not fire below this speed.
  @Boxed package var minimumSpeed: Double?
  /// Courses on which it may fire.
  @Boxed package var heading: HeadingCondition?
  /// The calendar file that it was read from; nil for the user's own reminders.
  @Boxed package var source: Source?
  /// The uid of the user who added it and alone may change it; nil where anyone who may change any
  /// reminder may change it.
  package var owner: UInt32?
  package var days: WeekdaySet?
  /// Unknown fields of the document, written back unchanged.
  package var unknown = JSONObject()

  package init(
    id: String, kind: Kind, title: String, notes: String? = nil, category: String? = nil,
    priority: Int = 0, place: Place? = nil, due: TimeStamp? = nil, leads: [CalendarSpan] = [],
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
    self.leads = leads.sorted { $0.length > $1.length }
    self.transport = transport
    self.everyVisit = everyVisit
    self.state = state
  }

  /// The name of the place or region, or a general word without one.
  package var placeName: String? {
    if let area { return area.name ?? "the region" }
    return place.map { $0.name ?? "the place" }
  }

  /// Time inside, outside after a departure, or of silence, before it fires.
  package var hold: TimeSpan {
    switch trigger {
    case .arrive, .absent: .zero
    case .depart: dwell ?? .zero
    case .dwell: dwell ?? .minutes(5)
    case .silent: dwell ?? .hours(2)
    }
  }

  /// Whether it is about several trackers, whose presences decide it together.
  package var isAboutSeveral: Bool { who == .anyone || who == .all }

  /// A day at one an hour, or four hours at one in ten minutes.
  package static let defaultNagLimit = 24

  /// Whether it has more than one due time.
  package var repeats: Bool { repeatRule != nil || !repeatChanges.additions.isEmpty }

  /// Whether both reminders share their place, so that the presence of one holds for the other.
  func waitsAtTheSamePlace(as other: Reminder) -> Bool {
    // Of several, the event decides how many of them make a stay.
    kind == other.kind && who == other.who && (!isAboutSeveral || trigger == other.trigger)
      && hasSamePlace(as: other)
  }

  /// Whether its due times are others, so that what has passed counts anew.
  func hasOtherTimes(than old: Reminder) -> Bool {
    due != old.due || repeatRule != old.repeatRule || repeatChanges != old.repeatChanges
      || kind != old.kind
  }

  func hasSamePlace(as other: Reminder) -> Bool {
    place == other.place && area == other.area && nearCategory == other.nearCategory
      && nearRadius == other.nearRadius
  }
}
