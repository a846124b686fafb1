/// The addresses of one client: an IPv4 address, or an IPv6 network of 64 bits. A machine has many
/// addresses of its network (RFC 4291, section 2.5.4).
package enum ClientNetwork: Hashable, Sendable {
  case ipv4(UInt32)
  case ipv6(prefix: UInt64)

  /// This machine: a proxy on it sends the requests of everybody (RFC 1122, section 3.2.1.3; RFC
  /// 4291, section 2.5.3).
  package var isLoopback: Bool {
    switch self {
    case .ipv4(let address): address >> 24 == 127
    case .ipv6(let prefix): prefix == 0
    }
  }

  /// - Parameter bytes: an address in network order, 4 or 16 bytes; nil for other lengths. An IPv4
  ///   address in IPv6 is the former.
  package init?(address bytes: some Collection<UInt8>) {
    func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
      bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
    switch bytes.count {
    case 4: self = .ipv4(UInt32(number(bytes)))
    case 16:
      let isIPv4 = bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
      self =
        isIPv4 ? .ipv4(UInt32(number(bytes.suffix(4)))) : .ipv6(prefix: number(bytes.prefix(8)))
    default: return nil
    }
  }
}
