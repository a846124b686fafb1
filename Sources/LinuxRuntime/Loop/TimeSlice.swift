import CSystemd

/// The scheduler's time slice of this process.
package enum TimeSlice {
  /// Requests slices of 0.1 ms, the shortest possible.
  ///
  /// With EEVDF (Linux 6.12 and later) a process with short slices preempts one with longer slices
  /// when it wakes, instead of waiting for some milliseconds. Its share of time stays the same. It
  /// needs no privilege; earlier kernels ignore it.
  @discardableResult
  package static func requestShortest() -> Bool { georemind_request_time_slice(100_000) == 0 }
}
