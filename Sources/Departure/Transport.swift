/// A mode of transport.
package enum Transport: String, CaseIterable, Sendable {
  case driving
  case cycling
  case walking
  case boat

  /// Whether a routing engine may know its ways. The sea has no roads.
  package var hasRoads: Bool { self != .boat }

  /// Its place in `allCases`.
  var index: Int {
    switch self {
    case .driving: 0
    case .cycling: 1
    case .walking: 2
    case .boat: 3
    }
  }
}
