/// A day of the week, numbered as in ISO 8601.
package enum Weekday: Int, CaseIterable, Sendable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// The weekday of the day so many days after 1970-01-01, a Thursday.
  package init(dayNumber: Int) {
    self = Weekday(rawValue: (dayNumber.flooredRemainder(7) + 3) % 7 + 1) ?? .monday
  }

  /// `mon`, `tuesday`, … in any case: the full name or its first three letters.
  package init?(name: some StringProtocol) {
    let lower = name.lowercased()
    guard let match = Weekday.allCases.first(where: { $0.name == lower || $0.shortName == lower })
    else { return nil }
    self = match
  }

  package var name: String { "\(self)" }

  /// `mon`, `tue`, …
  package var shortName: String { String(name.prefix(3)) }
}

/// Some days of the week, written as in systemd.time(7): `mon..fri`, `sat,sun`, `mon,wed..fri`; or
/// as people say them: `mon-fri`, `weekdays`, `monday and thursday`.
package struct WeekdaySet: OptionSet, Hashable, Sendable {
  /// Bit 0 is Monday, bit 6 Sunday.
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

  package init(_ day: Weekday) { rawValue = 1 << UInt8(day.rawValue - 1) }

  package static let all = WeekdaySet(rawValue: 0x7F)
  /// Names of sets that are no single day.
  static let named: [String: WeekdaySet] = [
    "weekday": .workdays, "weekdays": .workdays, "workday": .workdays, "workdays": .workdays,
    "weekend": .weekend, "weekends": .weekend,
  ]
  static let workdays = WeekdaySet(rawValue: 0x1F)
  static let weekend = WeekdaySet(rawValue: 0x60)

  package func contains(_ day: Weekday) -> Bool { isSuperset(of: WeekdaySet(day)) }

  /// A range may run over the end of the week: `sat..mon`. Names in any case, long or short.
  package init(parsing text: String) throws(ClockError) {
    var result: WeekdaySet = []
    let listed = text.lowercased().replacing(", and ", with: ",").replacing(" and ", with: ",")
      .replacing(" to ", with: "-")
    for item in listed.split(separator: ",", omittingEmptySubsequences: false) {
      if let set = Self.named[item.trimmed] {
        result.insert(set)
        continue
      }
      let range = item.replacing("..", with: "-")
      let ends = range.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      var days: [Weekday] = []
      for end in ends {
        let name = end.trimmed
        guard let day = TimeWords.weekday(name.hasSuffix("days") ? "\(name.dropLast())" : name)
        else {
          throw ClockError(
            text: text, kind: "set of weekdays",
            reason: name.isEmpty
              ? "a weekday is missing; write for example mon..fri or sat,sun"
              : "\(quoted(name)) is not a weekday; use mon, tue, wed, thu, fri, sat, sun")
        }
        days.append(day)
      }
      guard let first = days.first, let last = days.last else { continue }
      let length = (last.rawValue - first.rawValue).flooredRemainder(7)
      for step in 0...length {
        result.insert(WeekdaySet(rawValue: 1 << UInt8((first.rawValue - 1 + step) % 7)))
      }
    }
    self = result
  }
}

extension WeekdaySet: CustomStringConvertible {
  /// The shortest form from Monday on; three or more days in a row are a range.
  package var description: String {
    let runs = Weekday.allCases.split { !contains($0) }
    return runs.flatMap { run -> [String] in
      let names = run.map(\.shortName)
      return run.count < 3 ? names : ["\(names[0])..\(names[names.count - 1])"]
    }.joined(separator: ",")
  }
}
