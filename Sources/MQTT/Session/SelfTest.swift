/// Whether the broker passes on what it acknowledges.
///
/// MQTT 3.1.1 has no refusal: a broker acknowledges also what its access list drops. So the service
/// subscribes to its own topic of firings and to one for the test. With each connection and every
/// day, and five minutes after a test that failed, it sends a message to the latter. If that comes
/// back, the service may read and write under its prefix, and a firing that does not come back has
/// reached nobody. If it does not, nobody knows: the access list may forbid writing, or only
/// reading.
struct SelfTest: Sendable {
  /// For a message to come back, microseconds.
  static let timeout: Int64 = 30_000_000
  /// Between two tests, microseconds.
  static let interval: Int64 = 86_400_000_000
  /// After a test that failed, microseconds: the access list may be mended.
  static let failedInterval: Int64 = 300_000_000

  enum Verdict: Equatable, Sendable {
    case unknown
    case proven
    case unproven
  }

  private(set) var verdict = Verdict.unknown
  /// The message that is due to come back, and steady time until when.
  private var expected: (text: String, until: Int64)?
  private var next = Int64.min
  /// The firing behind this number is the first that may have reached nobody.
  private(set) var missedAfter: Int?

  /// The time of the next step.
  var due: Int64 { expected?.until ?? next }

  /// - Parameter isReading: without, nothing can come back, and there is no test.
  mutating func connected(isReading: Bool) {
    verdict = isReading ? .unknown : .unproven
    expected = nil
    next = isReading ? .min : .max
  }

  /// The message of a test that begins now.
  mutating func begin(at now: Int64) -> String {
    let text = "\(now)"
    expected = (text, now + Self.timeout)
    next = now + Self.interval
    return text
  }

  /// - Returns: whether it is the message of the test.
  mutating func cameBack(_ text: String) -> Bool {
    guard text == expected?.text else { return false }
    expected = nil
    verdict = .proven
    return true
  }

  /// A firing came back: the broker passes them on.
  mutating func firingCameBack() { verdict = .proven }

  /// Whether a test has failed now.
  mutating func failed(at now: Int64) -> Bool {
    guard let expected, now >= expected.until else { return false }
    self.expected = nil
    verdict = .unproven
    next = now + Self.failedInterval
    return true
  }

  /// Whether a test is to begin.
  func isDue(at now: Int64) -> Bool { expected == nil && now >= next }

  mutating func mayHaveMissed(_ seq: Int) { missedAfter = min(missedAfter ?? .max, seq - 1) }

  /// Firings up to that number were sent again.
  mutating func caughtUp(to seq: Int, isEnd: Bool) {
    if verdict == .proven, missedAfter != nil { missedAfter = isEnd ? nil : seq }
  }
}
