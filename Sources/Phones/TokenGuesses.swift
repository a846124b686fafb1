/// Wrong tokens by network: ten within a minute lock it out for a minute, whatever it sends.
///
/// This machine is never locked out: by a proxy on it, a stranger would lock every phone out.
///
/// The table has a fixed size. A sender with more networks escapes the lock-out, and still cannot
/// guess 16 random characters.
struct TokenGuesses: Sendable {
  static let maximumGuesses = 10
  static let maximumNetworks = 256
  /// Microseconds.
  static let period: Int64 = 60_000_000

  /// The latest guesses on the steady clock, at most ten each.
  private var times: [ClientNetwork: [Int64]] = [:]

  var networkCount: Int { times.count }

  /// Counts a wrong token.
  /// Complexity: O(1), and O(networks) for a new one among 256.
  mutating func note(_ network: ClientNetwork, at now: Int64) {
    guard !network.isLoopback else { return }
    if times[network] == nil, times.count >= Self.maximumNetworks,
      let oldest = times.min(by: { ($0.value.last ?? 0) < ($1.value.last ?? 0) })
    {
      times[oldest.key] = nil
    }
    let recent = (times[network] ?? []).filter { now - $0 < Self.period }
    times[network] = recent.suffix(Self.maximumGuesses - 1) + [now]
  }

  /// Whole seconds until requests of the network count again; nil where they do.
  func wait(of network: ClientNetwork, at now: Int64) -> Int? {
    guard let times = times[network], times.count >= Self.maximumGuesses, let last = times.last,
      now - last < Self.period
    else { return nil }
    return Int((last + Self.period - now + 999_999) / 1_000_000)
  }
}
