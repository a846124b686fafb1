import CivilTime
import JSONText
import TestSupport
import Testing

@testable import Companion

/// A daemon, a destination and a clock for one `Delivery`, all virtual.
struct DeliveryWorld {
  /// What the program does with a firing: by its number and the count of its tries.
  var program: (_ seq: Int, _ tries: Int) -> Delivery.Outcome = { _, _ in .delivered }
  /// Whether the destination is away, so that each program fails.
  var isAway = false
  /// Microseconds that a program runs.
  var runTime: Int64 = 20_000

  var delivery = Delivery(name: "d")
  var now: Int64 = 0
  var ledger = "one"
  var firings: [FiringNotice] = []
  var row: ConsumerRow?
  var isStoreFailing = false
  /// Numbers in the order of program starts, and the times.
  var runs: [(seq: Int, time: Int64)] = []
  /// Numbers of the firings that a program took.
  var deliveries: [Int] = []
  var tries: [Int: Int] = [:]
  var reports: [Delivery.Report] = []
  var rows: [ConsumerRow] = []
  /// Events to come, by time.
  var pending: [(time: Int64, event: Delivery.Event)] = []
  var isUp = true
  /// 2026-06-12T16:00:00Z.
  static let start = Instant(microseconds: 1_781_280_000_000_000)

  var real: Instant { Self.start + TimeSpan(microseconds: now) }

  /// Adds a firing to the ledger, and signals it.
  mutating func fire(age: TimeSpan = .zero, priority: Int = 0) {
    let json: JSONObject = [
      "firing_id": .string("f\(firings.count + 1)"), "reminder_id": "r", "title": "Milk",
      "seq": .int(firings.count + 1), "time": .string((real - age).json),
      "priority": .int(priority),
    ]
    if let notice = FiringNotice(json) { firings.append(notice) }
    if isUp { later(0, .news) }
  }

  mutating func later(_ delay: Int64, _ event: Delivery.Event) {
    let index = pending.firstIndex { $0.time > now + delay } ?? pending.count
    pending.insert((now + delay, event), at: index)
  }

  mutating func handle(_ event: Delivery.Event) {
    let moment = ClockReadings(steady: now, real: real)
    for effect in delivery.handle(event, at: moment, random: 0.5) { carryOut(effect) }
  }

  mutating func carryOut(_ effect: Delivery.Effect) {
    switch effect {
    case .open:
      let known = row ?? ConsumerRow(name: "d", upto: firings.count)
      row = known
      later(100, .opened(known, ledger: ledger, head: firings.count))
    case .read(let seq, let queue):
      let next = firings.first {
        $0.seq > seq && queue.isUrgent ?? $0.isUrgent == $0.isUrgent
      }
      later(100, .read(next, queue))
    case .store(let new, let itsLedger):
      guard !isStoreFailing else { return later(100, .refused) }
      guard let known = row else { return later(100, .forgotten) }
      if itsLedger == ledger {
        rows.append(new)
        var merged = new
        for queue in [ConsumerRow.Queue.urgent, .others] {
          merged[queue] = max(new[queue], known[queue])
          let next = firings.first {
            $0.seq > merged[queue] && $0.isUrgent == queue.isUrgent
          }
          merged[queue] = max(merged[queue], next.map { $0.seq - 1 } ?? firings.count)
        }
        row = merged
      }
      later(100, .stored(row ?? new, ledger: ledger))
    case .run(let firing, _):
      runs.append((firing.seq, now))
      tries[firing.seq, default: 0] += 1
      let outcome =
        isAway ? .failed("it exited with 7") : program(firing.seq, tries[firing.seq] ?? 0)
      if outcome == .delivered { deliveries.append(firing.seq) }
      later(runTime, .ended(firing.seq, outcome))
    case .wake(let delay): later(delay, .tick)
    case .report(let report): reports.append(report)
    }
  }

