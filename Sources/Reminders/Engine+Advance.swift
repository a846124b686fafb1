package import CivilTime

extension Engine {
  /// Lets time pass up to `end` on a virtual clock: each deadline comes at its own time, as it does
  /// where the clock runs by itself. So a recording played slowly, quickly or at once gives the same
  /// firings.
  package mutating func advance(to end: Instant, into effects: inout [Effect]) {
    while let deadline = nextDeadline, deadline <= end {
      handle(.tick, at: deadline, into: &effects)
    }
  }
}
