import Phones

/// How many connections may be open, and for how long.
struct ConnectionLimits {
  var connections = 64
  var connectionsOfAddress = 16
  /// Connections that have not shown the token yet, of all addresses and of one.
  var strangers = 16
  var strangersOfAddress = 8
  /// Microseconds from the connection, or from the request before it, to the end of a request.
  var time: Int64 = 10_000_000
  /// Microseconds from the connection to the end of its first request with the token.
  var strangerTime: Int64 = 5_000_000
}

/// Decides which connections stay open; it has no sockets and no clock.
///
/// A connection is a stranger until a request with the token has been answered, and again after a
/// request without. Strangers have a share of their own. A new one displaces the oldest of the
/// address that has the most, so strangers keep no phone out. An address is a `ClientNetwork`.
struct ConnectionTable<Connection: Hashable> {
  private struct Entry {
    let network: ClientNetwork?
    /// Order of arrival.
    let number: Int
    /// Steady time at which the request under way, or awaited, began.
    var since: Int64
    var isStranger = true
    /// It was ended, and its removal is yet to come.
    var isEnding = false
    /// Its request has come as a whole, and the answer is under way, perhaps without an end.
    var isAnswered = false
  }

  private let limits: ConnectionLimits
  private var entries: [Connection: Entry] = [:]
  private var arrivals = 0

  init(limits: ConnectionLimits) { self.limits = limits }

  /// Connections that are open, or still to be removed.
  var count: Int { entries.count }

  /// Adds a connection.
  /// - Returns: the connection that must end for it, which can be itself.
  /// Complexity: O(connections), as of all other functions but `remove`.
  mutating func add(
    _ connection: Connection, from network: ClientNetwork?, at now: Int64
  ) -> Connection? {
    arrivals += 1
    entries[connection] = Entry(network: network, number: arrivals, since: now)
    let open = entries.filter { !$0.value.isEnding }
    let strangers = open.filter(\.value.isStranger)
    let ofNetwork = strangers.filter { $0.value.network == network }
    var excess: [Connection: Entry] = [:]
    if ofNetwork.count > limits.strangersOfAddress
      || open.count(where: { $0.value.network == network }) > limits.connectionsOfAddress
    {
      excess = ofNetwork
    } else if strangers.count > limits.strangers {
      let groups = Dictionary(grouping: strangers, by: \.value.network)
      let largest = groups.values.map(\.count).max()
      excess = strangers.filter { groups[$0.value.network]?.count == largest }
    }
    guard !excess.isEmpty else { return nil }
    let oldest = excess.filter { !$0.value.isAnswered }.min { $0.value.number < $1.value.number }
    let last = oldest?.key ?? connection
    entries[last]?.isEnding = true
    return last
  }

  mutating func remove(_ connection: Connection) { entries[connection] = nil }

  /// A request was judged: whether it had the token, or needed none.
  mutating func judge(_ connection: Connection, isAuthorized: Bool) {
    entries[connection]?.isStranger = !isAuthorized
  }

  /// A request has come as a whole, and is carried out: the connection stays until its answer. A
  /// browser sends a request again whose connection ends without an answer, and would change twice.
  mutating func beginAnswer(_ connection: Connection) { entries[connection]?.isAnswered = true }

  /// A request has ended. The time of a stranger goes on.
  mutating func complete(_ connection: Connection, at now: Int64) {
    entries[connection]?.isAnswered = false
    if entries[connection]?.isStranger == false { entries[connection]?.since = now }
  }

  /// When the next connection is late, on the steady clock.
  var deadline: Int64? { entries.values.compactMap { deadline(of: $0) }.min() }

  /// Ends the connections that are late.
  mutating func endLate(at now: Int64) -> [Connection] {
    let late = entries.filter { deadline(of: $0.value).map { $0 <= now } ?? false }.map(\.key)
    for connection in late { entries[connection]?.isEnding = true }
    return late
  }

  private func deadline(of entry: Entry) -> Int64? {
    guard !entry.isEnding, !entry.isAnswered else { return nil }
    return entry.since + (entry.isStranger ? limits.strangerTime : limits.time)
  }
}
