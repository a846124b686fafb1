import Glibc

/// The size of the packet that the library is receiving.
///
/// libmosquitto allocates what a packet announces, up to 256 MiB, and has no limit for it. A broker
/// of MQTT 5 sends nothing larger than the client permits. A broker of 3.1.1 has no such limit, and
/// another may ignore it. So the bytes that were read since the last whole packet are counted.
struct UnfinishedPacket {
  /// Bytes read when the last whole packet was seen.
  private var atLastPacket: UInt64 = 0

  /// Bytes of the packet under way, at most; 0 where the kernel does not say.
  /// - Parameter isWhole: whether a packet was completed since the last call.
  mutating func size(on socket: Int32, isWhole: Bool) -> UInt64 {
    guard let read = Self.bytesRead(socket) else { return 0 }
    if isWhole || read < atLastPacket { atLastPacket = read }
    return read - atLastPacket
  }

  /// The bytes received in order, less the unread ones.
  private static func bytesRead(_ socket: Int32) -> UInt64? {
    // `struct tcp_info` of linux/tcp.h; tcpi_bytes_received is at 128 since Linux 4.1. glibc's has
    // no such member.
    let place = 128
    return withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { info in
      var length = socklen_t(info.count)
      guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &length) == 0,
        length == info.count
      else { return nil }
      let received = info.load(fromByteOffset: place, as: UInt64.self)
      var waiting: Int32 = 0
      guard ioctl(socket, UInt(FIONREAD), &waiting) == 0 else { return nil }
      let unread = UInt64(clamping: waiting)
      return received >= unread ? received - unread : 0
    }
  }
}
