package import CivilTime

/// The state of an anchor watch in this run.
package struct AnchorWatch: Equatable, Sendable {
  /// The beginning of this run, or of the watch.
  package let since: Instant
  /// Arrival of the last usable fix, or the beginning.
  package internal(set) var lastFix: Instant
  /// Whether the loss of position was reported.
  package internal(set) var isLost = false
  /// Until when the conditions forbid to report the loss.
  var silentUntil: Instant?
  /// Metres from the anchor at the last usable fix.
  package internal(set) var distance: Double?
  /// The largest distance that two fixes in a row have reached, metres.
  package internal(set) var largestSwing = 0.0

  init(since: Instant) {
    self.since = since
    lastFix = since
  }

  /// Metres inside the edge of a circle at which the device is back. Within them the error of a
  /// fix ends no hold.
  static func margin(radius: Double) -> Double { min(5, radius / 4) }

  mutating func follow(_ distance: Double, at now: Instant) {
    lastFix = now
    isLost = false
    silentUntil = nil
    largestSwing = max(largestSwing, min(distance, self.distance ?? 0))
    self.distance = distance
  }
}
