/// How long one task may keep the loop: a long one works in several turns, and clients, fixes and
/// timers come in between.
///
///     let turn = LoopTurn()
///     while !turn.isOver { … the next piece, of some milliseconds at most … }
package struct LoopTurn {
  /// Microseconds.
  package static let length: Int64 = 20_000

  private let end: Int64

  /// - Parameter part: of the length; what follows the pieces, such as their commit, has the rest.
  package init(part: Double = 1) {
    end = SystemClock.monotonic.microseconds + Int64(Double(Self.length) * part)
  }

  package var isOver: Bool { SystemClock.monotonic.microseconds >= end }
}
