import CivilTime
import Containers

/// Recognises a receiver whose clock was set back, where no trusted clock dates its fixes.
///
/// Older fixes are ignored, however many. Only if they come at the pace of the events' clock for
/// two minutes, without a newer one in between, the last time was wrong. A block of old fixes comes
/// faster, and in a recording the clock stands still meanwhile.
struct SetBackClock {
  private static let span = TimeSpan.minutes(2)
  /// Seconds between the paces of two clocks, from fix to fix.
  private static let tolerance = 2.0

  /// The last older fix, and since when they come at the right pace.
  private var last: (time: Instant, arrival: Instant, since: Instant)?

  /// A newer fix came.
  mutating func reset() { last = nil }

  /// Takes an older fix; returns whether its clock counts from now on.
  mutating func take(_ time: Instant, at now: Instant) -> Bool {
    var since = now
    if let last, time > last.time,
      abs((time - last.time).seconds - (now - last.arrival).seconds) <= Self.tolerance
    {
      since = last.since
    }
    last = now - since >= Self.span ? nil : (time, now, since)
    return last == nil
  }

  mutating func pass(_ tape: inout StateTape) {
    let zero = Instant(microseconds: 0)
    tape.pass(&last, blank: (zero, zero, zero)) {
      $1.pass(&$0.time)
      $1.pass(&$0.arrival)
      $1.pass(&$0.since)
    }
  }
}
