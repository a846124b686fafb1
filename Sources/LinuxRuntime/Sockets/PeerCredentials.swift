import Glibc

/// The peer of a Unix socket, as the kernel recorded it at connection (unix(7)).
package struct PeerCredentials: Equatable, Sendable {
  /// 0 when the process is in another PID namespace.
  package let processID: Int32
  package let userID: UInt32
  package let groupID: UInt32
  /// Further groups, at most 65 536 on Linux; empty where the kernel cannot say.
  package let supplementaryGroups: [UInt32]

  /// The user that this process acts as.
  package static var ownUser: UInt32 { geteuid() }

  /// The user of that name; nil if the machine has none.
  package static func user(named name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

  /// Whether the peer's process belongs to a group.
  package func isMember(of group: UInt32) -> Bool {
    groupID == group || supplementaryGroups.contains(group)
  }

  init(of socket: Int32) throws(SystemError) {
    // struct ucred: pid, uid and gid, 32 bits each.
    var identity: (pid: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: identity))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &identity, &size) == 0 else {
      throw .last("identify the peer of a socket")
    }
    (processID, userID, groupID) = identity
    supplementaryGroups = Self.groups(of: socket)
  }

  private static func groups(of socket: Int32) -> [UInt32] {
    var groups = [UInt32](repeating: 0, count: 64)
    for _ in 0..<2 {
      let room = groups.count * MemoryLayout<UInt32>.stride
      var size = socklen_t(room)
      let result = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, &groups, &size)
      let count = Int(size) / MemoryLayout<UInt32>.stride
      if result == 0 { return Array(groups.prefix(count)) }
      // ERANGE comes with the required size.
      guard errno == ERANGE, count <= 65536 else { return [] }
      groups = [UInt32](repeating: 0, count: count)
    }
    return []
  }
}
