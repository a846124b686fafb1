/// The units in which lengths and speeds are shown to people.
package enum LengthUnits: String, CaseIterable, Sendable {
  case metric
  /// Feet and statute miles.
  case imperial
  /// Metres and nautical miles.
  case nautical

  /// The unit of short lengths: its size, and its name with a blank before it.
  var small: (metres: Double, name: String) {
    self == .imperial ? (0.3048, " ft") : (1, " m")
  }

  /// The unit of long lengths.
  var large: (metres: Double, name: String) {
    switch self {
    case .metric: (1_000, " km")
    case .imperial: (1_609.344, " mi")
    case .nautical: (1_852, " nmi")
    }
  }

  /// Metres from which a length is long: a kilometre, 1000 ft, or half a nautical mile, all
  /// as they are rounded: a circle around the anchor is metres.
  var largeFrom: Double {
    switch self {
    case .metric: 999.5
    case .imperial: 999.5 * 0.3048
    case .nautical: 926
    }
  }

  /// A speed in whole units for people: `50 km/h`, `31 mph`, `27 kn`.
  package func speed(metresPerSecond: Double) -> String {
    let perHour = (metresPerSecond * 3_600 / large.metres).rounded()
    let name =
      switch self {
      case .metric: "km/h"
      case .imperial: "mph"
      case .nautical: "kn"
      }
    return "\(Int(perHour)) \(name)"
  }
}
