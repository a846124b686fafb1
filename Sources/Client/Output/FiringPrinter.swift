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

  /// Prints a firing given as JSON.
  func print(_ firing: JSONObject) throws(Failure) {
    guard !json else { return try context.output.line(firing) }
    let event = Self.text(firing, "event")
    let padded = event + String(repeating: " ", count: max(0, 6 - event.columns))
    try context.output.line(
      "\(time(of: firing))  \(padded)  \(context.output.bold(Self.text(firing, "title"))): "
        + Self.reason(of: firing))
  }

  /// The columns of a firing in a table.
  func cells(_ firing: JSONObject) -> [String] {
    [
      time(of: firing), Self.text(firing, "event"),
      "\(Self.text(firing, "title")): \(Self.reason(of: firing))",
    ]
  }

  private static func text(_ firing: JSONObject, _ name: String) -> String {
    (firing[name]?.string ?? "").printable
  }

  /// The time in whole seconds, so that lines are aligned.
  private func time(of firing: JSONObject) -> String {
    let text = Self.text(firing, "time")
    return (try? Instant(rfc3339: text)).map {
      Instant(seconds: $0.seconds.rounded(.down)).rfc3339(zone: zone)
    } ?? text
  }

  private static func reason(of firing: JSONObject) -> String {
    text(firing, "why").lowercasedFirst
  }
}

/// `1 fix`, `2 fixes`.
func counted(_ count: Int, _ one: String, _ many: String) -> String {
  "\(count) \(count == 1 ? one : many)"
}
