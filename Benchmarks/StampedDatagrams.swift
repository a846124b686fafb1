import Glibc

/// The datagrams of a socket, each with the moment at which the kernel put it there: no sleep of
/// the reader is in that (`SO_TIMESTAMPNS`, socket(7) and Documentation/networking/timestamping.rst
/// of Linux). The stamps are of the time of day: where that is set meanwhile they mean nothing.
struct StampedDatagrams {
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var control = [UInt8](repeating: 0, count: 64)

  struct Datagram {
    var text: [UInt8]
    /// Seconds of the time of day at which it was in the socket, and at which it was read.
    var arrival: Double
    var reading: Double
  }

  init(of descriptor: Int32) {
    self.descriptor = descriptor
    var on: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The next one; nil, with `errno` set, where none came.
  mutating func next() throws -> Datagram? {
    var stamp: Double?
    let count = buffer.withUnsafeMutableBytes { buffer in
      control.withUnsafeMutableBytes { control in
        var vector = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
        return withUnsafeMutablePointer(to: &vector) { vector in
          var message = msghdr()
          message.msg_iov = vector
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = control.count
          let count = recvmsg(descriptor, &message, 0)
          stamp = Self.stamp(UnsafeRawBufferPointer(control), length: message.msg_controllen)
          return count
        }
      }
    }
    let reading = timeOfDay()
    guard count >= 0 else { return nil }
    guard let stamp else { throw BenchError("the kernel does not stamp datagrams") }
    return Datagram(text: Array(buffer[..<count]), arrival: stamp, reading: reading)
  }

  /// Of the one record of cmsg(3) that was asked for: length, level, type, and a timespec; as they
  /// lie on machines of 64 bits.
  private static func stamp(_ control: UnsafeRawBufferPointer, length: Int) -> Double? {
    let header = 16
    guard length >= header + MemoryLayout<timespec>.size,
      control.load(fromByteOffset: 8, as: Int32.self) == SOL_SOCKET,
      control.load(fromByteOffset: 12, as: Int32.self) == SO_TIMESTAMPNS
    else { return nil }
    return control.load(fromByteOffset: header, as: timespec.self).seconds
  }
}
