import CivilTime
import LinuxRuntime

/// The time that the engine's events happen at: the system's clock, or the time of a recording.
final class Clock {
  /// False where a file is played: time is what the recording says, and nothing before its first
  /// fix.
  let isLive: Bool
  /// The recording's time; nil until its first fix.
  private(set) var recorded: Instant?

  init(isLive: Bool) { self.isLive = isLive }

  /// The time; nil only before the first fix of a recording.
  var now: Instant? { isLive ? Instant(microseconds: SystemClock.now()) : recorded }

  /// The system's time; nil where a recording is played, whose time says nothing of this machine.
  var live: Instant? { isLive ? now : nil }

  /// Time in a recording does not go back.
  func advance(to instant: Instant) {
    recorded = max(recorded ?? instant, instant)
  }
}
