/// Speeds as people type and read them.
package enum Speed {
  private static let units: [(name: String, metresPerSecond: Double)] = [
    ("km/h", 1 / 3.6), ("kmh", 1 / 3.6), ("kph", 1 / 3.6), ("m/s", 1), ("mps", 1),
    ("mph", 0.447_04), ("mi/h", 0.447_04), ("knots", 1852.0 / 3600), ("knot", 1852.0 / 3600),
    ("kn", 1852.0 / 3600), ("kt", 1852.0 / 3600), ("kts", 1852.0 / 3600), ("ft/s", 0.3048), ("", 1),
  ]

  /// Metres a second unless a unit follows.
  package static func parse(_ text: String) throws(ReminderError) -> Double {
    let digits = text.drop { $0 == " " }.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text[digits.endIndex...].filter { $0 != " " }.lowercased()
    guard let value = Double(digits), value >= 0,
      let factor = units.first(where: { $0.name == unit })?.metresPerSecond
    else {
      throw ReminderError(
        field: "", reason: "'\(text)' is not a speed; write it like 5 (m/s), 20km/h or 10kn")
    }
    return Decimal.rounded(value * factor, digits: 4)
  }

  /// `7.2 km/h`.
  static func text(_ speed: Double, digits: Int = 1) -> String {
    "\(Decimal.text(speed * 3.6, digits: digits)) km/h"
  }
}
