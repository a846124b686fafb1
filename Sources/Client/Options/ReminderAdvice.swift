import CivilTime
import Geodesy
import JSONText
import Reminders

/// The device's position, as far as a new reminder needs it.
struct CurrentPosition {
  let position: Coordinate
  /// Metres, 95 %.
  let error: Double?

  /// - Parameter answer: has a fix, as that of `Where`; nil where there is no fix.
  init?(_ answer: JSONObject) {
    guard let fix = answer["fix"], let position = fix.coordinate else { return nil }
    self.position = position
    error = fix["eph"]?.double
  }
}

/// Warnings about valid settings that are probably mistakes, one sentence each.
enum ReminderAdvice {
  static func warnings(
    on reminder: Reminder, _ display: Display, here: CurrentPosition?
  ) -> [String] {
    let (zone, now) = (display.zone, display.time.now)
    var warnings: [String] = []
    if let due = reminder.due?.instant(in: zone), due < now, !reminder.repeats,
      reminder.kind != .location
    {
      warnings.append("\(display.answer(due)) is past: it rings at once, as a late one")
    }
    guard reminder.kind == .location, reminder.who == nil, let here else { return warnings }
    if let place = reminder.place {
      if let error = here.error, place.radius < error {
        warnings.append(
          "the radius of \(display.length(place.radius)) is less than the position's "
            + "error now (\(display.length(error))): it may ring late, or not at all; "
            + "'georemind edit' takes a larger --radius")
      }
      // With a due time, a visit that is on counts for it.
      if [.arrive, .dwell].contains(reminder.trigger), reminder.ifInside == .wait,
        reminder.due == nil,
        here.position.distance(to: place.position) <= place.radius
      {
        warnings.append(
          "you are at the place now: it waits for the next arrival; "
            + "with --if-inside fire it rings at once")
      }
    }
    return warnings
  }
}
