import CivilTime
import Control
import JSONText
import LinuxRuntime
import Storage

/// Phones, each with a token for its own positions.
extension ControlService {
  func addPhone(_ given: JSONObject) throws -> JSONObject {
    let (user, name) = (try linkOwner(given), given["name"]?.string ?? "")
    guard PhoneName.isOne(name) else {
      throw GeoremindError.invalidReminder(field: "name", reason: PhoneName.rule)
    }
    let phones = try daemon.store.links.phones()
    if let other = phones.first(where: { $0.link.name.lowercased() == name.lowercased() }) {
      throw GeoremindError.alreadyExists(name: other.link.name)
    }
    guard phones.count < LinkStore.maximumPhones else {
      throw GeoremindError.refusedByPolicy(
        reason: "there are \(LinkStore.maximumPhones) phones already; revoke one with "
          + "'georemind phone revoke NAME'")
    }
    let phone = AccessLink(
      name: name, user: user, right: .phone, made: daemon.clock.nowOrSystem)
    return ["token": .string(try token(for: phone)), "phone": json(phone)]
  }

  func listPhones() throws -> JSONObject {
    let own = try daemon.store.links.phones().filter { caller.mayChange(ownedBy: $0.link.user) }
    return ["phones": .array(own.map { json($0.link) })]
  }

  /// For a phone of another user the answer is the same as for an unknown name.
  func revokePhone(_ name: String) throws -> JSONObject {
    let entry = try daemon.store.links.phones().first { $0.link.name == name }
    guard let entry, caller.mayChange(ownedBy: entry.link.user) else {
      throw GeoremindError.notFound(id: name)
    }
    try daemon.store.links.remove(hash: entry.hash)
    return ["phone": json(entry.link)]
  }

  private func json(_ phone: AccessLink) -> JSONValue {
    [
      "name": .string(phone.name), "user": .int(Int(phone.user)),
      "made": .string(phone.made.json),
    ]
  }
}

extension Daemon {
  /// An answer of `WatchPhones`: the phones of all users for `georemind-web`, root and the daemon's
  /// own user, and else the caller's own. A store that fails names no phone.
  func phoneNews(for caller: Caller) -> JSONObject {
    let seesAll =
      caller.isMaster || caller.user == PeerCredentials.user(named: "georemind-web")
    let phones = (try? store.links.phones()) ?? []
    let current = phones.filter {
      (seesAll || caller.mayChange(ownedBy: $0.link.user))
        && control?.isAllowed(user: $0.link.user) == true
    }
    return [
      "phones": .array(
        current.map { ["name": .string($0.link.name), "hash": .string($0.hash)] })
    ]
  }
}

/// The name of a phone, which is a part of names of receivers and files.
enum PhoneName {
  static let rule = "must have 1 to 32 letters of a to z, digits, - and _"

  static func isOne(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
          || byte == 0x2D || byte == 0x5F
      }
  }
}
