import CivilTime
import Companion
import JSONText
import Reminders

/// Firings, one a line.
struct FiringPrinter {
  let context: Context
  let display: Display
  let json: Bool

  func print(_ firing: Firing) throws(Failure) { try print(firing.json) }

  /// Prints a firing given as JSON.
  func print(_ firing: JSONObject) throws(Failure) {
    guard !json else { return try context.output.line(firing) }
    let event = Self.text(firing, "event")
    let padded = event + String(repeating: " ", count: max(0, 6 - event.columns))
    try context.output.line(
      "\(time(of: firing))  \(padded)  \(context.output.bold(Self.text(firing, "title"))): "
        + reason(of: firing))
  }

  /// Prints past firings, cut to the width of a terminal.
  func print(_ firings: [JSONObject]) throws(Failure) {
    guard !json else {
      for firing in firings { try context.output.line(firing) }
      return
    }
    var table = Table()
    for firing in firings { table.add(cells(firing)) }
    try context.output.lines(table)
  }

  /// Prints past firings, each with its deliveries and its acknowledgement.
  func printWithOutcome(_ firings: [JSONObject]) throws(Failure) {
    for firing in firings {
      try print(firing)
      var table = Table()
      for delivery in firing["delivery"]?.array ?? [] {
        let time = Answer.time(delivery["time"], display.entry)
        table.add([
          delivery["name"]?.string ?? "?", time.isEmpty ? "waiting" : time,
          delivery["text"]?.string ?? (time.isEmpty ? "" : "received"),
        ])
      }
      if let known = firing["acknowledged"] {
        let verb = known["method"]?.string?.lowercased() ?? ""
        table.add([
          "acknowledged", Answer.time(known["time"], display.entry),
          "\(verb) by \(UserName.of(known["user"]?.int ?? -1))",
        ])
      } else {
        table.add(["not acknowledged"])
      }
      try context.output.lines(table, indent: 4)
    }
  }

  /// The columns of a firing in a table.
  func cells(_ firing: JSONObject) -> [String] {
    [
      time(of: firing), Self.text(firing, "event"),
      "\(Self.text(firing, "title")): \(reason(of: firing))",
    ]
  }

  private static func text(_ firing: JSONObject, _ name: String) -> String {
    (firing[name]?.string ?? "").printable
  }

  private func time(of firing: JSONObject) -> String {
    Answer.time(firing["time"], display.entry)
  }

  private func reason(of firing: JSONObject) -> String {
    display.sentence(Self.text(firing, "why").lowercasedFirst)
  }
}

/// `1 fix`, `2 fixes`.
func counted(_ count: Int, _ one: String, _ many: String) -> String {
  "\(count) \(count == 1 ? one : many)"
}
