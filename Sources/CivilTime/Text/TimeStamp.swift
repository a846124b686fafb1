/// Why a text is not a time stamp.
package struct TimeStampError: Error, Equatable, CustomStringConvertible {
  package let text: String
  /// The fault and the remedy.
  package let reason: String

  package init(text: String, reason: String) {
    self.text = text
    self.reason = reason
  }

  package var description: String { "\(quoted(text)) is not a time stamp: \(reason)" }
}

/// A moment as a document names it: a point of time, or a clock reading that follows whatever zone
/// the system is in ("floating", RFC 5545 section 3.3.5).
package enum TimeStamp: Hashable, Sendable {
  case absolute(Instant)
  case floating(LocalDateTime)

  /// RFC 3339, or the same without a zone: floating. Seconds, or the whole time of day, may be left
  /// out of a floating stamp.
  package init(parsing text: String) throws(TimeStampError) {
    var reader = CivilReader(text)
    let local = try reader.dateTime()
    let offset = try reader.offset()
    try reader.checkEnd()
    self = try reader.stamp(local, offset: offset)
  }

  /// The instant meant in a zone.
  package func instant(in zone: TimeZoneRules) -> Instant {
    switch self {
    case .absolute(let instant): instant
    case .floating(let local): zone.instant(of: local)
    }
  }
}

extension TimeStamp: CustomStringConvertible {
  /// `2026-11-21T09:30:00Z` or, floating, `2026-11-21T09:30:00`; reads back as the same value.
  package var description: String {
    switch self {
    case .absolute(let instant): instant.description
    case .floating(let local): local.description
    }
  }
}
