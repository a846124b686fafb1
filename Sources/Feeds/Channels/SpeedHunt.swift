/// Finds the speed of a serial line: a speed with unintelligible bytes is replaced by the next,
/// until the owner reports valid data.
///
/// It has no clock: the owner reports bytes and expired times, in microseconds of one clock.
struct SpeedHunt: Equatable, Sendable {
  /// Receiver speeds, the most common first.
  static let speeds = [
    9600, 115_200, 38400, 4800, 57600, 19200, 230_400, 460_800, 921_600,
  ]
  /// Fewer bytes may be one partial sentence: the longest standard one has 82 (NMEA 0183).
  static let fewBytes = 100
  /// Microseconds without valid data after which the hunt begins anew, as after a receiver's reset.
  static let relapse: Int64 = 10_000_000
  /// Bytes needed as well: more than two partial bursts of a receiver that reports once a minute.
  static let relapseBytes = 500

  /// The owner's next action.
  enum Step: Equatable {
    case none
    /// Call `timeIsUp` at that time.
    case wait(until: Int64)
    /// Set the line to the present `speed`, which is another one.
    case change
  }

  /// Limit for unintelligible bytes, from the first of them.
  let timeout: Int64
  /// The speed that the line is to have, in baud.
  private(set) var speed = speeds[0]
  /// Whether something was understood at this speed.
  private(set) var isConfirmed = false
  /// Bytes since the last that made sense, and when the first of them came.
  private var bytes = 0
  private var first: Int64?
  private var lastGood: Int?

  init(timeout: Int64) { self.timeout = timeout }

  /// Begins with the last good speed, else with the line's present speed.
  mutating func begin(leftAt left: Int?) {
    speed = lastGood ?? left.flatMap { Self.speeds.contains($0) ? $0 : nil } ?? Self.speeds[0]
    isConfirmed = false
    forgetBytes()
  }

  /// Takes a number of unintelligible bytes.
  mutating func took(_ count: Int, at now: Int64) -> Step {
    bytes = min(bytes, 1 << 20) + min(count, 1 << 20)
    guard let first else {
      first = now
      return isConfirmed ? .none : .wait(until: now + timeout)
    }
    guard isConfirmed, now - first >= Self.relapse, bytes >= Self.relapseBytes else { return .none }
    isConfirmed = false
    return next()
  }

  /// Reports valid data among the bytes so far.
  mutating func confirm() {
    isConfirmed = true
    lastGood = speed
    forgetBytes()
  }

  /// The time of the last `wait` has come.
  mutating func timeIsUp(at now: Int64) -> Step {
    guard !isConfirmed, let first else { return .none }
    let limit = first + (bytes < Self.fewBytes ? 2 * timeout : timeout)
    return now < limit ? .wait(until: limit) : next()
  }

  private mutating func next() -> Step {
    let place = Self.speeds.firstIndex(of: speed) ?? -1
    speed = Self.speeds[(place + 1) % Self.speeds.count]
    forgetBytes()
    return .change
  }

  private mutating func forgetBytes() {
    bytes = 0
    first = nil
  }
}
