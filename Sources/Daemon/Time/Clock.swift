import CivilTime
import LinuxRuntime

/// The time that the engine's events happen at: the system's clock, or the time of a recording.
final class Clock {
  /// False where a file is played: time is what the recording says, and nothing before its first
  /// fix.
  let isLive: Bool
  /// The recording's time; nil until its first fix.
  private(set) var recorded: Instant?

  private let system: () -> Int64

  /// - Parameter system: the system's clock, microseconds since 1970.
  init(isLive: Bool, system: @escaping () -> Int64 = SystemClock.now) {
    self.isLive = isLive
    self.system = system
  }

  /// The system's time, whatever is played.
  var ofSystem: Instant { Instant(microseconds: system()) }

  /// The time; nil only before the first fix of a recording.
  var now: Instant? { isLive ? ofSystem : recorded }

  /// The time; the system's before the first fix of a recording.
  var nowOrSystem: Instant { now ?? ofSystem }

  /// The system's time; nil where a recording is played, whose time says nothing of this machine.
  var live: Instant? { isLive ? now : nil }

  /// Time in a recording does not go back.
  func advance(to instant: Instant) {
    recorded = max(recorded ?? instant, instant)
  }
}
