package import Glibc

/// An IPv4, IPv6 or Unix address as the socket calls take it.
package struct SocketAddress: CustomStringConvertible {
  private var storage = sockaddr_storage()
  package private(set) var length: socklen_t = 0
  package let description: String

  package var family: Int32 { Int32(storage.ss_family) }

  /// A Unix socket's path, at most 107 bytes; an initial '@' is the abstract namespace.
  package init(unixPath path: String) throws(SystemError) {
    description = path
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count <= 107, !bytes.contains(0) else {
      throw SystemError(
        "use the socket path '\(path)'", code: bytes.isEmpty ? EINVAL : ENAMETOOLONG,
        remedy: "choose one of 1 to 107 bytes")
    }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \sockaddr_un.sun_path) ?? 2
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    storage.ss_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage) { memory in
      for (index, byte) in bytes.enumerated() { memory[offset + index] = byte }
      if isAbstract { memory[offset] = 0 }
    }
    // An abstract name ends with its length, a path with a NUL.
    length = socklen_t(offset + bytes.count + (isAbstract ? 0 : 1))
  }

  /// A numeric address.
  /// - Parameter name: the host name for messages.
  package init(numeric host: String, port: UInt16, name: String? = nil) throws(SystemError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, "\(port)", &hints, &list)
    guard result == 0 else {
      throw SystemError(
        "use the address '\(host)'", code: result == EAI_SYSTEM ? errno : EINVAL,
        remedy: String(cString: gai_strerror(result)))
    }
    defer { freeaddrinfo(list) }
    guard let entry = list?.pointee,
      let address = SocketAddress(entry, name: "\(name ?? host) port \(port)")
    else { throw SystemError("use the address '\(host)'", code: EINVAL) }
    self = address
  }

  /// Addresses that need no look-up: numeric ones, and the loopback addresses for `localhost` (RFC
  /// 6761, section 6.3). nil for other names: see `HostLookUp` of `Feeds`.
  package static func known(_ host: String, port: UInt16) -> [SocketAddress]? {
    let figures = host.lowercased() == "localhost" ? ["::1", "127.0.0.1"] : [host]
    let addresses = figures.compactMap { try? SocketAddress(numeric: $0, port: port) }
    return addresses.isEmpty ? nil : addresses
  }

  private init?(_ entry: addrinfo, name: String) {
    guard let address = entry.ai_addr,
      Int(entry.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size,
      entry.ai_family == AF_INET || entry.ai_family == AF_INET6
    else { return nil }
    description = name
    length = entry.ai_addrlen
    withUnsafeMutableBytes(of: &storage) { memory in
      memory.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
    }
  }

  /// Hands the address to a call such as `connect`.
  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result
  {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// The IPv4 part, if it is one.
  package var ipv4: in_addr? {
    guard family == AF_INET else { return nil }
    return withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self).sin_addr }
  }

  /// The IPv6 part, if it is one.
  package var ipv6: in6_addr? {
    guard family == AF_INET6 else { return nil }
    return withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self).sin6_addr }
  }

  /// 224.0.0.0/4 (RFC 5771) or ff00::/8 (RFC 4291).
  package var isMulticast: Bool {
    if let ipv4 { return UInt32(bigEndian: ipv4.s_addr) >> 28 == 0b1110 }
    if let ipv6 { return withUnsafeBytes(of: ipv6) { $0.first == 0xFF } }
    return false
  }
}
