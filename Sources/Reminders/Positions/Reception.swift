package import CivilTime
import Containers
import Geodesy
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

extension Reception {
  /// Passes the last fixes, of one receiver.
  mutating func pass(_ tape: inout StateTape) {
    let blank = Fix(time: nil, position: .origin)
    tape.pass(&fix, blank: blank) { $0.pass(&$1) }
    tape.pass(&sample, blank: .blank) { $0.pass(&$1) }
    tape.pass(&arrival)
    tape.pass(&isTimeGuessed)
    tape.pass(&coarse, blank: (blank, Instant(microseconds: 0))) {
      $0.fix.pass(&$1)
      $1.pass(&$0.arrival)
    }
    setBackClock.pass(&tape)
  }

  /// Passes when something came.
  mutating func passSilence(_ tape: inout StateTape) {
    tape.pass(&heard)
    tape.pass(&runSince)
    tape.pass(&silentSince)
  }
}

extension Fix {
  /// The part that decisions and firings use.
  fileprivate mutating func pass(_ tape: inout StateTape) {
    tape.pass(&time)
    tape.pass(&position)
    tape.pass(&speed)
    tape.pass(&track)
    tape.pass(&eph)
    tape.pass(&source)
  }
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

  /// Degrees from true north, by the receiver or by its last positions; nil if unknown or at rest.
  package var course: Double? { motion.course }

  package var isPositionLost: Bool { reception.isLost }
}
