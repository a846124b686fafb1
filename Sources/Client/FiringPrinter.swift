import CivilTime
import Companion
import JSONText
import Reminders

/// Firings, one a line.
struct FiringPrinter {
  let context: Context
  let zone: TimeZoneRules
  let json: Bool

  func print(_ firing: Firing) throws(Failure) { try print(firing.json) }

  /// One that came as JSON.
  func print(_ firing: JSONObject) throws(Failure) {
    guard !json else { return try context.output.line(firing) }
    func text(_ name: String) -> String { (firing[name]?.string ?? "").printable }
    // Whole seconds, so that the lines are aligned.
    let time =
      (try? Instant(rfc3339: text("time"))).map {
        Instant(seconds: $0.seconds.rounded(.down)).rfc3339(zone: zone)
      } ?? text("time")
    let event = text("event")
    let padded = event + String(repeating: " ", count: max(0, 6 - event.columns))
    let why = text("why")
    try context.output.line(
      "\(time)  \(padded)  \(context.output.bold(text("title"))): "
        + why.prefix(1).lowercased() + why.dropFirst())
  }
}

/// `1 fix`, `2 fixes`.
func counted(_ count: Int, _ one: String, _ many: String) -> String {
  "\(count) \(count == 1 ? one : many)"
}
