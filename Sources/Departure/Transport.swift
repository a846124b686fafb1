/// A mode of transport.
package enum Transport: String, CaseIterable, Sendable {
  case driving
  case cycling
  case walking

  /// Its place in `allCases`.
  var index: Int {
    switch self {
    case .driving: 0
    case .cycling: 1
    case .walking: 2
    }
  }
}
