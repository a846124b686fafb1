/// What the user asked for: the fields of a reminder that decide when it fires.
package struct ReminderSpec: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case location(Trigger)
    case date
    /// A time to leave for the region, with the user's own travel time in seconds.
    case leave(travel: Int)
  }

  package enum Trigger: Equatable, Sendable {
    case arrive
    /// After so many seconds outside; 0 is at once.
    case depart(Int)
    /// After so many seconds inside.
    case dwell(Int)
    /// Not there by its due time, nor on that day before.
    case absent
    /// No fix for so many seconds; it has no region.
    case silent(Int)
  }

  package enum IfInside: String, Sendable {
    case wait
    case fire
  }

  package var id: String
  package var kind: Kind
  /// The name of the region or category; empty for a date.
  package var region: String
  /// The tracker whose position it follows, or `anyone` or `all` of them.
  package var who = Model.machine
  package var due: Stamp?
  package var repeats: RepeatingTimes?
  /// Spans before the due time, longest first; empty is the due time itself.
  package var leads: [Lead] = []
  package var everyVisit = false
  /// Seconds.
  package var cooldown: Int?
  package var from: Stamp?
  package var until: Stamp?
  package var hours: Hours?
  /// 0 is Monday; nil is every day.
  package var days: Set<Int>?
  /// Metres a second.
  package var maximumSpeed: Double?
  package var minimumSpeed: Double?
  package var heading: Heading?
  /// Seconds between repetitions until it is acknowledged.
  package var nag: Int?
  /// How often it is repeated; 0 is without an end.
  package var nagLimit: Int?
  package var ifInside = IfInside.wait

  package init(id: String, kind: Kind, region: String = "") {
    self.id = id
    self.kind = kind
    self.region = region
  }

  package var isLocation: Bool { if case .location = kind { true } else { false } }

  /// Whether it repeats from an instant on: in the zone in which it was made, for good.
  package var isFixedSeries: Bool {
    if case .absolute = due { repeats != nil } else { false }
  }

  package var isAboutSeveral: Bool { who == "anyone" || who == "all" }

  package var isDate: Bool { kind == .date }

  package var isAbsence: Bool { kind == .location(.absent) }

  /// The span of a silence; nil for another event.
  package var silence: Int? { if case .location(.silent(let span)) = kind { span } else { nil } }

  package var isDeparture: Bool { if case .location(.depart) = kind { true } else { false } }
}

/// A span before the due time: days by the calendar, and elapsed seconds.
package struct Lead: Hashable, Sendable, ExpressibleByIntegerLiteral {
  package var days: Int
  package var seconds: Int

  package init(days: Int = 0, seconds: Int) {
    self.days = days
    self.seconds = seconds
  }

  package init(integerLiteral seconds: Int) { self.init(seconds: seconds) }

  /// The moment that lies this span before a due time. Days keep the time of day.
  func before(_ due: Moment, in zone: Zone) -> Moment {
    guard days > 0 else { return due - seconds }
    let local = zone.local(at: due)
    return zone.moment(of: LocalTime(day: local.day - days, second: local.secondOfDay)) - seconds
  }
}

/// A time that the user typed: a reading of the system's clock, or an instant.
package enum Stamp: Equatable, Sendable {
  case floating(LocalTime)
  case absolute(Moment)

  package func moment(in zone: Zone) -> Moment {
    switch self {
    case .floating(let local): zone.moment(of: local)
    case .absolute(let moment): moment
    }
  }
}

/// Courses from one to another, clockwise in degrees; both belong to it.
package struct Heading: Equatable, Sendable {
  package var first: Int
  package var last: Int

  package init(first: Int, last: Int) {
    self.first = first
    self.last = last
  }

  func contains(_ course: Int) -> Bool {
    (course - first).remainder(360) <= (last - first).remainder(360)
  }
}

/// How the device moved at its last fix.
package struct Motion: Equatable, Sendable {
  /// Metres a second.
  package var speed: Double
  /// Degrees from north; below half a metre a second it is noise and counts for nothing.
  package var course: Int

  package init(speed: Double, course: Int) {
    self.speed = speed
    self.course = course
  }
}

/// A part of every day, in seconds since midnight: the start belongs to it, the end does not.
package struct Hours: Equatable, Sendable {
  package var start: Int
  package var end: Int

  package init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  package var isOverMidnight: Bool { end < start }

  func contains(_ second: Int) -> Bool {
    isOverMidnight ? second >= start || second < end : second >= start && second < end
  }
}
