import Glibc

/// Operations on descriptors with another owner.
package enum Descriptors {
  /// Writes all of a text; waits while the descriptor is full.
  package static func write(
    _ text: String, to descriptor: Int32, _ action: @autoclosure () -> String
  ) throws(SystemError) {
    try write(Array(text.utf8), to: descriptor, action())
  }

  /// Writes all of these bytes; waits while the descriptor is full.
  package static func write(
    _ bytes: [UInt8], to descriptor: Int32, _ action: @autoclosure () -> String
  ) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      } else if errno != EINTR {
        throw .last(action())
      }
    }
  }
}
