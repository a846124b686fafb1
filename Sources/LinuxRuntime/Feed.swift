import Glibc

/// One source of positions, read from the loop: it opens what its URL names, hands on the bytes and,
/// when the connection is lost, opens it again after a while.
///
/// It knows nothing of what the bytes mean. It allocates nothing for a read: one buffer serves all.
package final class Feed {
  package let url: FeedURL
  package private(set) var state = State.closed

  /// While true nothing is read, so that a file can be paced by the times in it. For recordings
  /// alone: gpsd drops a client that does not read, and others fill their buffers with what is old.
  package var isPaused = false {
    didSet {
      guard isPaused != oldValue else { return }
      updateInterest()
      if state == .open {
        quietSince = loop.now(.bootTime)
        watchSilence()
      }
    }
  }

  /// Bytes that came since the feed was made.
  package internal(set) var bytesReceived = 0
  /// When the last of them came, in microseconds of CLOCK_BOOTTIME; nil before.
  package internal(set) var lastArrival: Int64?

  /// How many datagrams may wait to be read, in bytes of the kernel's account; nil for other feeds.
  package private(set) var receiveBuffer: Int?
  /// Datagrams that the kernel dropped since the socket was opened, because that was too little.
  package var droppedDatagrams: Int { Int(datagrams.dropped) }
  /// What the receive buffer of a socket for datagrams should be: a burst of some thousand.
  package static let wantedReceiveBuffer = 1 << 20

  let loop: EventLoop
  var handlers: Handlers
  /// Room for the largest datagram, and a chunk of a file.
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)

  var datagrams = DatagramReceiver()

  private let options: Options
  private var backoff: Backoff
  /// Times the retry while waiting, the connect timeout while connecting, silence while open.
  private(set) var timer: TimerSource?
  /// The speed of a serial line whose URL does not give it, and when to try the next one.
  var hunt: SpeedHunt?
  private(set) var huntTimer: TimerSource?
  /// `confirmSpeed` was called for the bytes that were handed on last.
  var isUnderstood = false
  /// While a serial line is lost.
  var pathWatch: PathWatch?
  private(set) var channel: FeedChannel?
  private var source: IOSource?
  private var chunks: TurnSource?
  /// What an earlier run had open, until it is used.
  private var adopted: FeedChannel?
  private var addresses: ArraySlice<SocketAddress> = []
  /// While the name of the host is looked up.
  private var lookUp: HostLookUp?
  private var openedAt: Int64 = 0
  private var output: [UInt8] = []
  /// How long nothing may come, in microseconds; 0 is for ever.
  private(set) var silenceTimeout: Int64
  /// Since when the silence is measured: the last arrival, or the opening.
  var quietSince: Int64 = 0
  /// The silence was told, and no timer runs until something comes.
  var isSilent = false
  /// The arrival after whose silence gpsd was last asked for a sign of life.
  var probedAfter: Int64?

  /// Silence of a live feed that is worth a word.
  private static let usualSilence: Int64 = 30_000_000

  package init(
    _ url: FeedURL, loop: EventLoop, options: Options = Options(), handlers: Handlers
  ) throws(SystemError) {
    self.url = url
    self.loop = loop
    self.options = options
    self.handlers = handlers
    backoff = options.backoff.limited(to: url.longestWait)
    silenceTimeout = options.silenceTimeout ?? Self.usualSilence
    // Suspend counts: after it a connection is as old as the wall says, and a retry is due.
    timer = try loop.addTimer(.bootTime, accuracy: 1000) { [unowned self] _ in self.timeIsUp() }
    if case .serial(_, nil) = url {
      hunt = SpeedHunt(patience: options.speedPatience)
      huntTimer = try loop.addTimer(.bootTime, accuracy: 1000) { [unowned self] _ in
        self.huntTimeIsUp()
      }
    }
  }

  deinit {
    stop()
    timer?.close()
    huntTimer?.close()
    buffer.deallocate()
  }

  /// Begins to open, in the next turn of the loop; nothing while it is running already.
  /// - Parameter descriptor: what an earlier run had open, to go on with; it is this feed's from now on.
  package func start(adopting descriptor: Int32? = nil) {
    switch state {
    case .closed, .ended, .failed:
      adopted = descriptor.flatMap { channel(adopting: $0) }
      state = .connecting
      timer?.arm(in: 0)
    case .connecting, .open, .waiting: break
    }
  }

  /// Closes without a further call of any handler; harmless when repeated.
  package func stop() {
    closeChannel()
    pathWatch?.close()
    pathWatch = nil
    adopted = nil
    timer?.disarm()
    backoff.reset()
    state = .closed
  }

  /// It is under way, and neither a timer nor a descriptor will ever call it: a fault of this program.
  package var isStuck: Bool {
    switch state {
    case .connecting, .waiting: timer?.isEnabled != true && source == nil
    case .open: source == nil && chunks == nil
    case .closed, .ended, .failed: false
    }
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

  /// Takes another limit of silence, in microseconds, as `Options.silenceTimeout` has it.
  package func setSilenceTimeout(_ timeout: Int64?) {
    guard timeout ?? Self.usualSilence != silenceTimeout else { return }
    silenceTimeout = timeout ?? Self.usualSilence
    watchSilence()
  }

  // MARK: Opening

  private func timeIsUp() {
    switch state {
    case .connecting where lookUp != nil:
      lose("the name of its host was not found within \(options.connectTimeout / 1_000_000) s")
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
    if let channel = adopted {
      adopted = nil
      return opened(channel)
    }
    do {
      switch url {
      case .gpsd(let host, let port, _), .tcp(let host, let port):
        if let known = SocketAddress.known(host, port: port) {
          addresses = known[...]
          connectNext(after: "the host '\(host)' has no address")
        } else {
          try beginLookUp(of: host, port: port)
        }
      case .unix(let path):
        addresses = [try SocketAddress(unixPath: path)]
        connectNext(after: "")
      case .udp(let host, let port, let interface):
        let channel = try FeedChannel.datagrams(host: host, port: port, interface: interface)
        receiveBuffer = channel.enlargeReceiveBuffer(to: Self.wantedReceiveBuffer)
        datagrams = DatagramReceiver()
        opened(channel)
      case .serial(let path, let baud):
        opened(try openLine(path, baud: baud))
      case .file(let path, _): opened(try FeedChannel.file(path))
      case .standardInput: opened(try FeedChannel.standardInput())
      }
    } catch {
      lose(error.description)
    }
  }

  private func beginLookUp(of host: String, port: UInt16) throws(SystemError) {
    lookUp = try HostLookUp(host, port: port, program: options.resolver, loop: loop) {
      [unowned self] result in
      lookUp = nil
      switch result {
      case .success(let found):
        addresses = found[...]
        connectNext(after: "the host '\(host)' has no address")
      case .failure(let error): lose(error.description)
      }
    }
    timer?.arm(in: options.connectTimeout)
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
    pathWatch?.close()
    pathWatch = nil
    do throws(SystemError) {
      try listen(to: channel)
    } catch {
      return lose(error.description)
    }
    state = .open
    openedAt = options.clock()
    quietSince = loop.now(.bootTime)
    probedAfter = nil
    updateInterest()
    watchSilence()
    switch url {
    case .gpsd:
      channel.keepAlive()
      watchGPSD()
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
      awaitLine()
      handlers.onClose(reason, true)
    }
  }

  /// What was waited for may be there: tries at once, or nearly so, since udev is still at work on a
  /// name that has just come.
  func retrySoon() {
    guard case .waiting(let time) = state else { return }
    let delay = min(50_000, time - options.clock())
    state = .waiting(until: options.clock() + max(0, delay))
    timer?.arm(in: delay)
  }

  /// Closes and opens again what cannot tell that it is lost.
  func reopen() {
    closeChannel()
    state = .connecting
    open()
  }

  private func closeChannel() {
    source?.close()
    source = nil
    chunks?.close()
    chunks = nil
    huntTimer?.disarm()
    lookUp = nil
    channel?.close()
    channel = nil
    output.removeAll(keepingCapacity: true)
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
