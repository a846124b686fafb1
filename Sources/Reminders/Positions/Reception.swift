package import CivilTime
import Containers
import Geofencing
package import Positioning

/// The fixes that have arrived, and since when none has.
struct Reception: Sendable {
  /// The last accepted fix.
  var fix: Fix?
  /// `fix` as given to the monitors; nil before the first fix of this run.
  var sample: PositionSample?
  /// Arrival of `fix` by the clock of the events.
  var arrival: Instant?
  /// The receiver of `fix`.
  var origin = FixOrigin(feed: 0)
  /// Whether `fix` arrived without a time.
  var isTimeGuessed = false
  /// The last fix that was too inaccurate for the track, and its arrival.
  @Boxed var coarse: (fix: Fix, arrival: Instant)?
  var isLost = false
  /// Start of the wait for a fix: the arrival of the last one, or the first event of this run.
  var silentSince: Instant?
  /// When anything came last in this run, usable or not.
  var heard: Instant?
  /// The first event of this run.
  var runSince: Instant?
  /// Until when times to leave wait for the first fix of this run; nil for no wait.
  var firstFixBy: Instant?
  var setBackClock = SetBackClock()
}

extension Engine {
  /// The last accepted fix.
  package var lastFix: Fix? { reception.fix }

  /// The same as a sample, also of an earlier run.
  var lastSample: PositionSample? {
    guard let fix = lastFix, let time = fix.time ?? lastFixArrival else { return nil }
    return PositionSample(time: time, position: fix.position, eph: fix.eph, speed: fix.speed)
  }

  /// Arrival of `lastFix` by the clock of the events.
  package var lastFixArrival: Instant? { reception.arrival }

  /// The last fix that was too inaccurate for the track, and its arrival.
  package var coarseFix: (fix: Fix, arrival: Instant)? { reception.coarse }

  package var isPositionLost: Bool { reception.isLost }
}
