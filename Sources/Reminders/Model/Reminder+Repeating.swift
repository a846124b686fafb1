package import CivilTime
package import JSONText

/// Dates that a calendar adds to a repeat rule or excludes from it (RFC 5545 section 3.8.5), and
/// the zone of the rule.
package struct RepeatChanges: Equatable, Sendable {
  /// Limit of each list.
  package static let maximumTimes = 2_000

  /// Additional occurrences (RDATE).
  package var additions: [TimeStamp] = []
  /// Excluded times (EXDATE).
  package var exceptions: [TimeStamp] = []
  /// Excluded days (EXDATE;VALUE=DATE).
  package var exceptionDays: [CivilDate] = []
  /// Further rules of starts (RRULE), and rules of excluded ones (EXRULE).
  package var additionRules: [RepeatRule] = []
  package var exceptionRules: [RepeatRule] = []
  /// nil is the system's zone. A floating due time always follows the system's zone.
  package var zone: NamedZone?
  /// Where the series starts, if that is not its due time: the rule and both lists are about
  /// starts. Floating or not, as the due time is; a day where `isWholeDay`.
  package var start: TimeStamp?
  /// A start is a whole day, and the due time a time of day on it or after it.
  package var isWholeDay = false
  /// With `start`: from it to the due time. nil is what lies between the first two: whole days by
  /// the calendar, and the rest.
  package var dueAfter: CalendarSpan?

  package init() {}

  mutating func add(_ value: JSONValue) throws(ReminderError) {
    for (text, stamp) in try Self.stamps(value, rules: &additionRules) {
      guard text.utf8.count > 10 else {
        throw ReminderError(field: "", reason: "needs times, not dates: \(text)")
      }
      additions.append(stamp)
    }
  }

  mutating func except(_ value: JSONValue) throws(ReminderError) {
    for (text, stamp) in try Self.stamps(value, rules: &exceptionRules) {
      // A date without a time excludes the whole day.
      if text.utf8.count == 10, case .floating(let local) = stamp {
        exceptionDays.append(local.date)
      } else {
        exceptions.append(stamp)
      }
    }
  }

  /// Reads `repeat_start`: a day without a time is a whole day.
  mutating func begin(_ value: JSONValue) throws(ReminderError) {
    start = try FieldFormat.stamp().read(value)
    if case .floating? = start { isWholeDay = value.string?.utf8.count == 10 }
  }

  /// Reads `due_after`: `{"days": 1, "s": 7200}`.
  mutating func setDueAfter(_ value: JSONValue) throws(ReminderError) {
    guard let object = value.object else { throw .wrong("an object with days and s", value) }
    let days = try object.member("days", .whole(-Self.maximumDays...Self.maximumDays)) ?? 0
    let limit = Double(Self.maximumDays) * 86_400
    let seconds = try object.member("s", .number(-limit...limit)) ?? 0
    dueAfter = CalendarSpan(days: days, microseconds: TimeSpan.seconds(seconds).microseconds)
  }

  /// Limit of `dueAfter`: ten thousand years.
  private static let maximumDays = 3_660_000

  var dueAfterJSON: JSONValue? {
    guard let dueAfter, start != nil else { return nil }
    return .object(
      JSONObject([
        "days": .int(dueAfter.days),
        "s": .double(TimeSpan(microseconds: dueAfter.microseconds).seconds),
      ]))
  }

  var startJSON: JSONValue? {
    guard let start else { return nil }
    if isWholeDay, case .floating(let local) = start { return .string(local.date.description) }
    return .string(start.description)
  }

  /// Whether an entry of either list is a rule such as `FREQ=WEEKLY;BYDAY=SA` rather than a time.
  static func isRule(_ text: String) -> Bool { text.uppercased().contains("FREQ=") }

  /// Limit of the rules of each list.
  package static let maximumRules = 8

  private static func stamps(
    _ value: JSONValue, rules: inout [RepeatRule]
  ) throws(ReminderError) -> [(text: String, stamp: TimeStamp)] {
    guard let list = value.array, list.count <= maximumTimes else {
      throw ReminderError(field: "", reason: "must be a list of at most \(maximumTimes) times")
    }
    var stamps: [(String, TimeStamp)] = []
    for entry in list {
      guard let text = entry.string else { throw .wrong("a list of times", value) }
      if isRule(text), rules.count < maximumRules {
        rules.append(try FieldFormat.repeatRule.read(entry))
        continue
      }
      stamps.append((text, try FieldFormat.stamp().read(entry)))
    }
    return stamps
  }

  var additionsJSON: JSONValue? {
    let texts = additions.map(\.description) + additionRules.map(\.description)
    return texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }

  var exceptionsJSON: JSONValue? {
    let texts =
      exceptions.map(\.description) + exceptionDays.map(\.description)
      + exceptionRules.map(\.description)
    return texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }
}

