import Positioning

/// Statistics of each receiver for the status: devices of one gpsd and senders to one port apart.
struct ReceiverTable {
  struct Entry {
    let origin: FixOrigin
    /// As `Fix.carrier` of the last fix.
    var carrier: UInt64 = 0
    var fixes = 0
    /// Whether the settings take positions of its kind.
    var isAccepted = true
    /// When the last one came, in microseconds of CLOCK_BOOTTIME.
    var lastFix: Int64
  }

  /// Anyone can send to an open port: above this count the longest silent entry is removed.
  static let capacity = 32

  private(set) var entries: [Entry] = []

  /// Counts a fix. Complexity: O(n) in the receivers, at most `capacity`.
  mutating func count(
    _ origin: FixOrigin, of carrier: UInt64 = 0, isAccepted: Bool = true, at now: Int64
  ) {
    var index = entries.firstIndex { $0.origin == origin }
    if index == nil {
      if entries.count >= Self.capacity,
        let oldest = entries.indices.min(by: { entries[$0].lastFix < entries[$1].lastFix })
      {
        entries.remove(at: oldest)
      }
      entries.append(Entry(origin: origin, lastFix: now))
      index = entries.count - 1
    }
    guard let index else { return }
    entries[index].fixes &+= 1
    entries[index].lastFix = now
    (entries[index].carrier, entries[index].isAccepted) = (carrier, isAccepted)
  }

  mutating func forget(feed: Int) { entries.removeAll { $0.origin.feed == feed } }

  /// The receivers of a feed, in the order of their first fixes.
  func entries(of feed: Int) -> [Entry] { entries.filter { $0.origin.feed == feed } }
}
