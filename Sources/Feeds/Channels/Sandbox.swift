import Glibc
import LinuxRuntime

/// The sandbox of a service, which keeps a feed from the network (`IPAddressDeny=`,
/// systemd.resource-control(5)).
enum Sandbox {
  /// The drop-in of the package that opens the local network.
  static let dropIn = "remote-gpsd.conf"

  /// Whether this process is a service of systemd (systemd.exec(5)).
  static var isHere: Bool { getenv("INVOCATION_ID") != nil }

  /// The remedy for a refusal of this machine.
  static func remedy(isService: Bool) -> String {
    isService
      ? "blocked by the service's sandbox: install the drop-in \(dropIn)"
      : "blocked by a firewall of this machine"
  }

  /// Whether this machine refuses packets to an address. The kernel drops the packets of a TCP
  /// connection without a word, and refuses a datagram at once. This datagram is empty.
  static func refuses(_ address: SocketAddress) -> Bool {
    let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let raw = socket(address.family, Int32(SOCK_DGRAM.rawValue | flags), 0)
    guard raw >= 0 else { return false }
    defer { close(raw) }
    let result = address.withPointer { sendto(raw, nil, 0, Int32(MSG_NOSIGNAL), $0, $1) }
    return result < 0 && (errno == EPERM || errno == EACCES)
  }
}
