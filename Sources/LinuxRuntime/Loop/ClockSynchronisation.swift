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
  private var bus: OpaquePointer?
  private var answer: ((Bool) -> Void)?

  package init(loop: EventLoop) { self.loop = loop }

  deinit { close() }

  /// Calls back once, from the loop, where there is an answer; without a system bus never.
  package func ask(_ answer: @escaping (Bool) -> Void) {
    close()
    var opened: OpaquePointer?
    guard sd_bus_open_system(&opened) >= 0, let bus = opened else { return }
    self.bus = bus
    self.answer = answer
    var message: OpaquePointer?
    guard loop.attach(bus: bus),
      sd_bus_message_new_method_call(
        bus, &message, "org.freedesktop.timedate1", "/org/freedesktop/timedate1",
        "org.freedesktop.DBus.Properties", "Get") >= 0
    else { return close() }
    defer { sd_bus_message_unref(message) }
    let string = CChar(UInt8(ascii: "s"))
    for text in ["org.freedesktop.timedate1", "NTPSynchronized"] {
      guard sd_bus_message_append_basic(message, string, text) >= 0 else { return close() }
    }
    let context = Unmanaged.passUnretained(self).toOpaque()
    let sent = sd_bus_call_async(
      bus, nil, message,
      { reply, context, _ in
        if let context {
          Unmanaged<SynchronisationQuery>.fromOpaque(context).takeUnretainedValue().take(reply)
        }
        return 0
      }, context, 10_000_000)
    if sent < 0 { close() }
  }

  private func take(_ reply: OpaquePointer?) {
    var value: Int32 = 0
    let answer = answer
    guard sd_bus_message_is_method_error(reply, nil) == 0,
      sd_bus_message_enter_container(reply, CChar(UInt8(ascii: "v")), "b") > 0,
      sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "b")), &value) > 0
    else { return }
    answer?(value != 0)
  }

  /// Harmless when repeated.
  package func close() {
    answer = nil
    guard let bus else { return }
    self.bus = nil
    sd_bus_detach_event(bus)
    sd_bus_close_unref(bus)
  }
}
