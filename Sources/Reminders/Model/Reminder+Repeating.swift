package import CivilTime
package import JSONText

/// What a calendar adds to a repeat rule and takes from it (RFC 5545 section 3.8.5), and the zone whose
/// clocks it counts by.
package struct RepeatChanges: Equatable, Sendable {
  /// Of each list.
  package static let mostTimes = 2_000

  /// Times at which it occurs beside those of the rule (RDATE).
  package var additions: [TimeStamp] = []
  /// Times at which it does not (EXDATE).
  package var exceptions: [TimeStamp] = []
  /// Days on which it does not (EXDATE;VALUE=DATE).
  package var exceptionDays: [CivilDate] = []
  /// nil is the system's zone. A floating due time follows the system's zone whatever is said here.
  package var zone: NamedZone?

  package init() {}

  var additionsJSON: JSONValue? {
    additions.isEmpty ? nil : .array(additions.map { .string($0.description) })
  }

  var exceptionsJSON: JSONValue? {
    let texts = exceptions.map(\.description) + exceptionDays.map(\.description)
    return texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }
}

extension Reminder {
  /// Where a reminder comes from that is not the user's own.
  package struct Source: Equatable, Sendable {
    /// The path of the calendar file.
    package var file: String
    /// What the file said of its state when it was last read or written, so that a change there is told
    /// from one made here.
    package var standing: String

    package init(file: String, standing: String) {
      self.file = file
      self.standing = standing
    }

    package var json: JSONObject {
      JSONObject(["file": .string(file), "standing": .string(standing)])
    }
  }

  /// All its due times.
  /// - Parameter zone: of its clock readings; see `RepeatChanges.zone`.
  package func occurrences(from start: Instant, zone: TimeZoneRules) -> RepeatSet {
    RepeatSet(
      rule: repeatRule, start: zone.localDateTime(at: start),
      additions: repeatChanges.additions, exceptions: repeatChanges.exceptions,
      exceptionDays: Set(repeatChanges.exceptionDays))
  }
}
