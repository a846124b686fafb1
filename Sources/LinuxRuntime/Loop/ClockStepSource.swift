import CSystemd
import Glibc

/// Reports that the wall clock was set, by hand, by NTP or after suspend.
///
/// The timer on CLOCK_REALTIME has TFD_TIMER_CANCEL_ON_SET: setting the clock cancels it, and
/// reading fails with ECANCELED (timerfd_create(2)). Slewing by NTP is no step.
package final class ClockStepSource {
  private let timer: Descriptor
  private var source: IOSource?

  /// Calls `handler` after each step, with the clock already at its new time.
  package init(loop: EventLoop, handler: @escaping () -> Void) throws(SystemError) {
    let descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw .last("create a clock watch") }
    timer = Descriptor(descriptor)
    try arm()
    source = try loop.addIO(descriptor, .readable, priority: .important) { [unowned self] _ in
      var count: UInt64 = 0
      let size = read(self.timer.raw, &count, MemoryLayout<UInt64>.size)
      let isStep = size < 0 && errno == ECANCELED
      // A watch that cannot be set again would wake the loop for ever.
      if (try? self.arm()) == nil { self.source?.isEnabled = false }
      if isStep { handler() }
    }
  }

  deinit { close() }

  /// Stops watching; harmless when repeated.
  package func close() {
    source?.close()
    source = nil
    timer.close()
  }

  private func arm() throws(SystemError) {
    var time = itimerspec()
    // The largest time the kernel keeps in nanoseconds is in the year 2262.
    time.it_value.tv_sec = time_t(Int64.max / 1_000_000_000)
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    guard timerfd_settime(timer.raw, flags, &time, nil) == 0 else {
      throw .last("watch the clock")
    }
  }
}
