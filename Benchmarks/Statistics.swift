import Glibc

/// Seconds of the monotonic clock.
func wallTime() -> Double { seconds(of: CLOCK_MONOTONIC) }

/// Seconds of the time of day.
func timeOfDay() -> Double { seconds(of: CLOCK_REALTIME) }

/// Processor time of this process in seconds.
func processorTime() -> Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

/// Seconds of processor time that a body takes.
func spent(_ body: () throws -> Void) rethrows -> Double {
  let start = processorTime()
  try body()
  return processorTime() - start
}

private func seconds(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return time.seconds
}

extension timespec {
  var seconds: Double { Double(tv_sec) + Double(tv_nsec) / 1e9 }
}

extension [Double] {
  /// The value that a share of all (0…1) does not exceed; the array must be sorted. NaN without
  /// any.
  func percentile(_ share: Double) -> Double {
    isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
  }
}
