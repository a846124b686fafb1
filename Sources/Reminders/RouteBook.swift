package import CivilTime
package import Geodesy

/// What a routing engine is to be asked: the ways from here to several places, at once.
package struct RouteRequest: Equatable, Sendable {
  /// Counts up; the answer carries it back.
  package var number: Int
  package var transport: Reminder.Transport
  package var origin: Coordinate
  /// 1…100 of them.
  package var destinations: [Coordinate]

  package init(
    number: Int, transport: Reminder.Transport, origin: Coordinate, destinations: [Coordinate]
  ) {
    self.number = number
    self.transport = transport
    self.origin = origin
    self.destinations = destinations
  }
}

/// What came of a `RouteRequest`.
package struct RouteAnswer: Equatable, Sendable {
  package var number: Int
  /// For each destination in turn, nil where there is no way; or why there are none at all.
  package var times: Result<[TimeSpan?], RouteFailure>

  package init(number: Int, times: Result<[TimeSpan?], RouteFailure>) {
    self.number = number
    self.times = times
  }
}

/// Why a routing engine gave no times, as a sentence without a final stop.
package struct RouteFailure: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// What a routing engine has said of the ways of reminders, and what it is to be asked.
///
/// One request at a time for each mode, and none for a while after one that failed: what is asked for
/// stands in nobody's way, for the estimate is always there.
struct RouteBook: Sendable {
  /// One reminder's way.
  struct Answer: Equatable, Sendable {
    /// Where it began, and how far the place is from there in metres.
    var origin: Direction
    var distance: Double
    /// Seconds on the way.
    var seconds: Double
    var time: Instant
  }

  private struct Flight: Sendable {
    var number: Int
    var origin: Coordinate
    var slots: [Int32]
    var time: Instant
  }

  /// The longest that an answer counts, and how far from where it was given.
  static let longestAge = TimeSpan.hours(1)
  static let mostDestinations = 100
  /// After so long a request is taken for lost, whoever has lost it.
  static let patience = TimeSpan.seconds(30)
  static let pauseAfterFailure = TimeSpan.seconds(30)

  /// Whether there is an engine to ask; without one nothing that it has said counts.
  var isOn = false {
    didSet {
      guard !isOn else { return }
      answers = [:]
      wanted = [[], [], []]
      flights = [nil, nil, nil]
    }
  }
  private var answers: [Int32: Answer] = [:]
  private var wanted: [[(slack: Int64, slot: Int32)]] = [[], [], []]
  private var flights: [Flight?] = [nil, nil, nil]
  private var quietUntil: [Instant?] = [nil, nil, nil]
  private var requests = 0

  /// How it went lately, for `status`.
  private(set) var answered = 0
  private(set) var failed = 0
  private(set) var refused = 0
  private(set) var lastAnswer: Instant?
  private(set) var lastFailure: (time: Instant, reason: String)?

  var isEmpty: Bool { answers.isEmpty }

  /// An answer that still says something of the way from here.
  func answer(_ slot: Int32, from here: Direction, at now: Instant) -> Answer? {
    guard let answer = answers[slot] else { return nil }
    let age = now - answer.time
    guard age >= .zero, age <= Self.longestAge,
      here.distance(to: answer.origin) <= Self.range(of: answer)
    else { return nil }
    return answer
  }

  /// As `answer`; one that counts no more is forgotten. Else it would count again where the device comes back,
  /// and whoever looked in between would not know.
  mutating func takeStock(_ slot: Int32, from here: Direction, at now: Instant) -> Answer? {
    let answer = answer(slot, from: here, at: now)
    if answer == nil { answers[slot] = nil }
    return answer
  }

  /// Forgets the answers that the clock is before, since it was set back, and says whose they were.
  mutating func forgetLater(than now: Instant) -> [Int32] {
    let slots = answers.filter { $0.value.time > now }.keys.sorted()
    for slot in slots { answers[slot] = nil }
    return slots
  }

  /// So many metres from where it was given an answer still counts.
  private static func range(of answer: Answer) -> Double { max(1_000, answer.distance / 2) }

  /// For how long an answer counts that does so now, in microseconds, and for how many metres at least.
  static func remainder(
    of answer: Answer, from here: Direction, at now: Instant
  ) -> (time: Int64, metres: Double) {
    (
      (answer.time + longestAge - now).microseconds,
      range(of: answer) - here.distance(to: answer.origin)
    )
  }

  /// Whether to ask anew: the nearer the moment and the farther from where it was asked, the sooner.
  func isStale(_ answer: Answer, from here: Direction, slack: Int64, at now: Instant) -> Bool {
    (now - answer.time).microseconds >= Self.interval(slack)
      || here.distance(to: answer.origin) > max(100, answer.distance / 10)
  }

  /// How long an answer is left alone, microseconds.
  static func interval(_ slack: Int64) -> Int64 { min(max(slack / 4, 30_000_000), 600_000_000) }

  mutating func want(_ slot: Int32, by mode: Int, slack: Int64) {
    wanted[mode].append((slack, slot))
  }

  mutating func forget(_ slot: Int32) {
    guard isOn else { return }
    answers[slot] = nil
    for mode in flights.indices {
      guard let place = flights[mode]?.slots.firstIndex(of: slot) else { continue }
      // A number that no slot has keeps the place in the row.
      flights[mode]?.slots[place] = -1
    }
  }

  /// The request to send now, if any; what was wanted is forgotten, for it will be wanted again.
  /// - Parameter destination: the place of a slot; nil where the slot is none any more.
  mutating func nextRequest(
    by mode: Int, _ transport: Reminder.Transport, from origin: Coordinate?, at now: Instant,
    destination: (Int32) -> Coordinate?
  ) -> RouteRequest? {
    guard !wanted[mode].isEmpty else { return nil }
    defer { wanted[mode].removeAll(keepingCapacity: true) }
    if let flight = flights[mode] {
      guard now - flight.time > Self.patience || now < flight.time else { return nil }
      flights[mode] = nil
      fail(mode, "no answer for \(Self.patience)", at: now)
    }
    if let quiet = quietUntil[mode], now < quiet, quiet - now <= Self.pauseAfterFailure {
      return nil
    }
    guard let origin else { return nil }
    wanted[mode].sort { ($0.slack, $0.slot) < ($1.slack, $1.slot) }
    var slots: [Int32] = []
    var destinations: [Coordinate] = []
    for (_, slot) in wanted[mode] where slots.count < Self.mostDestinations {
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

  /// Takes an answer in and says whose ways it was about.
  /// - Parameter isPlausible: seconds for metres of straight line.
  mutating func take(
    _ answer: RouteAnswer, at now: Instant, destination: (Int32) -> Coordinate?,
    isPlausible: (_ seconds: Double, _ metres: Double, _ mode: Int) -> Bool
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
      var told: [Int32] = []
      let origin = Direction(flight.origin)
      for (slot, time) in zip(flight.slots, times) where slot >= 0 {
        guard let time, let destination = destination(slot) else { continue }
        let metres = origin.distance(to: Direction(destination))
        guard isPlausible(time.seconds, metres, mode) else {
          refused += 1
          lastFailure = (now, "a way of \(time) over \(Int(metres)) m of straight line")
          continue
        }
        answers[slot] = Answer(
          origin: origin, distance: metres, seconds: time.seconds, time: flight.time)
        told.append(slot)
      }
      answered += 1
      lastAnswer = now
      return told
    }
  }

  private mutating func fail(_ mode: Int, _ reason: String, at now: Instant) {
    failed += 1
    lastFailure = (now, reason)
    quietUntil[mode] = now + Self.pauseAfterFailure
  }
}
