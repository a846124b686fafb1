import Glibc

/// One source of positions, read from the loop: it opens what its URL names, hands on the bytes and,
/// when the connection is lost, opens it again after a while.
///
/// It knows nothing of what the bytes mean. It allocates nothing for a read: one buffer serves all.
package final class Feed {
  package let url: FeedURL
  package private(set) var state = State.closed

  /// While true nothing is read, so that a file can be paced by the times in it. A paused connection
  /// does not time out; a paused gpsd drops its client after a while.
  package var isPaused = false {
    didSet {
      guard isPaused != oldValue else { return }
      updateInterest()
      if state == .open {
        lastArrival = loop.now(.bootTime)
        watchSilence()
      }
    }
  }

  let loop: EventLoop
  var handlers: Handlers
  /// Room for the largest datagram, and a chunk of a file.
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)

  private let options: Options
  private var backoff: Backoff
  /// Times the retry while waiting, the connect timeout while connecting, silence while open.
  private var timer: TimerSource?
  private(set) var channel: FeedChannel?
  private var source: IOSource?
  private var chunks: TurnSource?
  private var addresses: ArraySlice<SocketAddress> = []
  private var openedAt: Int64 = 0
  private var output: [UInt8] = []
  /// When bytes last came, on CLOCK_BOOTTIME.
  var lastArrival: Int64 = 0
  /// The arrival after whose silence gpsd was last asked for a sign of life.
  private var probedAfter: Int64?

  package init(
    _ url: FeedURL, loop: EventLoop, options: Options = Options(), handlers: Handlers
  ) throws(SystemError) {
    self.url = url
    self.loop = loop
    self.options = options
    self.handlers = handlers
    backoff = options.backoff
    // Suspend counts: after it a connection is as old as the wall says, and a retry is due.
    timer = try loop.addTimer(.bootTime, accuracy: 1000) { [unowned self] _ in self.timeIsUp() }
  }

  deinit {
    stop()
    timer?.close()
    buffer.deallocate()
  }

  /// Begins to open, in the next turn of the loop; nothing while it is running already.
  package func start() {
    switch state {
    case .closed, .ended, .failed:
      state = .connecting
      timer?.arm(in: 0)
    case .connecting, .open, .waiting: break
    }
  }

  /// Closes without a further call of any handler; harmless when repeated.
  package func stop() {
    closeChannel()
    timer?.disarm()
    backoff.reset()
    state = .closed
  }

  /// Sends to the other end, from a queue of at most 64 KiB; says whether it was taken. What cannot be
  /// written to (files, datagrams) takes nothing.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>) -> Bool {
    guard state == .open, let channel, channel.kind == .socket || channel.kind == .terminal,
      output.count + bytes.count <= 65536
    else { return false }
    output.append(contentsOf: bytes)
    flush()
    return true
  }

  // MARK: Opening

  private func timeIsUp() {
    switch state {
    case .connecting where channel != nil:
      closeChannel()
      connectNext(after: "no answer within \(options.connectTimeout / 1_000_000) s")
    case .connecting, .waiting:
      state = .connecting
      open()
    case .open: checkSilence()
    case .closed, .ended, .failed: break
    }
  }

  private func open() {
    do {
      switch url {
      case .gpsd(let host, let port, _), .tcp(let host, let port):
        addresses = try SocketAddress.resolve(host, port: port)[...]
        connectNext(after: "the host '\(host)' has no address")
      case .unix(let path):
        addresses = [try SocketAddress(unixPath: path)]
        connectNext(after: "")
      case .udp(let host, let port, let interface):
        opened(try FeedChannel.datagrams(host: host, port: port, interface: interface))
      case .serial(let path, let baud):
        opened(FeedChannel(try SerialPort.open(path, baud: baud ?? 9600), .terminal))
      case .file(let path, _): opened(try FeedChannel.file(path))
      case .standardInput: opened(try FeedChannel.standardInput())
      }
    } catch {
      lose(error.description)
    }
  }

  /// Tries the addresses in turn, without waiting for any.
  private func connectNext(after failure: String) {
    var failure = failure
    while let address = addresses.popFirst() {
      do {
        let (descriptor, isDone) = try FeedChannel.connect(to: address)
        let channel = FeedChannel(descriptor, .socket)
        if isDone { return opened(channel) }
        self.channel = channel
        source = try loop.addIO(descriptor.raw, .writable) { [unowned self] _ in
          self.connectionIsMadeOrRefused(address)
        }
        timer?.arm(in: options.connectTimeout)
        return
      } catch {
        failure = error.description
        closeChannel()
      }
    }
    lose(failure)
  }

  private func connectionIsMadeOrRefused(_ address: SocketAddress) {
    guard let channel else { return }
    source?.close()
    source = nil
    let code = channel.pendingError()
    if code == 0 { return opened(channel) }
    closeChannel()
    connectNext(after: FeedChannel.connectFailure(address, code: code).description)
  }

  private func opened(_ channel: FeedChannel) {
    self.channel = channel
    do throws(SystemError) {
      try listen(to: channel)
    } catch {
      return lose(error.description)
    }
    state = .open
    openedAt = options.clock()
    lastArrival = loop.now(.bootTime)
    probedAfter = nil
    updateInterest()
    watchSilence()
    switch url {
    case .gpsd(_, _, let device):
      channel.keepAlive()
      write(GPSDRequest.watch(device: device).utf8)
    case .tcp: channel.keepAlive()
    default: break
    }
    handlers.onOpen()
  }

  /// Reads when there is something, or in turns what is always ready.
  private func listen(to channel: FeedChannel) throws(SystemError) {
    if channel.kind != .chunks {
      do throws(SystemError) {
        source = try loop.addIO(channel.descriptor.raw, .readable) { [unowned self] events in
          self.isReady(events)
        }
        return
      } catch {
        // What epoll refuses, such as /dev/null, never makes anyone wait.
        guard error.code == EPERM else { throw error }
        channel.kind = .chunks
      }
    }
    chunks = try loop.addDeferred(repeating: true, priority: .idle) { [unowned self] in
      self.readChunk()
    }
  }

  // MARK: Closing

  /// The other end is gone: the end of a file, the loss of anything else.
  func hungUp() {
    switch url {
    case .file, .standardInput:
      closeChannel()
      timer?.disarm()
      state = .ended
      handlers.onEnd()
    case .serial: lose("the device is gone")
    default: lose("the other end closed the connection")
    }
  }

  /// Waits and tries again; a file that cannot be read is not tried again.
  func lose(_ reason: String) {
    if state == .open { backoff.connectionEnded(after: options.clock() - openedAt) }
    closeChannel()
    switch url {
    case .file, .standardInput:
      timer?.disarm()
      state = .failed(reason: reason)
      handlers.onClose(reason, false)
    default:
      let delay = backoff.next(random: options.random())
      state = .waiting(until: options.clock() + delay)
      timer?.arm(in: delay)
      handlers.onClose(reason, true)
    }
  }

  private func closeChannel() {
    source?.close()
    source = nil
    chunks?.close()
    chunks = nil
    channel?.close()
    channel = nil
    output.removeAll(keepingCapacity: true)
  }

  // MARK: Silence

  private var silenceTimeout: Int64 {
    switch url {
    case .gpsd, .tcp: options.silenceTimeout ?? 30_000_000
    default: options.silenceTimeout ?? 0
    }
  }

  private func watchSilence() {
    guard state == .open, silenceTimeout > 0, !isPaused else {
      if state == .open { timer?.disarm() }
      return
    }
    timer?.arm(in: isGPSD ? silenceTimeout / 2 : silenceTimeout)
  }

  private var isGPSD: Bool {
    if case .gpsd = url { true } else { false }
  }

  /// The timer is not moved with each arrival; it looks here how long ago the last one was.
  private func checkSilence() {
    let now = loop.now(.bootTime)
    let silent = now - lastArrival
    if silent >= silenceTimeout {
      return lose("nothing came for \(silenceTimeout / 1_000_000) s")
    }
    var next = lastArrival + silenceTimeout
    if isGPSD {
      // gpsd has no heartbeat and is rightly silent without a receiver, but it answers this.
      if silent < silenceTimeout / 2 {
        next = lastArrival + silenceTimeout / 2
      } else if probedAfter != lastArrival {
        probedAfter = lastArrival
        write(GPSDRequest.version.utf8)
      }
    }
    timer?.arm(at: max(next, now + 1))
  }

  // MARK: Writing

  func flush() {
    guard let channel else { return }
    let sent = output.withUnsafeBytes { channel.send($0) }
    // An error shows itself when reading, too, and is reported from there.
    if let sent { output.removeFirst(sent) } else { output.removeAll(keepingCapacity: true) }
    updateInterest()
  }

  private func updateInterest() {
    chunks?.isEnabled = !isPaused
    guard state == .open, let source else { return }
    var interest: IOEvents = isPaused ? [] : .readable
    if !output.isEmpty { interest.insert(.writable) }
    source.setInterest(interest)
    // With an empty set epoll still reports a hang-up, and would do so for ever.
    source.isEnabled = !interest.isEmpty
  }
}
