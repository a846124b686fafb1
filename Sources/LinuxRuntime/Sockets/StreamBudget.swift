import CSystemd

/// Limit of memory, in bytes, for all connections of a listener together.
///
/// Above `limit`, one connection is dropped: the largest of the user with the largest total. So a
/// flood costs only its sender.
package final class StreamBudget {
  package let limit: Int
  /// By all connections together.
  package private(set) var held = 0
  /// A connection of this peer is about to be dropped.
  package var onDrop: (PeerCredentials) -> Void = { _ in }
  private var holdings: [ObjectIdentifier: Holding] = [:]
  /// The most that was held since memory was last released.
  private var peak = 0
  /// A peak above this, in bytes, leaves free memory in the heap that is worth a release.
  private static let releasedPeak = 64 << 10

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
    peak = max(peak, held)
    while held > limit, let worst = worst() {
      onDrop(worst.peer)
      worst.drop("all clients together hold too much, and this one most")
    }
  }

  /// The connection is closed, or is about to be. After a large message, such as an import, this
  /// returns free memory to the system: 3 MB of 22 after 1 000 reminders.
  func forget(_ connection: StreamConnection) {
    held -= holdings.removeValue(forKey: ObjectIdentifier(connection))?.bytes ?? 0
    guard held == 0, peak > Self.releasedPeak else { return }
    peak = 0
    malloc_trim(0)
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
