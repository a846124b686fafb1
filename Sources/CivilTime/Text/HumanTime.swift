/// Times in English for people, in one zone and seen from one moment.
package struct HumanTime: Sendable {
  package let now: Instant
  package let zone: TimeZoneRules

  package init(now: Instant, zone: TimeZoneRules) {
    self.now = now
    self.zone = zone
  }

  /// `Fri 27 Nov 2026 18:00, in 3 days`.
  package func full(_ instant: Instant) -> String {
    let local = zone.localDateTime(at: instant)
    return "\(Self.day(local.date)) \(local.date.year) \(Self.minutes(local)), \(distance(instant))"
  }

  /// `Tomorrow 18:00`, `Fri 27 Nov 18:00`, and the year unless it is this one.
  package func relative(_ instant: Instant) -> String {
    let name =
      switch daysAhead(instant) {
      case -1: "Yesterday"
      case 0: "Today"
      case 1: "Tomorrow"
      default: shortDay(instant)
      }
    return "\(name) \(Self.minutes(zone.localDateTime(at: instant)))"
  }

  /// `18:00` on the present day, else as `Fri 27 Nov 18:00`. It does not go stale overnight.
  package func absolute(_ instant: Instant) -> String {
    let minutes = Self.minutes(zone.localDateTime(at: instant))
    return daysAhead(instant) == 0 ? minutes : "\(shortDay(instant)) \(minutes)"
  }

  private func daysAhead(_ instant: Instant) -> Int {
    zone.localDateTime(at: instant).date.dayNumber - zone.localDateTime(at: now).date.dayNumber
  }

  private func shortDay(_ instant: Instant) -> String {
    let date = zone.localDateTime(at: instant).date
    let isThisYear = date.year == zone.localDateTime(at: now).date.year
    return Self.day(date) + (isThisYear ? "" : " \(date.year)")
  }

  /// `18:00:07`.
  package func clock(_ instant: Instant) -> String {
    let whole = Instant(seconds: instant.seconds.rounded(.down))
    return zone.localDateTime(at: whole).time.text(decimals: .exact)
  }

  /// `in 3 days`, `2 hours ago`, `now`.
  package func distance(_ instant: Instant) -> String {
    let span = instant - now
    let words = span.words
    return words == "0 seconds" ? "now" : span > .zero ? "in \(words)" : "\(words) ago"
  }

  private static func day(_ date: CivilDate) -> String {
    let month = TimeWords.monthName(date.month).prefix(3).capitalizedWord
    return "\(date.weekday.shortName.capitalizedWord) \(date.day) \(month)"
  }

  private static func minutes(_ local: LocalDateTime) -> String {
    String(local.time.text(decimals: .exact).prefix(5))
  }
}

extension TimeSpan {
  /// The length in words, rounded, two units at most: `40 seconds`, `2 hours 5 minutes`, `3 days`,
  /// `5 months`. The sign is left out.
  package var words: String {
    let seconds = abs(self.seconds)
    func whole(_ unit: Double) -> Int { Int((seconds / unit).rounded()) }
    switch seconds {
    case ..<59.5: return Self.words(whole(1), "second")
    case ..<3_570: return Self.words(whole(60), "minute")
    case ..<86_370: return Self.words(whole(60), "minute", 60, "hour")
    case ..<171_000: return Self.words(whole(3_600), "hour", 24, "day")
    case ..<5_184_000: return Self.words(whole(86_400), "day")
    // As in systemd.time(7), a month is 30.44 days.
    case ..<61_800_300: return Self.words(whole(2_629_800), "month")
    default: return Self.words(whole(2_629_800), "month", 12, "year")
    }
  }

  private static func words(_ count: Int, _ unit: String) -> String {
    "\(count) \(unit)\(count == 1 ? "" : "s")"
  }

  /// `count` units as so many of a larger unit and the rest.
  private static func words(_ count: Int, _ unit: String, _ size: Int, _ larger: String) -> String {
    let rest = count % size
    return words(count / size, larger) + (rest == 0 ? "" : " \(words(rest, unit))")
  }
}

extension StringProtocol {
  /// With its first letter in upper case.
  var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
