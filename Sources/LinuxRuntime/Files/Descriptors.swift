import Glibc

/// What is done with descriptors that others own.
package enum Descriptors {
  /// Writes all of a text; one that is full for now is waited for.
  package static func write(
    _ text: String, to descriptor: Int32, _ action: @autoclosure () -> String
  ) throws(SystemError) {
    try write(Array(text.utf8), to: descriptor, action())
  }

  /// Writes all of these bytes; one that is full for now is waited for.
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