  /// One event; false when none is left.
  mutating func step() -> Bool {
    guard !pending.isEmpty else { return false }
    let next = pending.removeFirst()
    now = max(now, next.time)
    if case .connected = next.event { isUp = true }
    handle(next.event)
    return true
  }

  /// Until nothing is left to do, or that time.
  mutating func run(until end: Int64 = .max) {
    while let next = pending.first, next.time <= end, step() {}
    if end != .max { now = max(now, end) }
  }

  mutating func connect() { later(0, .connected) }

  /// The helper is killed and started again: its memory is lost, and the outcome of what runs.
  mutating func killHelper() {
    pending = []
    delivery = Delivery(name: "d")
    connect()
  }

  /// The daemon is killed and started again: its answers are lost, its store is not.
  mutating func killDaemon() {
    pending.removeAll {
      switch $0.event {
      case .opened, .read, .stored, .forgotten, .refused, .news, .connected: true
      case .ended, .reachable, .condition, .tick, .disconnected: false
      }
    }
    isUp = false
    handle(.disconnected)
    later(500_000, .connected)
  }
}

@Suite struct DeliveryTests {
  private static let second: Int64 = 1_000_000
  private static let hour: Int64 = 3_600_000_000

  private func world(_ count: Int) -> DeliveryWorld {
    var world = DeliveryWorld()
    world.row = ConsumerRow(name: "d", upto: 0)
    for _ in 0..<count { world.fire() }
    world.connect()
    return world
  }

  @Test func aThousandInOneSecondAreAThousandRunsInOrder() {
    var world = world(1_000)
    world.run()
    #expect(world.runs.map(\.seq) == Array(1...1_000))
    #expect(world.row?.upto == 1_000)
  }

  @Test func aNewDestinationBeginsAtTheHead() {
    var world = DeliveryWorld()
    for _ in 0..<5 { world.fire() }
    world.connect()
    world.run()
    #expect(world.runs.isEmpty)
    world.fire()
    world.run()
    #expect(world.runs.map(\.seq) == [6])
  }

  @Test(arguments: ["it exited with 1", "it exited with 75", "it took too long", "no such file"])
  func aFailureIsTriedAgainUntilItSucceeds(reason: String) {
    var world = world(2)
    world.program = { _, tries in tries < 4 ? .failed(reason) : .delivered }
    world.run()
    #expect(world.runs.map(\.seq) == [1, 1, 1, 1, 2, 2, 2, 2])
    #expect(world.row == ConsumerRow(name: "d", upto: 2))
    // Waits of 1, 2 and 4 seconds.
    let times = world.runs.map { $0.time }
    let waits = (1...3).map { (times[$0] - times[$0 - 1]) / Self.second }
    #expect(waits == [1, 2, 4])
    // One report a change of state, and the row has every try.
    #expect(world.reports.count == 2)
    #expect(world.rows.map(\.tries) == [1, 2, 3, 0, 1, 2, 3, 0])
    #expect(world.rows[0].text == reason)
    #expect(world.rows[0].failingSince != nil && world.rows[0].nextTry != nil)
    #expect(world.rows[1].failingSince == world.rows[0].failingSince)
  }

  @Test func waitsDoubleUpToAQuarterOfAnHourAndVaryByAFifth() {
    let steps = (1...12).map { Delivery.delay(tries: $0, random: 0.5) / Self.second }
    #expect(steps == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
    #expect(Delivery.delay(tries: 1, random: 0) == 800_000)
    #expect(Delivery.delay(tries: 5_000, random: 0.999_999) <= 1_080 * Self.second)
  }

  @Test func aDestinationThatCanBeReachedAgainIsTriedAtOnce() {
    var world = world(1)
    world.program = { _, tries in tries < 8 ? .failed("no connection") : .delivered }
    world.run(until: 70 * Self.second)
    #expect(world.runs.count == 7)
    let before = world.now
    world.later(0, .reachable)
    world.run(until: before + Self.second)
    #expect(world.runs.count == 8)
    #expect(world.row == ConsumerRow(name: "d", upto: 1))
  }

