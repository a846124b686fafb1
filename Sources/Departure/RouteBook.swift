package import CivilTime
package import Geodesy

/// The answers of a routing engine for the ways of reminders, and the requests to it.
///
/// Each mode has one request at a time, and none for a while after a failure. Nothing waits for an
/// answer: the estimate by straight line is always there.
package struct RouteBook: Sendable {
  /// The way of one reminder.
  package struct Answer: Equatable, Sendable {
    var origin: Vector
    /// From there to the place, metres of straight line.
    var distance: Double
    /// Seconds on the way.
    var seconds: Double
    package var time: Instant

    /// Seconds for the rest of the way, in proportion to the formula, and never longer than
    /// plausible from here; without the overhead.
    func seconds(_ profile: TravelProfile, from distance: Double) -> Double {
      func usual(_ distance: Double) -> Double {
        profile.seconds(distance) - profile.overhead.seconds
      }
      let then = usual(self.distance)
      let share = then > 0 ? usual(distance) / then : 1
      return min(seconds * share, profile.longestPlausible(distance))
    }
  }

  private struct Flight: Sendable {
    var number: Int
    var origin: Coordinate
    var slots: [Int32]
    var time: Instant
  }

  /// An answer counts for this long.
  static let longestAge = TimeSpan.hours(1)
  static let maximumDestinations = 100
  /// A request whose answer was lost has failed after this time: longer than the daemon waits.
  static let timeout = TimeSpan.minutes(1)
  static let pauseAfterFailure = TimeSpan.seconds(30)

  /// Whether there is an engine to ask; without one no earlier answer counts.
  package var isOn = false {
    didSet {
      guard !isOn else { return }
      answers = [:]
      (wanted, flights) = (Self.nothingWanted, Self.noFlights)
    }
  }
  private var answers: [Int32: Answer] = [:]
  /// By mode, as the next two.
  private var wanted = nothingWanted
  private var flights = noFlights
  private var quietUntil = noQuiet
  private var requests = 0

  /// Counters for `status`.
  package private(set) var answered = 0
  package private(set) var failed = 0
  package private(set) var refused = 0
  package private(set) var lastAnswer: Instant?
  package private(set) var lastFailure: (time: Instant, reason: String)?

  package init() {}

  // MARK: - Answers

  /// The answer for a reminder's way that still counts from here.
  func answer(_ slot: Int32, from here: Vector, at now: Instant) -> Answer? {
    guard !answers.isEmpty, let answer = answers[slot] else { return nil }
    let age = now - answer.time
    guard age >= .zero, age <= Self.longestAge,
      here.distance(to: answer.origin) <= Self.range(of: answer)
    else { return nil }
    return answer
  }

  /// Removes an answer that counts no more, so that it does not count again after a return.
  mutating func dropLapsed(_ slot: Int32, from here: Vector, at now: Instant) {
    if !answers.isEmpty, answer(slot, from: here, at: now) == nil { answers[slot] = nil }
  }

  /// Removes the answers that are later than now, after the clock was set back; returns their
  /// slots.
  mutating func dropLater(than now: Instant) -> [Int32] {
    let slots = answers.filter { $0.value.time > now }.keys.sorted()
    for slot in slots { answers[slot] = nil }
    return slots
  }

  /// An answer counts this many metres from its origin.
  private static func range(of answer: Answer) -> Double { max(1_000, answer.distance / 2) }

  // MARK: - Requests

  /// Whether to ask anew: the less slack and the farther from the origin, the sooner.
  func isStale(_ answer: Answer, from here: Vector, slack: Int64, at now: Instant) -> Bool {
    (now - answer.time).microseconds >= Self.interval(slack)
      || here.distance(to: answer.origin) > max(100, answer.distance / 10)
  }

  /// The time between two requests for one way, microseconds.
  static func interval(_ slack: Int64) -> Int64 { min(max(slack / 4, 30_000_000), 600_000_000) }

  private static let nothingWanted: [[(slack: Int64, slot: Int32)]] = each([])
  private static let noFlights: [Flight?] = each(nil)
  private static let noQuiet: [Instant?] = each(nil)

  private static func each<Value>(_ value: Value) -> [Value] {
    Array(repeating: value, count: Transport.allCases.count)
  }

  mutating func want(_ slot: Int32, by transport: Transport, slack: Int64) {
    guard transport.hasRoads else { return }
    wanted[transport.index].append((slack, slot))
  }

  mutating func remove(_ slot: Int32) {
    guard isOn else { return }
    answers[slot] = nil
    for mode in flights.indices {
      guard let place = flights[mode]?.slots.firstIndex(of: slot) else { continue }
      // A number that no slot has keeps the order.
      flights[mode]?.slots[place] = -1
    }
  }

  /// The request to send now, if any. The wanted slots are dropped: the next check wants them
  /// again.
  /// - Parameter destination: the place of a slot; nil for a removed reminder.
  package mutating func nextRequest(
    by transport: Transport, from origin: Coordinate?, at now: Instant,
    destination: (Int32) -> Coordinate?
  ) -> RouteRequest? {
    let mode = transport.index
    guard !wanted[mode].isEmpty else { return nil }
    defer { wanted[mode].removeAll(keepingCapacity: true) }
    if let flight = flights[mode] {
      guard now - flight.time > Self.timeout || now < flight.time else { return nil }
      flights[mode] = nil
      fail(mode, "no answer for \(Self.timeout)", at: now)
    }
    if let quiet = quietUntil[mode], now < quiet, quiet - now <= Self.pauseAfterFailure {
      return nil
    }
    guard let origin else { return nil }
    wanted[mode].sort { ($0.slack, $0.slot) < ($1.slack, $1.slot) }
    var slots: [Int32] = []
    var destinations: [Coordinate] = []
    for (_, slot) in wanted[mode] where slots.count < Self.maximumDestinations {
      guard !slots.contains(slot), let destination = destination(slot) else { continue }
      slots.append(slot)
      destinations.append(destination)
    }
    guard !slots.isEmpty else { return nil }
    requests += 1
    flights[mode] = Flight(number: requests, origin: origin, slots: slots, time: now)
    return RouteRequest(
      number: requests, transport: transport, origin: origin, destinations: destinations)
  }

  /// Stores the times of an answer, and returns the slots that have a new one.
  /// - Parameter isPlausible: seconds for metres of straight line.
  mutating func take(
    _ answer: RouteAnswer, at now: Instant, destination: (Int32) -> Coordinate?,
    isPlausible: (_ seconds: Double, _ metres: Double, Transport) -> Bool
  ) -> [Int32] {
    guard let mode = flights.firstIndex(where: { $0?.number == answer.number }),
      let flight = flights[mode]
    else { return [] }
    flights[mode] = nil
    switch answer.times {
    case .failure(let failure):
      fail(mode, failure.description, at: now)
      return []
    case .success(let times):
      guard times.count == flight.slots.count else {
        fail(mode, "\(times.count) times for \(flight.slots.count) places", at: now)
        return []
      }
      quietUntil[mode] = nil
      var changed: [Int32] = []
      let origin = Vector(flight.origin)
      for (slot, time) in zip(flight.slots, times) where slot >= 0 {
        guard let time, let destination = destination(slot) else { continue }
        let metres = origin.distance(to: Vector(destination))
        guard isPlausible(time.seconds, metres, Transport.allCases[mode]) else {
          refused += 1
          lastFailure = (now, "a way of \(time) over \(Int(metres)) m of straight line")
          continue
        }
        answers[slot] = Answer(
          origin: origin, distance: metres, seconds: time.seconds, time: flight.time)
        changed.append(slot)
      }
      answered += 1
      lastAnswer = now
      return changed
    }
  }

  private mutating func fail(_ mode: Int, _ reason: String, at now: Instant) {
    failed += 1
    lastFailure = (now, reason)
    quietUntil[mode] = now + Self.pauseAfterFailure
  }
}
