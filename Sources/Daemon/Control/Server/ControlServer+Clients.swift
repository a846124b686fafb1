import Control
import Glibc
import JSONText
import LinuxRuntime
import Reminders

/// The clients of the control socket, and who may be one.
extension ControlServer {
  final class Client {
    let stream: StreamConnection
    var protocolState: Connection
    /// The method of the open stream, so that a push finds those it is for.
    var watches: GeoremindMethod? {
      protocolState.isStreaming ? protocolState.openCall?.georemindMethod : nil
    }
    /// Whether it watches for a destination.
    var isDestination: Bool { protocolState.openCall?.parameters["destination"]?.bool == true }
    /// The status that was sent to it last.
    var lastStatus: String?
    /// The last position that was sent to it, and when, on the steady clock.
    var position = (mark: PositionMark(), time: Int64(0))
    /// The last answer of `WatchPresence` to it.
    var presence: PresenceMark?
    /// The hash of the link that it acts by.
    var link: String?
    /// Bytes that the socket took and the protocol does not know of yet.
    var taken = 0
    var isBeingServed = false

    init(stream: StreamConnection, service: VarlinkService, outputLimit: Int) {
      self.stream = stream
      protocolState = Connection(service: service, peer: stream.peer, outputLimit: outputLimit)
    }
  }

  /// Why a peer may not be a client now; nil if it may.
  func objection(to peer: PeerCredentials) -> String? {
    guard isAllowed(user: peer.userID, isMember: { peer.isMember(of: $0) }) else {
      return "not of an allowed group"
    }
    let ofUser = clients.values.count { $0.stream.peer.userID == peer.userID }
    return Self.objection(isMaster: Caller(peer).isMaster, ofUser: ofUser, of: clients.count)
  }

  /// The same by the number of clients: of the same user, and of all.
  static func objection(isMaster: Bool, ofUser: Int, of all: Int) -> String? {
    if isMaster { return all < Self.maximumClients ? nil : "too many clients" }
    if ofUser >= Self.maximumClientsOfUser { return "too many clients of this user" }
    return all < Self.maximumClients - Self.reserved ? nil : "too many clients"
  }

  /// root, the daemon's own user, and members of the configured groups.
  func isAllowed(user: UInt32, isMember: (_ group: gid_t) -> Bool) -> Bool {
    if user == 0 || user == geteuid() { return true }
    return daemon.settings.allowedGroups.contains { name in
      getgrnam(name).map { isMember($0.pointee.gr_gid) } ?? false
    }
  }
}
