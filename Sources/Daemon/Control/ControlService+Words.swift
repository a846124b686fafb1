import CivilTime
import Control
import JSONText
import Reminders

/// Reminders whose times are words, as people type and say them.
extension ControlService {
  /// The longest title that is searched for a time, words: each costs a reading.
  private static let maximumWords = 50

  /// The document with its times read as `add` reads them on the command line, by the daemon's
  /// clock and zone. The title of a reminder without a time or a place may end with its time.
  func readingWords(_ given: JSONObject) throws -> JSONObject {
    var document = given
    let says = ["place", "near_category", "region", "due", "repeat"].contains {
      (given[$0] ?? .null) != .null
    }
    let words = (given["title"]?.string ?? "").split(whereSeparator: \.isWhitespace)
    if !says, words.count <= Self.maximumWords,
      let found = TitleTime(
        words.map(String.init), isTime: { (try? daemon.time(typed: $0)) != nil })
    {
      document["title"] = .string(found.title.joined(separator: " "))
      document["repeat"] = found.repeat.map { .string($0) }
      document["due"] = found.time.map { .string($0) }
    }
    let rule = document["repeat"]?.string.flatMap { try? RepeatRule(typed: $0) }
    let days =
      document["hours"] == nil
      ? document["days"]?.string.flatMap { try? WeekdaySet(parsing: $0) } : nil
    for field in ReminderField.all where ["due", "from", "until", "repeat"].contains(field.key) {
      guard let text = document[field.key]?.string else { continue }
      let ofRule = field.key == "due" ? rule?.timeOfDay.map { DayAlone.clock($0) } : nil
      do {
        document[field.key] = try field.json(typed: [text]) { text, dayAlone in
          let time = try daemon.time(typed: text, dayAlone: dayAlone ?? ofRule)
          guard field.key == "due", let now = daemon.clock.now else { return time.stamp }
          return time.beginning(of: rule, on: days, after: now, zone: daemon.host.engine.zone)
        }
      } catch {
        throw GeoremindError.invalidReminder(field: field.key, reason: "\(error)")
      }
    }
    if let rule, rule.namesItsDays, document["due"] == nil, document["place"] == nil,
      let now = daemon.clock.now,
      let first = rule.first(
        after: now, at: rule.timeOfDay ?? daemon.settings.defaultTime,
        zone: daemon.host.engine.zone)
    {
      document["due"] = .string("\(TimeStamp.floating(first))")
    }
    return document
  }
}
