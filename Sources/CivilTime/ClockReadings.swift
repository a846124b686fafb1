/// The present, on two clocks.
package struct ClockReadings: Sendable {
  /// Microseconds of a clock that never steps.
  package let steady: Int64
  package let real: Instant

  package init(steady: Int64, real: Instant) {
    self.steady = steady
    self.real = real
  }
}
