import CivilTime
import Control
import Glibc
import JSONText
import LinuxRuntime
import Reminders
import Storage
import Testing

@testable import Daemon

/// Streams, and many clients at once.
@Suite(.serialized) struct ControlServerTests {
  private let missed = #"{"reminder":{"kind":"date","title":"M","due":"2020-01-01T00:00:00Z"}}"#

  @Test func watchersGetAFiringCausedByACall() throws {
    let rig = try Rig()
    let watcher = try rig.client()
    try watcher.send("WatchFirings", more: true)
    let client = try rig.client()
    let id = try client.call("Add", missed)["id"]?.string
    let firing = try watcher.reply().get()["firing"]
    #expect(firing?["reminder_id"]?.string == id)
    #expect(firing?["event"]?.string == "late")
    #expect(rig.journal.fired == ["\(id ?? "") late"])
  }

  /// The daemon's answer comes before what the call set off.
  @Test func aClientMayWatchAndCallOnTwoConnections() throws {
    let rig = try Rig()
    let watchers = try (0..<3).map { _ in try rig.client() }
    for watcher in watchers { try watcher.send("WatchFirings", more: true) }
    let client = try rig.client()
    for _ in 0..<3 { try client.send("Add", object(missed)) }
    var ids: [String?] = []
    for _ in 0..<3 { ids.append(try client.reply().get()["id"]?.string) }
    for watcher in watchers {
      for id in ids {
        #expect(try watcher.reply().get()["firing"]?["reminder_id"]?.string == id)
      }
    }
  }

  @Test func aStreamMustBeAskedForWithMore() throws {
    let rig = try Rig()
    let client = try rig.client()
    for method in ["WatchFirings", "WatchStatus"] {
      #expect(try client.error(method).name == "org.varlink.service.ExpectedMore")
    }
  }

  @Test func watchStatusAnswersAtOnceAndOnChanges() throws {
    let rig = try Rig()
    let watcher = try rig.client()
    try watcher.send("WatchStatus", more: true)
    #expect(try watcher.reply().get()["status"]?["reminders"]?.int == 0)
    // The time goes on, but that is no news.
    for _ in 0..<3 { rig.daemon.control?.pushStatus() }
    try rig.daemon.add(dated("a", in: .hours(1)))
    rig.daemon.control?.pushStatus()
    #expect(try watcher.reply().get()["status"]?["reminders"]?.int == 1)
  }

  /// Where nothing happens the daemon does not look what has changed.
  @Test func aWatchedStatusCostsNothingWhereNothingHappens() throws {
    let rig = try Rig()
    let watcher = try rig.client()
    try watcher.send("WatchStatus", more: true)
    _ = try watcher.reply().get()
    let server = try #require(rig.daemon.control)
    try rig.run { !server.statusTimer.isEnabled && server.hasChecked == false }
    let client = try rig.client()
    _ = try client.call("Add", missed)
    #expect(try watcher.reply().get()["status"]?["reminders"]?.int == 1)
    try rig.run { !server.statusTimer.isEnabled }
    client.close()
    watcher.close()
    try rig.run { !server.statusTimer.isEnabled && !server.watchedTurns.isEnabled }
    // The next one who watches misses nothing.
    let (next, other) = (try rig.client(), try rig.client())
    try next.send("WatchStatus", more: true)
    _ = try next.reply().get()
    _ = try other.call("Add", missed)
    #expect(try next.reply().get()["status"]?["reminders"]?.int == 2)
  }

  @Test func idleClientsDoNotDelayOthers() throws {
    let rig = try Rig()
    let idle = try (0..<200).map { _ in try rig.client() }
    // Half of them stop in the middle of a call.
    for client in idle.prefix(100) { try client.sendHalfACall() }
    let watcher = try rig.client()
    try watcher.send("WatchFirings", more: true)
    let client = try rig.client()
    let id = try client.call("Add", missed)["id"]?.string
    #expect(try watcher.reply().get()["firing"]?["reminder_id"]?.string == id)
    #expect(rig.journal.firings.count == 1)
    for client in idle { client.close() }
    _ = try client.call("Status")
  }

  @Test func longCallsDoNotDelayAQuickOne() throws {
    let rig = try Rig()
    for number in 0..<300 { try rig.daemon.add(dated("r\(number)", in: .hours(1))) }
    let lists = try (0..<20).map { _ in try rig.client() }
    for client in lists { try client.send("List") }
    let client = try rig.client()
    _ = try client.call("Status")
    #expect((rig.daemon.control?.waitingCallCount ?? 0) > 0)
    for client in lists { #expect(try client.reply().get()["reminders"]?.array?.count == 300) }
    #expect(rig.daemon.control?.waitingCallCount == 0)
  }

  @Test func tooManyClientsAreRefusedAndLogged() throws {
    let rig = try Rig()
    let most = ControlServer.maximumClients
    let clients = try (0..<most).map { _ in try rig.client() }
    _ = try clients[most - 1].call("Status")
    #expect(
      try rig.client().error("Status").name == "org.varlink.service.PermissionDenied")
    let entry = try #require(rig.journal.entries(.clientRefused).first)
    #expect(entry["GEOREMIND_PEER_UID"] == "\(geteuid())")
    // One that has left before its answer is not kept.
    try rig.client().close()
    _ = try clients[1].call("Status")
    #expect(rig.daemon.control?.refusedCount == 0)
    clients[0].close()
    // Not at once: a process that another test is about to start may hold the descriptor a moment
    // longer.
    try rig.run { rig.daemon.control.map { $0.clientCount < most } ?? false }
    _ = try rig.client().call("Status")
  }

