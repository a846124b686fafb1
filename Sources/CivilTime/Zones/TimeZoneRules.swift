import Containers

/// The past and future UTC offsets of a time zone.
///
/// The data come from the system's tz database and are updated with it. Local time is converted as
/// in RFC 5545 section 3.3.5. A reading skipped in spring counts with the offset before the gap
/// (02:30 is 03:30 of the new time); of a repeated reading the first counts.
package struct TimeZoneRules: Hashable, Sendable {
  /// The name in the tz database or the rule itself; for people.
  package let name: String
  /// In strictly rising order, seconds since the epoch; as many as `typeIndexes`.
  let transitions: [Int64]
  /// For each transition the index of the type that it begins.
  let typeIndexes: [UInt8]
  /// Never empty; the first one holds before all transitions.
  let types: [LocalTimeType]
  /// Holds from the last transition on.
  @Boxed private(set) var footer: PosixTimeZone?

  /// Whether this is UTC for ever, under whatever name.
  package var isUTC: Bool {
    transitions.isEmpty && types.first?.offset == 0 && footer?.daylight == nil
      && types.first?.abbreviation == "UTC"
  }

  /// Seconds east of UTC.
  package func offset(at instant: Instant) -> Int { segment(at: instant.wholeSeconds).type.offset }

  package func isDST(at instant: Instant) -> Bool { segment(at: instant.wholeSeconds).type.isDST }

  package func abbreviation(at instant: Instant) -> String {
    segment(at: instant.wholeSeconds).type.abbreviation
  }

  /// The zone's local time at an instant.
  package func localDateTime(at instant: Instant) -> LocalDateTime {
    LocalDateTime(
      microseconds: (instant
        + TimeSpan(microseconds: Int64(offset(at: instant)) * 1_000_000)).microseconds)
  }

  /// The instant of a clock reading, by the law stated at the type.
  package func instant(of local: LocalDateTime) -> Instant {
    let wanted = local.microseconds.flooredQuotient(1_000_000)
    let fraction = local.microseconds.flooredRemainder(1_000_000)
    func instant(_ seconds: Int64) -> Instant {
      let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
      return overflow
        ? Instant(microseconds: seconds < 0 ? .min : .max)
        : Instant(microseconds: scaled) + TimeSpan(microseconds: fraction)
    }
    // The first stretch of time that does not end before its clocks show the reading holds the
    // answer, unless they only begin beyond it: then it was skipped.
    var segment = segment(at: wanted - Int64(Self.maximumOffset))
    var before = segment.type.offset
    while true {
      let seconds = wanted - Int64(segment.type.offset)
      if seconds < segment.end || segment.end == .max {
        return instant(seconds >= segment.start ? seconds : wanted - Int64(before))
      }
      before = segment.type.offset
      segment = self.segment(at: segment.end)
    }
  }

  /// The first change of offset, abbreviation or daylight saving time later than an instant.
  package func nextTransition(after instant: Instant) -> Instant? {
    var current = segment(at: instant.wholeSeconds)
    // A hostile file may hold nothing but changes that change nothing; its size bounds the walk,
    // and a year-round summer of a footer is seen through in a few steps.
    for _ in 0...transitions.count + 4 {
      guard current.end < Int64.max / 1_000_000 else { return nil }
      let next = segment(at: current.end)
      if next.type != current.type { return Instant(microseconds: current.end * 1_000_000) }
      current = next
    }
    return nil
  }

  /// The offset that an abbreviation stands for in this zone, the latest one where it changed.
  func fixed(abbreviation: String) -> TimeZoneRules? {
    let known = types + [footer?.standard, footer?.daylight?.type].compactMap { $0 }
    guard let type = known.last(where: { $0.abbreviation == abbreviation }) else { return nil }
    return TimeZoneRules(
      name: abbreviation, fixedOffset: type.offset, abbreviation: abbreviation, isDST: type.isDST)
  }
}

extension TimeZoneRules {
  package static let utc = TimeZoneRules(name: "UTC", fixedOffset: 0, abbreviation: "UTC")

  /// A zone that never changes, so many seconds east of UTC.
  package init(name: String, fixedOffset: Int, abbreviation: String, isDST: Bool = false) {
    self.init(
      name: name, transitions: [], typeIndexes: [],
      types: [LocalTimeType(offset: fixedOffset, isDST: isDST, abbreviation: abbreviation)],
      footer: nil)
  }

  /// A rule in the form of POSIX, `CET-1CEST,M3.5.0,M10.5.0/3`; nil when the text is not one.
  package init?(posix text: String) {
    guard let rule = PosixTimeZone(Array(text.utf8)) else { return nil }
    self.init(
      name: text, transitions: [], typeIndexes: [], types: [rule.standard], footer: rule)
  }
}

extension TimeZoneRules {
  /// Greatest distance from UTC that is accepted, in seconds (RFC 9636 section 3.2).
  static let maximumOffset = 93_600

  /// Complexity: O(log n) in the number of transitions.
  func segment(at seconds: Int64) -> ZoneSegment {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let footer {
      let segment = footer.segment(at: seconds)
      return ZoneSegment(
        start: max(segment.start, transitions.last ?? .min), end: segment.end, type: segment.type)
    }
    let type = low == 0 ? types[0] : types[Int(typeIndexes[low - 1])]
    return ZoneSegment(
      start: low == 0 ? .min : transitions[low - 1],
      end: low < transitions.count ? transitions[low] : .max, type: type)
  }
}

extension Instant {
  /// Seconds since the epoch, rounded down.
  var wholeSeconds: Int64 { microseconds.flooredQuotient(1_000_000) }
}
