import CivilTime
import Containers

/// The clock of one mode of transport, and the entries that wait by it.
///
/// The clock shows C = now + k × odometer, in microseconds, with k the most that a way grows with
/// each metre. The slack of an entry falls by a second a second and by at most k for each metre of
/// the device. So an entry with slack s cannot be due before C has gained s − 2 × dead band × k:
/// that is its key in the heap (a kinetic heap with one certificate an entry: Basch, Guibas and
/// Hershberger, "Data Structures for Mobile Data", 1999). When the pace changes, C jumps by the
/// most that any way becomes longer, so the keys stay valid.
struct ModeClock: Sendable {
  private(set) var pace: TravelPace
  /// k in microseconds for each metre.
  private(set) var slope: Double
  /// Slack that metres may use up which the odometer does not count, microseconds.
  private(set) var margin: Int64
  /// The gain up to the last change of the pace, microseconds.
  private var gained: Int64 = 0
  /// The odometer at the last change of the pace, metres.
  private var start = 0.0
  var heap = TimerHeap()

  /// Added to the two dead bands: haversine distances are off by up to a metre near the antipode.
  static let distanceError = 2.0
  /// Rounding to whole microseconds.
  private static let roundingError: Int64 = 1_000

  /// Limits the sum of all jumps, microseconds.
  private static let maximumGained: Int64 = 1 << 57

  init(_ pace: TravelPace) {
    self.pace = pace
    slope = pace.steepness * 1e6
    margin =
      Int64(min((2 * Odometer.deadBand + Self.distanceError) * slope, 1e15)) + Self.roundingError
  }

  /// C less the time when the odometer shows `metres`, microseconds. Limited, so that a receiver
  /// that jumps around the globe for weeks makes no sum overflow.
  func gain(_ metres: Double) -> Int64 { gained + Int64(min(slope * (metres - start), 1e18)) }

  /// Changes the pace when the odometer shows `metres`.
  /// - Returns: false if the entries need new keys.
  /// - Complexity: O(1).
  mutating func change(to pace: TravelPace, metres: Double) -> Bool {
    var changed = ModeClock(pace)
    swap(&changed.heap, &heap)
    defer { self = changed }
    guard let growth = pace.growth(replacing: self.pace), growth < 1e9,
      gain(metres) < Self.maximumGained
    else { return false }
    // The margin needs no jump: between two evaluations the lowest k in force bounds what metres
    // use up uncounted.
    changed.gained = gain(metres) + Int64(growth * 1e6) + Self.roundingError
    changed.start = metres
    return true
  }

  func reading(_ now: Instant, _ metres: Double) -> Int64 { now.microseconds + gain(metres) }
}
