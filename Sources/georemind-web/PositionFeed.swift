import LinuxRuntime

/// The Unix socket that `georemindd` reads as a feed.
final class PositionFeed {
  private static let maximumReaders = 4

  /// The first reader came, or the last one left.
  var onChange: (_ isOpen: Bool) -> Void = { _ in }
  private var listener: UnixListener?
  private var readers: [ObjectIdentifier: StreamConnection] = [:]

  init(path: String, loop: EventLoop) throws(SystemError) {
    listener = try UnixListener(path: path, mode: 0o660, loop: loop) { [unowned self] in admit($0) }
  }

  /// Whether a reader took all that it was sent: lines in a queue here would be lost with it.
  var isOpen: Bool { readers.values.contains { $0.queuedBytes == 0 } }

  func send(_ lines: String) {
    for reader in readers.values where reader.queuedBytes == 0 { reader.send(lines.utf8) }
  }

  func stop() {
    listener?.close()
    for reader in readers.values { reader.close() }
    readers = [:]
  }

  private func admit(_ reader: StreamConnection) {
    guard readers.count < Self.maximumReaders else { return reader.close() }
    let key = ObjectIdentifier(reader)
    reader.onClose = { [unowned self] _ in
      readers[key] = nil
      if readers.isEmpty { onChange(false) }
    }
    readers[key] = reader
    if readers.count == 1 { onChange(true) }
  }
}
