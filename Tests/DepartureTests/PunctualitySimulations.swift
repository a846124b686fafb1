import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

@testable import Departure

/// Lateness of people who leave when it is time, over months of appointments.
@Suite struct PunctualitySimulations {
  /// An appointment, and what the way to it takes from the door to the place.
  private struct Appointment {
    var goal: Coordinate
    var distance: Double
    var time: TimeOfWeek
    var seconds: Double
    /// On empty roads, without parking.
    var free: Double
  }

  private struct Tally {
    var (count, late, muchLate, wait) = (0, 0, 0, 0.0)

    mutating func add(_ arrival: Double) {
      count += 1
      if arrival > 0 { late += 1 }
      if arrival > 300 { muchLate += 1 }
      wait += max(0, -arrival) / 60
    }

    func share(_ number: Int) -> Double { Double(number) / Double(count) }
    var meanWait: Double { wait / Double(count) }
  }

  /// A year of a person: three usual places and others, rush hours, parking, and a day's own luck.
  private static func life(_ dice: inout SeededGenerator) -> [Appointment] {
    func normal() -> Double {
      let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &dice))).squareRoot()
      return radius * cos(Double.random(in: 0..<(2 * .pi), using: &dice))
    }
    func place() -> (Coordinate, Double, Double) {
      let distance = min(25_000, 700 - 6_000 * log(Double.random(in: 1e-9..<1, using: &dice)))
      let goal = home.destination(bearing: .random(in: 0..<360, using: &dice), distance: distance)
      // Roads differ: a motorway, a river.
      let free = (TravelProfile.driving.seconds(distance) - 300) * 0.78 * exp(0.15 * normal())
      return (goal, distance, free)
    }
    let usual = (0..<3).map { _ in place() }
    let hours = (0..<3).map { _ in [8, 9, 12, 17, 18, 20].randomElement(using: &dice) ?? 9 }
    let (style, parking) = (exp(0.07 * normal()), Double.random(in: 90...360, using: &dice))
    return (0..<60).map { day in
      let number = Int.random(in: 0..<4, using: &dice)
      let (goal, distance, free) = number < 3 ? usual[number] : place()
      let hour = number < 3 ? Double(hours[number]) : .random(in: 7.5...21, using: &dice)
      let isWeekend = day % 7 >= 5
      let rush =
        isWeekend ? 0 : 0.55 * exp(-pow(hour - 8.3, 2)) + 0.6 * exp(-pow((hour - 17.8) / 1.4, 2))
      let traffic = (1.1 + rush) * exp(0.1 * normal())
      let stop = Int.random(in: 0..<16, using: &dice) == 0 ? 400.0 : 0
      return Appointment(
        goal: goal, distance: distance, time: TimeOfWeek(hour: hour, isWeekend: isWeekend),
        seconds: free * traffic * style + stop + parking * .random(in: 0.6...1.5, using: &dice),
        free: free)
    }
  }

  private static let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)

  private static func follow(
    _ life: [Appointment], share: Double, isRouted: Bool, into tally: inout Tally
  ) {
    var predictor = TravelPredictor(punctuality: share)
    for next in life {
      let query = TravelQuery(
        .driving, to: Vector(next.goal), distance: next.distance, time: next.time,
        routed: isRouted ? next.free : nil)
      tally.add(next.seconds - predictor.predict(query).seconds)
      predictor.experience.add(
        Trip(
          goal: next.goal, distance: next.distance, seconds: next.seconds, time: next.time,
          routed: query.routed), by: .driving)
    }
  }

  @Test(arguments: [false, true])
  func mostArriveInTimeAndWaitLittle(isRouted: Bool) {
    var tally = Tally()
    for seed in 0..<60 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      Self.follow(Self.life(&dice), share: 0.85, isRouted: isRouted, into: &tally)
    }
    #expect(tally.share(tally.late) <= 0.2)
    #expect(tally.share(tally.muchLate) <= 0.05)
    #expect(tally.meanWait <= 5)
  }

  /// The share that is asked for is the share that arrives.
  @Test(arguments: [0.5, 0.7, 0.85, 0.95])
  func thePunctualityIsKept(share: Double) {
    var tally = Tally()
    for seed in 100..<160 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      Self.follow(Self.life(&dice), share: share, isRouted: false, into: &tally)
    }
    #expect(abs(1 - tally.share(tally.late) - share) < 0.06, "\(1 - tally.share(tally.late))")
  }

  /// Trips of a file: person, place, metres, hour, 1 at a weekend, seconds, free seconds.
  @Test(.enabled(if: getenv("GEOREMIND_TRIPS") != nil, "GEOREMIND_TRIPS names no file of trips"))
  func tripsOfAFileArriveInTime() throws {
    let path = try #require(getenv("GEOREMIND_TRIPS").map { String(cString: $0) })
    var lives: [[Appointment]] = []
    var person: Substring?
    for line in String(decoding: try fileBytes(path), as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: ",")
      let numbers = fields.compactMap { Double($0) }
      guard numbers.count == 7 else { continue }
      if person != fields[0] { lives.append([]) }
      person = fields[0]
      lives[lives.count - 1].append(
        Appointment(
          goal: Self.home.destination(bearing: 0, distance: 1_000 * numbers[1]),
          distance: numbers[2],
          time: TimeOfWeek(hour: numbers[3], isWeekend: numbers[4] == 1), seconds: numbers[5],
          free: numbers[6]))
    }
    for isRouted in [false, true] {
      var tally = Tally()
      for life in lives { Self.follow(life, share: 0.85, isRouted: isRouted, into: &tally) }
      print(
        "routed \(isRouted): \(tally.count) trips, late \(tally.share(tally.late)), by more than",
        "5 min \(tally.share(tally.muchLate)), mean wait \(tally.meanWait) min")
      #expect(tally.share(tally.late) <= 0.2)
      #expect(tally.share(tally.muchLate) <= 0.05)
      #expect(tally.meanWait <= 5)
    }
  }
}
