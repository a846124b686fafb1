import Glibc

/// Reads the socket and splits its bytes into messages.
extension StreamConnection {
  func isReady(_ events: IOEvents) {
    if events.contains(.writable) { flush() }
    guard isOpen else { return }
    if let ending {
      if queuedBytes == 0 || !events.isDisjoint(with: [.hangUp, .error]) { fail(ending) }
    } else if isHeld {
      // Held, so nothing is read, but a disconnected client is removed.
      if !events.isDisjoint(with: [.hangUp, .error]) { fail("the client closed the connection") }
    } else if events.subtracting(.writable) != [], isReading {
      receive()
    }
  }

  /// One read a turn, so that no client keeps the others waiting.
  private func receive() {
    if input.isEmpty { messageBegan = loop.now(.monotonic) }
    let count = Self.append(to: &input, from: descriptor.raw, limit: 16384)
    if count > 0 {
      budget?.note(heldBytes, by: self)
      return isOpen ? deliverMessage() : ()
    }
    if count == 0 { return end("the client closed the connection") }
    let code = errno
    if code != EAGAIN, code != EINTR { fail("cannot read: \(errorText(code))") }
  }

  /// Reads behind the end of the array; `errno` says why when the result is negative.
  private static func append(to array: inout [UInt8], from descriptor: Int32, limit: Int) -> Int {
    withUnsafeTemporaryAllocation(byteCount: limit, alignment: 16) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { array.append(contentsOf: buffer.prefix(count)) }
      return count
    }
  }

  /// Delivers one message a turn, so that a client with thousands does not delay the others.
  func deliverMessage() {
    guard let end = input[searched...].firstIndex(of: delimiter) else {
      searched = input.count
      turns?.isEnabled = false
      return searched > limits.message ? failAsTooLong() : updateInterest()
    }
    guard end <= limits.message else { return failAsTooLong() }
    guard let onPending else { return deliver(upTo: end) }
    isPending = true
    updateTurns()
    updateInterest()
    onPending(input[..<end])
  }

  /// Delivers the message that `onPending` has had; does nothing once the connection is closed.
  package func takeTurn() {
    guard isPending, isOpen, let end = input[searched...].firstIndex(of: delimiter) else { return }
    isPending = false
    deliver(upTo: end)
  }

  private func deliver(upTo end: Int) {
    // The handler may close the connection: the bytes are its to see, not to change.
    let message = Array(input[..<end])
    if input.capacity > Self.keptCapacity {
      input = Array(input[(end + 1)...])
      budget?.note(heldBytes, by: self)
    } else {
      input.removeFirst(end + 1)
    }
    searched = 0
    messageBegan = loop.now(.monotonic)
    countMessage()
    updateTurns()
    updateInterest()
    message.withUnsafeBytes { onMessage($0) }
  }

  private func countMessage() {
    let now = messageBegan
    if now - second.began >= 1_000_000 { second = (now, 0) }
    second.messages += 1
    guard second.messages >= limits.messagesPerSecond else { return }
    isPausing = true
    pause?.arm(at: second.began + 1_000_000)
  }

  func goOn() {
    isPausing = false
    messageBegan = loop.now(.monotonic)
    updateTurns()
    updateInterest()
  }

  func updateTurns() { turns?.isEnabled = !input.isEmpty && !isPausing && !isHeld && !isPending }

  var isReading: Bool {
    ending == nil && turns?.isEnabled != true && !isPausing && !isHeld && !isPending
  }

  private func failAsTooLong() { fail("a message is longer than \(limits.message) bytes") }
}
