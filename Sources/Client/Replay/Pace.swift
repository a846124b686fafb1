import CivilTime
import Glibc
import LinuxRuntime

/// Keeps the pace of a recording.
final class Pace {
  private let rate: Double?
  /// A recorded time and the matching machine time.
  private var anchor: (recorded: Instant, monotonic: Int64)?

  init(_ speed: ReplaySpeed) {
    rate = if case .rate(let rate) = speed { rate } else { nil }
  }

  var isUnlimited: Bool { rate == nil }

  /// Sleeps until the recording has come to this moment.
  func wait(for time: Instant) {
    guard let rate else { return }
    guard let anchor else {
      anchor = (time, SystemClock.monotonic.microseconds)
      return
    }
    let offset = (time - anchor.recorded).seconds / rate * 1e6
    guard offset > 0, offset < 1e15 else { return }
    let target = anchor.monotonic + Int64(offset)
    while true {
      let rest = target - SystemClock.monotonic.microseconds
      guard rest > 0 else { return }
      var time = timespec(tv_sec: Int(rest / 1_000_000), tv_nsec: Int(rest % 1_000_000) * 1000)
      nanosleep(&time, nil)
    }
  }
}
