import Bytes
import CivilTime
import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage
import Testing

@testable import Daemon

/// A page acts as the user who made its link: what it may do, and when it ends.
@Suite struct LinkTests {
  private final class Now { var time = Instant(microseconds: SystemClock.now()) }

  private let now: Now
  private let rig: Rig
  private let maker: Client

  init() throws {
    let now = Now()
    self.now = now
    rig = try Rig(systemClock: { now.time.microseconds })
    maker = try rig.client()
  }

  private func token(_ parameters: String) throws -> String {
    try #require(try maker.call("MakeLink", parameters)["token"]?.string)
  }

  private func page(_ token: String) throws -> Client {
    let page = try rig.client()
    _ = try page.call("ActAs", ["token": .string(token)])
    return page
  }

  private func refusal(
    _ client: Client, _ method: String, _ parameters: String = "{}"
  ) throws
    -> GeoremindError?
  {
    GeoremindError(try client.error(method, parameters))
  }

  private static let tea = #"{"reminder":{"id":"tea","title":"Tea","due":"2100-01-01"}}"#

  @Test func theTokenIsStoredAsAHash() throws {
    let token = try token(#"{"name":"phone"}"#)
    #expect(token.utf8.count == 43 && !token.contains("="))
    let entries = try rig.daemon.store.links.all()
    #expect(entries.map(\.hash) == [SecretToken.hash(token.utf8)])
    #expect(entries.first?.link.user == PeerCredentials.ownUser)
  }

  /// The maker is root's or the daemon's own user, so another user is a matter of the row.
  private func page(of user: UInt32, mayChange: Bool = true) throws -> Client {
    let page = try page(token(#"{"name":"\#(user)","may_change":\#(mayChange)}"#))
    let entry = try #require(try rig.daemon.store.links.all().first { $0.link.name == "\(user)" })
    var link = entry.link
    link.user = user
    try rig.daemon.store.links.keep(link, hash: entry.hash)
    return page
  }

  @Test func twoPagesCannotChangeEachOthersReminders() throws {
    let (anna, ben) = (try page(of: 40_001), try page(of: 40_002))
    _ = try anna.call("Add", Self.tea)
    #expect(try anna.call("Show", #"{"id":"tea"}"#)["reminder"]?["owner"] == 40_001)
    guard case .refusedByPolicy? = try refusal(ben, "Done", #"{"id":"tea"}"#) else {
      throw Unexpected("a reminder of another is not changed")
    }
    // Undo is one's own.
    #expect(try ben.call("Undo") == [:])
    #expect(try anna.call("Undo")["change"]?["method"] == "Add")
  }

  @Test func aLinkToViewChangesNothing() throws {
    let viewer = try page(of: 40_003, mayChange: false)
    _ = try viewer.call("PageReminders")
    let expected = GeoremindError.refusedByPolicy(reason: "this link may only view")
    #expect(try refusal(viewer, "Add", Self.tea) == expected)
    #expect(try refusal(viewer, "Undo") == expected)
  }

  /// The button of a notification: whoever reads the message may press it, and see nothing.
  @Test func aLinkForAnswersCompletesAndSnoozesAlone() throws {
    let button = try page(token(#"{"name":"ntfy","only_answers":true,"may_change":true}"#))
    let listed = try maker.call("ListLinks")["links"]?.array?.first
    #expect(listed?["only_answers"] == true && listed?["may_change"] == false)
    _ = try maker.call("Add", Self.tea)
    let expected = GeoremindError.refusedByPolicy(reason: "this link may only complete and snooze")
    for (method, parameters) in [
      ("List", "{}"), ("Show", #"{"id":"tea"}"#), ("ReadLedger", #"{"after":0}"#), ("Undo", "{}"),
      ("Add", Self.tea), ("Remove", #"{"id":"tea"}"#), ("Where", "{}"),
      ("Reopen", #"{"id":"tea"}"#),
    ] {
      #expect(try refusal(button, method, parameters) == expected, "\(method)")
    }
    _ = try button.call("Snooze", #"{"id":"tea","until":"20min"}"#)
    _ = try button.call("Done", #"{"id":"tea"}"#)
    #expect(try maker.call("Show", #"{"id":"tea"}"#)["reminder"]?["state"] == "done")
  }

  @Test func noLinkMakesLinksOrReadsDestinations() throws {
    let page = try page(token(#"{"name":"phone"}"#))
    for (method, parameters) in [
      ("MakeLink", #"{"name":"x"}"#), ("ListLinks", "{}"), ("RevokeLink", #"{"name":"phone"}"#),
      ("ListConsumers", "{}"), ("Mute", "{}"), ("BeginPlaceImport", "{}"),
    ] {
      guard case .refusedByPolicy? = try refusal(page, method, parameters) else {
        throw Unexpected("\(method) is refused")
      }
    }
  }

  @Test func aRevokedLinkEndsItsConnections() throws {
    let token = try token(#"{"name":"phone"}"#)
    let watcher = try page(token)
    try watcher.send("WatchFixes", more: true)
    _ = try watcher.reply()
    #expect(try maker.call("ListLinks")["links"]?.array?.count == 1)
    _ = try maker.call("RevokeLink", #"{"name":"phone"}"#)
    #expect(throws: (any Error).self) { try watcher.reply() }
    #expect(try refusal(rig.client(), "ActAs", #"{"token":"\#(token)"}"#) == .invalidLink)
    #expect(try maker.call("ListLinks")["links"] == [])
  }

  @Test func aLinkEndsAtItsExpiry() throws {
    let guest = try token(#"{"name":"guest","expires":"2h"}"#)
    let page = try page(guest)
    _ = try page.call("Where")
    now.time = now.time + .hours(3)
    #expect(try refusal(page, "Where") == .invalidLink)
    #expect(try refusal(rig.client(), "ActAs", #"{"token":"\#(guest)"}"#) == .invalidLink)
    // The name is free again.
    _ = try token(#"{"name":"guest"}"#)
  }

  @Test func onlyRootMakesALinkForAnother() throws {
    let given: JSONObject = ["name": "phone", "user": 40_002]
    func make(as user: UInt32) throws -> JSONObject {
      let caller = Caller(user: user, daemon: PeerCredentials.ownUser)
      return try ControlService(daemon: rig.daemon, caller: caller).makeLink(given)
    }
    guard
      case .refusedByPolicy? = #expect(
        throws: GeoremindError.self,
        performing: {
          try make(as: 40_001)
        })
    else { throw Unexpected("a member makes no link of another") }
    #expect(try rig.daemon.store.links.all().isEmpty)
    _ = try make(as: 0)
    #expect(try rig.daemon.store.links.all().map(\.link.user) == [40_002])
  }

  @Test func aUserWhoLeftTheGroupOpensNoPage() throws {
    let token = try token(#"{"name":"phone"}"#)
    let entry = try #require(try rig.daemon.store.links.all().first)
    var link = entry.link
    // No such user.
    link.user = 4_000_000_000
    try rig.daemon.store.links.keep(link, hash: entry.hash)
    #expect(try refusal(rig.client(), "ActAs", #"{"token":"\#(token)"}"#) == .invalidLink)
  }

  @Test func aNameIsTakenOnceAndTheirNumberIsLimited() throws {
    for text in [#"{"name":""}"#, #"{"name":"y","expires":"yesterday"}"#] {
      guard case .invalidReminder? = try refusal(maker, "MakeLink", text) else {
        throw Unexpected("\(text) is refused")
      }
    }
    _ = try token(#"{"name":"0"}"#)
    #expect(try refusal(maker, "MakeLink", #"{"name":"0"}"#) == .alreadyExists(name: "0"))
    for number in 1..<LinkStore.maximumOfUser { _ = try token(#"{"name":"\#(number)"}"#) }
    guard case .refusedByPolicy? = try refusal(maker, "MakeLink", #"{"name":"one more"}"#) else {
      throw Unexpected("there are enough links")
    }
  }
}
