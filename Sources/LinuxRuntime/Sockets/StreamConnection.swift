import Glibc

/// One end of a stream connection, served from the loop: messages in, each ended by a delimiter,
/// bytes out through a queue. Both are bounded; a single reply may have any size, since a client
/// that does not read is dropped.
///
/// The owner keeps it; closing is final.
package final class StreamConnection {
  package struct Limits: Sendable {
    /// The longest message, in bytes; a longer one closes the connection.
    package var message: Int
    /// Waiting output bytes at which the client is dropped; one `send` may exceed it.
    package var queue: Int
    /// Limit of deliveries per second; further messages wait, finally in the client.
    package var messagesPerSecond: Int

    package init(message: Int = 1 << 20, queue: Int = 4 << 20, messagesPerSecond: Int = 1000) {
      self.message = message
      self.queue = queue
      self.messagesPerSecond = messagesPerSecond
    }
  }

  package let peer: PeerCredentials
  /// One message without its delimiter; valid only during the call.
  package var onMessage: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// Called from `send` or the loop for bytes that the socket took. May send, finish and close.
  package var onSent: (_ count: Int) -> Void = { _ in }
  /// Called with each message before it is delivered, if set: the owner calls `takeTurn` for it,
  /// sooner or later. Meanwhile nothing is read. The bytes are valid only during the call.
  package var onPending: ((ArraySlice<UInt8>) -> Void)?
  /// Called once when the connection closes, even from `send` or `finish`, but not for `close()`.
  /// Released afterwards, as the others are.
  package var onClose: (_ reason: String) -> Void = { _ in }
  /// Called, maybe more than once, while the client owes something: the end of a message, or
  /// reading. From then on `stalled` may grow.
  package var onOwing: () -> Void = {}
  package private(set) var isOpen = true
  /// While true nothing is read or delivered: input waits in the kernel and is not `stalled`.
  package var isHeld = false {
    didSet {
      guard isOpen, isHeld != oldValue else { return }
      if !isHeld { messageBegan = loop.now(.monotonic) }
      updateTurns()
      updateInterest()
    }
  }

  let descriptor: Descriptor
  let limits: Limits
  let budget: StreamBudget?
  let delimiter: UInt8
  private var source: IOSource?
  /// Read bytes without a complete message; the first `searched` have no delimiter.
  var input: [UInt8] = []
  var searched = 0
  /// Runs while more was read than was delivered, and nothing more is read meanwhile.
  var turns: TurnSource?
  /// Ends the pause of a client that has had its messages for this second.
  var pause: TimerSource?
  var isPausing = false
  /// A whole message in `input` waits for `takeTurn`.
  var isPending = false
  /// When the present second began, and how many messages it has had.
  var second: (began: Int64, messages: Int) = (0, 0)
  /// When the first byte of the message in `input` came.
  var messageBegan: Int64 = 0
  /// When the socket last took something, or first had something waiting.
  private var lastTaken: Int64 = 0
  let loop: EventLoop
  private var output: [UInt8] = []
  private var sent = 0
  /// Set when the client sends no more or `finish` was called: why to close once all is sent.
  var ending: String?

  /// Takes over a connected socket.
  /// - Parameter budget: the limit shared with other connections.
  package convenience init(
    descriptor: Int32, loop: EventLoop, limits: Limits = Limits(), budget: StreamBudget? = nil,
    delimiter: UInt8 = 0, priority: EventPriority = .normal
  ) throws(SystemError) {
    try self.init(
      Descriptor(descriptor), loop: loop, limits: limits, budget: budget, delimiter: delimiter,
      priority: priority)
  }

  /// Connects to a Unix socket, at once or not at all: the client's end.
  package convenience init(
    path: String, loop: EventLoop, limits: Limits = Limits(), delimiter: UInt8 = 0,
    priority: EventPriority = .normal
  ) throws(SystemError) {
    try self.init(
      Descriptor.connected(to: path, timeout: 0), loop: loop, limits: limits, budget: nil,
      delimiter: delimiter, priority: priority)
  }

  init(
    _ descriptor: Descriptor, loop: EventLoop, limits: Limits, budget: StreamBudget?,
    delimiter: UInt8, priority: EventPriority
  ) throws(SystemError) {
    self.descriptor = descriptor
    self.limits = limits
    self.budget = budget
    self.delimiter = delimiter
    self.loop = loop
    peer = try PeerCredentials(of: descriptor.raw)
    source = try loop.addIO(descriptor.raw, .readable, priority: priority) {
      [unowned self] events in
      self.isReady(events)
    }
    turns = try loop.addDeferred(repeating: true, priority: priority) { [unowned self] in
      self.deliverMessage()
    }
    turns?.isEnabled = false
    pause = try loop.addTimer(.monotonic, accuracy: 10_000, priority: priority) {
      [unowned self] _ in
      self.goOn()
    }
  }

  deinit { close() }

  /// Bytes that wait to be sent.
  package var queuedBytes: Int { output.count - sent }

  /// Microseconds for which a message has been incomplete or output has waited for the client.
  package var stalled: Int64 {
    let now = loop.now(.monotonic)
    return max(owesInput ? now - messageBegan : 0, queuedBytes == 0 ? 0 : now - lastTaken)
  }

  /// Whether the client has to complete a message, or to read.
  package var isOwing: Bool { owesInput || queuedBytes > 0 }

  private var owesInput: Bool {
    !input.isEmpty && turns?.isEnabled != true && !isPausing && !isHeld && !isPending
  }

  private var isFull: Bool { queuedBytes >= limits.queue }

  /// Sends now what the socket takes and queues the rest. Says whether the connection still stands.
  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) -> Bool {
    guard isOpen, ending == nil else { return false }
    if isFull {
      fail(Self.slow)
      return false
    }
    if queuedBytes == 0 { lastTaken = loop.now(.monotonic) }
    output.append(contentsOf: bytes)
    flush()
    if isOpen { budget?.note(heldBytes, by: self) }
    return isOpen
  }

  /// Closes once everything is sent, or at once if the queue is full.
  package func finish() {
    if ending == nil, isFull { fail(Self.slow) } else { end("finished") }
  }

  /// Closes at once and without a call of `onClose`; harmless when repeated.
  package func close() {
    isOpen = false
    budget?.forget(self)
    source?.close()
    source = nil
    turns?.close()
    turns = nil
    pause?.close()
    pause = nil
    descriptor.close()
    onMessage = { _ in }
    onSent = { _ in }
    onOwing = {}
    onPending = nil
    onClose = { _ in }
  }

  /// Closes a client that owes something for too long, and says so to `onClose`.
  package func giveUp() {
    fail("the client neither ends its message nor reads, for \(stalled / 1_000_000) s")
  }

  /// Closes it for a reason that is not the client's alone, and says so to `onClose`.
  func drop(_ reason: String) { fail(reason) }

  /// Bytes of allocated memory.
  var heldBytes: Int { input.capacity + output.capacity }

  /// A buffer that has grown larger than this is not kept for later.
  static var keptCapacity: Int { 16_384 }

  private static var slow: String { "the client reads too slowly" }

  func end(_ reason: String) {
    guard isOpen, ending == nil else { return }
    ending = reason
    if queuedBytes == 0 { fail(reason) } else { updateInterest() }
  }

  func fail(_ reason: String) {
    guard isOpen else { return }
    let handler = onClose
    close()
    handler(reason)
  }

  // MARK: Writing

  func flush() {
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
      output.removeAll(keepingCapacity: output.capacity <= Self.keptCapacity)
      sent = 0
    } else if sent > output.count / 2 {
      output = Array(output[sent...])
      sent = 0
    }
    if taken > 0 { budget?.note(heldBytes, by: self) }
    updateInterest()
    if taken > 0 { lastTaken = loop.now(.monotonic) }
    // Last, as it may send more or close.
    if taken > 0 { onSent(taken) }
  }

  func updateInterest() {
    var interest: IOEvents = isReading ? .readable : []
    if queuedBytes > 0 { interest.insert(.writable) }
    source?.setInterest(interest)
    // epoll reports a hang-up repeatedly even for an empty set.
    source?.isEnabled = !interest.isEmpty || ending != nil || isHeld
    if isOwing { onOwing() }
  }
}
