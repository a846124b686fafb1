import CSystemd
import Glibc

/// Accepts connections on a Unix stream socket, one of its own or one passed by systemd.
package final class UnixListener {
  /// The socket's path, nil for a passed socket.
  package let path: String?

  private let descriptor: Descriptor
  /// Identity of the file that was bound.
  private let file: FileIdentity?
  private var source: IOSource?
  private var retry: TimerSource?
  private let loop: EventLoop
  private let limits: StreamConnection.Limits
  private let budget: StreamBudget?
  private let priority: EventPriority
  private let onConnection: (StreamConnection) -> Void

  /// Listens at a path, in place of a socket that nobody serves. Makes the folder if it is missing;
  /// its parent must exist.
  ///
  /// - Parameters:
  ///   - mode: permissions of the socket, which decide who may connect; never wider, even briefly.
  ///   - budget: limit for all connections together.
  ///   - onConnection: keeps the connection, which is closed otherwise.
  package convenience init(
    path: String, mode: UInt32 = 0o660, loop: EventLoop,
    limits: StreamConnection.Limits = .init(), budget: StreamBudget? = nil,
    priority: EventPriority = .normal, onConnection: @escaping (StreamConnection) -> Void
  ) throws(SystemError) {
    let descriptor = try Self.bind(path, mode: mode)
    try self.init(
      descriptor, path: path, loop: loop, limits: limits, budget: budget, priority: priority,
      onConnection: onConnection)
  }

  /// Takes over a listening socket that was passed to the process.
  package convenience init(
    passed descriptor: Int32, loop: EventLoop, limits: StreamConnection.Limits = .init(),
    budget: StreamBudget? = nil, priority: EventPriority = .normal,
    onConnection: @escaping (StreamConnection) -> Void
  ) throws(SystemError) {
    // A passed socket may block, and accepting must not.
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw .last("use the passed socket \(descriptor)")
    }
    try self.init(
      Descriptor(descriptor), path: nil, loop: loop, limits: limits, budget: budget,
      priority: priority, onConnection: onConnection)
  }

  private init(
    _ descriptor: Descriptor, path: String?, loop: EventLoop, limits: StreamConnection.Limits,
    budget: StreamBudget?, priority: EventPriority,
    onConnection: @escaping (StreamConnection) -> Void
  ) throws(SystemError) {
    self.path = path
    self.descriptor = descriptor
    file = path.flatMap { FileIdentity(ofSocket: $0) }
    self.loop = loop
    self.limits = limits
    self.budget = budget
    self.priority = priority
    self.onConnection = onConnection
    source = try loop.addIO(descriptor.raw, .readable, priority: priority) { [unowned self] _ in
      self.acceptSome()
    }
    retry = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in
      self.source?.isEnabled = true
    }
  }

  deinit { close() }

  /// Stops listening and takes away a socket of its own; harmless when repeated.
  package func close() {
    source?.close()
    source = nil
    retry?.close()
    retry = nil
    // A file that another program put there stays.
    if descriptor.raw >= 0, let path, let file, file == FileIdentity(ofSocket: path) {
      unlink(path)
    }
    descriptor.close()
  }

  private func acceptSome() {
    for _ in 0..<16 {
      let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let raw = accept4(descriptor.raw, nil, nil, flags)
      if raw >= 0 {
        let connection = try? StreamConnection(
          Descriptor(raw), loop: loop, limits: limits, budget: budget, delimiter: 0,
          priority: priority)
        if let connection { onConnection(connection) }
        guard source != nil else { return }
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // The client stays in the queue and the socket stays readable: look again in a second.
        source?.isEnabled = false
        retry?.arm(in: 1_000_000)
        return
      default: return
      }
    }
  }

  // MARK: Binding

  private static func bind(_ path: String, mode: UInt32) throws(SystemError) -> Descriptor {
    let action = "listen at \(path)"
    let address = try SocketAddress(unixPath: path)
    let isAbstract = path.hasPrefix("@")
    if !isAbstract {
      try makeFolder(of: path)
      try removeStaleSocket(path, address)
    }
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let raw = socket(AF_UNIX, Int32(type), 0)
    guard raw >= 0 else { throw .last(action) }
    let descriptor = Descriptor(raw)
    // The file gets the socket's mode less the umask; chmod restores the bits of the umask.
    guard fchmod(raw, mode) == 0 || isAbstract,
      address.withPointer({ Glibc.bind(raw, $0, $1) }) == 0
    else {
      throw .last(action, remedy: errno == EACCES ? "choose another path by --socket" : nil)
    }
    guard isAbstract || chmod(path, mode) == 0, listen(raw, SOMAXCONN) == 0 else {
      throw .last(action)
    }
    return descriptor
  }

  private static func makeFolder(of path: String) throws(SystemError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
      throw .last("make the folder \(folder)")
    }
  }

  /// Removes a socket that refuses connections. A served socket and any other file stay.
  private static func removeStaleSocket(
    _ path: String, _ address: SocketAddress
  ) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw SystemError("listen at \(path)", code: EEXIST, remedy: "it is no socket: move it away")
    }
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let probe = Descriptor(socket(AF_UNIX, Int32(type), 0))
    guard address.withPointer({ connect(probe.raw, $0, $1) }) != 0, errno == ECONNREFUSED else {
      throw SystemError("listen at \(path)", code: EADDRINUSE, remedy: "another instance serves it")
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw .last("replace \(path)") }
  }
}

/// Identity of the socket at a path; nil for anything else.
private struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  init?(ofSocket path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    device = status.st_dev
    inode = status.st_ino
  }
}
