/// What the monitor remembers of one fence: what has been decided, and what the last sample says
/// against it.
enum FenceState: UInt8 {
  /// No fence has this number.
  case vacant
  /// Undecided and never looked at.
  case unseen
  /// Undecided; the last sample was outside.
  case seenOutside
  /// Undecided; the last sample was inside.
  case seenInside
  case outside
  /// Outside, but the last sample was inside.
  case entering
  case inside
  /// Inside, but the last sample was beyond the margin.
  case leaving

  var presence: Presence {
    switch self {
    case .vacant, .unseen, .seenOutside, .seenInside: .unknown
    case .outside, .entering: .outside
    case .inside, .leaving: .inside
    }
  }

  init(_ presence: Presence) {
    switch presence {
    case .unknown: self = .unseen
    case .outside: self = .outside
    case .inside: self = .inside
    }
  }
}
