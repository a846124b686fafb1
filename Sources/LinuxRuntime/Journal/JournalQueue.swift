import Glibc

/// Sends to journald's socket without waiting. `sd_journal_sendv` blocks while its queue is full.
///
/// A connected datagram socket is writable while its peer's queue has room (unix(7), poll(2)).
final class JournalQueue {
  private let path: String
  private(set) var probe: Descriptor?

  init(path: String) { self.path = path }

  /// Whether an entry sent now would have to wait; false where there is no socket at all.
  var isFull: Bool {
    // An ended journald's socket seems full: try again with a new one.
    for _ in 0..<2 {
      guard let probe = probe ?? connected() else { return false }
      self.probe = probe
      var entry = pollfd(fd: probe.raw, events: Int16(POLLOUT), revents: 0)
      if poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLOUT) != 0 { return false }
      self.probe = nil
    }
    return true
  }

  /// Sends one entry as a datagram, without waiting. Returns 0 or an error number: EAGAIN for a
  /// full queue, EMSGSIZE for an entry that is too large, ENOENT without a receiver.
  func send(_ entry: UnsafeRawBufferPointer) -> Int32 {
    var code = ENOENT
    for isLast in [false, true] {
      guard let probe = probe ?? connected() else { return ENOENT }
      self.probe = probe
      let sent = Glibc.send(probe.raw, entry.baseAddress, entry.count, Int32(MSG_NOSIGNAL))
      if sent >= 0 { return 0 }
      code = errno
      if code == EMSGSIZE || code == ENOBUFS { return EMSGSIZE }
      // A full queue stays connected, so that it can be waited for.
      if !isLast || code != EAGAIN { self.probe = nil }
    }
    return code
  }

  private func connected() -> Descriptor? {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard let address = try? SocketAddress(unixPath: path) else { return nil }
    let descriptor = Descriptor(socket(AF_UNIX, type, 0))
    return address.withPointer({ connect(descriptor.raw, $0, $1) }) == 0 ? descriptor : nil
  }
}
