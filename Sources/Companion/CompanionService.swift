package import CivilTime
import Glibc
package import LinuxRuntime

/// A small service beside the daemon: its loop, until a signal ends it.
package enum CompanionService {
  /// Runs until SIGTERM or SIGINT; reports readiness to systemd and calls `reload` on SIGHUP.
  /// - Parameter start: makes the parts, which live as long as the loop.
  package static func run<Parts>(
    loop: EventLoop, reload: @escaping (Parts) -> Void = { _ in },
    start: () throws -> Parts
  ) throws -> Int32 {
    // A bus or daemon that goes away is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    let services = ServiceManager()
    let ends = try [SIGTERM, SIGINT].map { signal in
      try loop.addSignal(signal) { _ in
        services.stopping()
        loop.exit(0)
      }
    }
    let parts = try start()
    let hangUp = try loop.addSignal(SIGHUP) { _ in
      services.reloading()
      reload(parts)
      services.ready()
    }
    services.ready()
    // A helper sleeps nearly always.
    ResidentMemory.releaseCode()
    defer {
      withExtendedLifetime(parts) {}
      for source in ends + [hangUp] { source.close() }
    }
    return try loop.run()
  }
}

extension ClockReadings {
  /// The present of this machine.
  package static var now: ClockReadings {
    ClockReadings(
      steady: SystemClock.monotonic.microseconds, real: Instant(microseconds: SystemClock.now()))
  }
}
