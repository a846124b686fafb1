import Glibc
package import LinuxRuntime

/// A blocking server on the loopback interface or a Unix path.
package final class Server {
  private let listener: Descriptor
  private let address: SocketAddress

  package init(backlog: Int32 = 8) throws {
    let address = try SocketAddress(numeric: "127.0.0.1", port: 0)
    listener = Descriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    try Self.listen(listener, address, backlog)
    self.address = try SocketAddress(numeric: "127.0.0.1", port: Self.port(of: listener))
  }

  package init(unixPath: String) throws {
    address = try SocketAddress(unixPath: unixPath)
    listener = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    try Self.listen(listener, address, 8)
  }

  package var port: UInt16 { Self.port(of: listener) }

  package func close() { listener.close() }

  package func accept() throws -> Peer {
    let raw = Glibc.accept(listener.raw, nil, nil)
    guard raw >= 0 else { throw SystemError("accept", code: errno) }
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
    return Peer(Descriptor(raw))
  }

  package func clientThatWillNotWait() -> Int32 {
    let raw = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    _ = address.withPointer { connect(raw, $0, $1) }
    return raw
  }

  private static func listen(
    _ listener: Descriptor, _ address: SocketAddress, _ backlog: Int32
  ) throws {
    guard address.withPointer({ bind(listener.raw, $0, $1) }) == 0,
      Glibc.listen(listener.raw, backlog) == 0
    else { throw SystemError("listen at \(address)", code: errno) }
  }

  package static func port(of socket: Descriptor) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.raw, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }
}

/// A connection accepted by `Server`.
package final class Peer {
  private let descriptor: Descriptor

  package init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  package var isReadable: Bool {
    var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  package func write(_ text: String) { writeAll(text, to: descriptor.raw) }

  package func read() -> String {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(descriptor.raw, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  package func close() { descriptor.close() }
}

/// A UDP port that nobody uses now.
package func freeDatagramPort() throws -> UInt16 {
  let probe = Descriptor(socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
  let address = try SocketAddress(numeric: "127.0.0.1", port: 0)
  guard address.withPointer({ bind(probe.raw, $0, $1) }) == 0 else {
    throw SystemError("bind", code: errno)
  }
  return Server.port(of: probe)
}

/// A TCP port that nobody uses now, outside the range from which the kernel takes those of clients
/// (ip(7)), so that a server that starts a little later still finds it free.
package func freeStreamPort() throws -> UInt16 {
  for _ in 0..<100 {
    let port = UInt16.random(in: 20_000..<32_000)
    let probe = Descriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    let address = try SocketAddress(numeric: "127.0.0.1", port: port)
    if address.withPointer({ bind(probe.raw, $0, $1) }) == 0 { return port }
  }
  throw SystemError("find a free port", code: EADDRINUSE)
}

/// Sends datagrams from one port; multicast ones over the loopback interface.
package final class DatagramSender {
  private let descriptor: Descriptor
  private let address: SocketAddress

  /// - Parameter source: an address of this machine to send from.
  package init(host: String, port: UInt16, source: String? = nil) throws {
    address = try SocketAddress(numeric: host, port: port)
    descriptor = Descriptor(
      socket(address.family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    if let source {
      let own = try SocketAddress(numeric: source, port: 0)
      guard own.withPointer({ bind(descriptor.raw, $0, $1) }) == 0 else {
        throw SystemError.last("send from \(source)")
      }
    }
    var interface = ip_mreqn()
    interface.imr_ifindex = Int32(if_nametoindex("lo"))
    setsockopt(
      descriptor.raw, Int32(IPPROTO_IP), IP_MULTICAST_IF, &interface,
      socklen_t(MemoryLayout<ip_mreqn>.size))
    var yes: Int32 = 1
    setsockopt(
      descriptor.raw, SOL_SOCKET, SO_BROADCAST, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Says whether it went out.
  @discardableResult
  package func send(_ text: String) -> Bool { send(text, to: address) }

  package func send(_ text: String, to host: String, port: UInt16) throws {
    send(text, to: try SocketAddress(numeric: host, port: port))
  }

  @discardableResult
  private func send(_ text: String, to address: SocketAddress) -> Bool {
    let bytes = Array(text.utf8)
    return address.withPointer { sendto(descriptor.raw, bytes, bytes.count, 0, $0, $1) } >= 0
  }
}

/// A pseudo-terminal: the test holds its controller, the feed opens its line.
package final class PseudoTerminal {
  package private(set) var controller: Int32
  package let path: String

  package init() throws {
    var line: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    controller = -1
    guard openpty(&controller, &line, &name, nil, nil) == 0 else {
      throw SystemError("make a terminal", code: errno)
    }
    close(line)
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { unplug() }

  package func write(_ text: String) { writeAll(text, to: controller) }

  package func unplug() {
    if controller >= 0 { close(controller) }
    controller = -1
  }
}
