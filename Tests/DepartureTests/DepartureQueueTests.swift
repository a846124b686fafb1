import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Departure

/// The queue against an evaluation of every reminder at every event.
@Suite struct DepartureQueueTests {
  static let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)
  private static let start = Instant(seconds: 1_781_280_000)
  private static let again = TimeSpan.minutes(10)

  /// The rule, written anew: every entry is evaluated at each event, and nothing else is stored.
  private struct Oracle {
    struct Answer {
      var origin: Coordinate
      var distance: Double
      var seconds: Double
      var time: Instant
    }

    var entries: [Int32: DepartureEntry] = [:]
    var answers: [Int32: Answer] = [:]
    var predictor = TravelPredictor()
    var here: Coordinate?

    /// The slack; nil where a notified one has no way.
    private func slack(_ slot: Int32, _ entry: DepartureEntry, _ now: Instant) -> TimeSpan? {
      guard let here else {
        if let fixed = entry.fixed { return entry.moment - fixed - now }
        return entry.stage == .waiting ? entry.moment - now : nil
      }
      let goal = entry.goal
      let distance = here.distance(to: goal.place)
      if distance <= goal.radius { return entry.moment - now }
      if let fixed = entry.fixed { return entry.moment - fixed - now }
      let profile = predictor.estimator[goal.transport]
      let usual = { profile.seconds($0) - profile.overhead.seconds }
      let routed = answers[slot].map { answer in
        let rest = answer.distance > 0 ? usual(distance) / usual(answer.distance) : 1
        return min(answer.seconds * rest, 10 * usual(distance) + 7_200)
      }
      let query = TravelQuery(
        goal.transport, to: Vector(goal.place), distance: distance, time: goal.time, routed: routed)
      return entry.moment - TimeSpan(seconds: predictor.predict(query).seconds) - now
    }

    /// An answer counts for an hour, and for half its distance or a kilometre.
    private mutating func dropLapsed(_ now: Instant) {
      guard let here else { return }
      answers = answers.filter { _, answer in
        now >= answer.time && now - answer.time <= .hours(1)
          && here.distance(to: answer.origin) <= max(1_000, answer.distance / 2)
      }
    }

    mutating func due(at now: Instant) -> Set<Int32> {
      dropLapsed(now)
      return Set(
        entries.filter { slot, entry in
          guard let slack = slack(slot, entry, now) else { return false }
          return entry.stage == .waiting ? slack <= .zero : slack > DepartureQueueTests.again
        }.keys)
    }
  }

  /// A queue and its oracle in a random world.
  private struct World {
    var queue = DepartureQueue(TravelPredictor())
    var oracle = Oracle()
    var dice: SeededGenerator
    var now = DepartureQueueTests.start
    var here = DepartureQueueTests.home
    var isRouted: Bool
    var events = 0
    var (waitingDue, notifiedDue, differences) = (0, 0, 0)

    init(seed: UInt64, isRouted: Bool) {
      dice = SeededGenerator(seed: seed)
      self.isRouted = isRouted
      queue.routes.isOn = isRouted
      queue.again = DepartureQueueTests.again
    }

    /// A trip more, or another punctuality.
    mutating func learn() {
      if Bool.random(using: &dice) {
        queue.predictor.punctuality = .random(in: 0.5...0.99, using: &dice)
      } else {
        let transport = Transport.allCases.randomElement(using: &dice) ?? .driving
        let distance = Double.random(in: 500...20_000, using: &dice)
        let usual = queue.predictor.estimator[transport].seconds(distance)
        let isRouted = Bool.random(using: &dice)
        queue.predictor.experience.add(
          Trip(
            goal: here, distance: distance, seconds: usual * .random(in: 0.5...2, using: &dice),
            time: time(), routed: isRouted ? usual : nil), by: transport)
      }
      oracle.predictor = queue.predictor
    }

    private mutating func time() -> TimeOfWeek {
      TimeOfWeek(
        hour: .random(in: 0..<24, using: &dice), isWeekend: Bool.random(using: &dice))
    }

    mutating func set(_ slot: Int32) {
      let radius = Double.random(in: 20...800, using: &dice)
      let reach: Double = [300, 3_000, 30_000].randomElement(using: &dice) ?? 300
      let transport = Transport.allCases.randomElement(using: &dice) ?? .driving
      let place = here.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: .random(in: 0...reach, using: &dice))
      let isNotified = Int.random(in: 0..<4, using: &dice) == 0
      let fixed: TimeSpan? =
        Int.random(in: 0..<4, using: &dice) == 0
        ? .seconds(.random(in: 0...1_800, using: &dice)) : nil
      let profile = oracle.predictor.estimator[transport]
      let seconds = profile.seconds(here.distance(to: place))
      let slack = Double.random(in: isNotified ? -1_500...500 : -5...1_500, using: &dice)
      let moment = now + .seconds((fixed?.seconds ?? seconds) + slack)
      let entry = DepartureEntry(
        goal: TripGoal(place: place, radius: radius, by: transport, due: moment, time: time()),
        moment: moment, fixed: fixed, stage: isNotified ? .notified : .waiting)
      remove(slot)
      queue.set(slot, entry, at: now)
      oracle.entries[slot] = entry
    }

    mutating func remove(_ slot: Int32) {
      queue.remove(slot)
      oracle.entries[slot] = nil
      oracle.answers[slot] = nil
    }

    /// The end of an event: what is due by the queue and by the oracle, which are then notified or
    /// wait again, as the engine does it.
    mutating func check() {
      events += 1
      let expected = oracle.due(at: now)
      var found: Set<Int32> = []
      queue.beginEvent(at: now)
      while let slot = queue.nextDue(at: now) {
        guard found.insert(slot).inserted, var entry = oracle.entries[slot] else {
          differences += 1
          return
        }
        if entry.stage == .waiting { waitingDue += 1 } else { notifiedDue += 1 }
        entry.stage = entry.stage == .waiting ? .notified : .waiting
        oracle.entries[slot] = entry
        queue.set(slot, entry, at: now)
      }
      // What is set in the event, and due at once, is due at the next one by both.
      if found != expected { differences += 1 }
      ask()
    }

    /// Deadlines up to a time, each at its own.
    mutating func pass(until end: Instant) {
      var ticks = 0
      while let deadline = queue.deadline, deadline <= end.microseconds, ticks < 1_000 {
        now = max(now, Instant(microseconds: deadline))
        ticks += 1
        check()
      }
      if ticks == 1_000 { differences += 1 }
      // No time to leave has come without a deadline.
      var oracle = self.oracle
      let late = oracle.due(at: Instant(microseconds: max(now.microseconds, end.microseconds - 1)))
      if late.contains(where: { oracle.entries[$0]?.stage == .waiting }) { differences += 1 }
      now = end
    }

    mutating func move(_ metres: Double, bearing: Double) {
      here = here.destination(bearing: bearing, distance: metres)
      queue.follow(here)
      oracle.here = here
    }

    /// Answers the request that there is, at once, later or never.
    mutating func ask() {
      guard isRouted, oracle.here != nil else { return }
      for transport in Transport.allCases {
        let places = oracle.entries.mapValues(\.goal.place)
        let request = queue.routes.nextRequest(by: transport, from: here, at: now) { places[$0] }
        guard let request, Int.random(in: 0..<4, using: &dice) > 0 else { continue }
        answer(request)
      }
    }

    private mutating func answer(_ request: RouteRequest) {
      let profile = oracle.predictor.estimator[request.transport]
      var seconds: [Double] = []
      for place in request.destinations {
        let usual = profile.seconds(request.origin.distance(to: place))
        seconds.append((usual * Double.random(in: 0.6...4, using: &dice)).rounded())
      }
      let places = oracle.entries.mapValues(\.goal.place)
      queue.take(
        RouteAnswer(number: request.number, times: .success(seconds.map { .seconds($0) })), at: now
      ) { places[$0] }
      for (place, seconds) in zip(request.destinations, seconds) {
        let distance = request.origin.distance(to: place)
        guard seconds >= distance / profile.topSpeed else { continue }
        for (slot, entry) in oracle.entries where entry.goal.place == place {
          oracle.answers[slot] = Oracle.Answer(
            origin: request.origin, distance: distance, seconds: seconds, time: now)
        }
      }
    }
  }

  /// Drives, pauses, edits, other paces, answers, and clocks that are set.
  private static func world(seed: UInt64, isRouted: Bool, steps: Int) -> World {
    var world = World(seed: seed, isRouted: isRouted)
    for slot in 0..<150 as Range<Int32> { world.set(slot) }
    world.check()
    var (bearing, speed, untilTurn) = (0.0, 0.0, 0)
    for step in 0..<steps {
      if untilTurn <= 0 {
        untilTurn = .random(in: 5...60, using: &world.dice)
        speed = [0, 0, 1.5, 12, 45].randomElement(using: &world.dice) ?? 0
        bearing = .random(in: 0..<360, using: &world.dice)
      }
      untilTurn -= 1
      let seconds: Double = [1, 1, 1, 5, 20].randomElement(using: &world.dice) ?? 1
      world.pass(until: world.now + .seconds(seconds))
      // A receiver at rest jitters.
      world.move(
        speed * seconds + .random(in: 0...4, using: &world.dice),
        bearing: speed > 0 ? bearing : .random(in: 0..<360, using: &world.dice))
      if step % 97 == 96 {
        world.move(.random(in: 0...20_000, using: &world.dice), bearing: bearing)
      }
      if step % 17 == 16 {
        world.learn()
      }
      if step % 173 == 172 {
        world.now += .seconds(.random(in: -900...300, using: &world.dice))
        world.queue.markOutdated()
        world.queue.dropLaterRoutes(at: world.now)
      }
      world.check()
      for _ in 0..<3 {
        let slot = Int32.random(in: 0..<150, using: &world.dice)
        if Int.random(in: 0..<5, using: &world.dice) == 0 {
          world.remove(slot)
        } else if Bool.random(using: &world.dice) {
          world.set(slot)
        }
      }
      world.check()
    }
    return world
  }

  @Test(arguments: 0..<6 as Range<UInt64>, [false, true])
  func everyEventFindsTheSameReminders(seed: UInt64, isRouted: Bool) {
    let world = Self.world(seed: seed, isRouted: isRouted, steps: 500)
    #expect(world.differences == 0, "of \(world.events) events")
    #expect(world.waitingDue > 100 && world.notifiedDue > 10)
  }

  private func entry(
    _ distance: Double, _ moment: Instant, fixed: TimeSpan? = nil,
    by transport: Transport = .walking
  ) -> DepartureEntry {
    DepartureEntry(
      goal: TripGoal(
        place: Self.home.destination(bearing: 0, distance: distance), radius: 50, by: transport,
        due: moment, time: TimeOfWeek(hour: 12, isWeekend: false)), moment: moment, fixed: fixed)
  }

  @Test func withoutAPositionOnlyTimeCounts() {
    var queue = DepartureQueue(TravelPredictor())
    let due = Self.start + .hours(1)
    queue.set(3, entry(0, due), at: Self.start)
    queue.set(5, entry(0, due, fixed: .minutes(10)), at: Self.start)
    queue.beginEvent(at: Self.start)
    #expect(queue.nextDue(at: Self.start) == nil)
    #expect(queue.deadline == (due - .minutes(10)).microseconds)
    queue.beginEvent(at: due)
    #expect(queue.nextDue(at: due) == 5)
    #expect(queue.nextDue(at: due) == 3)
    #expect(queue.nextDue(at: due) == nil && queue.deadline == nil)
  }

  /// A month of rest needs a few evaluations.
  @Test func aDeviceAtRestIsWokenRarely() {
    var queue = DepartureQueue(TravelPredictor())
    queue.follow(Self.home)
    queue.set(0, entry(9_000, Self.start + .hours(720), by: .driving), at: Self.start)
    var wakeUps = 0
    while let deadline = queue.deadline, wakeUps < 100 {
      let now = Instant(microseconds: deadline)
      queue.beginEvent(at: now)
      if queue.nextDue(at: now) != nil { break }
      wakeUps += 1
    }
    #expect(wakeUps < 5)
  }

  /// A silent one waits for its end, and for no longer than to the next position.
  @Test func aSilentOneIsDecidedAnewAtEachPosition() {
    var queue = DepartureQueue(TravelPredictor())
    queue.follow(Self.home)
    var silent = entry(9_000, Self.start)
    silent.stage = .silent(until: Self.start + .minutes(5))
    queue.set(0, silent, at: Self.start)
    queue.beginEvent(at: Self.start)
    #expect(queue.nextDue(at: Self.start) == nil)
    #expect(queue.deadline == (Self.start + .minutes(5)).microseconds)
    queue.follow(Self.home)
    queue.beginEvent(at: Self.start)
    #expect(queue.nextDue(at: Self.start) == 0)
  }

  @Test func listsTheSoonestDepartures() {
    var world = World(seed: 9, isRouted: false)
    world.move(0, bearing: 0)
    for slot in 0..<300 as Range<Int32> { world.set(slot) }
    let expected = world.oracle.entries.filter { $0.value.stage == .waiting }.map { slot, entry in
      let way = world.queue.way(slot, to: entry.goal, fixed: entry.fixed, at: world.now)
      return (moment: (entry.moment - (way?.time ?? .zero)).microseconds, slot: slot)
    }.sorted { ($0.moment, $0.slot) < ($1.moment, $1.slot) }
    for limit in [0, 1, 7, 50, 1_000] {
      #expect(world.queue.soonest(limit: limit) == expected.prefix(limit).map(\.slot))
    }
  }

  /// On the other side of the globe, and about a pole.
  @Test(arguments: [(90.0, 0.0), (-12.3, 179.99), (53.55, 9.99)])
  func waysToTheAntipodeAreInTime(latitude: Double, longitude: Double) {
    let pole = Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
    let antipode = Coordinate(clampingLatitude: -latitude, wrappingLongitude: longitude + 180)
    var world = World(seed: 31, isRouted: false)
    world.here = pole
    world.move(0, bearing: 0)
    for step in 0..<300 {
      let slot = Int32(step % 60)
      let here = world.here
      world.here = step % 2 == 0 ? pole : antipode
      world.set(slot)
      world.here = here
      world.pass(until: world.now + .seconds(.random(in: 1...20, using: &world.dice)))
      if step % 20 == 19 { world.here = Bool.random(using: &world.dice) ? pole : antipode }
      world.move(
        .random(in: 0...400, using: &world.dice), bearing: .random(in: 0..<360, using: &world.dice))
      world.check()
    }
    #expect(world.differences == 0)
    #expect(world.waitingDue > 30)
  }
}
