package import CivilTime

/// Leaves out a fix of a recording that alone is far ahead of its neighbours, such as one with a
/// wrong date: its time would make all that follow old.
///
/// A fix that leaps ahead waits for the next one. If that goes on from before the leap, the waiting
/// fix is dropped. A recording may pause as long as it likes.
package struct LeapFilter<Carrier> {
  /// A longer step ahead is a leap.
  private static var leap: TimeSpan { .hours(1) }
  /// Receivers of one recording are behind one another by less.
  private static var disorder: TimeSpan { .minutes(1) }

  private var last: Instant?
  private var waiting: (time: Instant, carrier: Carrier)?
  /// How far the dropped fixes were ahead at most.
  package private(set) var largest = TimeSpan.zero
  /// The fixes that were dropped.
  package private(set) var dropped = 0

  package init() {}

  /// Takes a fix by its time, and appends what counts now, in order.
  /// - Parameter time: nil for a fix without one, which does not wait.
  package mutating func take(_ time: Instant?, _ carrier: Carrier, into found: inout [Carrier]) {
    guard let time else { return found.append(carrier) }
    if let held = waiting {
      waiting = nil
      if let last, time < held.time, time - last <= Self.leap, time >= last - Self.disorder {
        dropped += 1
        largest = max(largest, held.time - time)
      } else {
        last = held.time
        found.append(held.carrier)
      }
    }
    if let last, time - last > Self.leap {
      waiting = (time, carrier)
      return
    }
    last = last.map { max($0, time) } ?? time
    found.append(carrier)
  }

  /// The end of the recording: nothing contradicts a fix that waits.
  package mutating func finish(into found: inout [Carrier]) {
    if let held = waiting { found.append(held.carrier) }
    waiting = nil
  }
}
