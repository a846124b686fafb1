import CivilTime
import Control
import Glibc
import JSONText
import LinuxRuntime
import Testing

@testable import georemindd

/// Streams, and many clients at once.
@Suite(.serialized) struct ControlServerTests {
  private let missed = #"{"reminder":{"kind":"date","title":"M","due":"2020-01-01T00:00:00Z"}}"#

  @Test func tellsAFiringThatACallSetOff() throws {
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
  @Test func whoWatchesAndCallsIsAnsweredOnTwoConnections() throws {
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

  @Test func tellsTheStatusAtOnceAndWhenItChanges() throws {
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

  @Test func idleClientsKeepNobodyWaiting() throws {
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

  @Test func tooManyClientsAreRefusedAndSaid() throws {
    let rig = try Rig()
    let most = ControlServer.mostClients
    let clients = try (0..<most).map { _ in try rig.client() }
    _ = try clients[most - 1].call("Status")
    #expect(
      try rig.client().error("Status").name == "org.varlink.service.PermissionDenied")
    let entry = try #require(rig.journal.entries(.clientRefused).first)
    #expect(entry["GEOREMIND_PEER_UID"] == "\(geteuid())")
    clients[0].close()
    try rig.settle()
    _ = try rig.client().call("Status")
  }

  @Test func aClientThatLeavesInTheMiddleHarmsNobody() throws {
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
}
