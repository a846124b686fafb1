import CivilTime
import Companion
import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// The ledger by number, and the rows of its destinations.
@Suite struct DeliveryMethodTests {
  private let rig: Rig
  private let client: Client

  init() throws {
    rig = try Rig()
    client = try rig.client()
  }

  private func record(_ count: Int, title: String = "t", priority: Int = 0) throws {
    let ledger = rig.daemon.store.ledger
    let head = Int(try ledger.head())
    try ledger.record(
      (head + 1...head + count).map {
        Firing(
          id: "f\($0)", reminderID: "r", kind: .date, title: title, priority: priority,
          time: Instant(seconds: 1e9), event: .due, why: "w")
      })
  }

  private func seqs(_ answer: JSONObject) -> [Int] {
    answer["rows"]?.array?.compactMap { $0["seq"]?.int } ?? []
  }

  @discardableResult
  private func set(
    _ members: String, ledger: String? = nil, by client: Client? = nil
  ) throws -> JSONValue? {
    try (client ?? self.client).call(
      "SetConsumer",
      #"{"ledger":"\#(ledger ?? rig.daemon.ledgerID)","consumer":{"name":"d",\#(members)}}"#)[
        "consumer"]
  }

  @Test func theTextOfAFailureIsShort() throws {
    // One letter with many accents.
    let text = "e" + String(repeating: "\u{301}", count: 2_000)
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    let row = try #require(try set(#""upto":0,"tries":1,"text":"\#(text)""#))
    #expect((row["text"]?.string?.utf8.count ?? .max) <= Consumer.maximumText + 3)
  }

