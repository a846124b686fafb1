/// What all connections of a listener may hold together, in bytes of memory.
///
/// Each connection has limits of its own, but many at their limits are more than there may be. Where all
/// of them hold more than `limit`, one is dropped: of the user whose connections hold most the one that
/// holds most. Who floods loses what is theirs, and the others do not notice.
package final class StreamBudget {
  package let limit: Int
  /// By all connections together.
  package private(set) var held = 0
  /// A connection of this peer is about to be dropped.
  package var onDrop: (PeerCredentials) -> Void = { _ in }
  private var holdings: [ObjectIdentifier: Holding] = [:]

  private struct Holding {
    unowned let connection: StreamConnection
    var bytes: Int
  }

  package init(limit: Int) { self.limit = limit }

  /// Says what a connection holds now. May drop it, or another one.
  /// - Complexity: O(1), and O(n) in the connections that hold anything where one is to be dropped.
  func note(_ bytes: Int, by connection: StreamConnection) {
    let key = ObjectIdentifier(connection)
    held += bytes - (holdings[key]?.bytes ?? 0)
    holdings[key] = bytes > 0 ? Holding(connection: connection, bytes: bytes) : nil
    while held > limit, let worst = worst() {
      onDrop(worst.peer)
      worst.drop("all clients together hold too much, and this one most")
    }
  }

  /// The connection is closed, or is about to be.
  func forget(_ connection: StreamConnection) {
    held -= holdings.removeValue(forKey: ObjectIdentifier(connection))?.bytes ?? 0
  }

  private func worst() -> StreamConnection? {
    let all = Array(holdings.values)
    let index = Self.worst(of: all.map { ($0.connection.peer.userID, $0.bytes) })
    return index.map { all[$0].connection }
  }

  /// Which of these is the largest one of the user who holds most; nil where there is none.
  static func worst(of holdings: [(user: UInt32, bytes: Int)]) -> Int? {
    var users: [UInt32: Int] = [:]
    for (user, bytes) in holdings { users[user, default: 0] += bytes }
    func rank(_ index: Int) -> (Int, UInt32, Int) {
      let (user, bytes) = holdings[index]
      return (users[user] ?? 0, user, bytes)
    }
    return holdings.indices.max { rank($0) < rank($1) }
  }
}
