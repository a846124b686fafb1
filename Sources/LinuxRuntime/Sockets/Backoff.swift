/// Delays before reconnecting: doubling from a first to a longest step. Each is random in the upper
/// half of its step, so that clients do not reconnect together.
package struct Backoff: Equatable, Sendable {
  /// The first and the longest step, in microseconds.
  package let first: Int64
  package let longest: Int64
  /// Duration of a connection, in microseconds, after which delays begin at the first step again.
  package let stableAfter: Int64
  private var step: Int64

  package init(
    first: Int64 = 1_000_000, longest: Int64 = 60_000_000, stableAfter: Int64 = 10_000_000
  ) {
    self.first = max(1, first)
    self.longest = max(self.first, longest)
    self.stableAfter = stableAfter
    step = self.first
  }

  /// The next delay in microseconds, from half a step to a whole one; `random` is in 0..<1.
  package mutating func next(random: Double) -> Int64 {
    let half = step / 2
    let delay = step - half + Int64(Double(half) * (random > 0 ? min(random, 1) : 0))
    step = step > longest / 2 ? longest : step * 2
    return delay
  }

  /// A connection ended that was open for so many microseconds.
  package mutating func connectionEnded(after lasted: Int64) {
    if lasted >= stableAfter { reset() }
  }

  package mutating func reset() { step = first }

  /// The same, but never waiting longer than that, in microseconds.
  package func limited(to limit: Int64) -> Backoff {
    Backoff(first: min(first, limit), longest: min(longest, limit), stableAfter: stableAfter)
  }
}
