import Glibc

/// Receives datagrams with sender, interface, destination and count of drops, without allocation.
struct DatagramReceiver: ~Copyable {
  /// Datagrams that the kernel dropped because nobody took them in time; it only grows.
  private(set) var dropped: UInt32 = 0

  /// Room for the three records that `enable` asks for, and more.
  private let control = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
  private let name = UnsafeMutableRawBufferPointer.allocate(
    byteCount: MemoryLayout<sockaddr_storage>.size, alignment: 8)

  deinit {
    control.deallocate()
    name.deallocate()
  }

  /// Asks the kernel for each datagram's origin; without it, interfaces are not distinguished.
  static func enable(on descriptor: Int32, family: Int32) {
    func set(_ level: Int32, _ option: Int32) {
      var yes: Int32 = 1
      _ = setsockopt(descriptor, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    if family == AF_INET6 {
      set(Int32(IPPROTO_IPV6), Int32(IPV6_RECVPKTINFO))
    } else {
      set(Int32(IPPROTO_IP), Int32(IP_PKTINFO))
    }
    set(SOL_SOCKET, Int32(SO_RXQ_OVFL))
  }

  /// The next datagram, cut to the buffer; nil, with `errno` set, where there is none.
  mutating func receive(
    from descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, origin: DatagramOrigin)? {
    var vector = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
    return withUnsafeMutablePointer(to: &vector) { vector in
      var message = msghdr()
      message.msg_name = name.baseAddress
      message.msg_namelen = socklen_t(name.count)
      message.msg_iov = vector
      message.msg_iovlen = 1
      message.msg_control = control.baseAddress
      message.msg_controllen = control.count
      let count = recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return nil }
      return (count, origin(controlLength: min(message.msg_controllen, control.count)))
    }
  }

  private mutating func origin(controlLength: Int) -> DatagramOrigin {
    var interface: UInt32 = 0
    var destination: IPAddress?
    // The records of cmsg(3): length, level, type, data; each begins at a multiple of eight.
    let header = 16
    var offset = 0
    while offset + header <= controlLength {
      let length = control.loadUnaligned(fromByteOffset: offset, as: Int.self)
      guard length >= header, length <= controlLength - offset else { break }
      let level = control.loadUnaligned(fromByteOffset: offset + 8, as: Int32.self)
      let type = control.loadUnaligned(fromByteOffset: offset + 12, as: Int32.self)
      let data = UnsafeRawBufferPointer(rebasing: control[offset + header..<offset + length])
      switch (level, type) {
      case (Int32(IPPROTO_IP), Int32(IP_PKTINFO)) where data.count >= 12:
        interface = data.loadUnaligned(as: UInt32.self)
        destination = IPAddress(ipv4: data.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      case (Int32(IPPROTO_IPV6), Int32(IPV6_PKTINFO)) where data.count >= 20:
        interface = data.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
        destination = IPAddress(ipv6: data, at: 0)
      case (SOL_SOCKET, Int32(SO_RXQ_OVFL)) where data.count >= 4:
        dropped = data.loadUnaligned(as: UInt32.self)
      default: break
      }
      offset += (length + 7) & ~7
    }
    let name = UnsafeRawBufferPointer(name)
    let port = UInt16(bigEndian: name.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    let sender =
      Int32(name.loadUnaligned(as: sa_family_t.self)) == AF_INET6
      ? IPAddress(ipv6: name, at: 8)
      : IPAddress(ipv4: name.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    return DatagramOrigin(
      sender: sender, port: port, interface: interface, destination: destination)
  }
}
