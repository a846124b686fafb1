package import CivilTime

/// Positions for a daemon that does not read now: a broker cannot be asked to send them again.
///
/// The number of positions of one phone is bounded, and so is the number of all. A restart of the
/// daemon takes seconds and loses none.
package struct PositionBacklog: Sendable {
  /// One a second for the age of the oldest that counts.
  private static let limit = 300
  private static let maximumTotal = 3_000

  private var positions: [PhonePosition] = []

  package init() {}

  /// - Complexity: O(n) in the stored positions.
  package mutating func add(_ position: PhonePosition) {
    positions.append(position)
    let own = positions.lazy.filter { $0.device == position.device }.count
    if own > Self.limit, let oldest = positions.firstIndex(where: { $0.device == position.device })
    {
      positions.remove(at: oldest)
    } else if positions.count > Self.maximumTotal {
      positions.removeFirst()
    }
  }

  /// Removes all, and answers the positions that are still of the present, in their order.
  package mutating func take(at now: Instant) -> [PhonePosition] {
    defer { positions = [] }
    return positions.filter { $0.isFresh(at: now) }
  }
}
