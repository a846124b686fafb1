import CivilTime
import Companion
import Geodesy
import JSONText
import Reminders

extension AnchorCommand {
  /// Shows the watch: the alarm or the loss first, then how the boat lies.
  func show(
    _ watch: JSONObject, _ daemon: DaemonConnection, _ context: Context
  ) throws {
    let display = try context.display()
    guard let place = try ListedReminder(watch, zone: display.zone).reminder.place else { return }
    let answer = try daemon.call("Where")
    let here = CurrentPosition(answer)
    let distance = here.map { $0.position.distance(to: place.position) }
    let bearing = here.map { $0.position.initialBearing(to: place.position) }
    let swing = watch["swing"]?["largest_m"]?.double
    let since = watch["swing"]?["since"]?.instant
    let state = watch["anchor"]
    guard !options.json else {
      return try context.output.line(
        JSONObject([
          "lat": .double(place.position.latitude), "lon": .double(place.position.longitude),
          "radius_m": .double(place.radius), "state": watch["state"],
          "distance_m": .double(distance.map { ($0 * 10).rounded() / 10 }),
          "bearing_deg": .double(bearing.map { ($0 * 10).rounded() / 10 }),
          "swing": watch["swing"], "age_s": answer["age_s"], "eph_m": .double(here?.error),
          "alarm": state?["alarm"], "says": state?["says"], "lost": state?["lost"],
        ]))
    }
    if let says = state?["says"]?.string { try context.output.line(context.output.bold(says)) }
    try context.output.line(
      "The anchor is at \(place.position.formatted(.decimalDegrees)), in a circle of "
        + display.length(place.radius))
    if let distance, let bearing {
      let error = here?.error.map { ", good to ±\(display.length($0))" } ?? ""
      let outside = distance > place.radius ? ": outside the circle" : ""
      try context.output.line(
        "It bears \(Int(bearing.rounded()) % 360)° at \(display.length(distance)) from the last "
          + "position, \(age(answer, state, display))\(error)\(outside)")
      if let age = answer["age_s"]?.double, age > Self.maximumAge, state?["says"] == nil {
        try context.output.line(
          "No position has come since: the watch cannot see the boat; see 'georemind status'")
      }
    } else {
      try context.output.line("There is no position: the watch cannot see the boat")
    }
    if let swing, let since {
      try context.output.line(
        "The largest swing was \(display.length(swing)), since \(display.entry(since))")
    }
    if let end = watch["snoozed_until"]?.instant {
      try context.output.line("It is silenced until \(display.entry(end))")
    }
    if let fired = watch["last_fired"]?.instant {
      try context.output.line("The last alarm was \(display.entry(fired))\(advice(watch))")
    }
  }

  /// How old the position is; a receiver that hangs repeats an old one.
  private func age(_ answer: JSONObject, _ state: JSONValue?, _ display: Display) -> String {
    if state?["lost"]?["cause"]?.string == "frozen", let since = state?["lost"]?["since"]?.instant {
      return "the same since \(display.entry(since))"
    }
    return "\(TimeSpan(seconds: answer["age_s"]?.double ?? 0).words) old"
  }

  /// How an alarm ends that nobody has acknowledged.
  private func advice(_ watch: JSONObject) -> String {
    watch["unacknowledged"]?.bool == true
      ? "; 'georemind done \((watch["id"]?.string ?? "").printable)' ends it" : ""
  }
}
