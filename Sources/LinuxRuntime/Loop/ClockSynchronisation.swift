import CSystemd
import Glibc

/// Whether somebody keeps the system's clock in step with the world.
package enum ClockSynchronisation {
  /// The kernel's state, set by chrony, ntpd and systemd-timesyncd (adjtimex(2)). nil if a sandbox
  /// forbids the call.
  package static var kernel: Bool? {
    var state = timex()
    guard adjtimex(&state) >= 0 else { return nil }
    return state.status & Int32(STA_UNSYNC) == 0
  }

  /// A file that systemd-timesyncd makes once it has set the clock (systemd 239 and later).
  package static let timesyncFile = "/run/systemd/timesync/synchronized"
}

/// Asks systemd-timedated about synchronisation, in case the sandbox forbids adjtimex(2)
/// (org.freedesktop.timedate1(5), NTPSynchronized).
package final class SynchronisationQuery {
  private let loop: EventLoop
  private var bus: Bus?

  package init(loop: EventLoop) { self.loop = loop }

  /// Calls back once, from the loop, where there is an answer; without a system bus never.
  package func ask(_ answer: @escaping (Bool) -> Void) {
    bus = try? Bus(address: Bus.systemAddress, loop: loop, endsLoop: false)
    let service = "org.freedesktop.timedate1"
    try? bus?.call(
      service, "/org/freedesktop/timedate1", "org.freedesktop.DBus.Properties", "Get",
      [.string(service), .string("NTPSynchronized")], timeout: 10_000_000
    ) { result in
      guard case .success(let values) = result,
        case .variant(.bool(let isSynchronised))? = values.first
      else { return }
      answer(isSynchronised)
    }
  }
}
