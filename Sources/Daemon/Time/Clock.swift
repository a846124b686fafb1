import CivilTime
import LinuxRuntime

/// The time that the engine's events happen at: the system's clock, or the time of a recording.
final class Clock {
  enum Mode: Equatable {
    case system
    /// A file is played: time is what the recording says, and nothing before its first fix.
    case recording
  }

  let mode: Mode
  /// The recording's time; nil until its first fix.
  private(set) var recorded: Instant?

  init(mode: Mode) { self.mode = mode }

  /// The time; nil only before the first fix of a recording.
  var now: Instant? {
    switch mode {
    case .system: Instant(microseconds: SystemClock.now())
    case .recording: recorded
    }
  }

  /// The system's time; nil where a recording is played, whose time says nothing of this machine.
  var live: Instant? { isLive ? now : nil }

  var isLive: Bool { mode == .system }

  /// Time in a recording does not go back.
  func advance(to instant: Instant) {
    recorded = max(recorded ?? instant, instant)
  }
}
