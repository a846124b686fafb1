import Glibc

extension StreamConnection {
  /// Connects to a Unix stream socket without blocking; a full listener is an error.
  package convenience init(
    connectingTo path: String, loop: EventLoop, limits: Limits = Limits(),
    priority: EventPriority = .normal
  ) throws(SystemError) {
    let address = try SocketAddress(unixPath: path)
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = Descriptor(socket(AF_UNIX, Int32(type), 0))
    guard descriptor.raw >= 0, address.withPointer({ connect(descriptor.raw, $0, $1) }) == 0 else {
      throw .last("connect to \(path)")
    }
    try self.init(
      descriptor, loop: loop, limits: limits, budget: nil, delimiter: 0, priority: priority)
  }
}
