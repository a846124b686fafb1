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

  /// The phase in the low bits, and above them the mark.
  private var bits: UInt8

  private static let phaseMask: UInt8 = 7

  static let vacant = FenceState(phase: .vacant)
  private static let markFlag: UInt8 = 8

  @inline(__always)
  init(phase: Phase) { bits = phase.rawValue }

  init(_ presence: Presence) {
    switch presence {
    case .unknown: self.init(phase: .unseen)
    case .outside: self.init(phase: .outside)
    case .inside: self.init(phase: .inside)
    }
  }

  var phase: Phase { Phase(rawValue: bits & FenceState.phaseMask) ?? .vacant }

  /// Set while fences are told apart that hold the place, in one look and no longer.
  @inline(__always)
  var isMarked: Bool {
    get { bits & FenceState.markFlag != 0 }
    set { bits = newValue ? bits | FenceState.markFlag : bits & ~FenceState.markFlag }
  }

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
