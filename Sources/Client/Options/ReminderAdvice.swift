import CivilTime
import Geodesy
import JSONText
import Reminders

/// The device's position, as far as a new reminder needs it.
struct CurrentPosition {
  let position: Coordinate
  /// Metres, 95 %.
  let error: Double?

  /// - Parameter answer: what `Where` answered; nil where there is no fix.
  init?(_ answer: JSONObject) {
    guard let fix = answer["fix"]?.object,
      let position = Coordinate(latitude: fix["lat"]?.double, longitude: fix["lon"]?.double)
    else { return nil }
    self.position = position
    error = fix["eph"]?.double
  }
}

/// Warnings about valid settings that are probably mistakes, one sentence each.
enum ReminderAdvice {
  static func warnings(
    on reminder: Reminder, now: Instant, zone: TimeZoneRules, here: CurrentPosition?
  ) -> [String] {
    var warnings: [String] = []
    if let due = reminder.due?.instant(in: zone), due < now, !reminder.repeats,
      reminder.kind != .location
    {
      warnings.append("\(due.rfc3339(zone: zone)) is past: it rings at once, as a late one")
    }
    if let until = reminder.until?.instant(in: zone), until < now {
      warnings.append("--until \(until.rfc3339(zone: zone)) is past: it will never ring")
    }
    guard reminder.kind == .location, let here else { return warnings }
    if let place = reminder.place {
      if let error = here.error, place.radius < error {
        warnings.append(
          "the radius of \(Length.formatted(metres: place.radius)) is less than the position's "
            + "error now (\(Length.formatted(metres: error))): it may ring late, or not at all; "
            + "'georemind edit' takes a larger --radius")
      }
      if reminder.trigger == .arrive, reminder.ifInside == .wait,
        here.position.distance(to: place.position) <= place.radius
      {
        warnings.append(
          "you are there now: it waits for the next arrival; --if-inside fire rings at once")
      }
    }
    return warnings
  }
}
