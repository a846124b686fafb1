/// Clients with a call that waits for its turn: start-time fair queueing among users (Goyal, Vin
/// and Cheng, SIGCOMM 1996), by the time that their calls take.
///
/// A user with twenty long calls delays another one by a single call. Of one user's calls the quick
/// ones go first. Complexity: O(users that wait) for each turn.
struct CallQueue<Client> {
  private struct User {
    var quick: [Client] = []
    var long: [Client] = []
    /// Virtual time of the next call, microseconds.
    var start: Int64

    var isIdle: Bool { quick.isEmpty && long.isEmpty }
  }

  private var users: [UInt32: User] = [:]
  /// The start of the last call.
  private var virtualTime: Int64 = 0

  var isEmpty: Bool { users.values.allSatisfy(\.isIdle) }

  var count: Int { users.values.reduce(0) { $0 + $1.quick.count + $1.long.count } }

  mutating func add(_ client: Client, of user: UInt32, isLong: Bool) {
    var entry = users[user] ?? User(start: virtualTime)
    if entry.isIdle { entry.start = max(entry.start, virtualTime) }
    if isLong { entry.long.append(client) } else { entry.quick.append(client) }
    users[user] = entry
  }

  /// The next client, and its user; nil if none waits.
  mutating func next() -> (client: Client, user: UInt32)? {
    let waiting = users.filter { !$0.value.isIdle }
    guard let user = waiting.min(by: { ($0.value.start, $0.key) < ($1.value.start, $1.key) })?.key,
      var entry = users[user]
    else { return nil }
    virtualTime = entry.start
    let client = entry.quick.isEmpty ? entry.long.removeFirst() : entry.quick.removeFirst()
    users[user] = entry
    return (client, user)
  }

  /// Records the time of a user's call, at least a microsecond. A user without a debt is dropped.
  mutating func charge(_ microseconds: Int64, to user: UInt32) {
    users[user]?.start += max(1, microseconds)
    users = users.filter { !$0.value.isIdle || $0.value.start > virtualTime }
  }
}
