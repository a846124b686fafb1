/// How long one task may keep the loop: a long one works in several turns, and clients, fixes and
/// timers come in between.
///
///     let turn = LoopTurn()
///     while !turn.isOver { … the next piece, of some milliseconds at most … }
package struct LoopTurn {
  /// Microseconds.
  package static let length: Int64 = 20_000

  private let end: Int64

  package init() { end = SystemClock.monotonic.microseconds + Self.length }

  package var isOver: Bool { SystemClock.monotonic.microseconds >= end }
}
