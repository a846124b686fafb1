import Glibc
import LinuxRuntime
import TestSupport
import Testing

/// In processes of their own: the environment is one for all tests.
@Suite struct ServiceManagerTests {
  @Test func isSilentOutsideAService() async {
    await #expect(processExitsWith: .success) {
      for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS"] {
        unsetenv(name)
      }
      let manager = ServiceManager()
      #expect(!manager.isSupervised)
      #expect(manager.watchdogInterval == nil)
      #expect(!manager.ready(status: "fine"))
      #expect(!manager.watchdog())
      let sockets = try manager.passedSockets()
      #expect(sockets.isEmpty)
    }
  }

  @Test func speaksTheNotifyProtocol() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/notify"
      let receiver = try DatagramReceiver(path: path)
      setenv("NOTIFY_SOCKET", path, 1)
      setenv("WATCHDOG_USEC", "30000000", 1)
      setenv("WATCHDOG_PID", "\(getpid())", 1)
      let manager = ServiceManager()
      #expect(manager.isSupervised)
      #expect(manager.watchdogInterval == 30_000_000)

      #expect(manager.ready(status: "3 reminders armed"))
      #expect(receiver.next() == "READY=1\nSTATUS=3 reminders armed")
      #expect(manager.status("3 reminders armed"))
      #expect(receiver.next() == nil, "the same status is not repeated")
      #expect(manager.status("feed lost\nREADY=0"))
      #expect(receiver.next() == "STATUS=feed lost READY=0")
      manager.status("open, fix at 1", of: "open", at: 0)
      #expect(receiver.next() == "STATUS=open, fix at 1")
      manager.status("open, fix at 2", of: "open", at: 59_999_999)
      #expect(receiver.next() == nil, "within a minute a fix alone says nothing")
      manager.status("lost, fix at 2", of: "lost", at: 59_999_999)
      #expect(receiver.next() == "STATUS=lost, fix at 2")
      manager.status("lost, fix at 3", of: "lost", at: 119_999_999)
      #expect(receiver.next() == "STATUS=lost, fix at 3")
      manager.watchdog()
      #expect(receiver.next() == "WATCHDOG=1")
      manager.extendTimeout(by: 60_000_000)
      #expect(receiver.next() == "EXTEND_TIMEOUT_USEC=60000000")
      manager.triggerWatchdog()
      #expect(receiver.next() == "WATCHDOG=trigger")
      let before = SystemClock.monotonic.microseconds
      manager.reloading()
      let reload = receiver.next()?.split(separator: "=").map(String.init) ?? []
      #expect(reload.first == "RELOADING")
      #expect((reload.last.flatMap { Int64($0) } ?? 0) >= before)
      manager.stopping()
      #expect(receiver.next() == "STOPPING=1")

      receiver.remove()
      #expect(!manager.status("nobody hears"))
    }
  }

  @Test func handsDescriptorsOver() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/notify"
      let receiver = try DatagramReceiver(path: path)
      setenv("NOTIFY_SOCKET", path, 1)
      let manager = ServiceManager()
      #expect(manager.keep(1, as: "feed-1"))
      // What was kept under the name first goes away, or there would be two.
      #expect(receiver.next() == "FDSTOREREMOVE=1\nFDNAME=feed-1")
      #expect(receiver.next() == "FDSTORE=1\nFDNAME=feed-1")
      manager.keep(nil, as: "feed-1")
      #expect(receiver.next() == "FDSTOREREMOVE=1\nFDNAME=feed-1")
      #expect(receiver.next() == nil)
    }
  }
}

/// The other end of `$NOTIFY_SOCKET`.
private final class DatagramReceiver {
  private let descriptor: Int32
  private let path: String

  init(path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw SystemError("bind \(path)", code: errno) }
  }

  func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  func remove() {
    close(descriptor)
    unlink(path)
  }
}
