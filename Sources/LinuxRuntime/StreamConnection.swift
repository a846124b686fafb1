import Glibc

/// One client of a stream socket, served from the loop: messages in, each ended by a delimiter,
/// bytes out through a queue. Both are bounded, so that no client can make the daemon grow.
/// A single reply may be of any size: it is the client that does not read which is dropped.
///
/// It lives as long as someone keeps it; closing is final.
package final class StreamConnection {
  package struct Limits: Sendable {
    /// The longest message, in bytes; a longer one closes the connection.
    package var message: Int
    /// Where that many bytes wait to be sent, nothing more is queued and the client is dropped. At
    /// most this and what one `send` adds is held.
    package var queue: Int

    package init(message: Int = 1 << 20, queue: Int = 4 << 20) {
      self.message = message
      self.queue = queue
    }
  }

  package let peer: PeerCredentials
  /// One message without its delimiter; valid only during the call.
  package var onMessage: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// The socket took that many bytes, at once or later; called from within `send` or by the loop.
  /// May send, finish and close.
  package var onSent: (_ count: Int) -> Void = { _ in }
  /// The connection is closed, and why; called once, possibly from within `send` or `finish`, but not
  /// for `close()`. Released afterwards, as `onMessage` and `onSent` are.
  package var onClose: (_ reason: String) -> Void = { _ in }
  package private(set) var isOpen = true

  private let descriptor: Descriptor
  private let limits: Limits
  private let delimiter: UInt8
  private var source: IOSource?
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var sent = 0
  /// Set when the client sends no more or `finish` was called: why to close once all is sent.
  private var ending: String?

  /// Takes over a connected socket.
  package convenience init(
    descriptor: Int32, loop: EventLoop, limits: Limits = Limits(), delimiter: UInt8 = 0,
    priority: EventPriority = .normal
  ) throws(SystemError) {
    try self.init(
      Descriptor(descriptor), loop: loop, limits: limits, delimiter: delimiter, priority: priority)
  }

  init(
    _ descriptor: Descriptor, loop: EventLoop, limits: Limits, delimiter: UInt8,
    priority: EventPriority
  ) throws(SystemError) {
    self.descriptor = descriptor
    self.limits = limits
    self.delimiter = delimiter
    peer = try PeerCredentials(of: descriptor.raw)
    source = try loop.addIO(descriptor.raw, .readable, priority: priority) {
      [unowned self] events in
      self.isReady(events)
    }
  }

  deinit { close() }

  /// Bytes that wait to be sent.
  package var queuedBytes: Int { output.count - sent }

  private var isFull: Bool { queuedBytes >= limits.queue }

  /// Sends now what the socket takes and queues the rest. Says whether the connection still stands.
  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) -> Bool {
    guard isOpen, ending == nil else { return false }
    if isFull {
      fail(Self.slow)
      return false
    }
    output.append(contentsOf: bytes)
    flush()
    return isOpen
  }

  /// Closes once everything is sent; takes nothing more. At once where the queue is full: a client
  /// that does not read would keep it for ever.
  package func finish() {
    if ending == nil, isFull { fail(Self.slow) } else { end("finished") }
  }

  /// Closes at once and without a call of `onClose`; harmless when repeated.
  package func close() {
    isOpen = false
    source?.close()
    source = nil
    descriptor.close()
    onMessage = { _ in }
    onSent = { _ in }
    onClose = { _ in }
  }

  private static var slow: String { "the client reads too slowly" }

  private func end(_ reason: String) {
    guard isOpen, ending == nil else { return }
    ending = reason
    if queuedBytes == 0 { fail(reason) } else { updateInterest() }
  }

  private func fail(_ reason: String) {
    guard isOpen else { return }
    let handler = onClose
    close()
    handler(reason)
  }

  // MARK: Reading

  private func isReady(_ events: IOEvents) {
    if events.contains(.writable) { flush() }
    guard isOpen else { return }
    if let ending {
      if queuedBytes == 0 || !events.isDisjoint(with: [.hangUp, .error]) { fail(ending) }
    } else if events.subtracting(.writable) != [] {
      receive()
    }
  }

  /// One read a turn, so that no client keeps the others waiting.
  private func receive() {
    let old = input.count
    let count = Self.append(to: &input, from: descriptor.raw, atMost: 16384)
    if count > 0 { return deliverMessages(searchedTo: old) }
    if count == 0 { return end("the client closed the connection") }
    let code = errno
    if code != EAGAIN, code != EINTR { fail("cannot read: \(errorText(code))") }
  }

  /// Reads behind the end of the array; `errno` says why when the result is negative.
  private static func append(
    to array: inout [UInt8], from descriptor: Int32, atMost room: Int
  ) -> Int {
    withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { array.append(contentsOf: buffer.prefix(count)) }
      return count
    }
  }

  private func deliverMessages(searchedTo old: Int) {
    // Handlers may close the connection: the bytes are theirs to see, not to change.
    let bytes = input
    var start = 0
    var position = old
    while position < bytes.count {
      if bytes[position] == delimiter {
        let message = start..<position
        start = position + 1
        guard message.count <= limits.message else { break }
        bytes.withUnsafeBytes { onMessage(UnsafeRawBufferPointer(rebasing: $0[message])) }
        guard isOpen, ending == nil else { return }
      }
      position += 1
    }
    guard position == bytes.count, bytes.count - start <= limits.message else {
      return fail("a message is longer than \(limits.message) bytes")
    }
    if start > 0 { input.removeFirst(start) }
  }

  // MARK: Writing

  private func flush() {
    var taken = 0
    while sent < output.count {
      let count = output.withUnsafeBytes {
        let rest = $0[sent...]
        return Glibc.send(
          descriptor.raw, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count,
          Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count > 0 {
        sent += count
        taken += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        return fail("the client closed the connection")
      }
    }
    if sent == output.count {
      output.removeAll(keepingCapacity: output.capacity <= 65536)
      sent = 0
    } else if sent > output.count / 2 {
      output.removeFirst(sent)
      sent = 0
    }
    updateInterest()
    // Last, as it may send more or close.
    if taken > 0 { onSent(taken) }
  }

  private func updateInterest() {
    var interest: IOEvents = ending == nil ? .readable : []
    if queuedBytes > 0 { interest.insert(.writable) }
    source?.setInterest(interest)
  }
}
