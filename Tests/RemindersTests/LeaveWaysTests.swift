import CivilTime
import Geodesy
import TestSupport
import Testing

@testable import Reminders

/// Where reminders rest that wait for their time to leave, and by which of the ways that shelves are looked at.
@Suite struct LeaveWaysTests {
  private static let again = TimeSpan.minutes(10)

  /// Two queues of the same reminders, one for every processor and one for wide vectors.
  private struct Pair {
    var queues: [LeaveQueue]
    var odometer = Odometer()
    var now: Int64 = 1_781_280_000_000_000
    var here = EngineHarness.home {
      didSet { odometer.follow(here) }
    }
    private var routes = RouteBook()
    private var entries: [Int32: (entry: LeaveEntry, index: Int32)] = [:]

    init(_ profile: TravelProfile) {
      queues = [false, true].map {
        LeaveQueue(pace: TravelPace(profile: profile), ShelfKernel(isWide: $0))
      }
      odometer.follow(here)
    }

    var view: LeaveView { LeaveView(now: now, metres: odometer.metres, here: odometer.here) }

    mutating func add(_ entry: LeaveEntry, _ stage: LeaveQueue.Stage) {
      remove(entry.slot)
      let indices = queues.indices.map {
        queues[$0].add(entry, stage, moment: nil, again: LeaveWaysTests.again, view)
      }
      #expect(indices[0] == indices[1])
      entries[entry.slot] = (entry, indices[0])
    }

    mutating func remove(_ slot: Int32) {
      guard let one = entries.removeValue(forKey: slot) else { return }
      for number in queues.indices { queues[number].remove(one.index) }
    }

    /// What both say, in their order; what is due has said "leave" from then on, and what is back waits.
    mutating func take(_ step: Int) -> Int {
      var told = 0
      while told < 5_000 {
        let due = queues.indices.map {
          queues[$0].nextDue(view, routes: &routes, mode: 0, exactDistance: { _ in nil })
        }
        #expect(due[0] == due[1], "step \(step)")
        guard due[0] == due[1], let slot = due[0], let one = entries[slot] else { break }
        told += 1
        add(one.entry, .gone)
      }
      while told < 10_000 {
        let back = queues.indices.map {
          queues[$0].nextBack(view, again: LeaveWaysTests.again)
        }
        #expect(back[0] == back[1], "step \(step)")
        guard back[0] == back[1], let slot = back[0], let one = entries[slot] else { break }
        told += 1
        add(one.entry, .waiting)
      }
      #expect(queues[0].deadline(view) == queues[1].deadline(view), "step \(step)")
      #expect(queues[0].homes == queues[1].homes, "step \(step)")
      return told
    }
  }

  @Test(.wideVectors, arguments: [TravelProfile.driving, .cycling, .walking])
  func wideVectorsTellTheSameAllDay(profile: TravelProfile) {
    var dice = SeededGenerator(seed: 61)
    var pair = Pair(profile)
    let top = profile == .walking ? 3.0 : profile == .cycling ? 12 : 45
    func entry(_ slot: Int32) -> LeaveEntry {
      let distance =
        Double.random(in: 0...1, using: &dice) * .random(in: 0...4_000 * top, using: &dice)
      let slack = Double.random(in: -3_000...9_000, using: &dice)
      let seconds = pair.queues[0].pace.seconds(distance) + slack
      return LeaveEntry(
        slot: slot,
        place: pair.here.destination(
          bearing: .random(in: 0..<360, using: &dice), distance: distance),
        radius: .random(in: 20...500, using: &dice),
        moment: Instant(microseconds: pair.now + Int64(seconds * 1e6)))
    }
    for slot in 0..<600 as Range<Int32> { pair.add(entry(slot), .waiting) }
    var told = pair.take(0)
    var bearing = 0.0
    for step in 1..<1_500 {
      if step % 100 == 0 { bearing = .random(in: 0..<360, using: &dice) }
      let seconds: Double = [1, 1, 1, 5, 60].randomElement(using: &dice) ?? 1
      pair.now += Int64(seconds * 1e6)
      let way = seconds * .random(in: 0...top, using: &dice)
      if Int.random(in: 0..<4, using: &dice) > 0 {
        pair.here = pair.here.destination(bearing: bearing, distance: way)
      }
      switch Int.random(in: 0..<30, using: &dice) {
      case 0...8: pair.add(entry(.random(in: 0..<600, using: &dice)), .waiting)
      case 9: pair.remove(.random(in: 0..<600, using: &dice))
      case 10:
        pair.here = pair.here.destination(
          bearing: bearing, distance: .random(in: 0...100_000, using: &dice))
      case 11:
        pair.now += .random(in: -3_600_000_000...3_600_000_000, using: &dice)
        for number in pair.queues.indices { pair.queues[number].reckonAll(pair.view) }
      case 12:
        var pace = pair.queues[0].pace
        pace.trip = .random(&dice)
        for number in pair.queues.indices { pair.queues[number].use(pace, pair.view) }
      default: break
      }
      told += pair.take(step)
    }
    #expect(told > 200)
  }

