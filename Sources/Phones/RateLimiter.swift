/// A token bucket for each phone.
///
/// A phone that was offline sends what it stored: 300 positions, one a second for the age of the
/// oldest that counts.
struct RateLimiter: Sendable {
  /// Messages a second, and how many more at once.
  static let rate = 20.0
  static let burst = 300.0
  private static let maximumPhones = 64

  private struct Bucket: Sendable {
    var level: Double
    var time: Int64
  }

  private var buckets: [String: Bucket] = [:]

  /// Whether a phone may send one more message.
  /// - Parameter now: microseconds of a clock that never steps.
  /// Complexity: O(1), and O(phones) for a new one among 64.
  mutating func admits(_ phone: String, at now: Int64) -> Bool {
    var bucket = buckets[phone] ?? Bucket(level: Self.burst, time: now)
    bucket.level = min(Self.burst, bucket.level + Double(now - bucket.time) / 1e6 * Self.rate)
    bucket.time = now
    let admits = bucket.level >= 1
    if admits { bucket.level -= 1 }
    if buckets[phone] == nil, buckets.count >= Self.maximumPhones,
      let oldest = buckets.min(by: { $0.value.time < $1.value.time })
    {
      buckets[oldest.key] = nil
    }
    buckets[phone] = bucket
    return admits
  }
}
