import ArgumentParser
import CivilTime
import Companion
import Configuration
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

  /// A time of day that was typed without a day is the first one on the days of the rule, or on
  /// `--days`.
  func onItsDays(
    _ typed: TypedTime, changing old: JSONObject?, _ context: Context
  ) throws -> TimeStamp {
    let zone = try context.zone()
    if let rule = `repeat`?.text ?? old?["repeat"]?.string, !rule.isEmpty {
      // The option itself reports a wrong rule.
      return typed.beginning(
        of: try? RepeatRule(typed: rule), after: context.now, zone: zone)
    }
    // Hours over midnight have days of their own.
    let hasHours = hours != nil || old?["hours"] != nil
    let days = hasHours ? nil : days?.text ?? old?["days"]?.string
    return typed.beginning(
      of: nil, on: days.flatMap { try? WeekdaySet(parsing: $0) }, after: context.now, zone: zone)
  }

  /// The first time of a repeat without `--due`.
  /// - Throws: a usage error where the rule leaves the beginning open. Where a place is given, only
  ///   a rule with a time of day says when the visit counts.
  func beginning(
    of repetition: TypedField, atPlace isAtPlace: Bool, _ context: Context
  ) throws -> JSONValue {
    let rule = try RepeatRule(typed: repetition.text)
    guard rule.namesItsDays, rule.timeOfDay != nil || !isAtPlace else {
      throw ValidationError(
        "\(repetition.option) needs --due to start from, unless it names days and a time: "
          + "'every monday at 9'")
    }
    let usual = DisplaySettings(files: context.configurationFiles).defaultTime
    let first = rule.first(
      after: context.now, at: rule.timeOfDay ?? usual, zone: try context.zone())
    guard let first else {
      throw Failure(.badData, "\(repetition.option): the rule has no time left")
    }
    return .string("\(TimeStamp.floating(first))")
  }

  /// A time of a reminder by the clocks of here, for spans with a sign; of a series the next one.
  static func time(
    _ key: String, of reminder: JSONObject, _ context: Context, _ daemon: DaemonConnection?
  ) throws -> TimeStamp? {
    guard let stamp = reminder[key]?.string.flatMap({ try? TimeStamp(parsing: $0) }) else {
      return nil
    }
    let next = key == "due" ? reminder["next_due"]?.instant : nil
    guard case .floating = stamp else { return next.map { .absolute($0) } ?? stamp }
    let own = try context.zone()
    let instant = next ?? stamp.instant(in: daemon?.zone(context) ?? own)
    return .floating(own.localDateTime(at: instant))
  }
}
