import Bytes
import CivilTime
import Control
import Glibc
import JSONText
import LinuxRuntime
import Storage

/// Clients that act by a link.
extension ControlServer {
  /// The caller: the user of the client's link, or else the peer. The link is read for each call,
  /// so its end counts at once.
  func caller(_ client: Client) throws -> Caller {
    guard let hash = client.link else { return Caller(client.stream.peer) }
    guard let link = try daemon.store.links.link(hash: hash), daemon.isCurrent(link) else {
      throw GeoremindError.invalidLink
    }
    var caller = Caller(
      user: link.user, process: client.stream.peer.processID, daemon: PeerCredentials.ownUser)
    caller.link = link
    return caller
  }

  /// Notes what a call has changed.
  func note(_ call: VarlinkCall, _ reply: JSONObject, of client: Client) {
    guard let method = call.georemindMethod else { return }
    for list in method.changedLists { note(list, []) }
    if method.changedLists.contains("places") {
      for tracker in daemon.host.all { tracker.places.placesHaveChanged() }
    }
    switch method {
    case .actAs: client.link = call.parameters["token"]?.string.map { SecretToken.hash($0.utf8) }
    case .revokeLink: closeRevoked()
    case .addPhone, .revokePhone: announce(.phones)
    default: break
    }
  }

  /// Ends the connections whose link has been revoked: a stream would not end.
  private func closeRevoked() {
    for client in clients.values {
      guard let hash = client.link, (try? daemon.store.links.link(hash: hash)) == .some(nil)
      else { continue }
      client.stream.finish()
    }
  }

  /// As for a peer, by the groups that the user has now.
  func isAllowed(user: UInt32) -> Bool {
    isAllowed(user: user) { group in
      guard let entry = getpwuid(user) else { return false }
      guard entry.pointee.pw_gid != group else { return true }
      var groups = [gid_t](repeating: 0, count: 1_024)
      var count = Int32(groups.count)
      guard getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) >= 0
      else { return false }
      return groups.prefix(Int(count)).contains(group)
    }
  }
}

extension Daemon {
  /// Whether the link has not expired.
  func isCurrent(_ link: AccessLink) -> Bool {
    link.expires.map { clock.nowOrSystem < $0 } ?? true
  }
}