  /// A failure that is none of a firing is stored as one, until it ends.
  @Test func aConditionOfTheDestinationIsStored() {
    var world = world(0)
    world.run()
    world.handle(.condition("it drops messages"))
    world.run()
    let since = world.row?.failingSince
    #expect(since != nil && world.row?.text == "it drops messages")
    world.fire()
    world.run()
    #expect(world.row?.upto == 1)
    #expect(world.row?.failingSince == since && world.row?.text == "it drops messages")
    world.handle(.condition(nil))
    world.run()
    #expect(world.row?.failingSince == nil && world.row?.text == nil)
  }

  /// The first firing that comes through ends the condition: the daemon stores that while the firing
  /// is still under way.
  @Test func whatIsDeliveredDuringAStoreIsNotDeliveredAgain() {
    var world = world(0)
    world.run()
    world.handle(.condition("it drops messages"))
    world.run()
    world.runTime = 50
    world.fire()
    while world.runs.isEmpty, world.step() {}
    world.handle(.condition(nil))
    world.run()
    #expect(world.deliveries == [1])
    #expect(world.row == ConsumerRow(name: "d", upto: 1))
  }

  @Test func aFiringThatIsRefusedIsGivenUpAtOnce() {
    var world = world(2)
    world.program = { seq, _ in seq == 1 ? .refused("it exited with 65") : .delivered }
    world.run()
    #expect(world.runs.map(\.seq) == [1, 2])
    #expect(world.reports == [.gaveUp(world.firings[0], "it exited with 65")])
    #expect(world.rows[0].text == "given up: it exited with 65")
    #expect(world.rows[0].failingSince == nil)
  }

  @Test func aFiringIsGivenUpAfterADay() {
    var world = world(2)
    world.program = { seq, _ in seq == 1 ? .failed("it exited with 1") : .delivered }
    world.run()
    #expect(world.runs.last?.seq == 2)
    let last = world.runs.last { $0.seq == 1 }?.time ?? 0
    #expect((24 * Self.hour...24 * Self.hour + 900 * Self.second).contains(last))
    // About a hundred tries, and the destination is well again.
    #expect(world.runs.count < 120)
    #expect(world.row?.failingSince == nil)
  }

  /// Urgent firings that it delivers meanwhile do not lengthen the day.
  @Test func aFiringIsGivenUpAfterADayBesideOthers() {
    var world = world(1)
    world.program = { seq, _ in seq == 1 ? .failed("it exited with 1") : .delivered }
    for hour in 1...30 as ClosedRange<Int64> {
      world.run(until: hour * Self.hour)
      world.fire(priority: 1)
    }
    world.run()
    let last = world.runs.last { $0.seq == 1 }?.time ?? 0
    #expect((24 * Self.hour...24 * Self.hour + 900 * Self.second).contains(last))
    #expect(world.row?.upto == 31 && world.row?.urgentUpto == 31)
  }

  /// Not one day for each of them.
  @Test func aBacklogOfADeadDestinationEndsAndNewFiringsAreTriedOn() {
    var world = world(50)
    world.program = { _, _ in .failed("it exited with 1") }
    world.run(until: 25 * Self.hour)
    #expect(world.row?.upto == 50)
    #expect(world.row?.failingSince != nil)
    world.fire()
    world.run(until: 30 * Self.hour)
    #expect(world.row?.upto == 50)
    #expect((world.row?.tries ?? 0) > 10)
  }

  /// A clock that was wrong at the firing: days ahead, or decades behind.
  @Test(arguments: [-300.0, 0, 20_000])
  func theTimeOfAFiringDoesNotSilenceADestination(days: Double) {
    var world = DeliveryWorld()
    world.row = ConsumerRow(name: "d", upto: 0)
    world.fire(age: .hours(24 * days))
    world.fire()
    world.program = { _, tries in tries < 3 ? .failed("it exited with 1") : .delivered }
    world.connect()
    world.run()
    #expect(world.runs.map(\.seq) == [1, 1, 1, 2, 2, 2])
    #expect(world.row?.upto == 2)
  }

