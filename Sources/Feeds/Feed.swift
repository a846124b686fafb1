package import LinuxRuntime

/// One source of positions, read from the loop: opens its URL, passes on the bytes and reopens a
/// lost connection after a delay.
///
/// The URL decides how to open it and the meaning of silence. The feed does not interpret bytes. A
/// read allocates nothing: one buffer serves all.
package final class Feed {
  package let url: FeedURL
  package internal(set) var state = State.closed

  /// Stops reading while true, to pace a file. For recordings only: gpsd drops a client that does
  /// not read, and other buffers fill with old data.
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

  /// Receive buffer for datagrams, in bytes as the kernel counts them; nil for other feeds.
  package internal(set) var receiveBuffer: Int?
  /// Datagrams that the kernel dropped since the socket was opened, because that was too little.
  package var droppedDatagrams: Int { Int(datagrams.dropped) }
  /// Datagrams that were not of the one sender that the URL names.
  package internal(set) var datagramsOfOthers = 0
  /// Requested receive buffer of a datagram socket: a burst of some thousand.
  package static let wantedReceiveBuffer = 1 << 20

  let loop: EventLoop
  var handlers: Handlers
  /// Room for the largest datagram, and a chunk of a file.
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)

  var datagrams = DatagramReceiver()

  let options: Options
  var backoff: Backoff
  /// Times the retry while waiting, the connect timeout while connecting, silence while open.
  var timer: TimerSource?
  /// The speed of a serial line whose URL does not give it, and when to try the next one.
  var hunt: SpeedHunt?
  var huntTimer: TimerSource?
  /// `confirmSpeed` was called for the bytes that were handed on last.
  var isUnderstood = false
  /// While a serial line is lost.
  var pathWatch: PathWatch?
  var channel: FeedChannel?
  var source: IOSource?
  var chunks: TurnSource?
  /// The channel from an earlier run, until it is used.
  var adopted: FeedChannel?
  var addresses: ArraySlice<SocketAddress> = []
  /// While the name of the host is looked up.
  var lookUp: HostLookUp?
  /// The host that is to answer.
  var connecting: SocketAddress?
  /// The client of GeoClue, until the feed is lost.
  var geoClue: GeoClueClient?
  /// The time of the last location of any such client, in microseconds since 1970.
  var lastLocation: UInt64 = 0
  var openedAt: Int64 = 0
  var output: [UInt8] = []
  /// Limit of silence in microseconds; 0 is none.
  private(set) var silenceTimeout: Int64
  /// Since when the silence is measured: the last arrival, or the opening.
  var quietSince: Int64 = 0
  /// The silence was reported, and no timer runs until something comes.
  var isSilent = false
  /// The arrival after whose silence gpsd was last asked for a sign of life.
  var probedAfter: Int64?

  /// The silence of a live feed that is reported where no setting says otherwise.
  private static let usualSilence: Int64 = 30_000_000

  package init(
    _ url: FeedURL, loop: EventLoop, options: Options = Options(), handlers: Handlers
  ) throws(SystemError) {
    self.url = url
    self.loop = loop
    self.options = options
    self.handlers = handlers
    backoff = url.longestWait.map(options.backoff.limited) ?? options.backoff
    silenceTimeout = options.silenceTimeout ?? Self.usualSilence
    // Suspend counts: after it a connection is as old as the wall says, and a retry is due.
    timer = try loop.addTimer(.bootTime, accuracy: 1000) { [unowned self] _ in self.timeIsUp() }
    if let line = url.line, line.baud == nil {
      hunt = SpeedHunt(timeout: options.speedTimeout)
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

  /// Begins to open in the next turn of the loop, unless it runs already.
  /// - Parameter descriptor: an earlier run's open descriptor, which the feed owns from here.
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

  /// Whether a running feed has neither timer nor descriptor: a fault of this program.
  package var isStuck: Bool {
    switch state {
    case .connecting, .waiting: timer?.isEnabled != true && source == nil
    case .open: source == nil && chunks == nil
    case .closed, .ended, .failed: false
    }
  }

  /// Sends through a queue of at most 64 KiB; false if it was not taken, as by files and datagrams.
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

  // MARK: Writing

  func flush() {
    guard let channel else { return }
    let sent = output.withUnsafeBytes { channel.send($0) }
    // An error shows itself when reading, too, and is reported from there.
    if let sent { output.removeFirst(sent) } else { output.removeAll(keepingCapacity: true) }
    updateInterest()
  }

  func updateInterest() {
    chunks?.isEnabled = !isPaused
    guard state == .open, let source else { return }
    var interest: IOEvents = isPaused ? [] : .readable
    if !output.isEmpty { interest.insert(.writable) }
    source.setInterest(interest)
    // epoll reports a hang-up repeatedly even for an empty set.
    source.isEnabled = !interest.isEmpty
  }
}
