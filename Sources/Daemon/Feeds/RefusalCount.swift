/// Limits entries that users cause: the first of each user and sort at once, later ones as one sum
/// a minute.
struct RefusalCount {
  enum Sort: Hashable, Sendable {
    /// Outside the allowed groups, or above the limit of clients.
    case client
    /// Disconnected, because all clients together use too much memory.
    case dropped
    /// The change of another user's reminder.
    case change
    /// A message that is no call.
    case invalid
    /// No refusal: an entry about a call, such as a mute.
    case news

    /// Entries a minute.
    fileprivate var maximumCount: Int { self == .news ? 30 : 1 }
  }

  /// Refusals that were counted and not reported.
  struct Sum: Equatable {
    /// nil is the sum for users above the limit.
    let user: UInt32?
    let sort: Sort
    let count: Int
  }

  /// Microseconds.
  static let minute: Int64 = 60_000_000
  /// Containers have users without end: more than these are counted as one.
  static let maximumUsers = 100

  private struct Key: Hashable {
    let user: UInt32?
    let sort: Sort
  }

  private struct Minute {
    let end: Int64
    var reported = 1
    var unreported = 0
  }

  private var minutes: [Key: Minute] = [:]

  /// When `sums` has to be asked for.
  var nextEnd: Int64? { minutes.values.map(\.end).min() }

  /// A refusal at a time of the monotonic clock; answers whether it is reported by itself.
  mutating func note(_ user: UInt32, _ sort: Sort, at now: Int64) -> Bool {
    var key = Key(user: user, sort: sort)
    if minutes[key] == nil, minutes.count >= Self.maximumUsers { key = Key(user: nil, sort: sort) }
    if let minute = minutes[key] {
      let isReported = minute.reported < sort.maximumCount
      if isReported { minutes[key]?.reported += 1 } else { minutes[key]?.unreported += 1 }
      return isReported
    }
    minutes[key] = Minute(end: now + Self.minute)
    return true
  }

  /// Sums of the minutes that have ended.
  mutating func sums(at now: Int64) -> [Sum] {
    var sums: [Sum] = []
    for (key, minute) in minutes where minute.end <= now {
      if minute.unreported > 0 {
        sums.append(Sum(user: key.user, sort: key.sort, count: minute.unreported))
        // The refusals continue: count the next minute as well.
        minutes[key] = Minute(end: minute.end + Self.minute)
      } else {
        minutes[key] = nil
      }
    }
    return sums.sorted { ($0.user ?? .max, $0.count) < ($1.user ?? .max, $1.count) }
  }
}
