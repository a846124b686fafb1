/// A moment in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds (POSIX time),
/// the resolution that systemd and the journal use.
@frozen @usableFromInline
package struct Instant: Hashable, Comparable, Sendable {
  @usableFromInline package var microseconds: Int64

  @inlinable @inline(__always)
  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Whole and fractional seconds since the epoch; values beyond what fits are clamped.
  package init(seconds: Double) {
    self.microseconds = Int64(clampingToMicroseconds: seconds)
  }

  /// Seconds since the epoch.
  @inlinable @inline(__always)
  package var seconds: Double { Double(microseconds) / 1e6 }

  @inlinable @inline(__always)
  package static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }

  /// Saturating: never traps, whatever came from the wire.
  @inlinable @inline(__always)
  package static func + (a: Instant, b: TimeSpan) -> Instant {
    let (sum, overflow) = a.microseconds.addingReportingOverflow(b.microseconds)
    return Instant(microseconds: overflow ? (b.microseconds < 0 ? .min : .max) : sum)
  }

  @inlinable @inline(__always)
  package static func - (a: Instant, b: TimeSpan) -> Instant {
    let (difference, overflow) = a.microseconds.subtractingReportingOverflow(b.microseconds)
    return Instant(microseconds: overflow ? (b.microseconds > 0 ? .min : .max) : difference)
  }

  @inlinable @inline(__always)
  package static func - (a: Instant, b: Instant) -> TimeSpan {
    let (difference, overflow) = a.microseconds.subtractingReportingOverflow(b.microseconds)
    return TimeSpan(
      microseconds: overflow ? (a.microseconds < b.microseconds ? .min : .max) : difference)
  }

  package static func += (a: inout Instant, b: TimeSpan) { a = a + b }
}

/// A length of time in microseconds; may be negative.
@frozen @usableFromInline
package struct TimeSpan: Hashable, Comparable, Sendable {
  @usableFromInline package var microseconds: Int64

  @inlinable @inline(__always)
  package init(microseconds: Int64) { self.microseconds = microseconds }

  package init(seconds: Double) { self.microseconds = Int64(clampingToMicroseconds: seconds) }

  package static let zero = TimeSpan(microseconds: 0)

  package static func seconds(_ value: Double) -> TimeSpan { TimeSpan(seconds: value) }

  package static func minutes(_ value: Double) -> TimeSpan { TimeSpan(seconds: value * 60) }

  package static func hours(_ value: Double) -> TimeSpan { TimeSpan(seconds: value * 3600) }

  @inlinable @inline(__always)
  package var seconds: Double { Double(microseconds) / 1e6 }

  @inlinable @inline(__always)
  package static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.microseconds < b.microseconds }
}

extension Int64 {
  /// Seconds to microseconds, rounded to nearest, clamped to the range; not-a-number is 0.
  fileprivate init(clampingToMicroseconds seconds: Double) {
    let scaled = (seconds * 1e6).rounded()
    self = Int64(exactly: scaled) ?? (scaled > 0 ? .max : scaled < 0 ? .min : 0)
  }
}
