import Glibc

/// Seconds of the monotonic clock.
func wallTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Seconds of the time of day.
func timeOfDay() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

extension [Double] {
  /// The value that a share of all (0…1) does not exceed; the array must be sorted. NaN without any.
  func percentile(_ share: Double) -> Double {
    isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
  }
}
