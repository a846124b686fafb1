import Bytes
import CivilTime
import Control
import JSONText
import Reminders
import Storage

/// Links, by which a browser acts as a user.
extension ControlService {
  /// Refuses what the caller's link does not allow.
  func checkLink(for method: GeoremindMethod) throws(GeoremindError) {
    guard let link = caller.link else { return }
    switch (method.access, link.right) {
    case (.none, _):
      throw .refusedByPolicy(reason: "\(method.rawValue) cannot be called by a link")
    case (.read, .view), (.read, .change), (.answer, .change), (.change, .change),
      (.answer, .answer):
      break
    case (_, .answer): throw .refusedByPolicy(reason: "this link may only complete and snooze")
    case (_, .view), (_, .phone): throw .refusedByPolicy(reason: "this link may only view")
    }
  }

  func makeLink(_ given: JSONObject) throws -> JSONObject {
    let user = try linkOwner(given)
    let name = given["name"]?.string?.onOneLine ?? ""
    guard !name.isEmpty, name.utf8.count <= 64 else {
      throw GeoremindError.invalidReminder(field: "name", reason: "must have 1 to 64 bytes")
    }
    let store = daemon.store.links
    let own = try store.all().filter { $0.link.user == user && $0.link.right != .phone }
    let others = own.filter { daemon.isCurrent($0.link) }
    guard !others.contains(where: { $0.link.name == name }) else {
      throw GeoremindError.alreadyExists(name: name)
    }
    guard others.count < LinkStore.maximumOfUser else {
      throw GeoremindError.refusedByPolicy(
        reason: "there are \(LinkStore.maximumOfUser) links already; revoke one with "
          + "'georemind web revoke NAME'")
    }
    let now = daemon.clock.nowOrSystem
    let mayChange = given["may_change"]?.bool ?? true
    let link = AccessLink(
      name: name, user: user,
      right: given["only_answers"]?.bool == true ? .answer : mayChange ? .change : .view,
      made: now, expires: try expiry(given, after: now))
    for (hash, link) in own where !daemon.isCurrent(link) { try store.remove(hash: hash) }
    return ["token": .string(try token(for: link)), "link": json(link)]
  }

  /// Stores a link under the hash of a new token, and answers the token.
  func token(for link: AccessLink) throws(StoreError) -> String {
    let token = SecretToken.random()
    try daemon.store.links.keep(link, hash: SecretToken.hash(token.utf8))
    return token
  }

  private func expiry(_ given: JSONObject, after now: Instant) throws -> Instant? {
    guard let text = given["expires"]?.string else { return nil }
    do {
      let end = try daemon.time(typed: text).stamp.instant(in: daemon.host.engine.zone)
      guard end > now else {
        throw GeoremindError.invalidReminder(field: "expires", reason: "has passed already")
      }
      return end
    } catch let error as TimeStampError {
      throw GeoremindError.invalidReminder(field: "expires", reason: "\(error)")
    }
  }

  /// The user who gets a token: nobody whose id stands for several.
  func linkOwner(_ given: JSONObject) throws(GeoremindError) -> UInt32 {
    let user = try linkUser(given)
    guard user != Caller.unmapped else {
      throw .refusedByPolicy(reason: "several users share the id \(user)")
    }
    return user
  }

  /// The user that a call is about: the caller, or for root another one.
  private func linkUser(_ given: JSONObject) throws(GeoremindError) -> UInt32 {
    guard let user = given["user"]?.int else { return caller.user }
    guard let user = UInt32(exactly: user), user == caller.user || caller.isMaster else {
      throw .refusedByPolicy(reason: "only root may name another user")
    }
    return user
  }

  func listLinks() throws -> JSONObject {
    let links = try daemon.store.links.all().filter {
      $0.link.right != .phone && (caller.isMaster || $0.link.user == caller.user)
    }
    return ["links": .array(links.map { json($0.link) })]
  }

  func revokeLink(_ given: JSONObject) throws -> JSONObject {
    let (user, name) = (try linkUser(given), given["name"]?.string ?? "")
    let entry = try daemon.store.links.all().first {
      $0.link.user == user && $0.link.name == name && $0.link.right != .phone
    }
    guard let entry else { throw GeoremindError.notFound(id: name) }
    try daemon.store.links.remove(hash: entry.hash)
    return ["link": json(entry.link)]
  }

  /// The connection acts as the link's user once this is answered.
  func actAs(_ given: JSONObject) throws -> JSONObject {
    let hash = SecretToken.hash((given["token"]?.string ?? "").utf8)
    guard var link = try daemon.store.links.link(hash: hash), link.right != .phone,
      daemon.isCurrent(link), daemon.control?.isAllowed(user: link.user) == true
    else { throw GeoremindError.invalidLink }
    let now = daemon.clock.nowOrSystem
    // Once an hour: each page opens several connections.
    if link.used.map({ now - $0 > .hours(1) }) ?? true {
      link.used = now
      try daemon.store.links.keep(link, hash: hash)
    }
    return ["link": json(link)]
  }

  private func json(_ link: AccessLink) -> JSONValue {
    [
      "name": .string(link.name), "user": .int(Int(link.user)),
      "may_change": .bool(link.right == .change), "only_answers": .bool(link.right == .answer),
      "made": .string(link.made.json),
      "expires": link.expires.map { .string($0.json) }, "used": link.used.map { .string($0.json) },
    ]
  }
}
