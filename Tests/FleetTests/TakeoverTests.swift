import CivilTime
import Fleet
import Glibc
import JSONText
import Reminders
import TestSupport
import Testing

@Suite struct TakeoverTests {
  private func firings(_ store: MemoryStore) -> [String: [String]] {
    store.devices.mapValues { device in device.firings.map(\.line) }
  }

  private func oneLife(
    _ log: [LogMessage], places: PlaceCatalog = PlaceCatalog()
  ) throws -> MemoryStore {
    var store = MemoryStore()
    let partition = Partition(0)
    partition.places = places
    for message in log { partition.take(message) }
    try store.commit(partition)
    return store
  }

  /// `GEOREMIND_LONG_TESTS=1` plays 100 logs.
  private static let seeds = 1...(getenv("GEOREMIND_LONG_TESTS") == nil ? 3 as UInt64 : 100)

  /// Owners come and go at random, some with the last commit behind what they have decided.
  @Test(arguments: seeds, [false, true])
  func ownersThatFailChangeNothing(seed: UInt64, isHard: Bool) throws {
    let devices = 8
    let log = SimulatedLog.messages(devices: devices, seconds: 900, seed: seed, isHard: isHard)
    let places = SimulatedLog.places(devices: devices, seed: seed)
    let expected = try oneLife(log, places: places)
    #expect(expected.refused.isEmpty, "\(expected.refused)")
    #expect(expected.devices.values.reduce(0) { $0 + $1.firings.count } > 60)
    var random = SeededGenerator(seed: seed)
    var store = MemoryStore()
    var takeovers = 0
    while store.offset.sequence < UInt64(log.count) {
      takeovers += 1
      let partition = try store.partition()
      partition.places = places
      var left = Int.random(in: 1...1_500, using: &random)
      for message in log where message.sequence >= partition.span.start {
        partition.take(message)
        guard !partition.isReplaying else { continue }
        #expect(partition.divergedCount == 0)
        left -= 1
        if left == 0 { break }
        if Int.random(in: 0..<20, using: &random) == 0 { try store.commit(partition) }
      }
      if partition.next > UInt64(log.count) { try store.commit(partition) }
    }
    #expect(takeovers > 5)
    for (name, device) in expected.devices {
      #expect(firings(store)[name] == firings(expected)[name], "\(name)")
      let found = store.devices[name]
      #expect(found?.state == device.state, "\(name)")
      #expect(found?.trips == device.trips, "\(name)")
      for (id, reminder) in device.reminders {
        #expect(found?.reminders[id].map { $0 == reminder } == true, "\(name) \(id)")
      }
    }
  }

