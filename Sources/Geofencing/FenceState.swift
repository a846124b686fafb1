/// What the monitor remembers of one fence: what has been decided, and what the last sample says
/// against it.
struct FenceState: Equatable {
  enum Phase: UInt8 {
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
  }

  /// The phase in the low bits, and above them the turn.
  private var bits: UInt8

  private static let phaseMask: UInt8 = 7

  static let vacant = FenceState(.vacant, turn: 0)

  /// - Parameter turn: 0 or `turnFlag`.
  @inline(__always)
  init(_ phase: Phase, turn: UInt8) { bits = phase.rawValue | turn }

  init(_ presence: Presence) {
    switch presence {
    case .unknown: self.init(.unseen, turn: 0)
    case .outside: self.init(.outside, turn: 0)
    case .inside: self.init(.inside, turn: 0)
    }
  }

  var phase: Phase { Phase(rawValue: bits & FenceState.phaseMask) ?? .vacant }

  /// Turns are told apart by this bit, which changes with each look all around: of the fences the
  /// receiver was inside of, those with the old bit do not hold the new place.
  static let turnFlag: UInt8 = 8

  @inline(__always)
  var turn: UInt8 { bits & FenceState.turnFlag }

  /// Whether the phase is `inside` or `leaving`.
  @inline(__always)
  var isInside: Bool { bits & FenceState.phaseMask >= Phase.inside.rawValue }

  @inline(__always)
  func `is`(_ phase: Phase) -> Bool { bits & FenceState.phaseMask == phase.rawValue }

  var presence: Presence {
    switch phase {
    case .vacant, .unseen, .seenOutside, .seenInside: .unknown
    case .outside, .entering: .outside
    case .inside, .leaving: .inside
    }
  }
}