  /// Moments that are told much later for a large radius are told less exactly.
  @Test(arguments: [TravelProfile.driving, .cycling, .walking])
  func whatIsGoneRestsOnShelvesWhereItIsSmall(profile: TravelProfile) {
    let reckoning = LeaveReckoning(pace: TravelPace(profile: profile))
    let now: Int64 = 1_781_280_000_000_000
    let view = LeaveView(now: now, metres: 0, here: Direction(EngineHarness.home))
    for (radius, isShelved) in [
      (20.0, true), (100_000, true), (101_000, false), (5_000_000, false),
    ] {
      var shelves = GoneShelves(reckoning)
      let moment = now + Int64(reckoning.pace.seconds(1_000) * 1e6)
      let entry = LeaveEntry(
        slot: 0, place: EngineHarness.home.destination(bearing: 0, distance: 1_000),
        radius: radius, moment: Instant(microseconds: moment))
      // So little slack that enough is missing, however large the place is.
      let slack = Int64(-1e6 * (2_000 + reckoning.slope(1) * radius))
      let missing = shelves.missing(entry, slack: slack, distance: 1_000, again: 600, reckoning)
      #expect((missing != nil) == isShelved, "\(radius) m")
      if let missing {
        shelves.settle([entry], view)
        let isTaken = shelves.insert(
          0, entry, missing: missing, distance: 1_000, reckoning, view)
        #expect(isTaken)
      }
    }
  }

  /// One that comes near its time and goes away again for weeks is not noted without an end.
  @Test func whatComesNearAndGoesAgainIsForgotten() {
    var queue = LeaveQueue(pace: TravelPace(profile: .driving))
    var odometer = Odometer()
    var routes = RouteBook()
    let now: Int64 = 1_781_280_000_000_000
    let place = EngineHarness.home.destination(bearing: 90, distance: 20_000)
    odometer.follow(EngineHarness.home)
    func view() -> LeaveView {
      LeaveView(now: now, metres: odometer.metres, here: odometer.here)
    }
    let way = Int64(queue.pace.seconds(20_000) * 1e6)
    let entry = LeaveEntry(
      slot: 0, place: place, radius: 50, moment: Instant(microseconds: now + way + 200_000_000))
    _ = queue.add(entry, .waiting, moment: nil, again: Self.again, view())
    var most = 0
    for step in 0..<2_000 {
      // 35 s of slack and 200 s by turns.
      odometer.follow(
        EngineHarness.home.destination(bearing: 270, distance: step % 2 == 0 ? 1_700 : 0))
      let due = queue.nextDue(view(), routes: &routes, mode: 0, exactDistance: { _ in nil })
      #expect(due == nil)
      most = max(most, queue.coming.count)
    }
    #expect(most > 100 && most <= LeaveQueue.mostComing)
  }

  /// Cells say of what they give out how much slack all of a bucket have at least, and how far they may be.
  @Test(arguments: [TravelProfile.driving, .cycling, .walking])
  func whatCellsGiveOutHasTheSlackThatTheyTell(profile: TravelProfile) {
    var dice = SeededGenerator(seed: 63)
    let reckoning = LeaveReckoning(pace: TravelPace(profile: profile))
    var cells = LeaveCells(reckoning)
    var view = LeaveView(
      now: 1_781_280_000_000_000, metres: 0, here: Direction(EngineHarness.home))
    var entries: [LeaveEntry] = []
    for number in 0..<2_000 as Range<Int32> {
      let place = EngineHarness.home.destination(
        bearing: .random(in: 0..<360, using: &dice),
        distance: .random(in: 0...1, using: &dice) * .random(in: 0...200_000, using: &dice))
      let left = Int64(Double.random(in: 0...4e5, using: &dice) * 1e6)
      entries.append(
        LeaveEntry(
          slot: number, place: place, radius: 50,
          moment: Instant(microseconds: view.now + left)))
      _ = cells.insert(number, entries[Int(number)])
    }
    var told = Set<Int32>()
    var given = LeaveCells.Given()
    cells.reckonAll(reckoning, view, into: &given)
    for _ in 0..<200 {
      var start = 0
      for bucket in given.buckets {
        for index in given.indices[start..<bucket.end] {
          let look = reckoning.look(at: entries[Int(index)], view)
          #expect(look.outside >= bucket.slack)
          #expect(reckoning.grade(look.distance) <= bucket.grade)
          #expect(told.insert(index).inserted)
        }
        start = bucket.end
      }
      #expect(start == given.indices.count)
      given.removeAll()
      #expect(given.isEmpty && given.buckets.isEmpty)
      view.now += .random(in: 0...4_000_000_000, using: &dice)
      view.metres += .random(in: 0...20_000, using: &dice)
      let here = EngineHarness.home.destination(
        bearing: .random(in: 0..<360, using: &dice), distance: .random(in: 0...200, using: &dice))
      view.here = Direction(here)
      cells.nextGiven(reckoning, view, into: &given)
    }
    #expect(told.count > 1_800)
  }

  @Test func whatHasATravelTimeOfItsOwnTakesNoCell() {
    var dice = SeededGenerator(seed: 62)
    var entries: [LeaveEntry] = []
    func append(fixed: TimeSpan?) {
      entries.append(
        LeaveEntry(
          slot: Int32(entries.count),
          place: EngineHarness.home.destination(
            bearing: .random(in: 0..<360, using: &dice),
            distance: .random(in: 0...9e6, using: &dice)),
          radius: 50, moment: Instant(seconds: 2_000_000_000), fixed: fixed))
    }
    for _ in 0..<500 { append(fixed: .minutes(5)) }
    var cells = LeaveCells(LeaveReckoning(pace: TravelPace(profile: .walking)))
    let bytes = cells.byteCount
    #expect(cells.order(of: entries[...]) == Array(0..<500))
    #expect(cells.byteCount == bytes)
    for _ in 0..<100 { append(fixed: nil) }
    let order = cells.order(of: entries[...])
    #expect(order.sorted() == Array(0..<600))
    #expect(order.prefix(100).allSatisfy { $0 >= 500 })
    #expect(cells.byteCount > bytes)
  }
}
