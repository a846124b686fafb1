import CivilTime
import Geodesy

/// The trips that a "leave" has set off, from the start to the arrival: what they teach of the next
/// ones, and of themselves while they last.
///
/// A trip begins when the device is 150 m away from where it was told to leave, and ends in the place.
/// Its ratio is the time it took over what the mode's profile says for the straight line between the
/// two, without the overhead. A ratio that is not plausible ends it: another mode, or a detour.
struct TripLog: Sendable {
  private struct Trip: Sendable {
    var transport: Reminder.Transport
    var told: Direction
    var goal: Direction
    var goalRadius: Double
    var due: Instant
    var start: (point: Direction, time: Instant)?
    /// What it has taken over the profile until now, and what the profile says; nil where it is too early
    /// to tell.
    var measured: (ratio: Double, usual: Double)?

    enum State { case underWay, over, arrived }

    /// Follows the trip to where the device is.
    mutating func follow(
      to here: Direction, at now: Instant, _ estimator: TravelEstimator
    ) -> State {
      measured = nil
      guard now - due < TripLog.patience else { return .over }
      guard let start, start.time <= now else {
        if here.distance(to: told) > TripLog.startDistance { start = (here, now) }
        return .underWay
      }
      let way = here.distance(to: start.point)
      let elapsed = (now - start.time).seconds
      let hasArrived = here.isWithin(goalRadius, of: goal)
      guard way >= TripLog.shortest, elapsed >= TripLog.firstPace.seconds || hasArrived else {
        return hasArrived ? .over : .underWay
      }
      let usual = estimator.profile(of: transport).seconds(way)
      guard TravelExperience.plausible.contains(elapsed / usual) else { return .over }
      measured = (elapsed / usual, usual)
      return hasArrived ? .arrived : .underWay
    }
  }

  /// Metres from where it was told that are a start.
  private static let startDistance = 150.0
  /// Metres of straight line below which a trip teaches nothing.
  private static let shortest = 500.0
  /// After so long a trip says something of its own pace.
  private static let firstPace = TimeSpan.minutes(3)
  private static let mostTrips = 8
  /// Metres of the odometer between two looks.
  private static let stride = 50.0
  /// A trip that has not ended so long after it was due is none.
  private static let patience = TimeSpan.hours(2)

  private var trips: [Trip] = []
  private var nextLook = Double.infinity
  /// The ratio measured of each mode, in fourths of a doubling; 0 where there is none. A pace that changes by
  /// little changes nothing.
  private var steps = [0, 0, 0]
  /// What follows from them, as far ahead as the last power of two seconds.
  private(set) var paces = [TripPace](repeating: .usual, count: 3)

  /// 2 to the power of −4…4 fourths.
  private static let factors = [
    0.5, 0.594_603_557_501_360_5, 0.707_106_781_186_547_6, 0.840_896_415_253_714_6, 1,
    1.189_207_115_002_721, 1.414_213_562_373_095_1, 1.681_792_830_507_429_1, 2,
  ]

  /// What the trip under way has shown of a mode.
  func pace(of transport: Reminder.Transport) -> TripPace {
    paces[LeaveSchedule.mode(transport)]
  }

  /// A "leave" was told.
  mutating func begin(
    by transport: Reminder.Transport, from here: Direction, to place: Reminder.Place, due: Instant,
    metres: Double
  ) {
    let goal = Direction(place.position)
    guard here.distance(to: goal) > place.radius + Self.shortest else { return }
    // Two reminders of one trip are one trip.
    trips.removeAll { $0.transport == transport && $0.goal.distance(to: goal) < Self.shortest }
    if trips.count >= Self.mostTrips { trips.removeFirst() }
    trips.append(
      Trip(
        transport: transport, told: here, goal: goal, goalRadius: place.radius, due: due))
    nextLook = min(nextLook, metres + Self.stride)
  }

  /// Whether the device has gone far enough for a look. Complexity: O(1).
  func isDue(_ metres: Double) -> Bool { metres >= nextLook }

  /// Follows the trips to where the device is, and answers the ratios of those that have ended well.
  /// Complexity: O(trips), eight of them at most.
  mutating func follow(
    to here: Direction, at now: Instant, metres: Double, _ estimator: TravelEstimator
  ) -> [(transport: Reminder.Transport, ratio: Double)] {
    var learnt: [(Reminder.Transport, Double)] = []
    var kept = 0
    for number in trips.indices {
      let state = trips[number].follow(to: here, at: now, estimator)
      if state == .arrived, let measured = trips[number].measured {
        learnt.append((trips[number].transport, measured.ratio))
      }
      guard state == .underWay else { continue }
      if kept < number { trips[kept] = trips[number] }
      kept += 1
    }
    trips.removeLast(trips.count - kept)
    nextLook = trips.isEmpty ? .infinity : metres + Self.stride
    for transport in Reminder.Transport.allCases { setPace(of: transport) }
    return learnt
  }

  private mutating func setPace(of transport: Reminder.Transport) {
    let mode = LeaveSchedule.mode(transport)
    // What the trip says that began last.
    let last = trips.last { $0.transport == transport && $0.measured != nil }
    if let (ratio, usual) = last?.measured {
      let quarters = 4 * Self.binaryLogarithm(ratio)
      if abs(quarters - Double(steps[mode])) > 0.75 {
        steps[mode] = min(max(Int(quarters.rounded()), -4), 4)
      }
      paces[mode] =
        steps[mode] == 0
        ? .usual : TripPace(ratio: Self.factors[steps[mode] + 4], reach: usual.binade)
    } else if steps[mode] != 0, !trips.contains(where: { $0.transport == transport }) {
      steps[mode] = 0
      paces[mode] = .usual
    }
  }

  private static func binaryLogarithm(_ ratio: Double) -> Double {
    Double(ratio.exponent) + (ratio.significand - 1)
  }
}
