import Glibc

/// The system's clocks, in microseconds.
package enum SystemClock: Sendable {
  /// Wall-clock time since 1970-01-01T00:00:00Z; steps when it is set.
  case realTime
  /// As `realTime`; a timer on it wakes the machine from suspend, which takes CAP_WAKE_ALARM.
  case realTimeAlarm
  /// Time since some moment before start-up; never steps, stands still in suspend.
  case monotonic
  /// As `monotonic`, but runs on in suspend.
  case bootTime

  var identifier: clockid_t {
    switch self {
    case .realTime: CLOCK_REALTIME
    case .realTimeAlarm: CLOCK_REALTIME_ALARM
    case .monotonic: CLOCK_MONOTONIC
    case .bootTime: CLOCK_BOOTTIME
    }
  }

  /// Microseconds on this clock.
  package var microseconds: Int64 {
    var time = timespec()
    guard clock_gettime(identifier, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000
  }

  /// Wall-clock microseconds since 1970-01-01T00:00:00Z.
  package static func now() -> Int64 { SystemClock.realTime.microseconds }
}
