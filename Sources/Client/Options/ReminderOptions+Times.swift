import CivilTime
import JSONText
import Reminders

/// Times that follow from the repeat rule of a reminder.
extension ReminderOptions {
  /// The meaning of a day without a time of day for `--due`: the time of the rule in force.
  /// - Returns: nil is `DefaultTime=`.
  func dayAlone(_ context: Context, changing old: JSONObject?) throws(Failure) -> DayAlone? {
    let rule: RepeatRule?
    if let `repeat` {
      // The option itself reports a wrong rule.
      rule = try? RepeatRule(typed: `repeat`.text)
    } else {
      rule = old?["repeat"]?.string.flatMap { try? RepeatRule(parsing: $0) }
      // A day is typed by the clocks of here.
      let own = try context.zone().name
      if let zone = old?["zone"]?.string, zone != own { return nil }
    }
    return rule?.timeOfDay.map { .clock($0) }
  }
}
