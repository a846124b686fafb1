import Glibc
import LinuxRuntime

/// An open descriptor of a feed and how to read it.
final class FeedChannel {
  enum Kind: Sendable {
    /// A stream socket.
    case socket
    /// A serial line.
    case terminal
    /// A pipe, FIFO or terminal that is only read.
    case input
    case datagrams
    /// A regular file, which is always ready: read in turns.
    case chunks
  }

  let descriptor: Descriptor
  var kind: Kind
  /// For `chunks`: unpacks what gzip has packed.
  private(set) lazy var recording = RecordingReader(descriptor: descriptor.raw)

  init(_ descriptor: Descriptor, _ kind: Kind) {
    self.descriptor = descriptor
    self.kind = kind
  }

  deinit { close() }

  /// Harmless when repeated.
  func close() {
    if kind == .terminal { SerialPort.close(descriptor) } else { descriptor.close() }
  }

  // MARK: Files

  /// Opens a recording, a FIFO or a device without waiting for its other end.
  static func file(_ path: String) throws(SystemError) -> FeedChannel {
    let raw = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard raw >= 0 else {
      throw .last("open \(path)", remedy: errno == ENXIO ? "read a socket by unix://" : nil)
    }
    return try forReading(Descriptor(raw), name: path)
  }

  /// Standard input. `O_NONBLOCK` would affect other processes, so a pipe or terminal is reopened;
  /// other kinds are read only when ready.
  static func standardInput() throws(SystemError) -> FeedChannel {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { throw .last("read standard input") }
    let type = status.st_mode & S_IFMT
    if type == S_IFIFO || type == S_IFCHR {
      let raw = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      if raw >= 0 { return try forReading(Descriptor(raw), name: "standard input") }
    }
    let raw = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    guard raw >= 0 else { throw .last("read standard input") }
    return try forReading(Descriptor(raw), name: "standard input")
  }

