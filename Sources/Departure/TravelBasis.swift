package import CivilTime

/// The source of a travel time; `there` and `fixed` are no estimates.
package enum TravelBasis: Equatable, Sendable {
  /// The device is at the place.
  case there
  /// The reminder has it.
  case fixed
  /// An answer of a routing engine, of this age, and this many own trips.
  case routed(age: TimeSpan, trips: Int)
  /// The straight line and this many own trips.
  case learnt(trips: Int)
  /// The straight line and the mode's usual speed.
  case formula

  /// One word for programs.
  package var name: String {
    switch self {
    case .there: "at the place"
    case .fixed: "fixed"
    case .routed: "routing engine"
    case .learnt: "own trips"
    case .formula: "straight line"
    }
  }

  /// Own trips that count.
  package var trips: Int {
    switch self {
    case .routed(_, let trips), .learnt(let trips): trips
    case .there, .fixed, .formula: 0
    }
  }
}

/// The way from the device to the place of a reminder.
package struct Way: Equatable, Sendable {
  /// Metres to the centre of the place; nil before the first position.
  package var distance: Double?
  /// The travel time that counts.
  package var time: TimeSpan
  package var basis: TravelBasis
}