  @Test(arguments: [
    (false, 255, 300, nil), (false, 256, 256, "too many clients of this user"),
    (false, 0, 495, nil), (false, 0, 496, "too many clients"), (true, 500, 511, nil),
    (true, 0, 512, "too many clients"),
  ])
  func oneUserTakesNotTheClientsOfAll(isRoot: Bool, own: Int, all: Int, reason: String?) {
    #expect(ControlServer.objection(isMaster: isRoot, ofUser: own, of: all) == reason)
  }

  @Test func aClientThatDisconnectsEarlyDoesNotDisturbOthers() throws {
    let rig = try Rig()
    let leaver = try rig.client()
    try leaver.send("WatchFirings", more: true)
    try leaver.send("List")
    leaver.close()
    let client = try rig.client()
    _ = try client.call("Add", missed)
    #expect(rig.journal.firings.count == 1)
    #expect(try client.call("Status")["status"] != nil)
  }

  // MARK: - Slow clients

  @Test func aCallThatDoesNotEndIsNotWaitedFor() throws {
    let (rig, server) = try served(timeout: 20_000)
    defer { server.stop() }
    let idle = try rig.client()
    let slow = try rig.client()
    try slow.sendHalfACall()
    #expect(throws: Unexpected.self) { try rig.run { try !slow.poll().isEmpty } }
    // To say nothing is no offence.
    _ = try idle.call("Status")
  }

  /// A client that watches does not wake the daemon.
  @Test func theTimerForSlowClientsRunsOnlyWhileOneOwesSomething() throws {
    let (rig, server) = try served(timeout: 20_000)
    defer { server.stop() }
    let watcher = try rig.client()
    _ = try watcher.call("Status")
    #expect(!server.isWatchingForStalls)
    try watcher.sendHalfACall()
    try rig.run { server.isWatchingForStalls }
    watcher.close()
    try rig.run { server.clientCount == 0 && !server.isWatchingForStalls }
    try rig.daemon.addAll(long(count: 40))
    let reader = try SlowClient(rig)
    try reader.call("List")
    try rig.run { server.isWatchingForStalls }
  }

  /// The limit is of the bytes that wait at one time for a client that does not read: neither of
  /// one reply nor of all together.
  @Test func repliesLargerThanTheLimitReachASlowClient() throws {
    let (rig, server) = try served(outputLimit: 300_000)
    defer { server.stop() }
    try rig.daemon.addAll(long(count: 40))
    let client = try SlowClient(rig)
    for _ in 0..<2 {
      // The second waits until the first is nearly sent.
      try client.call("List")
      try client.call("Status")
      #expect(try client.message().count > 640_000)
      #expect(try client.message().starts(with: Array(#"{"parameters":{"status""#.utf8)))
    }
  }

