import CSystemd

/// How long this process may run before another one that waits.
package enum TimeSlice {
  /// Asks for slices of 0.1 ms, the shortest there are.
  ///
  /// Who runs little and must run soon asks for short ones: the scheduler (EEVDF, Linux 6.12 and
  /// later) then takes the processor from a program with longer ones as soon as this one wakes,
  /// rather than at the end of that one's slice of some milliseconds. It gets no more time by it,
  /// and needs no right. Earlier kernels take no notice.
  @discardableResult
  package static func requestShortest() -> Bool { georemind_request_time_slice(100_000) == 0 }
}
