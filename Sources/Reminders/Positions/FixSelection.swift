package import CivilTime
import Geofencing
package import Positioning

/// Selects, of the fixes of all receivers, the ones that the engine gets.
///
/// The gate of accuracy comes first: a coarse fix neither holds nor takes the place of the followed
/// receiver. Coarse fixes have an arbiter of their own, so that two of their sources do not mix.
package struct FixSelection: Sendable {
  private var arbiter = Arbiter()
  private var coarse = Arbiter()

  package init() {}

  /// The followed receiver.
  package var followed: FixOrigin? { arbiter.followed }

  /// Whether the engine gets a fix.
  /// - Parameter now: its arrival, as in `Arbiter.accepts`.
  package mutating func accepts(
    _ fix: Fix, from origin: FixOrigin, at now: Instant, _ settings: EngineSettings
  ) -> Bool {
    guard settings.accept(fix.source) else { return false }
    return settings.monitor.quality(of: fix.eph) == .good
      ? arbiter.accepts(fix, from: origin, at: now) : coarse.accepts(fix, from: origin, at: now)
  }

  /// Removes a disconnected receiver.
  package mutating func forget(_ origin: FixOrigin) {
    arbiter.forget(origin)
    coarse.forget(origin)
  }

  /// Removes a feed with all its receivers.
  package mutating func forget(feed: Int) {
    arbiter.forget(feed: feed)
    coarse.forget(feed: feed)
  }

  /// Restarts all measurements after a clock step.
  package mutating func clockStepped(to now: Instant) {
    arbiter.clockStepped(to: now)
    coarse.clockStepped(to: now)
  }
}
