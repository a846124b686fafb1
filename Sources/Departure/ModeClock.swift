import CivilTime
import Containers

/// The clock of one mode of transport, and the entries that wait by it.
///
/// The clock shows C = now + k × odometer, in microseconds, with k the most that a way grows with each
/// metre. The slack of an entry falls by a second a second and by at most k for each metre of the
/// device. So an entry with slack s cannot be due before C has gained s − 2 × dead band × k: that is
/// its key in the heap (a kinetic heap with one certificate an entry: Basch, Guibas and Hershberger,
/// "Data Structures for Mobile Data", 1999).
struct ModeClock: Sendable {
  let pace: TravelPace
  /// k in microseconds for each metre.
  let slope: Double
  /// Slack that metres may use up which the odometer does not count, microseconds.
  let margin: Int64
  var heap = TimerHeap()

  /// Added to the two dead bands: haversine distances are off by up to a metre near the antipode.
  private static let distanceError = 2.0
  /// Rounding to whole microseconds.
  private static let roundingError: Int64 = 1_000

  init(_ pace: TravelPace) {
    self.pace = pace
    slope = pace.steepness * 1e6
    margin =
      Int64(min((2 * Odometer.deadBand + Self.distanceError) * slope, 1e15)) + Self.roundingError
  }

  /// The share of the clock that `metres` of the odometer make, microseconds. Limited, so that a
  /// receiver that jumps around the globe for weeks makes no sum overflow.
  func gain(_ metres: Double) -> Int64 { Int64(min(slope * metres, 1e18)) }

  func reading(_ now: Instant, _ metres: Double) -> Int64 { now.microseconds + gain(metres) }
}
