import CivilTime

/// The mutes of members: for each user an interval, the last one.
///
/// A mute of root is a `Quiet.Choice`. An interval outlives its end, because the firings in it are
/// summed up then.
struct Mutes: Equatable {
  struct Interval: Equatable {
    let start: Instant
    /// nil: until the user ends it.
    var end: Instant?

    func contains(_ time: Instant) -> Bool {
      start <= time && end.map { time < $0 } ?? true
    }
  }

  /// Containers have users without end.
  static let maximumUsers = 100

  private(set) var intervals: [UInt32: Interval] = [:]

  init() {}

  /// Reads `text`; an unreadable interval is left out.
  init(_ text: String) {
    for entry in text.split(separator: ";") {
      let words = entry.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 3, let user = UInt32(words[0]),
        let start = try? Instant(rfc3339: String(words[1]))
      else { continue }
      let end = try? Instant(rfc3339: String(words[2]))
      guard end != nil || words[2].isEmpty else { continue }
      intervals[user] = Interval(start: start, end: end)
    }
  }

  /// `UID START END` with times by RFC 3339, divided by `;`. An interval without an end has none.
  var text: String {
    intervals.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value.start.json) \($0.value.end?.json ?? "")" }
      .joined(separator: ";")
  }

  /// Mutes for a user, or moves the end of the present mute.
  /// - Returns: false where too many users have muted.
  mutating func begin(of user: UInt32, at now: Instant, until end: Instant?) -> Bool {
    if intervals[user] == nil, intervals.count >= Self.maximumUsers {
      let ended = intervals.filter { !$0.value.contains(now) }
      guard let oldest = ended.min(by: { ($0.value.start, $0.key) < ($1.value.start, $1.key) })
      else { return false }
      intervals[oldest.key] = nil
    }
    let present = intervals[user].flatMap { $0.contains(now) ? $0.start : nil }
    intervals[user] = Interval(start: present ?? now, end: end)
    return true
  }

  mutating func end(of user: UInt32, at now: Instant) {
    if intervals[user]?.contains(now) == true { intervals[user]?.end = now }
  }
}
