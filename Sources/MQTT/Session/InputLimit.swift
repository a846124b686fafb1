/// The subscriptions after a message of the broker that is too large.
///
/// MQTT 5 has a limit that the broker keeps. With 3.1.1 such a message ends the connection, and a
/// retained one would end each. So less is subscribed for an hour: first no positions of phones,
/// then nothing. Firings go on.
struct InputLimit: Equatable, Sendable {
  /// Microseconds.
  static let duration: Int64 = 3_600_000_000

  enum Level: Int, Sendable {
    case all
    case noPhones
    case nothing
  }

  private(set) var level = Level.all
  /// Steady time at which it ends.
  private(set) var end = Int64.max

  mutating func oversized(at now: Int64) {
    level = level == .all ? .noPhones : .nothing
    end = now + Self.duration
  }

  /// Whether all is read again from now on.
  mutating func ends(at now: Int64) -> Bool {
    guard now >= end else { return false }
    self = Self()
    return true
  }
}
