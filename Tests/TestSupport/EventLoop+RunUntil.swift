package import LinuxRuntime

extension EventLoop {
  /// Runs turns until the condition holds; false when five seconds did not bring it about.
  package func runUntil(_ condition: () throws -> Bool) throws -> Bool {
    let limit = SystemClock.monotonic.microseconds + 5_000_000
    while try !condition() {
      let left = limit - SystemClock.monotonic.microseconds
      guard left > 0 else { return false }
      try runOnce(timeout: left)
    }
    return true
  }
}
