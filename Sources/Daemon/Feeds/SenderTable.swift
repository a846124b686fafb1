import Feeds
import LinuxRuntime

/// Assigns datagrams to sources, one per sender.
///
/// Datagrams are not authenticated, so the number of senders is bounded: a new one replaces the
/// longest silent one, first among those without fixes.
///
/// Some programs send each datagram from another port. Once `newcomers` ports of an address were
/// heard once each and none twice, they count as one sender, until one is heard again.
struct SenderTable<Source> {
  static var capacity: Int { 8 }
  private static var newcomers: Int { 4 }

  private struct Entry {
    let origin: DatagramOrigin
    let source: Source
    var datagrams = 0
    /// Counts datagrams of the feed: a larger one was heard later.
    var lastHeard = 0
    /// The last ports of an address that counts as one sender.
    var ports: [UInt16] = []
  }

  private var entries: [Entry] = []
  private var count = 0

  /// In the order of their first datagrams.
  var sources: [Source] { entries.map(\.source) }

  /// The source of a datagram from `origin`.
  /// - Parameters:
  ///   - isUseful: whether a source ever gave a fix; those are removed last.
  ///   - make: makes the source of a new sender.
  ///   - drop: called for each removed source.
  /// - Complexity: O(n) in the senders, at most `capacity`.
  mutating func source(
    for origin: DatagramOrigin, isUseful: (Source) -> Bool, make: (DatagramOrigin) throws -> Source,
    drop: (Source) -> Void
  ) rethrows -> Source {
    count &+= 1
    if let index = entries.firstIndex(where: { $0.origin == origin }) { return heard(index) }
    let anyPort = origin.withAnyPort
    if let index = entries.firstIndex(where: { $0.origin == anyPort }) {
      if !entries[index].ports.contains(origin.port) {
        entries[index].ports = entries[index].ports.suffix(Self.capacity - 1) + [origin.port]
        return heard(index)
      }
      // A port that is heard again is a sender of its own, and the others are, too.
      remove(at: index, drop)
    }
    let ports = entries.filter { $0.origin.withAnyPort == anyPort }
    let changesPorts = ports.count >= Self.newcomers && ports.allSatisfy { $0.datagrams == 1 }
    if changesPorts {
      while let index = entries.firstIndex(where: { $0.origin.withAnyPort == anyPort }) {
        remove(at: index, drop)
      }
    } else if entries.count >= Self.capacity, let index = worst(isUseful) {
      remove(at: index, drop)
    }
    let key = changesPorts ? anyPort : origin
    var entry = Entry(origin: key, source: try make(key))
    if changesPorts { entry.ports = ports.map(\.origin.port) + [origin.port] }
    entries.append(entry)
    return heard(entries.count - 1)
  }

  private mutating func heard(_ index: Int) -> Source {
    entries[index].datagrams &+= 1
    entries[index].lastHeard = count
    return entries[index].source
  }

  private mutating func remove(at index: Int, _ drop: (Source) -> Void) {
    drop(entries.remove(at: index).source)
  }

  private func worst(_ isUseful: (Source) -> Bool) -> Int? {
    func rank(_ entry: Entry) -> (Int, Int) { (isUseful(entry.source) ? 1 : 0, entry.lastHeard) }
    return entries.indices.min { rank(entries[$0]) < rank(entries[$1]) }
  }
}