extension Reminder {
  /// The calendar from which a reminder was read.
  package struct Source: Equatable, Sendable {
    /// The path of the calendar file.
    package var file: String
    /// State in the file when last read or written; it separates changes in the file from changes
    /// made here.
    package var standing: String

    package init(file: String, standing: String) {
      self.file = file
      self.standing = standing
    }

    init(json: JSONValue) throws(ReminderError) {
      guard let object = json.object else { throw .wrong("an object with file", json) }
      guard let file = try object.member("file", .text) else {
        throw ReminderError(field: ".file", reason: "is missing")
      }
      self.init(file: file, standing: try object.member("standing", .text) ?? "")
    }

    package var json: JSONObject {
      JSONObject(["file": .string(file), "standing": .string(standing)])
    }
  }

  /// The due times by their names; nil without one.
  ///
  /// A single instant is its own name, whatever the zone.
  /// - Parameter zone: the system's.
  package func series(in zone: TimeZoneRules) -> Series? {
    guard let due else { return nil }
    let zone = calendarZone(zone)
    guard repeats else {
      if case .floating(let local) = due { return Series(first: local, zone: zone) }
      return Series(first: TimeZoneRules.utc.localDateTime(at: due.instant(in: zone)), zone: .utc)
    }
    func name(_ stamp: TimeStamp) -> LocalDateTime {
      if case .floating(let local) = stamp { return local }
      return zone.localDateTime(at: stamp.instant(in: zone))
    }
    let start = repeatChanges.start ?? due
    var series = Series(rule: repeatRule, first: name(start), zone: zone)
    if case .absolute(let instant) = start { series.firstInstant = instant }
    series.additions = repeatChanges.additions.map(name)
    series.exceptions = Set(repeatChanges.exceptions.map(name))
    series.exceptionDays = Set(repeatChanges.exceptionDays)
    series.otherRules = repeatChanges.additionRules
    series.exceptionRules = repeatChanges.exceptionRules
    series.isWholeDay = repeatChanges.isWholeDay
    if repeatChanges.start != nil {
      series.dueAfter = repeatChanges.dueAfter ?? series.span(to: due)
    }
    return series
  }

  /// Gives a series that begins at an instant the system's zone, unless it names one: from then on
  /// it goes by the clocks of that zone. Does nothing where the system's zone has no name.
  package mutating func fixZone(_ zone: TimeZoneRules) {
    guard repeats, repeatChanges.zone == nil, case .absolute = due,
      let named = NamedZone.find(zone.name)
    else { return }
    repeatChanges.zone = named
  }

  /// The name of its zone, where this system does not know that.
  package var unknownZone: String? {
    guard let zone = repeatChanges.zone, !zone.isKnown else { return nil }
    return zone.name
  }

  /// The zone by whose clocks its days are counted: its own, else the system's. A floating time is
  /// one of the system's zone.
  package func calendarZone(_ zone: TimeZoneRules) -> TimeZoneRules {
    guard let own = repeatChanges.zone, case .absolute = due else { return zone }
    return own.rules
  }
}
