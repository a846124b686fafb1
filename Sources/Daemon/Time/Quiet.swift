import CivilTime

/// When firings that are not urgent wait for their way to the destinations: during the hours of
/// `QuietHours=`, and while a person has muted them.
struct Quiet: Equatable {
  enum Choice: Equatable {
    /// nil: until a person ends it.
    case muted(until: Instant?)
    /// A person has ended the hours under way.
    case awake(until: Instant)

    /// `muted`, `muted TIME` or `awake TIME`, the times by RFC 3339.
    init?(_ text: String) {
      let words = text.split(separator: " ")
      let time = words.dropFirst().first.flatMap { try? Instant(rfc3339: String($0)) }
      switch (words.first, time) {
      case ("muted", nil) where words.count == 1: self = .muted(until: nil)
      case ("muted", let time?): self = .muted(until: time)
      case ("awake", let time?): self = .awake(until: time)
      default: return nil
      }
    }

    var text: String {
      switch self {
      case .muted(let until): until.map { "muted \($0.json)" } ?? "muted"
      case .awake(let until): "awake \(until.json)"
      }
    }
  }

  struct Span: Equatable {
    /// nil: until a person ends it.
    let until: Instant?
    let isMuted: Bool
  }

  var hours: HourRange?
  var choice: Choice?

  /// The quiet at `now`; nil if there is none. A mute that ends within the hours goes on with them.
  func span(at now: Instant, zone: TimeZoneRules) -> Span? {
    switch choice {
    case .muted(nil): return Span(until: nil, isMuted: true)
    case .muted(let until?) where now < until:
      return Span(until: endOfHours(at: until, zone) ?? until, isMuted: true)
    case .awake(let until) where now < until: return nil
    default: return endOfHours(at: now, zone).map { Span(until: $0, isMuted: false) }
    }
  }

  /// The end of the hours that contain `now`.
  private func endOfHours(at now: Instant, _ zone: TimeZoneRules) -> Instant? {
    let local = zone.localDateTime(at: now)
    guard let hours, hours.contains(local.time) else { return nil }
    return zone.instant(of: hours.nextClosing(after: local))
  }

  /// Ends the quiet at `now`.
  mutating func end(at now: Instant, zone: TimeZoneRules) {
    choice = endOfHours(at: now, zone).map { .awake(until: $0) }
  }
}
