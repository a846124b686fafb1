import LinuxRuntime

/// The end of a channel, and what follows.
extension Feed {
  /// The other end closed: the end of a recording, the loss of anything else.
  func hungUp() {
    guard url.longestWait == nil else {
      let isLine = channel?.kind == .terminal
      return lose(isLine ? "the device was unplugged" : "the other end closed the connection")
    }
    closeChannel()
    timer?.disarm()
    state = .ended
    handlers.onEnd()
  }

  /// Waits and tries again; a recording that cannot be read is not tried again.
  func lose(_ reason: String) {
    if state == .open { backoff.connectionEnded(after: options.clock() - openedAt) }
    closeChannel()
    guard url.longestWait != nil else {
      timer?.disarm()
      state = .failed(reason: reason)
      return handlers.onClose(reason, false)
    }
    let delay = backoff.next(random: options.random())
    state = .waiting(until: options.clock() + delay)
    timer?.arm(in: delay)
    awaitLine()
    handlers.onClose(reason, true)
  }

  /// Retries almost at once: udev may still be at work on a new name.
  func retrySoon() {
    guard case .waiting(let time) = state else { return }
    let delay = min(50_000, time - options.clock())
    state = .waiting(until: options.clock() + max(0, delay))
    timer?.arm(in: delay)
  }

  /// Closes and opens again a channel that does not show when it is lost.
  func reopen() {
    closeChannel()
    state = .connecting
    open()
  }

  func closeChannel() {
    source?.close()
    source = nil
    chunks?.close()
    chunks = nil
    huntTimer?.disarm()
    lookUp = nil
    geoClue = nil
    channel?.close()
    channel = nil
    output.removeAll(keepingCapacity: true)
  }
}
