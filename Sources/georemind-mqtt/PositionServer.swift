import LinuxRuntime

/// A Unix socket that gives positions to the daemon, which reads it as a feed.
final class PositionServer {
  private static let maximumClients = 4

  private var listener: UnixListener?
  private var clients: [ObjectIdentifier: StreamConnection] = [:]

  /// - Parameter path: the folder's group may connect.
  init(path: String, loop: EventLoop) throws(SystemError) {
    listener = try UnixListener(path: path, mode: 0o660, loop: loop) { [unowned self] in
      admit($0)
    }
  }

  func stop() {
    listener?.close()
    listener = nil
    for client in clients.values { client.close() }
    clients = [:]
  }

  private func admit(_ client: StreamConnection) {
    guard clients.count < Self.maximumClients else { return client.close() }
    let key = ObjectIdentifier(client)
    clients[key] = client
    client.onClose = { [unowned self] _ in clients[key] = nil }
  }

  /// A position without a reader is dropped: it is of no use later.
  func send(_ line: String) {
    for client in clients.values { client.send(line.utf8) }
  }
}
