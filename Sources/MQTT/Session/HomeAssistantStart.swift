/// The starts of Home Assistant, of which one a minute counts.
///
/// With a start, firings wait until Home Assistant has subscribed. Anybody who may write its topic
/// can claim a start. So one soon after another, or without an end before it, is doubtful: firings
/// are sent at once, and again after the wait.
struct HomeAssistantStart: Equatable, Sendable {
  /// Home Assistant needs this long to subscribe after discovery; microseconds.
  static let subscriptionTime: Int64 = 5_000_000
  /// Between two starts, microseconds.
  static let interval: Int64 = 60_000_000
  /// After a start, for the next that holds back firings, microseconds.
  static let certainInterval: Int64 = 600_000_000

  /// Steady time before which no firing is acknowledged.
  private(set) var heldUntil = Int64.min
  /// Firings are sent also while they are held.
  private(set) var isDoubtful = false
  private var last: Int64?
  /// A start came too soon after the last one, and is due when the interval has passed.
  private(set) var isDeferred = false

  /// Steady time of the next start, at the earliest.
  var next: Int64 { last.map { $0 + Self.interval } ?? .min }

  /// Home Assistant may have read the discovery now.
  mutating func hold(at now: Int64, isDoubtful: Bool = false) {
    heldUntil = now + Self.subscriptionTime
    self.isDoubtful = isDoubtful
  }

  /// - Parameter wasOnline: no end came before.
  mutating func begin(at now: Int64, wasOnline: Bool) {
    hold(at: now, isDoubtful: wasOnline || last.map { now - $0 < Self.certainInterval } ?? false)
    last = now
    isDeferred = false
  }

  mutating func `defer`() { isDeferred = true }

  mutating func cancel() { isDeferred = false }
}
