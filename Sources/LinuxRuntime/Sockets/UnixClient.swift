import Glibc

/// The client's end of the control socket, without a loop: each call blocks up to its timeout.
package final class UnixClient {
  private let descriptor: Descriptor
  private let path: String
  private var input: [UInt8] = []
  /// Length of the part of `input` without a NUL.
  private var searched = 0

  /// Connects within `timeout` microseconds.
  package init(path: String, timeout: Int64) throws(SystemError) {
    self.path = path
    descriptor = try Descriptor.connected(to: path, timeout: timeout)
  }

  /// Closes; harmless when repeated.
  package func close() { descriptor.close() }

  /// Sends all of it.
  package func send(_ bytes: some Collection<UInt8>, timeout: Int64) throws(SystemError) {
    let deadline = Deadline(after: timeout)
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        try wait(for: POLLOUT, until: deadline, "send to \(path)")
      } else if errno != EINTR {
        throw .last("send to \(path)")
      }
    }
  }

  /// The next message, up to a NUL, which is taken off; nil at the end of the connection.
  /// - Parameters:
  ///   - timeout: in microseconds; negative waits for ever.
  ///   - limit: the longest message accepted, in bytes.
  package func receive(timeout: Int64, limit: Int = 64 << 20) throws(SystemError) -> [UInt8]? {
    let action = "receive from \(path)"
    let deadline = Deadline(after: timeout)
    while true {
      if let end = input[searched...].firstIndex(of: 0) {
        let message = Array(input[..<end])
        input.removeFirst(end + 1)
        searched = 0
        return message
      }
      searched = input.count
      guard searched <= limit else { throw SystemError(action, code: EMSGSIZE) }
      let count = withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 16) { buffer in
        let count = recv(descriptor.raw, buffer.baseAddress, buffer.count, 0)
        if count > 0 { input.append(contentsOf: buffer.prefix(count)) }
        return count
      }
      if count > 0 { continue }
      if count == 0 {
        guard input.isEmpty else {
          throw SystemError(action, code: EPIPE, remedy: "the daemon stopped within a message")
        }
        return nil
      }
      if errno == EAGAIN {
        try wait(for: POLLIN, until: deadline, action)
      } else if errno != EINTR {
        throw .last(action)
      }
    }
  }

  private func wait(
    for events: Int32, until deadline: Deadline, _ action: String
  ) throws(SystemError) {
    var entry = pollfd(fd: descriptor.raw, events: Int16(events), revents: 0)
    let result = poll(&entry, 1, deadline.milliseconds)
    if result == 0 { throw SystemError(action, code: ETIMEDOUT) }
    if result < 0, errno != EINTR { throw .last(action) }
  }
}

extension Descriptor {
  /// Connects to a Unix stream socket. A full listener blocks it up to `timeout` microseconds.
  static func connected(to path: String, timeout: Int64) throws(SystemError) -> Descriptor {
    let address = try SocketAddress(unixPath: path)
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = Descriptor(socket(AF_UNIX, Int32(type), 0))
    guard descriptor.raw >= 0 else { throw .last("connect to \(path)") }
    let deadline = Deadline(after: timeout)
    while address.withPointer({ connect(descriptor.raw, $0, $1) }) != 0 {
      let code = errno
      guard code == EAGAIN, deadline.remaining > 0 else {
        let remedy: String? =
          switch code {
          case ENOENT, ECONNREFUSED: "see whether the daemon runs"
          case EACCES, EPERM: "join the group that owns the socket"
          case EAGAIN: "the daemon is too busy to answer"
          default: nil
          }
        throw SystemError("connect to \(path)", code: code, remedy: remedy)
      }
      // A Unix socket with a full queue cannot be waited for, only tried again.
      _ = poll(nil, 0, 5)
    }
    return descriptor
  }
}

/// A moment on the monotonic clock by which something has to be done.
private struct Deadline {
  private let moment: Int64?

  /// A negative timeout never ends.
  init(after timeout: Int64) {
    moment = timeout < 0 ? nil : SystemClock.monotonic.microseconds &+ timeout
  }

  /// Microseconds left, at least 0.
  var remaining: Int64 { moment.map { max(0, $0 - SystemClock.monotonic.microseconds) } ?? .max }

  /// For poll(2): rounded up, so as not to return early; -1 for ever.
  var milliseconds: Int32 {
    moment == nil ? -1 : Int32(clamping: remaining / 1000 + (remaining % 1000 > 0 ? 1 : 0))
  }
}
