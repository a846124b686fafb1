import Glibc
import LinuxRuntime

/// The sender of a datagram and its path.
///
/// A sender heard on two interfaces, or by broadcast and by unicast, has an origin for each: each
/// path is a stream of its own.
package struct DatagramOrigin: Hashable, Sendable, CustomStringConvertible {
  private let sender: IPAddress
  /// The sender's port; 0 stands for any.
  package let port: UInt16
  /// The number of the interface, 0 where the kernel did not say.
  package let interface: UInt32
  /// Destination: this machine, broadcast or a group.
  private let destination: IPAddress?

  init(sender: IPAddress, port: UInt16, interface: UInt32 = 0, destination: IPAddress? = nil) {
    self.sender = sender
    self.port = port
    self.interface = interface
    self.destination = destination
  }

  func isFrom(_ address: IPAddress) -> Bool { sender == address }

  /// The sender without its port: some programs take another one for each datagram.
  package var withAnyPort: DatagramOrigin {
    DatagramOrigin(sender: sender, port: 0, interface: interface, destination: destination)
  }

  /// `192.0.2.7 port 40112 by eth0`.
  package var description: String {
    var text = "\(sender)"
    if port != 0 { text += " port \(port)" }
    guard interface != 0 else { return text }
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard if_indextoname(interface, &name) != nil else { return text }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "\(text) by \(String(decoding: bytes, as: UTF8.self))"
  }
}

/// An address without a port: IPv4 as IPv6 writes it (RFC 4291, 2.5.5.2).
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// In network order.
  private let high: UInt64
  private let low: UInt64

  private static let mapped: UInt64 = 0xFFFF_0000_0000

  /// - Parameter ipv4: in network order.
  init(ipv4: UInt32) {
    high = 0
    low = Self.mapped | UInt64(UInt32(bigEndian: ipv4))
  }

  /// Sixteen bytes from `offset` on.
  init(ipv6 bytes: UnsafeRawBufferPointer, at offset: Int) {
    high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
  }

  /// A numeric IPv4 or IPv6 address, without brackets and zone; nil for any other text.
  package init?(parsing text: String) {
    guard let address = try? SocketAddress(numeric: text, port: 0), !text.utf8.contains(0x25) else {
      return nil
    }
    if let ipv4 = address.ipv4 {
      self.init(ipv4: ipv4.s_addr)
    } else if let ipv6 = address.ipv6 {
      self = withUnsafeBytes(of: ipv6) { IPAddress(ipv6: $0, at: 0) }
    } else {
      return nil
    }
  }

  package var description: String {
    if high == 0, low & ~0xFFFF_FFFF == Self.mapped {
      return (0..<4).map { "\(low >> UInt64(24 - 8 * $0) & 0xFF)" }.joined(separator: ".")
    }
    var address = (high.bigEndian, low.bigEndian)
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
