import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Reminders

/// What is due and when, against the rule evaluated for every reminder at every step.
@Suite struct LeaveQueueTests {
  private static let home = EngineHarness.home

  /// Half a year and more has seconds that a short number cannot tell apart.
  @Test(arguments: [90, 16_777_217, 33_554_437, 100_000_003] as [Double])
  func aTravelTimeIsNeverTakenForLess(seconds: Double) {
    let entry = LeaveEntry(
      slot: 0, place: Self.home, radius: 50, moment: Instant(seconds: 2_000_000_000),
      fixed: TimeSpan(seconds: seconds))
    #expect(Double(entry.fixed) >= seconds)
    #expect(Double(entry.fixed) - seconds <= 8)
  }

  /// What has said "leave" is heard of again once it has much slack, but not when it is over; a slot may come again.
  @Test(arguments: [TravelProfile.driving, .cycling, .walking])
  func whatHasLeftComesBack(profile: TravelProfile) {
    var dice = SeededGenerator(seed: 11)
    var queue = LeaveQueue(pace: TravelPace(profile: profile))
    var odometer = Odometer()
    var here = Self.home
    odometer.follow(here)
    var now: Int64 = 1_781_280_000_000_000
    let again = TimeSpan.minutes(10)
    let top = profile == .walking ? 3.0 : profile == .cycling ? 12 : 45
    var gone: [Int32: (place: Coordinate, moment: Int64, index: Int32)] = [:]
    func view() -> LeaveView {
      LeaveView(now: now, metres: odometer.metres, here: odometer.here)
    }
    func add(_ slot: Int32) {
      let distance = Double.random(in: 500...max(3_000, 1_300 * top), using: &dice)
      let place = here.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: distance)
      let slack = Double.random(in: -1_500...500, using: &dice)
      add(slot, place, now + Int64((queue.pace.seconds(distance) + slack) * 1e6))
    }
    func add(_ slot: Int32, _ place: Coordinate, _ moment: Int64) {
      let entry = LeaveEntry(
        slot: slot, place: place, radius: 50, moment: Instant(microseconds: moment))
      let index = queue.add(entry, .gone, moment: nil, again: again, view())
      gone[slot] = (place, moment, index)
    }
    for slot in 0..<500 as Range<Int32> { add(slot) }
    let slope = queue.pace.profile.growth(beyond: 0)
    var bearing = 0.0
    var (back, over) = (0, 0)
    for step in 0..<1_500 {
      if step % 200 == 0 { bearing = .random(in: 0..<360, using: &dice) }
      now += 1_000_000
      here = here.destination(bearing: bearing, distance: .random(in: 0...top, using: &dice))
      odometer.follow(here)
      if step % 40 == 0 {
        var pace = queue.pace
        pace.trip = .random(&dice)
        queue.use(pace, view())
      }
      while let slot = queue.nextBack(view(), again: again) {
        guard let one = gone[slot] else {
          Issue.record("slot \(slot) is not there")
          continue
        }
        #expect(one.moment > now)
        queue.remove(one.index)
        gone[slot] = nil
        let slack =
          Double(one.moment - now) / 1e6
          - queue.pace.seconds(here.distance(to: one.place))
        if slack > 600 { back += 1 } else { add(slot, one.place, one.moment) }
      }
      for slot in gone.keys.sorted() {
        // Some are still on a shelf then, most are not.
        guard let one = gone[slot], one.moment <= now - 60_000_000 else { continue }
        over += queue.homes[Int(one.index)] == .none ? 1 : 0
        queue.remove(one.index)
        add(slot)
      }
      #expect(queue.count == gone.count)
      for one in gone.values where here.distance(to: one.place) > 50 {
        let slack =
          Double(one.moment - now) / 1e6 - queue.pace.seconds(here.distance(to: one.place))
        // A receiver at rest may be that far from where the odometer has it.
        #expect(slack <= 600 + 60 * slope * queue.pace.steepest)
      }
    }
    #expect(over > 5)
    #expect(back > 0 || profile == .walking)
  }

  /// What is asked for by itself, and over by then, is not let rest again; what a routing engine may have said of it is
  /// to be forgotten.
  @Test func whatIsOverIsSaidToBeWhenItIsAskedFor() {
    var pace = TravelPace(profile: .driving)
    pace.isRouted = true
    var queue = LeaveQueue(pace: pace)
    var view = LeaveView(now: 1_781_280_000_000_000, metres: 0, here: Direction(Self.home))
    let indices = (0..<2 as Range<Int32>).map { slot in
      let entry = LeaveEntry(
        slot: slot, place: Self.home.destination(bearing: 0, distance: 5_000), radius: 50,
        moment: Instant(microseconds: view.now + 60_000_000))
      return queue.add(entry, .gone, moment: nil, again: .minutes(10), view)
    }
    view.now += 60_000_000
    queue.lookSoon(indices[1], view)
    queue.lookSoon(indices[1], view)
    #expect(queue.nextBack(view, again: .minutes(10)) == nil)
    #expect(queue.takeOver() == [1])
    #expect(queue.takeOver() == [])
    #expect(queue.homes[Int(indices[1])] == .none)
    #expect(queue.homes[Int(indices[0])] != .none)
  }

  /// Of many whose moments lie together, one tick at rest asks the one whose moment has come.
  @Test(arguments: [150, 300, 600] as [Int32])
  func imminentOnesRestWhereTheDeviceDoes(count: Int32) {
    var dice = SeededGenerator(seed: 4)
    var queue = LeaveQueue(pace: TravelPace(profile: .walking))
    var odometer = Odometer()
    odometer.follow(Self.home)
    var now: Int64 = 1_781_280_000_000_000
    func view() -> LeaveView {
      LeaveView(now: now, metres: odometer.metres, here: odometer.here)
    }
    var routes = RouteBook()
    var indices: [Int32: Int32] = [:]
    var places: [Coordinate] = []
    for slot in 0..<count {
      let place = Self.home.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: .random(in: 500...900, using: &dice))
      places.append(place)
      let slack = Double.random(in: 1...18, using: &dice)
      let moment = now + Int64((queue.pace.seconds(Self.home.distance(to: place)) + slack) * 1e6)
      let entry = LeaveEntry(
        slot: slot, place: place, radius: 50, moment: Instant(microseconds: moment))
      indices[slot] = queue.add(entry, .waiting, moment: nil, again: .minutes(10), view())
    }
    var (ticks, asked) = (0, 0)
    while let deadline = queue.deadline(view()), !indices.isEmpty {
      #expect(deadline >= now)
      now = max(now, deadline)
      ticks += 1
      while let slot = queue.nextDue(
        view(), routes: &routes, mode: 0,
        exactDistance: {
          asked += 1
          return Self.home.distance(to: places[Int($0)])
        })
      {
        if let index = indices.removeValue(forKey: slot) { queue.remove(index) }
      }
      guard ticks < 10_000 else { break }
    }
    #expect(indices.isEmpty)
    #expect(asked < 5 * count)
  }

  private struct Waiting {
    var place: Coordinate
    var radius: Double
    var moment: Int64
    var fixed: TimeSpan?
    var index: Int32

    /// Microseconds.
    func slack(from here: Coordinate, _ pace: TravelPace, _ now: Int64) -> Int64 {
      let distance = here.distance(toPlaceAt: place, radius: radius)
      guard distance > 0 else { return moment - now }
      let way = fixed ?? TimeSpan(seconds: pace.seconds(distance))
      return moment - now - way.microseconds
    }
  }

  private struct World {
    var queue: LeaveQueue
    var waiting: [Int32: Waiting] = [:]
    var odometer = Odometer()
    /// Where the device is.
    var here = LeaveQueueTests.home
    var now: Int64 = 1_781_280_000_000_000
    var dice: SeededGenerator
    private var routes = RouteBook()

    init(_ profile: TravelProfile, seed: UInt64) {
      queue = LeaveQueue(pace: TravelPace(profile: profile))
      dice = SeededGenerator(seed: seed)
      odometer.follow(here)
    }

    var view: LeaveView { LeaveView(now: now, metres: odometer.metres, here: odometer.here) }

    mutating func add(_ slot: Int32) {
      let fixed: TimeSpan? =
        Int.random(in: 0..<8, using: &dice) > 0
        ? nil : .minutes(.random(in: 0...90, using: &dice))
      var new = Waiting(
        place: here.destination(
          bearing: .random(in: 0..<360, using: &dice),
          distance: .random(in: 0...1, using: &dice) * .random(in: 0...400_000, using: &dice)),
        radius: .random(in: 20...2_000, using: &dice),
        moment: now + .random(in: 0...200_000_000_000, using: &dice), fixed: fixed, index: 0)
      new.index = queue.add(entry(slot, new), .waiting, moment: nil, again: .minutes(10), view)
      waiting[slot] = new
    }

    /// One with so much slack, in seconds, so many metres north.
    mutating func add(_ slot: Int32, at metres: Double, slack: Double) {
      var new = Waiting(
        place: here.destination(bearing: 0, distance: metres), radius: 50, moment: now, fixed: nil,
        index: 0)
      new.moment += Int64((queue.pace.seconds(here.distance(to: new.place)) + slack) * 1e6)
      new.index = queue.add(entry(slot, new), .waiting, moment: nil, again: .minutes(10), view)
      waiting[slot] = new
    }

    /// One that is due in an hour, at a place with a radius of 100 m so far from home.
    mutating func add(_ slot: Int32, bearing: Double, distance: Double, fixed: TimeSpan?) {
      var new = Waiting(
        place: LeaveQueueTests.home.destination(bearing: bearing, distance: distance),
        radius: 100, moment: now + 3_600_000_000, fixed: fixed, index: 0)
      new.index = queue.add(entry(slot, new), .waiting, moment: nil, again: .minutes(10), view)
      waiting[slot] = new
    }

    func entry(_ slot: Int32, _ new: Waiting) -> LeaveEntry {
      LeaveEntry(
        slot: slot, place: new.place, radius: new.radius,
        moment: Instant(microseconds: new.moment), fixed: new.fixed)
    }

    mutating func remove(_ slot: Int32) {
      if let old = waiting.removeValue(forKey: slot) { queue.remove(old.index) }
    }

    /// What the rule says is due.
    var due: Set<Int32> {
      Set(waiting.filter { $0.value.slack(from: here, queue.pace, now) <= 0 }.keys)
    }

    /// What the queue says; it asks for a full look where a fixed time or a short number leaves a doubt.
    mutating func takeDue() -> Set<Int32> {
      var taken: Set<Int32> = []
      while let slot = queue.nextDue(
        view, routes: &routes, mode: 0,
        exactDistance: { [waiting, here] slot in
          waiting[slot].map { here.distance(toPlaceAt: $0.place, radius: $0.radius) }
        })
      {
        guard var known = waiting[slot] else { break }
        let slack = known.slack(from: here, queue.pace, now)
        if slack <= 0 {
          taken.insert(slot)
          remove(slot)
        } else {
          queue.remove(known.index)
          known.index = queue.add(
            entry(slot, known), .waiting, moment: Instant(microseconds: now + slack),
            again: .minutes(10), view)
          waiting[slot] = known
        }
      }
      return taken
    }
  }

  @Test(arguments: [TravelProfile.driving, .cycling, .walking])
  func whatIsDueIsGivenAtOnce(profile: TravelProfile) {
    for seed in 0..<6 as Range<UInt64> {
      var world = World(profile, seed: seed)
      for slot in 0..<400 as Range<Int32> { world.add(slot) }
      var given = 0
      for step in 0..<600 {
        let seconds: Double = [1, 1, 10, 300].randomElement(using: &world.dice) ?? 1
        let speed = Bool.random(using: &world.dice) ? 0.02 : 40.0
        let next = world.here.destination(
          bearing: .random(in: 0..<360, using: &world.dice),
          distance: seconds * .random(in: 0...speed, using: &world.dice))
        // Whatever comes due by time alone until the next fix has a deadline before it.
        let end = world.now + Int64(seconds * 1e6)
        var wakings = 0
        while let deadline = world.queue.deadline(world.view), deadline < end, wakings < 4_000 {
          wakings += 1
          if wakings > 1 { #expect(deadline > world.now, "seed \(seed), step \(step)") }
          world.now = max(world.now + 1, deadline)
          let due = world.due
          #expect(world.takeDue() == due, "seed \(seed), step \(step), by time")
          given += due.count
        }
        world.now = end
        world.here = next
        world.odometer.follow(next)
        let due = world.due
        #expect(world.takeDue() == due, "seed \(seed), step \(step)")
        given += due.count
        switch Int.random(in: 0..<40, using: &world.dice) {
        case 0: world.remove(.random(in: 0..<400, using: &world.dice))
        case 1:
          let slot = Int32.random(in: 400..<500, using: &world.dice)
          world.remove(slot)
          world.add(slot)
        case 2:
          var pace = world.queue.pace
          pace.trip = .random(&world.dice)
          world.queue.use(pace, world.view)
        case 3:
          var pace = world.queue.pace
          pace.learnt = .random(in: 0.5...2, using: &world.dice)
          world.queue.use(pace, world.view)
        case 4:
          var pace = world.queue.pace
          pace.profile = Bool.random(using: &world.dice) ? .driving : profile
          world.queue.use(pace, world.view)
        case 5:
          world.now -= 3_600_000_000
          world.queue.reckonAll(world.view)
        default: break
        }
      }
      #expect(given > 10)
      #expect(world.queue.count == world.waiting.count)
    }
  }

  /// Of metres that the odometer does not count the clocks know nothing.
  @Test(arguments: [0.0, 8, 9.5])
  func whoTremblesAwayIsToldInTimeWithoutAnotherFix(metres: Double) {
    var world = World(.walking, seed: 1)
    for slot in 0..<30 as Range<Int32> { world.add(slot, at: 1_000, slack: 10 + 2 * Double(slot)) }
    #expect(world.takeDue().isEmpty)
    world.now += 1_000_000
    world.here = Self.home.destination(bearing: 180, distance: metres)
    world.odometer.follow(world.here)
    var wakings = 0
    repeat {
      for slot in world.takeDue() { Issue.record("slot \(slot) was late") }
      guard let deadline = world.queue.deadline(world.view), wakings < 500 else { break }
      // What is due at the deadline is, but was not a little before.
      world.now = max(world.now + 1, deadline - 2_000)
      #expect(world.due.isEmpty)
      world.now = max(world.now, deadline)
      _ = world.takeDue()
      wakings += 1
    } while !world.waiting.isEmpty
    #expect(world.waiting.isEmpty)
  }

  /// Marks that were reckoned by a faster clock must not count by a slower one.
  @Test func clocksThatSlowDownAskForNoTimeThatIsPast() {
    var world = World(.walking, seed: 1)
    var pace = world.queue.pace
    pace.learnt = 2
    world.queue.use(pace, world.view)
    for _ in 0..<100 {
      world.now += 1_000_000
      world.here = world.here.destination(bearing: 40, distance: 100)
      world.odometer.follow(world.here)
      _ = world.takeDue()
    }
    for slack in [10.0, 4_000] { world.add(Int32(slack), at: 1_000, slack: slack) }
    _ = world.takeDue()
    pace.learnt = 1
    world.queue.use(pace, world.view)
    _ = world.takeDue()
    var wakings = 0
    while let deadline = world.queue.deadline(world.view), wakings < 50 {
      #expect(deadline > world.now)
      world.now = max(world.now + 1, deadline)
      let due = world.due
      #expect(world.takeDue() == due)
      wakings += 1
    }
    #expect(world.waiting.isEmpty)
  }

  /// Only metres can take the device out of the place, so the time asks for no look.
  @Test(
    arguments: [TravelProfile.driving, .walking], [nil, TimeSpan.minutes(25)] as [TimeSpan?])
  func whoStandsAtTheEdgeOfThePlaceIsNotWoken(profile: TravelProfile, fixed: TimeSpan?) {
    for distance in [0.0, 60, 80, 99.5, 101.0] {
      var world = World(profile, seed: 1)
      world.add(0, bearing: 10, distance: distance, fixed: fixed)
      var looks = 0
      while world.takeDue().isEmpty, looks < 100 {
        guard let deadline = world.queue.deadline(world.view) else { break }
        world.now = max(world.now + 1, deadline)
        looks += 1
      }
      #expect(world.waiting.isEmpty)
      #expect(looks < 10)
    }
  }

  /// Half a metre that the short numbers do not tell must not take one who is outside for one who is there.
  @Test(arguments: [nil, TimeSpan.minutes(25)] as [TimeSpan?])
  func whoStandsJustOutsideThePlaceIsToldInTime(fixed: TimeSpan?) {
    for distance in [99.6, 99.99, 100.01, 100.1, 100.2, 100.3, 100.4] {
      for bearing in stride(from: 0.0, to: 360, by: 30) {
        var world = World(.walking, seed: 1)
        world.add(0, bearing: bearing, distance: distance, fixed: fixed)
        var looks = 0
        while world.takeDue().isEmpty, looks < 100 {
          guard let deadline = world.queue.deadline(world.view) else { break }
          world.now = max(world.now + 1, deadline - 2_000)
          #expect(world.due.isEmpty, "\(distance) m, bearing \(bearing)")
          world.now = max(world.now, deadline)
          looks += 1
        }
        #expect(world.waiting.isEmpty)
        #expect(looks < 12)
      }
    }
  }

  /// What is far off has no wake-up of its own, whether places or fixed travel times tell its moment.
  @Test func whoStandsStillIsWokenForEachAFewTimes() {
    var world = World(.driving, seed: 5)
    for slot in 0..<400 as Range<Int32> { world.add(slot) }
    _ = world.takeDue()
    let waiting = world.waiting.count
    var wakings = 0
    while let deadline = world.queue.deadline(world.view), wakings < 10 * waiting {
      #expect(deadline > world.now)
      world.now = max(world.now + 1, deadline)
      let due = world.due
      #expect(world.takeDue() == due)
      wakings += 1
    }
    #expect(world.waiting.isEmpty)
    #expect(wakings < 5 * waiting)
  }

  @Test func theSoonestAreToldInOrderWhereverTheyRest() {
    var world = World(.driving, seed: 3)
    for slot in 0..<500 as Range<Int32> { world.add(slot) }
    _ = world.takeDue()
    let told = world.queue.soonest(limit: 40, world.view)
    let here = world.here
    let (pace, now) = (world.queue.pace, world.now)
    let moments = world.waiting.values.map { $0.slack(from: here, pace, now) + now }.sorted()
    #expect(told.count == 40)
    for (one, moment) in zip(told, moments) { #expect(abs(one.moment - moment) < 200_000) }
  }

  /// Before the clock of approach has gone on by the rest there is nowhere as much slack, however the
  /// device has come there.
  @Test(arguments: [TravelProfile.driving, .cycling, .walking])
  func slackIsNotBackBeforeItsRest(profile: TravelProfile) {
    var dice = SeededGenerator(seed: 9)
    let again = TimeSpan.minutes(10)
    var rests = 0
    for _ in 0..<3_000 {
      let trip = TripPace(
        ratio: .random(in: 0.5...2, using: &dice), reach: .random(in: 60...5_000, using: &dice))
      let pace =
        Bool.random(using: &dice)
        ? TravelPace(profile: profile, learnt: .random(in: 0.5...2, using: &dice))
        : TravelPace(profile: profile, trip: trip)
      let reckoning = LeaveReckoning(pace: pace)
      let distance = Double.random(in: 0...1, using: &dice) * .random(in: 0...300_000, using: &dice)
      let radius = Double.random(in: 10...1_000, using: &dice)
      let place = Self.home.destination(bearing: 70, distance: distance)
      let now: Int64 = 1_781_280_000_000_000
      let travel = distance > radius ? pace.seconds(distance) : 0
      let slack = Double.random(in: -3_000...600, using: &dice)
      let entry = LeaveEntry(
        slot: 0, place: place, radius: radius,
        moment: Instant(microseconds: now + Int64((travel + slack) * 1e6)))
      let view = LeaveView(now: now, metres: 0, here: Direction(Self.home))
      let rest = reckoning.restBeforeReturn(
        entry, reckoning.look(at: entry, view), again: again, view)
      // Less than 25 m are no rest: what wavers there is not looked at with every fix.
      let shortest = LeaveView(now: now, metres: 25.001, here: view.here)
      let start = reckoning.approach(rest.grade, view)
      guard rest.length > reckoning.approach(rest.grade, shortest) - start else { continue }
      rests += 1
      for _ in 0..<20 {
        let way = Double.random(in: 25...max(26, distance), using: &dice)
        let seconds = Double.random(in: 0...1, using: &dice) * .random(in: 0...20_000, using: &dice)
        let left = distance - way
        let slackThen = slack + travel - seconds - (left > radius ? pace.seconds(left) : 0)
        guard slackThen > again.seconds + 1 else { continue }
        let later = LeaveView(now: now + Int64(seconds * 1e6), metres: way, here: view.here)
        let gained = reckoning.approach(rest.grade, later) - start
        #expect(gained >= rest.length, "\(distance) m, \(way) m nearer after \(seconds) s")
      }
    }
    #expect(rests > 1_000)
  }
}
