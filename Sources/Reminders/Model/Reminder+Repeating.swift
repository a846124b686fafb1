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
  /// nil is the system's zone. A floating due time always follows the system's zone.
  package var zone: NamedZone?

  package init() {}

  mutating func add(_ value: JSONValue) throws(ReminderError) {
    for (text, stamp) in try Self.stamps(value) {
      guard text.utf8.count > 10 else {
        throw ReminderError(field: "", reason: "needs times, not dates: \(text)")
      }
      additions.append(stamp)
    }
  }

  mutating func except(_ value: JSONValue) throws(ReminderError) {
    for (text, stamp) in try Self.stamps(value) {
      // A date without a time excludes the whole day.
      if text.utf8.count == 10, case .floating(let local) = stamp {
        exceptionDays.append(local.date)
      } else {
        exceptions.append(stamp)
      }
    }
  }

  private static func stamps(
    _ value: JSONValue
  ) throws(ReminderError) -> [(text: String, stamp: TimeStamp)] {
    guard let list = value.array, list.count <= maximumTimes else {
      throw ReminderError(field: "", reason: "must be a list of at most \(maximumTimes) times")
    }
    var stamps: [(String, TimeStamp)] = []
    for entry in list {
      guard let text = entry.string else { throw .wrong("a list of times", value) }
      stamps.append((text, try FieldFormat.stamp().read(entry)))
    }
    return stamps
  }

  var additionsJSON: JSONValue? {
    additions.isEmpty ? nil : .array(additions.map { .string($0.description) })
  }

  var exceptionsJSON: JSONValue? {
    let texts = exceptions.map(\.description) + exceptionDays.map(\.description)
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

  /// The set of due times.
  /// - Parameter zone: the zone of the rule; see `RepeatChanges.zone`.
  package func occurrences(from start: Instant, zone: TimeZoneRules) -> RepeatSet {
    RepeatSet(
      rule: repeatRule, start: zone.localDateTime(at: start),
      additions: repeatChanges.additions, exceptions: repeatChanges.exceptions,
      exceptionDays: Set(repeatChanges.exceptionDays))
  }
}
