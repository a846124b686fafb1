/// Limit of memory, in bytes, for all connections of a listener together.
///
/// Above `limit`, one connection is dropped: the largest of the user with the largest total. So a
/// flood costs only its sender.
package final class StreamBudget {
  package let limit: Int
  /// Bytes that all connections hold.
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

  /// Records a connection's bytes; may drop it or another one.
  /// - Complexity: O(1); to drop one, O(n) in the connections that hold any bytes.
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

  /// Removes a connection. After a large message this returns memory to the system: the free heap,
  /// and the pages of code that carried out the message.
  func forget(_ connection: StreamConnection) {
    held -= holdings.removeValue(forKey: ObjectIdentifier(connection))?.bytes ?? 0
    guard held == 0, peak > Self.releasedPeak else { return }
    peak = 0
    ResidentMemory.releaseHeap()
    ResidentMemory.releaseCode()
  }

  private func worst() -> StreamConnection? {
    let all = Array(holdings.values)
    let index = Self.worst(of: all.map { ($0.connection.peer.userID, $0.bytes) })
    return index.map { all[$0].connection }
  }

  /// Index of the largest holding of the user with the largest total; nil without any.
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