  @Test func aRestartRepeatsNothing() {
    var world = world(5)
    world.run()
    world.killHelper()
    world.run()
    world.killDaemon()
    world.run()
    #expect(world.runs.count == 5)
  }

  /// The set equals the ledger, each queue in order, with at most one of each repeated for each kill
  /// of the helper.
  @Test(arguments: 1...300 as ClosedRange<UInt64>) func killsLoseNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var world = world(3)
    world.program = { seq, tries in
      (seq * 7 + tries) % 3 == 0 && tries < 3 ? .failed("it exited with 1") : .delivered
    }
    var kills = 0
    var firings = 3
    for _ in 0..<60 {
      for _ in 0..<Int(random.next() % 9) { _ = world.step() }
      switch random.next() % 6 {
      case 0:
        world.killHelper()
        kills += 1
      case 1: world.killDaemon()
      case 2, 3:
        world.fire(priority: random.next() % 3 == 0 ? 1 : 0)
        firings += 1
      default: break
      }
    }
    world.run()
    #expect(world.row?.upto == firings && world.row?.urgentUpto == firings)
    for isUrgent in [true, false] {
      let queue = world.firings.filter { $0.isUrgent == isUrgent }.map(\.seq)
      var next = 0
      for run in world.runs where world.firings[run.seq - 1].isUrgent == isUrgent {
        let isRepeated = next > 0 && run.seq == queue[next - 1]
        #expect(isRepeated || run.seq == queue[next], "out of order")
        if !isRepeated { next += 1 }
      }
      #expect(next == queue.count)
    }
    #expect(world.deliveries.count - firings <= 2 * kills)
    #expect(Set(world.deliveries) == Set(1...firings))
  }

  // MARK: - Urgent firings

  /// Twenty minutes of milk in front of a server that is away, then an anchor that drags: the alarm
  /// arrives within two seconds of the server's return, before all else, and each firing once.
  @Test(arguments: [0, 1, 9, 100, 599]) func anAlarmOvertakesWhatWaits(secondsToReturn: Int64) {
    var world = world(0)
    world.isAway = true
    for _ in 0..<30 {
      world.fire()
      world.run(until: world.now + 40 * Self.second)
    }
    world.fire(priority: 1)
    world.run(until: world.now + secondsToReturn * Self.second)
    world.isAway = false
    let back = world.now
    while world.row?.urgentUpto != 31, world.step() {}
    #expect(world.now - back <= 2 * Self.second)
    #expect(world.deliveries == [31])
    // Neither lost nor doubled by a restart in between.
    world.killHelper()
    world.run()
    world.killDaemon()
    world.run()
    #expect(world.deliveries == [31] + Array(1...30))
    #expect(world.row?.upto == 31 && world.row?.tries == 0)
  }

  /// A program that hangs keeps no alarm waiting.
  @Test func anAlarmStartsBesideAProgramThatRuns() {
    var world = world(1)
    world.runTime = 30 * Self.second
    world.run(until: Self.second)
    world.fire(priority: 3)
    world.fire(priority: 4)
    world.run(until: 2 * Self.second)
    #expect(world.runs.map(\.seq) == [1, 2])
    world.run()
    #expect(world.deliveries == [1, 2, 3])
    #expect(world.row?.upto == 3 && world.row?.urgentUpto == 3)
  }

  @Test func anAlarmThatFailsIsTriedAgainSoon() {
    let delays = [1, 500, 1_000].map { Delivery.delay(tries: $0, random: 1, isUrgent: true) }
    #expect(delays.allSatisfy { $0 <= 1_800_000 })
    #expect(Delivery.delay(tries: 1_001, random: 0.5, isUrgent: true) == 60 * Self.second)
  }

  @Test func aFiringThatIsSkippedElsewhereIsNotTriedOn() {
    var world = world(2)
    world.program = { seq, _ in seq == 1 ? .failed("it exited with 1") : .delivered }
    world.run(until: Self.hour)
    #expect(world.row?.upto == 0)
    world.row?.upto = 1
    world.run(until: Self.hour + 31 * Self.second)
    #expect(world.row?.upto == 2)
    #expect(world.runs.last?.seq == 2)
  }

  @Test func aDestinationThatIsForgottenBeginsAtTheHead() {
    var world = world(3)
    world.program = { _, _ in .failed("it exited with 1") }
    world.run(until: 10 * Self.second)
    world.row = nil
    world.run(until: 100 * Self.second)
    #expect(world.row?.upto == 3)
  }

  /// The outcome waits for the store; the program does not run again for it.
  @Test func aStoreThatFailsRepeatsNoProgram() {
    var world = world(2)
    world.isStoreFailing = true
    world.run(until: Self.hour)
    #expect(world.runs.map(\.seq) == [1])
    world.isStoreFailing = false
    world.run()
    #expect(world.runs.map(\.seq) == [1, 2])
  }

  @Test func anotherLedgerCountsFromItsOwnRow() {
    var world = world(3)
    world.program = { _, _ in .failed("it exited with 1") }
    world.run(until: 5 * Self.second)
    // A recovered database with fewer firings.
    world.ledger = "two"
    world.firings.removeLast(2)
    world.row = ConsumerRow(name: "d", upto: 1)
    world.program = { _, _ in .delivered }
    world.killDaemon()
    world.run()
    world.fire()
    world.run()
    #expect(world.row?.upto == 2)
    #expect(world.runs.last?.seq == 2)
  }

  // MARK: - Notifications and pages

  @Test func onlyTheLatestMissedFiringsAreDelivered() {
    var world = world(30)
    world.delivery = Delivery(name: "d", backlog: 20)
    world.run()
    #expect(world.runs.map(\.seq) == Array(11...30))
    #expect(world.reports == [.passedOver(10)])
  }

  @Test func noOutageCostsAFiringThatIsTriedForEver() {
    var world = world(0)
    world.delivery = Delivery(name: "d", giveUpAfter: TimeSpan(microseconds: .max))
    world.isAway = true
    let day = 86_400 * Self.second
    for _ in 0..<40 {
      world.fire()
      world.run(until: world.now + day)
    }
    #expect(world.deliveries == [])
    world.isAway = false
    world.run(until: world.now + day)
    #expect(world.deliveries == Array(1...40))
  }

  @Test func aDestinationWithoutANameRemembersInItsMemoryAlone() {
    var delivery = Delivery(name: nil, backlog: 2)
    let now = ClockReadings(steady: 0, real: DeliveryWorld.start)
    #expect(delivery.handle(.connected, at: now) == [.open])
    #expect(
      delivery.handle(.opened(nil, ledger: "one", head: 9), at: now) == [.read(after: 7, .all)])
    #expect(delivery.handle(.read(nil, .all), at: now) == [])
    #expect(delivery.handle(.disconnected, at: now) == [])
    #expect(delivery.handle(.connected, at: now) == [.open])
    #expect(
      delivery.handle(.opened(nil, ledger: "one", head: 9), at: now) == [.read(after: 7, .all)])
    #expect(delivery.handle(.read(nil, .all), at: now) == [])
    #expect(delivery.handle(.disconnected, at: now) == [])
    #expect(delivery.handle(.connected, at: now) == [.open])
    #expect(
      delivery.handle(.opened(nil, ledger: "one", head: 12), at: now)
        == [.report(.passedOver(3)), .read(after: 10, .all)])
    #expect(delivery.handle(.read(nil, .all), at: now) == [])
    #expect(delivery.handle(.disconnected, at: now) == [])
    #expect(delivery.handle(.connected, at: now) == [.open])
    // A ledger that lost its firings.
    #expect(
      delivery.handle(.opened(nil, ledger: "two", head: 5), at: now) == [.read(after: 3, .all)])
  }
}
