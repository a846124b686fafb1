package import CivilTime

/// The source of a travel time, from the most to the least trusted; `there` and `fixed` are no
/// estimates.
package enum TravelBasis: Equatable, Sendable {
  /// The device is at the place.
  case there
  /// The reminder has it.
  case fixed
  /// An answer of a routing engine, of this age.
  case routed(age: TimeSpan)
  /// The straight line and the pace of this many own trips.
  case learnt(trips: Int)
  /// The straight line and the pace of the current trip.
  case measured
  /// The straight line and the mode's usual speed.
  case formula

  /// One word for programs.
  package var name: String {
    switch self {
    case .there: "at the place"
    case .fixed: "fixed"
    case .routed: "routing engine"
    case .learnt: "own trips"
    case .measured: "this trip"
    case .formula: "straight line"
    }
  }
}

/// A travel time and its source.
package struct TravelEstimate: Equatable, Sendable {
  package var time: TimeSpan
  package var basis: TravelBasis

  package init(time: TimeSpan, basis: TravelBasis) {
    self.time = time
    self.basis = basis
  }
}
