import CSystemd
import Glibc

/// The service manager's protocol: sd_notify(3) and sd_listen_fds(3). Silent outside a service.
package final class ServiceManager {
  /// A descriptor handed over by systemd.
  package struct PassedSocket: Equatable, Sendable {
    package let descriptor: Int32
    /// `FileDescriptorName=` of the socket unit, the name it was kept under, or "unknown".
    package let name: String
  }

  /// Whether a service manager listens: `$NOTIFY_SOCKET` is set.
  package let isSupervised: Bool
  /// Maximum microseconds between `watchdog()` calls (`WatchdogSec=`); call twice as often. nil
  /// without a watchdog.
  package let watchdogInterval: Int64?

  private var lastStatus: String?
  /// The state that was reported last, and when.
  private var reported: (state: String, at: Int64)?

  /// Microseconds between two lines of the same state: each is work for the service manager.
  private static let statusInterval: Int64 = 60_000_000

  /// Reads `$NOTIFY_SOCKET`, `$WATCHDOG_USEC` and `$WATCHDOG_PID`.
  package init() {
    isSupervised = getenv("NOTIFY_SOCKET") != nil
    var interval: UInt64 = 0
    watchdogInterval = sd_watchdog_enabled(0, &interval) > 0 ? Int64(clamping: interval) : nil
  }

  /// Start-up, or a reload, is done.
  @discardableResult
  package func ready(status: String? = nil) -> Bool { send("READY=1", status: status) }

  /// One line for `systemctl status`. The same line twice is sent once.
  @discardableResult
  package func status(_ text: String) -> Bool {
    guard Self.oneLine(text) != lastStatus else { return true }
    return send("", status: text)
  }

  /// A line at once where the state is another one, else once a minute.
  /// - Parameters:
  ///   - state: the line without what changes with each event.
  ///   - now: microseconds of the monotonic clock.
  package func status(_ text: String, of state: String, at now: Int64) {
    if let reported, reported.state == state, now - reported.at < Self.statusInterval { return }
    reported = (state, now)
    status(text)
  }

  /// The main loop is alive.
  @discardableResult
  package func watchdog() -> Bool { send("WATCHDOG=1") }

  /// Start-up goes on: systemd waits for `ready` so many more microseconds from now.
  @discardableResult
  package func extendTimeout(by span: Int64) -> Bool { send("EXTEND_TIMEOUT_USEC=\(span)") }

  /// The program found itself broken: treat it as a watchdog that ran out.
  @discardableResult
  package func triggerWatchdog() -> Bool { send("WATCHDOG=trigger") }

  /// Reports a reload, until `ready()`, with the monotonic time for `Type=notify-reload`.
  @discardableResult
  package func reloading() -> Bool {
    send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonic.microseconds)")
  }

  @discardableResult
  package func stopping() -> Bool { send("STOPPING=1") }

  /// Has systemd store a copy of a descriptor for the service's next run, in place of the former
  /// one of this name; nil removes it. Needs `FileDescriptorStoreMax=` in the unit; systemd drops
  /// descriptors that hang up.
  /// - Parameter name: printable ASCII without a colon, at most 255 characters.
  @discardableResult
  package func keep(_ descriptor: Int32?, as name: String) -> Bool {
    guard isSupervised else { return false }
    guard send("FDSTOREREMOVE=1\nFDNAME=\(name)"), let descriptor else { return false }
    return sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", [descriptor], 1) > 0
  }

  /// The descriptors passed by socket units and by an earlier run, in order. Call once, at start:
  /// it removes the variables, so that child processes do not use them.
  package func passedSockets() throws(SystemError) -> [PassedSocket] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = try check(sd_listen_fds_with_names(1, &names), "take the passed sockets")
    defer { free(names) }
    return (0..<count).map { index in
      let name = names?[Int(index)]
      defer { free(name) }
      // The first passed descriptor is SD_LISTEN_FDS_START, 3.
      return PassedSocket(
        descriptor: 3 + index, name: name.map { String(cString: $0) } ?? "unknown")
    }
  }

  private func send(_ state: String, status: String? = nil) -> Bool {
    var message = state
    if let status {
      let line = Self.oneLine(status)
      lastStatus = line
      message += message.isEmpty ? "STATUS=\(line)" : "\nSTATUS=\(line)"
    }
    let result = sd_notify(0, message)
    if result < 0 { lastStatus = nil }
    return result > 0
  }

  /// A line end would begin another assignment, a NUL would end the message.
  private static func oneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { line.append(scalar.value < 0x20 ? " " : scalar) }
    return String(line)
  }
}