  private static func forReading(
    _ descriptor: Descriptor, name: String
  ) throws(SystemError) -> FeedChannel {
    var status = stat()
    guard fstat(descriptor.raw, &status) == 0 else { throw .last("read \(name)") }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw SystemError("read \(name)", code: EISDIR, remedy: "name a file in it")
    case S_IFREG, S_IFBLK: return FeedChannel(descriptor, .chunks)
    default: return FeedChannel(descriptor, .input)
    }
  }

  // MARK: Stream sockets

  /// Begins to connect; says whether that is done already.
  /// - Parameter isService: see `connectFailure`.
  static func connect(
    to address: SocketAddress, isService: Bool
  ) throws(SystemError) -> (descriptor: Descriptor, isDone: Bool) {
    let descriptor = try makeSocket(address.family, SOCK_STREAM, "connect to \(address)")
    let result = address.withPointer { Glibc.connect(descriptor.raw, $0, $1) }
    if result == 0 { return (descriptor, true) }
    // After EINTR a connection goes on by itself, as after EINPROGRESS (POSIX, connect).
    guard errno == EINPROGRESS || errno == EINTR else {
      throw connectFailure(address, code: errno, isService: isService)
    }
    return (descriptor, false)
  }

  /// - Parameter isService: whether a sandbox of systemd may be the reason.
  static func connectFailure(
    _ address: SocketAddress, code: Int32, isService: Bool
  ) -> SystemError {
    let remedy: String? =
      switch code {
      case ECONNREFUSED, ENOENT: "see whether the server runs"
      case EACCES where address.family == AF_UNIX, EPERM where address.family == AF_UNIX:
        "see the permissions of the socket"
      case EACCES, EPERM: Sandbox.remedy(isService: isService)
      default: nil
      }
    return SystemError("connect to \(address)", code: code, remedy: remedy)
  }

  /// The outcome of a connection begun.
  func pendingError() -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor.raw, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    return code
  }

  /// Notices within about a minute that a host went away without a word.
  func keepAlive() {
    setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
    setOption(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
    setOption(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10)
    setOption(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  /// Number of bytes taken, 0 while there is no room; nil on an error.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    let count =
      kind == .socket
      ? Glibc.send(descriptor.raw, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      : Glibc.write(descriptor.raw, bytes.baseAddress, bytes.count)
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  // MARK: Datagrams

  /// Receives at a local address, or joins a multicast group.
  static func datagrams(
    host: String, port: UInt16, interface: String?
  ) throws(SystemError) -> FeedChannel {
    let address = try SocketAddress(numeric: host, port: port)
    let action = "receive at \(address)"
    let channel = FeedChannel(try makeSocket(address.family, SOCK_DGRAM, action), .datagrams)
    // Port 10110 is often shared with a plotter.
    channel.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
    DatagramReceiver.enable(on: channel.descriptor.raw, family: address.family)
    guard address.withPointer({ bind(channel.descriptor.raw, $0, $1) }) == 0 else {
      let remedy: String? =
        switch errno {
        case EADDRINUSE: "another program holds the port for itself"
        case EADDRNOTAVAIL: "no interface has this address now"
        case EACCES: "ports below 1024 need CAP_NET_BIND_SERVICE"
        default: nil
        }
      throw .last(action, remedy: remedy)
    }
    if address.isMulticast {
      do throws(SystemError) {
        try channel.join(address, interface: interface, action)
      } catch {
        throw SystemError(error.action, code: error.code, remedy: Self.joinRemedy(error.code))
      }
    } else if let interface {
      try channel.require(
        interface.withCString {
          setsockopt(channel.descriptor.raw, SOL_SOCKET, SO_BINDTODEVICE, $0, socklen_t(strlen($0)))
        }, "\(action) on \(interface)")
    }
    return channel
  }

  private static func joinRemedy(_ code: Int32) -> String? {
    switch code {
    case ENODEV, ENXIO, EADDRNOTAVAIL: "name an interface that is up: ?interface=eth0"
    case ENOBUFS: "raise net.ipv4.igmp_max_memberships"
    default: nil
    }
  }

  /// Makes room for bursts; the default holds some 250 sentences. Returns the granted bytes, at
  /// most net.core.rmem_max.
  func enlargeReceiveBuffer(to wanted: Int) -> Int {
    setOption(SOL_SOCKET, SO_RCVBUF, Int32(clamping: wanted))
    var granted: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor.raw, SOL_SOCKET, SO_RCVBUF, &granted, &size) == 0 else { return 0 }
    // The kernel doubles what it is asked for, to have room for its own records (socket(7)).
    return Int(granted) / 2
  }

  private func join(
    _ group: SocketAddress, interface: String?, _ action: String
  ) throws(SystemError) {
    var index: UInt32 = 0
    if let interface {
      index = if_nametoindex(interface)
      guard index != 0 else { throw .last("\(action) on \(interface)") }
    }
    let socket = descriptor.raw
    if let address = group.ipv4 {
      var request = ip_mreqn()
      request.imr_multiaddr = address
      request.imr_ifindex = Int32(bitPattern: index)
      let size = socklen_t(MemoryLayout<ip_mreqn>.size)
      // Without this, Linux hands over groups that other programs joined (ip(7)).
      setOption(Int32(IPPROTO_IP), IP_MULTICAST_ALL, 0)
      try require(setsockopt(socket, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, size), action)
    } else if let address = group.ipv6 {
      var request = ipv6_mreq(ipv6mr_multiaddr: address, ipv6mr_interface: index)
      let size = socklen_t(MemoryLayout<ipv6_mreq>.size)
      try require(
        setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_ADD_MEMBERSHIP, &request, size), action)
    }
  }

  // MARK: Options

  private static func makeSocket(
    _ family: Int32, _ type: __socket_type, _ action: String
  ) throws(SystemError) -> Descriptor {
    let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let raw = socket(family, Int32(type.rawValue | flags), 0)
    guard raw >= 0 else { throw .last(action) }
    return Descriptor(raw)
  }

  /// Sets an optional socket option and ignores a refusal.
  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(descriptor.raw, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private func require(_ result: Int32, _ action: String) throws(SystemError) {
    guard result == 0 else { throw .last(action) }
  }
}