  @Test func theLogOfAReminderSaysWhatCameOfEachFiring() throws {
    try record(1)
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    try record(3)
    try set(#""upto":2"#)
    try set(#""upto":3,"text":"given up: no host""#)
    try set(#""upto":3,"tries":1,"failing_since":"2026-06-12T16:00:00Z","text":"no line""#)
    let log = try client.call("Log", #"{"reminder":"r"}"#)["firings"]?.array ?? []
    let outcomes = log.map { $0["delivery"]?.array?.first }
    // It was opened after the first firing.
    #expect(outcomes.count == 4 && outcomes[0] == nil)
    #expect(outcomes[1]?["time"] != nil && outcomes[1]?["text"] == nil)
    #expect(outcomes[2]?["time"] != nil && outcomes[2]?["text"] == "given up: no host")
    #expect(outcomes[3]?["time"] == nil && outcomes[3]?["text"] == "no line")
    let all = try client.call("Log", "{}")["firings"]?.array ?? []
    #expect(all.allSatisfy { $0["delivery"] == nil })
  }

  // MARK: - ReadLedger

  @Test func readsTheLedgerByNumber() throws {
    let empty = try client.call("ReadLedger", #"{"after":0}"#)
    #expect(empty["first"]?.int == 1 && empty["head"]?.int == 0)
    #expect(seqs(empty) == [])
    try record(1_500)
    let page = try client.call("ReadLedger", #"{"after":0}"#)
    #expect(seqs(page) == Array(1...1_000))
    #expect(page["head"]?.int == 1_500)
    #expect(page["ledger"]?.string == (try rig.daemon.store.ledger.uuid()))
    let row = try #require(page["rows"]?.array?.first?.object)
    #expect(row["firing_id"]?.string == "f1")
    #expect(row["ledger"] == page["ledger"])
    #expect(seqs(try client.call("ReadLedger", #"{"after":1498,"limit":5}"#)) == [1_499, 1_500])
    #expect(seqs(try client.call("ReadLedger", #"{"after":9223372036854775807}"#)) == [])
    for limit in [0, 1_001, -1] {
      let error = try client.error("ReadLedger", #"{"after":0,"limit":\#(limit)}"#)
      #expect(error.name == "org.georemind.InvalidReminder")
    }
  }

  /// A page is cut, never empty.
  @Test func longFiringsComeInShorterPages() throws {
    try record(60, title: String(repeating: "x", count: 60_000))
    var read: [Int] = []
    while true {
      let page = seqs(try client.call("ReadLedger", #"{"after":\#(read.last ?? 0)}"#))
      guard !page.isEmpty else { break }
      #expect(page.count < 30)
      read += page
    }
    #expect(read == Array(1...60))
  }

  @Test func unreadableRowsAreNoEnd() throws {
    try record(5)
    try rig.daemon.store.database.run("UPDATE firing SET event = 'x' WHERE seq IN (1, 2, 4)")
    #expect(seqs(try client.call("ReadLedger", #"{"after":0,"limit":1}"#)) == [3])
    #expect(seqs(try client.call("ReadLedger", #"{"after":3}"#)) == [5])
  }

  @Test func watchersReceiveTheNumber() throws {
    let watcher = try rig.client()
    try watcher.send("WatchFirings", more: true)
    let due = "\"due\":\"2020-01-01T00:00:00Z\""
    _ = try client.call("Add", #"{"reminder":{"kind":"date","title":"Milk",\#(due)}}"#)
    let firing = try watcher.reply().get()["firing"]
    #expect(firing?["seq"]?.int == 1)
    #expect(firing?["ledger"]?.string == rig.daemon.ledgerID)
    let log = try client.call("Log")["firings"]?.array?.first
    #expect(log == firing)
  }

  // MARK: - Tests

  @Test func aTestFiringGoesToWhoeverAsksForThemAndIsInNoLedger() throws {
    let watcher = try rig.client()
    let helper = try rig.client()
    try watcher.send("WatchFirings", more: true)
    try helper.send("WatchFirings", ["destination": true], more: true)
    for name in ["a", "b"] { _ = try client.call("OpenConsumer", #"{"name":"\#(name)"}"#) }
    let begun = try client.call("TestConsumers")
    #expect(begun["names"]?.array == ["a", "b"])
    let id = try #require(begun["test"]?.string)
    let firing = try #require(try helper.reply().get()["firing"])
    #expect(firing["firing_id"]?.string == id && firing["test"] == true)
    #expect(try client.call("Log")["firings"]?.array == [])
    #expect(try client.call("ReadLedger", #"{"after":0}"#)["head"]?.int == 0)
    _ = try client.call("EndTest", #"{"name":"a","test":"\#(id)"}"#)
    _ = try client.call("EndTest", #"{"name":"b","test":"\#(id)","text":"no sound"}"#)
    // Neither a second outcome nor one of another test counts.
    _ = try client.call("EndTest", #"{"name":"b","test":"\#(id)"}"#)
    _ = try client.call("EndTest", #"{"name":"a","test":"x","text":"late"}"#)
    let tests = try client.call("ListConsumers")["consumers"]?.array?.map { $0["test"] } ?? []
    #expect(tests.map { $0?["id"]?.string } == [id, id])
    #expect(tests.allSatisfy { $0?["after_s"]?.double.map { $0 >= 0 } ?? false })
    #expect(tests.map { $0?["text"]?.string } == [nil, "no sound"])
    // The watcher has heard nothing of it.
    try record(1)
    let due = "\"due\":\"2020-01-01T00:00:00Z\""
    _ = try client.call("Add", #"{"reminder":{"kind":"date","title":"Milk",\#(due)}}"#)
    #expect(try watcher.reply().get()["firing"]?["title"]?.string == "Milk")
  }

  @Test func aTestOfOneDestinationNamesIt() throws {
    _ = try client.call("OpenConsumer", #"{"name":"a"}"#)
    let error = try client.error("TestConsumers", #"{"name":"b"}"#)
    #expect(GeoremindError(error) == .notFound(id: "b"))
    let helper = try rig.client()
    try helper.send("WatchFirings", ["destination": true], more: true)
    let begun = try client.call("TestConsumers", #"{"name":"a"}"#)
    #expect(begun["names"]?.array == ["a"])
    #expect(try helper.reply().get()["firing"]?["destination"]?.string == "a")
    let waiting = try client.call("ListConsumers")["consumers"]?.array?.first?["test"]
    #expect(waiting?["id"] == begun["test"] && waiting?["after_s"] == nil)
  }

  // MARK: - Consumers

  @Test func aDestinationBeginsAtTheHeadAndIsStored() throws {
    try record(3)
    let opened = try client.call("OpenConsumer", #"{"name":"d"}"#)
    #expect(opened["consumer"]?["upto"]?.int == 3)
    #expect(opened["head"]?.int == 3)
    try record(2)
    let row = try set(#""upto":4,"tries":2,"text":"no","failing_since":"2026-01-01T00:00:00Z""#)
    #expect(row?["tries"]?.int == 2)
    let again = try client.call("OpenConsumer", #"{"name":"d"}"#)
    #expect(again["consumer"] == row)
    let list = try client.call("ListConsumers")
    #expect(list["consumers"]?.array == [row].compactMap { $0 })
    #expect(list["head"]?.int == 5 && list["first"]?.int == 1)
  }

  /// One count for `georemind delivery` and `georemind status`, without removed firings.
  @Test func whatWaitsIsCountedOnce() throws {
    try record(3)
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    try record(7)
    let row = try set(#""upto":4,"failing_since":"2020-01-01T00:00:00Z""#)
    #expect(row?["waiting"]?.int == 6)
    try rig.daemon.store.database.run("DELETE FROM firing WHERE seq <= 8")
    let listed = try client.call("ListConsumers")["consumers"]?.array?.first
    let status = try client.call("Status")["status"]?["delivery"]?.array?.first
    #expect(listed?["waiting"]?.int == 2)
    #expect(status?["waiting"]?.int == 2)
    #expect(status?["name"] == listed?["name"])
  }

  @Test func aRowNeverGoesBackNorAheadOfTheLedger() throws {
    try record(3)
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    #expect(try set(#""upto":2,"tries":7"#)?["tries"]?.int == 0)
    #expect(try set(#""upto":99"#)?["upto"]?.int == 3)
    #expect(try set(#""upto":3,"tries":5"#, ledger: "another")?["tries"]?.int == 0)
  }

  @Test func anUrgentFiringIsTheNextToReadAndToSkip() throws {
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    try record(2)
    try record(1, priority: 3)
    #expect(seqs(try client.call("ReadLedger", #"{"after":0,"urgent":true}"#)) == [3])
    #expect(seqs(try client.call("ReadLedger", #"{"after":0,"urgent":false}"#)) == [1, 2])
    let skipped = try client.call("SkipFiring", #"{"name":"d"}"#)["firing"]
    #expect(skipped?["seq"]?.int == 3)
    // The answer to an older row has the newer mark of each queue.
    let row = try set(#""upto":1,"urgent_upto":0"#)
    #expect(row?["upto"]?.int == 1 && row?["urgent_upto"]?.int == 3)
    #expect(row?["waiting"]?.int == 1)
  }

  @Test func skipsAndForgets() throws {
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    #expect(try client.call("SkipFiring", #"{"name":"d"}"#)["firing"] == nil)
    try record(2)
    let skipped = try client.call("SkipFiring", #"{"name":"d"}"#)["firing"]
    #expect(skipped?["seq"]?.int == 1)
    // The failure of the firing that was skipped comes too late.
    #expect(try set(#""upto":0,"tries":3"#)?["upto"]?.int == 1)
    _ = try client.call("ForgetConsumer", #"{"name":"d"}"#)
    for method in ["SkipFiring", "ForgetConsumer"] {
      #expect(
        try GeoremindError(client.error(method, #"{"name":"d"}"#)) == .notFound(id: "d"))
    }
    #expect(
      try client.error(
        "SetConsumer", #"{"ledger":"x","consumer":{"name":"d","upto":1}}"#
      ).name == "org.georemind.NotFound")
  }

  @Test(arguments: ["", "Ä", "A", "a b", String(repeating: "a", count: 33)])
  func namesArePlain(name: String) throws {
    let error = try client.error("OpenConsumer", #"{"name":"\#(name)"}"#)
    #expect(error.parameters["field"]?.string == "name")
  }

  private func service(_ user: UInt32) -> ControlService {
    ControlService(daemon: rig.daemon, caller: Caller(user: user, daemon: 999))
  }

  @Test func noMemberTakesTheRowsOfOthers() throws {
    for number in 1...8 { _ = try service(1_000).openConsumer("d\(number)") }
    let error = #expect(throws: GeoremindError.self) { try service(1_000).openConsumer("d9") }
    #expect("\(try #require(error))".contains("user 1000 has 8 destinations"))
    _ = try service(1_000).openConsumer("d8")
    for user: UInt32 in 1_001...1_007 {
      for number in 1...8 { _ = try service(user).openConsumer("d\(user)-\(number)") }
    }
    #expect(throws: GeoremindError.self) { try service(1_008).openConsumer("late") }
    // Members leave room for root and the system's services.
    rig.daemon.serviceUsers = ServiceUsers(["hook": 990])
    for number in 1...32 { _ = try service(990).openConsumer("hook-x\(number)") }
    #expect(throws: GeoremindError.self) { try service(0).openConsumer("one-more") }
  }

  /// A name says whose it is: nobody takes another one's before its holder, or moves its mark.
  @Test func aNameOfAServiceIsNobodyElses() throws {
    try record(3)
    rig.daemon.serviceUsers = ServiceUsers(["hook": 990, "mqtt": 991])
    for name in ["hook-say", "mqtt", "hook-1001-say"] {
      #expect(throws: GeoremindError.self) { try service(1_000).openConsumer(name) }
    }
    // A row that an earlier version gave to somebody else.
    try rig.daemon.store.consumers.set(Consumer(name: "hook-say", owner: 1_000, upto: 0))
    let mark: JSONObject = [
      "ledger": .string(rig.daemon.ledgerID), "consumer": ["name": "hook-say", "upto": 3],
    ]
    #expect(throws: GeoremindError.self) { try service(1_000).setConsumer(mark) }
    #expect(throws: GeoremindError.self) { try service(1_000).skipFiring("hook-say") }
    #expect(throws: GeoremindError.self) { try service(1_000).forgetConsumer("hook-say") }
    #expect(try rig.daemon.store.consumers.consumer(named: "hook-say")?.upto == 0)
    _ = try service(990).setConsumer(mark)
    #expect(try rig.daemon.store.consumers.consumer(named: "hook-say")?.upto == 3)
    _ = try service(1_001).openConsumer("hook-1001-say")
    #expect(throws: GeoremindError.self) { try service(990).openConsumer("mqtt") }
  }

  /// On a machine without the users of the services.
  @Test func aNameOfAServiceThatIsNotThereIsRoots() throws {
    rig.daemon.serviceUsers = ServiceUsers([:])
    for name in ["hook-say", "mqtt", "notify"] {
      #expect(throws: GeoremindError.self) { try service(1_000).openConsumer(name) }
      _ = try service(0).openConsumer(name)
    }
  }

  @Test func aRowIsOfTheUserWhoAddedIt() throws {
    let store = rig.daemon.store
    _ = try service(1_000).openConsumer("own")
    _ = try service(1_000).openConsumer("own")
    _ = try service(0).openConsumer("own")
    #expect(try store.consumers.consumer(named: "own")?.owner == 1_000)
    for user: UInt32 in [1_001, Caller.unmapped] {
      #expect(throws: GeoremindError.self) { try service(user).openConsumer("own") }
      #expect(throws: GeoremindError.self) { try service(user).forgetConsumer("own") }
      #expect(throws: GeoremindError.self) { try service(user).skipFiring("own") }
    }
  }

  // MARK: - The journal and the status

  @Test func theJournalHasOneEntryAChangeOfState() throws {
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    try record(2)
    for tries in 1...3 {
      let failing = #""text":"it exited with 1","failing_since":"2026-01-01T00:00:00Z""#
      try set(#""upto":0,"tries":\#(tries),\#(failing)"#)
    }
    let failing = rig.journal.entries(.deliveryFailing)
    #expect(failing.count == 1)
    #expect(failing.first?["GEOREMIND_DESTINATION"] == "d")
    #expect(failing.first?.message.contains("it exited with 1") == true)
    #expect(rig.journal.entries(.deliveryBack).isEmpty)
    try set(#""upto":1"#)
    try set(#""upto":2"#)
    #expect(rig.journal.entries(.deliveryBack).count == 1)
  }

  @Test func anHourOfFailuresIsInTheStatus() throws {
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    try record(2)
    func status(_ minutes: Double) throws -> JSONValue? {
      let since = Instant(microseconds: SystemClock.now()) - .minutes(minutes)
      try set(#""upto":0,"text":"no","failing_since":"\#(since.json)""#)
      return try client.call("Status")["status"]?["delivery"]
    }
    #expect(try status(59) == nil)
    let entry = try status(61)?.array?.first
    #expect(entry?["name"]?.string == "d")
    #expect(entry?["waiting"]?.int == 2)
    #expect(entry?["text"]?.string == "no")
  }

  // MARK: - Another database

  @Test func aDestinationAheadOfTheLedgerGoesOnAtItsHead() throws {
    try record(3)
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    rig.daemon.stop()
    let store = try Store(path: rig.daemon.settings.storePath, now: Instant(seconds: 0))
    try store.database.execute("DELETE FROM firing WHERE seq > 1; UPDATE ledger SET last_seq = 1")
    store.close()
    let next = try Rig(folder: rig.folder)
    #expect(next.journal.troubles(.warning).contains { $0.contains("Destination d has received") })
    #expect(try next.daemon.store.consumers.consumer(named: "d")?.upto == 1)
  }

  @Test func anotherMachineHasAnotherLedger() throws {
    let uuid = rig.daemon.ledgerID
    rig.daemon.stop()
    let same = try Rig(folder: rig.folder)
    #expect(same.daemon.ledgerID == uuid)
    same.daemon.stop()
    let other = try Rig(folder: rig.folder, change: { $0.machine = "another" })
    #expect(other.daemon.ledgerID != uuid)
    #expect(other.daemon.ledgerID == (try other.daemon.store.ledger.uuid()))
    other.daemon.stop()
  }

  @Test func aMachineWithoutAnIDTakesTheLedgerAsItIs() throws {
    let uuid = rig.daemon.ledgerID
    rig.daemon.stop()
    let unknown = try Rig(folder: rig.folder, change: { $0.machine = nil })
    #expect(unknown.daemon.ledgerID == uuid)
    unknown.daemon.stop()
    let same = try Rig(folder: rig.folder)
    #expect(same.daemon.ledgerID == uuid)
    same.daemon.stop()
  }

  /// What a destination has yet to receive stays for `LedgerHoldDays=` more.
  @Test func oldFiringsStayForADestination() throws {
    let rig = try Rig("[Store]\nLedgerKeepDays=30\nLedgerHoldDays=10\n")
    let now = Instant(microseconds: SystemClock.now())
    let store = rig.daemon.store
    try store.consumers.set(Consumer(name: "d", owner: 0, upto: 1))
    for (number, days) in [41.0, 41, 39, 29].enumerated() {
      try store.ledger.record([
        Firing(
          id: "f\(number + 1)", reminderID: "r", kind: .date, title: "t",
          time: now - .hours(24 * days), event: .due, why: "w")
      ])
    }
    try store.ledger.markDelivered([1, 2, 3, 4], at: now)
    rig.daemon.shortenLedger()
    #expect(try store.ledger.firings().values.map(\.id) == ["f3", "f4"])
    #expect(rig.journal.troubles(.warning).contains { $0.hasPrefix("1 of the removed firings") })
    try store.consumers.remove(named: "d")
    rig.daemon.shortenLedger()
    #expect(try store.ledger.firings().values.map(\.id) == ["f4"])
  }
}
