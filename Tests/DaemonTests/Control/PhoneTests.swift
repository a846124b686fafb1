import Bytes
import Control
import JSONText
import LinuxRuntime
import Storage
import Testing

@testable import Daemon

/// Phones with a token each: who may add and revoke them, and who hears of them.
@Suite struct PhoneTests {
  private let rig: Rig
  private let root: Client

  init() throws {
    rig = try Rig()
    root = try rig.client()
  }

  private func add(_ name: String) throws -> String {
    try #require(
      try root.call("AddPhone", ["name": .string(name)])["token"]?.string)
  }

  private func names(_ news: JSONObject) -> [String] {
    (news["phones"]?.array ?? []).compactMap { $0["name"]?.string }
  }

  /// The peer is root's or the daemon's own user, so another user is a matter of the service.
  private func refusal(
    of user: UInt32, _ method: (ControlService) throws -> JSONObject
  ) -> GeoremindError? {
    let caller = Caller(user: user, daemon: PeerCredentials.ownUser)
    do {
      _ = try method(ControlService(daemon: rig.daemon, caller: caller))
      return nil
    } catch { return error as? GeoremindError }
  }

  @Test func theTokenIsStoredAsAHashAndOutlivesARestart() throws {
    let token = try add("anna")
    #expect(SecretToken.isOne(token.utf8))
    let stored = try rig.daemon.store.links.phones()
    #expect(stored.map(\.hash) == [SecretToken.hash(token.utf8)])
    rig.daemon.stop()
    let later = try Rig(folder: rig.folder)
    let client = try later.client()
    #expect(names(try client.call("ListPhones")) == ["anna"])
  }

  @Test(arguments: ["", "Anna's", "zoë", "a/b", "a b", "../x", String(repeating: "x", count: 33)])
  func aNameWithOtherCharactersIsRefused(name: String) throws {
    let error = GeoremindError(
      try root.error("AddPhone", JSONValue.object(["name": .string(name)]).line))
    guard case .invalidReminder("name", let reason)? = error else {
      throw Unexpected("\(name) is refused")
    }
    #expect(reason.contains("1 to 32"))
  }

  @Test func aNameIsTakenOnceWhateverItsCase() throws {
    _ = try add("Anna")
    let error = GeoremindError(try root.error("AddPhone", #"{"name":"anna"}"#))
    #expect(error == .alreadyExists(name: "Anna"))
    // A link of a browser is something else.
    _ = try root.call("MakeLink", #"{"name":"Anna"}"#)
    #expect(try root.call("ListLinks")["links"]?.array?.count == 1)
    _ = try root.call("RevokeLink", #"{"name":"Anna"}"#)
    #expect(names(try root.call("ListPhones")) == ["Anna"])
  }

  @Test func aPhoneOpensNothingElse() throws {
    let token = try add("anna")
    #expect(
      GeoremindError(try rig.client().error("ActAs", #"{"token":"\#(token)"}"#)) == .invalidLink)
  }

  @Test func anotherUserNeitherSeesNorRevokesIt() throws {
    _ = try add("anna")
    #expect(refusal(of: 40_001) { try $0.revokePhone("anna") } == .notFound(id: "anna"))
    let other = Caller(user: 40_001, daemon: PeerCredentials.ownUser)
    let seen = try ControlService(daemon: rig.daemon, caller: other).listPhones()
    #expect(names(seen) == [])
    for user in [40_001, Caller.unmapped] {
      let caller = Caller(user: user, daemon: PeerCredentials.ownUser)
      #expect(names(rig.daemon.phoneNews(for: caller)) == [])
    }
    guard
      case .refusedByPolicy? = refusal(of: Caller.unmapped, { try $0.addPhone(["name": "b"]) })
    else { throw Unexpected("several people share that user") }
  }

  @Test func theServiceHearsOfEachChange() throws {
    let token = try add("anna")
    let web = try rig.client()
    try web.send("WatchPhones", more: true)
    let first = try web.reply().get()
    #expect(first["phones"]?.array?.first?["hash"]?.string == SecretToken.hash(token.utf8))
    _ = try add("ben")
    #expect(names(try web.reply().get()) == ["anna", "ben"])
    _ = try root.call("RevokePhone", #"{"name":"anna"}"#)
    #expect(names(try web.reply().get()) == ["ben"])
  }

  /// A user who has left the group sends no positions either.
  @Test func aPhoneOfAUserWithoutRightsIsNotNamed() throws {
    _ = try add("anna")
    let entry = try #require(try rig.daemon.store.links.phones().first)
    var phone = entry.link
    phone.user = 4_000_000_000
    try rig.daemon.store.links.keep(phone, hash: entry.hash)
    let caller = Caller(user: 0, daemon: PeerCredentials.ownUser)
    #expect(names(rig.daemon.phoneNews(for: caller)) == [])
  }

  @Test func theirNumberIsLimited() throws {
    for number in 0..<LinkStore.maximumPhones { _ = try add("p\(number)") }
    guard
      case .refusedByPolicy? = GeoremindError(try root.error("AddPhone", #"{"name":"more"}"#))
    else { throw Unexpected("there are enough phones") }
  }
}
