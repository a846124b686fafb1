/// A token bucket for each phone, and one for all of them: a phone claims its name itself.
///
/// A phone that was offline sends what it stored: 300 positions, one a second for the age of the
/// oldest that counts.
package struct RateLimiter: Sendable {
  /// Positions a second, and how many at once.
  private static let ofOne = (rate: 20.0, burst: 300.0)
  private static let ofAll = (rate: 200.0, burst: 3_000.0)
  private static let maximumPhones = 256

  private struct Bucket: Sendable {
    var level: Double
    var time: Int64

    mutating func fill(_ limit: (rate: Double, burst: Double), at now: Int64) {
      level = min(limit.burst, level + Double(now - time) / 1e6 * limit.rate)
      time = now
    }
  }

  private var buckets: [String: Bucket] = [:]
  private var all: Bucket?

  package init() {}

  /// Whether a phone may send so many positions now. A full bucket admits a message of any length,
  /// which a phone cannot divide, and makes the next ones wait the longer.
  /// - Parameter now: microseconds of a clock that never steps.
  /// Complexity: O(1), and O(phones) for a new one among 256.
  package mutating func admits(_ phone: String, count: Int = 1, at now: Int64) -> Bool {
    var bucket = buckets[phone] ?? Bucket(level: Self.ofOne.burst, time: now)
    bucket.fill(Self.ofOne, at: now)
    var all = all ?? Bucket(level: Self.ofAll.burst, time: now)
    all.fill(Self.ofAll, at: now)
    let count = Double(count)
    let admits = bucket.level >= min(count, Self.ofOne.burst) && all.level >= count
    if admits {
      bucket.level -= count
      all.level -= count
    }
    self.all = all
    if buckets[phone] == nil, buckets.count >= Self.maximumPhones,
      let oldest = buckets.min(by: { $0.value.time < $1.value.time })
    {
      buckets[oldest.key] = nil
    }
    buckets[phone] = bucket
    return admits
  }
}