  /// More than may wait, asked for before anything is read.
  @Test func callsThatWaitForTheSocketAreAnswered() throws {
    let (rig, server) = try served(outputLimit: 200_000)
    defer { server.stop() }
    let reminders = try long(count: 2)
    try rig.daemon.addAll(reminders)
    let client = try SlowClient(rig)
    for count in 0..<60 { try client.call("Show", #"{"id":"id\#(count % 2)"}"#) }
    try rig.settle()
    for count in 0..<60 {
      let part = String(decoding: try client.message().prefix(200), as: UTF8.self)
      #expect(part.contains(#""id":"id\#(count % 2)""#))
    }
  }

  /// Several times what is held for one client: the rest waits in its socket, and the stream goes
  /// on.
  @Test func aWatcherThatCallsTooOftenMustWait() throws {
    let rig = try Rig()
    let watcher = try rig.client()
    try watcher.send("WatchFirings", more: true)
    let long = #"{"id":"\#(String(repeating: "x", count: 200_000))"}"#
    var refused = 0
    for _ in 0..<40 where refused == 0 {
      do {
        try watcher.send("Show", object(long), timeout: 20_000)
      } catch let error as SystemError where error.code == ETIMEDOUT {
        refused += 1
      }
      try rig.settle()
    }
    #expect(refused == 1)
    let id = try rig.client().call("Add", missed)["id"]?.string
    #expect(try watcher.reply().get()["firing"]?["reminder_id"]?.string == id)
  }

  @Test func aWatcherThatReadsStaysConnected() throws {
    let (rig, server) = try served(outputLimit: 400_000)
    defer { server.stop() }
    let watcher = try SlowClient(rig)
    try watcher.call("WatchFirings", more: true)
    try rig.settle()
    // Half of each part waits for the socket.
    for _ in 0..<4 {
      for _ in 0..<25 { server.announce(entry()) }
      for _ in 0..<25 { #expect(try watcher.message().count > 16_384) }
    }
  }

  @Test func aWatcherThatDoesNotReadIsDropped() throws {
    let (rig, server) = try served(outputLimit: 400_000)
    defer { server.stop() }
    let watcher = try SlowClient(rig)
    try watcher.call("WatchFirings", more: true)
    try rig.settle()
    let words = "it does not read the stream it asked for"
    var told = 0
    while told < 200, !rig.journal.entries.contains(where: { $0.message.contains(words) }) {
      server.announce(entry())
      told += 1
    }
    #expect((25..<200).contains(told))
    // Nothing is kept for it: what the kernel holds is all that comes.
    var received = 0
    #expect(throws: (any Error).self) {
      while true { received += try watcher.message().count }
    }
    #expect(received < (told - 20) * 16_384)
    _ = try rig.client().call("Status")
  }

  /// Each within its own limits: a message that does not end, and replies that are not read.
  @Test func theMemoryOfAllClientsIsLimited() throws {
    let (rig, server) = try served(budget: 1 << 20)
    defer { server.stop() }
    try rig.daemon.addAll(long(count: 20))
    let honest = try rig.client()
    _ = try honest.call("Status")
    var greedy: [SlowClient] = []
    for _ in 0..<20 {
      let client = try SlowClient(rig)
      try client.call("List")
      try rig.settle()
      greedy.append(client)
    }
    #expect(server.heldBytes <= 1 << 20)
    #expect((3..<15).contains(server.clientCount))
    _ = try honest.call("Status")
    // However many are hung up on, that is one entry.
    let entries = rig.journal.entries(.clientRefused)
    #expect(entries.count == 1)
    #expect(entries.first?.message.contains("hold more than 1 MiB") == true)
  }

  /// A client without end must not fill the journal.
  @Test func messagesThatAreNoCallsAreOneEntry() throws {
    let rig = try Rig()
    for _ in 0..<20 {
      let client = try rig.client()
      try client.sendRaw(Array("hello\0".utf8))
      #expect(throws: Unexpected.self) { try rig.run { try !client.poll().isEmpty } }
    }
    let entries = rig.journal.entries(.clientRefused)
    #expect(entries.count == 1)
    #expect(entries.first?.message.contains("does not speak Varlink") == true)
  }

  @Test func manyRefusalsAreOneEntryAndASum() throws {
    let rig = try Rig("[Control]\nAllowGroup=\n")
    for _ in 0..<50 {
      rig.daemon.refusals.report("Refused", user: 1001, process: 7, .client)
    }
    #expect(rig.journal.entries(.clientRefused).count == 1)
    rig.daemon.stop()
    let entries = rig.journal.entries(.clientRefused)
    #expect(entries.count == 2)
    #expect(entries[1].message == "Refused clients of user 1001 49 times more within a minute")
    #expect(entries[1]["GEOREMIND_REFUSALS"] == "49" && entries[1]["GEOREMIND_PEER_UID"] == "1001")
  }

  /// A daemon served by a control server of its own limit.
  private func served(
    outputLimit: Int = 1 << 20, budget: Int = 64 << 20, timeout: Int64 = 30_000_000
  ) throws -> (Rig, ControlServer) {
    let rig = try Rig()
    rig.daemon.control?.stop()
    let server = try ControlServer(
      daemon: rig.daemon, loop: rig.daemon.loop, passed: [], outputLimit: outputLimit,
      budget: budget, timeout: timeout)
    return (rig, server)
  }

  /// Each of 16 KB.
  private func long(count: Int) throws -> [Reminder] {
    var reminder = try dated("a", in: .hours(1))
    reminder.notes = String(repeating: "n", count: 16_000)
    return (0..<count).map {
      reminder.id = "id\($0)"
      return reminder
    }
  }

  /// Of 16 KiB.
  private func entry() -> LedgerEntry {
    LedgerEntry(
      seq: 1,
      firing: Firing(
        id: "f", reminderID: "r", kind: .date, title: String(repeating: "t", count: 16_384),
        time: Instant(microseconds: 0), event: .due, why: "It is due."))
  }
}

/// Reads a message only on request, at most what the socket holds in each turn of the loop, and
/// ignores its content.
private final class SlowClient {
  private let rig: Rig
  private let socket: UnixClient

  init(_ rig: Rig) throws {
    self.rig = rig
    socket = try UnixClient(path: rig.daemon.settings.socketPath, timeout: 1_000_000)
  }

  func call(_ method: String, _ parameters: String = "{}", more: Bool = false) throws {
    let text = #"{"method":"org.georemind.\#(method)","parameters":\#(parameters),"more":\#(more)}"#
    try socket.send(Array(text.utf8) + [0], timeout: 1_000_000)
  }

  func message() throws -> [UInt8] {
    var result: [UInt8]?
    try rig.run {
      do {
        guard let message = try socket.receive(timeout: 0) else {
          throw Unexpected("the daemon hung up")
        }
        result = message
      } catch let error as SystemError where error.code == ETIMEDOUT {}
      return result != nil
    }
    return try #require(result)
  }
}