  /// A device begins inside, at the edge of a circle, and has left it before its first owner fails.
  /// The next one knows that it is outside: the way there is no pass.
  @Test(arguments: [(30.0, 22.0), (30, 26), (60, 52), (60, 56)])
  func whatTheFirstOwnerFoundIsNoPassForTheNext(radius: Double, first: Double) throws {
    var log: [LogMessage] = []
    func send(_ text: String, at second: Double) {
      log.append(
        LogMessage(
          sequence: UInt64(log.count + 1), time: SimulatedLog.start + .seconds(second),
          device: "van", payload: Array(text.utf8)))
    }
    send(
      #"{"add":{"id":"a","kind":"location","title":"T","every_visit":true,"place":{"#
        + #""lat":45,"lon":5,"radius_m":\#(radius),"name":"P"}}}"#, at: 0)
    // An outage of ten seconds, and the fixes of that time at once.
    let times = [2, 3, 4, 14, 14.1, 14.15, 14.2, 14.3, 14.4, 14.5, 14.55, 14.6, 15, 16, 17, 18]
    for (step, second) in times.enumerated() {
      let latitude = 45 + (first + 10.7 * Double(step)) / 111_195
      let time = (SimulatedLog.start + .seconds(second)).seconds
      send(
        #"{"_type":"location","lat":\#(latitude),"lon":5,"tst":\#(time),"acc":8,"vel":38.6}"#,
        at: second)
    }
    let expected = firings(try oneLife(log))
    var store = MemoryStore()
    let owner = Partition(0)
    for message in log {
      owner.take(message)
      try store.commit(owner)
      var copy = store
      let next = try copy.partition()
      for message in log where message.sequence >= next.span.start { next.take(message) }
      try copy.commit(next)
      #expect(firings(copy) == expected, "after \(message.sequence)")
    }
  }

  @Test func aTakeoverOfASilentLogEndsWithAMessageOfTheClock() throws {
    let log = SimulatedLog.messages(devices: 2, seconds: 60, seed: 9)
    var store = MemoryStore()
    let first = Partition(0)
    for message in log { first.take(message) }
    try store.commit(first)
    let second = try store.partition()
    #expect(second.isReplaying && second.deadline == nil)
    let later = SimulatedLog.start + .hours(2)
    second.take(
      LogMessage(sequence: UInt64(log.count + 1), time: later, device: nil, payload: []))
    #expect(!second.isReplaying && second.divergedCount == 0)
    #expect(second.next == UInt64(log.count + 2))
  }

  @Test func aTakeoverEndsWithTheLastMessageOfTheEarlierOwner() throws {
    let log = SimulatedLog.messages(devices: 2, seconds: 600, seed: 9)
    var store = MemoryStore()
    let first = Partition(0)
    var replays = 0
    for (number, message) in log.enumerated() {
      first.take(message)
      try store.commit(first)
      guard number % 20 == 0 else { continue }
      let second = try store.partition()
      let rest = log[...number].filter { $0.sequence >= second.span.start }
      guard !rest.isEmpty else { continue }
      replays += 1
      for message in rest {
        #expect(second.isReplaying)
        second.take(message)
      }
      #expect(!second.isReplaying && second.deadline == first.deadline)
    }
    #expect(replays > 3)
  }

  /// A device that sends positions alone, and fires nothing: what it has is stored again and again.
  @Test func aTakeoverOfAQuietDeviceReadsTheLastMinutesAlone() throws {
    func message(_ number: Int, _ text: String) -> LogMessage {
      LogMessage(
        sequence: UInt64(number), time: SimulatedLog.start + .seconds(Double(10 * number)),
        device: "van",
        payload: Array(text.utf8))
    }
    let log = (1...180).map { number in
      let time = (SimulatedLog.start + .seconds(Double(10 * number))).seconds
      let latitude = 45 + Double(number) / 1_000
      return message(
        number, #"{"_type":"location","lat":\#(latitude),"lon":5,"tst":\#(time),"acc":8}"#)
    }
    let last = message(181, #"{"add":{"id":"a","title":"T","due":"2100-01-01T00:00:00Z"}}"#)
    let expected = try oneLife(log + [last]).devices["van"]?.state
    #expect(expected != nil)
    var store = MemoryStore()
    let first = Partition(0)
    for (number, message) in log.enumerated() {
      first.take(message)
      try store.commit(first)
      guard number % 20 == 19 else { continue }
      var copy = store
      let second = try copy.partition()
      let rest = log[...number].filter { $0.sequence >= second.span.start }
      #expect(rest.count <= 31, "after \(number)")
      for message in rest + log[(number + 1)...] + [last] { second.take(message) }
      try copy.commit(second)
      #expect(copy.devices["van"]?.state == expected, "after \(number)")
    }
  }

  @Test func theClockOfTheLogBringsEachDeadlineAtItsOwnTime() throws {
    let partition = Partition(0)
    var times: [Instant] = []
    partition.onFiring = { times.append($1.time) }
    let due = SimulatedLog.start + .seconds(100)
    let text = #"{"add":{"id":"a","kind":"date","title":"T","due":"\#(due.json)"}}"#
    partition.take(
      LogMessage(
        sequence: 1, time: SimulatedLog.start, device: "van", payload: Array(text.utf8)))
    #expect(partition.deadline == due)
    partition.take(
      LogMessage(sequence: 2, time: due + .hours(1), device: nil, payload: []))
    #expect(times == [due])
  }
}
