package import LinuxRuntime

extension Feed {
  package enum State: Equatable, Sendable {
    /// Not started, or stopped.
    case closed
    case connecting
    case open
    /// Lost; tried again at that time of the feed's clock, in microseconds.
    case waiting(until: Int64)
    /// The file or standard input was read to its end.
    case ended
    /// Lost for good.
    case failed(reason: String)
  }

  /// Callbacks of a feed. All are called from the loop, never from within `start` or `stop`.
  package struct Handlers {
    package var onOpen: () -> Void
    /// Bytes of a stream as they came, cut anywhere; valid only during the call.
    package var onBytes: (UnsafeRawBufferPointer) -> Void
    /// One datagram, and where it came from; valid only during the call.
    package var onDatagram: (UnsafeRawBufferPointer, DatagramOrigin) -> Void
    /// The connection is lost, or could not be made: why, in a few words.
    package var onClose: (_ reason: String, _ willRetry: Bool) -> Void
    /// Nothing came for so long that it has to be reported, though the connection stays: why, in a
    /// few words.
    package var onSilence: (_ reason: String) -> Void
    /// A file, a FIFO or standard input has ended.
    package var onEnd: () -> Void

    package init(
      onOpen: @escaping () -> Void = {},
      onBytes: @escaping (UnsafeRawBufferPointer) -> Void = { _ in },
      onDatagram: @escaping (UnsafeRawBufferPointer, DatagramOrigin) -> Void = { _, _ in },
      onClose: @escaping (_ reason: String, _ willRetry: Bool) -> Void = { _, _ in },
      onSilence: @escaping (_ reason: String) -> Void = { _ in },
      onEnd: @escaping () -> Void = {}
    ) {
      self.onOpen = onOpen
      self.onBytes = onBytes
      self.onDatagram = onDatagram
      self.onClose = onClose
      self.onSilence = onSilence
      self.onEnd = onEnd
    }
  }

  /// Times are in microseconds.
  package struct Options {
    /// How long each address may take to answer, and the look-up of a name before that.
    package var connectTimeout: Int64
    /// How long nothing may come over a live feed before a connection by TCP counts as dead, and the
    /// silence of the others is reported; 0 is for ever, nil 30 s.
    package var silenceTimeout: Int64?
    /// How long bytes may come over a serial line without sense before another speed is tried.
    package var speedTimeout: Int64
    package var backoff: Backoff
    /// What looks up the names of hosts: getent(1), or what speaks as it does.
    package var resolver: String
    /// A number in 0..<1 for the jitter.
    package var random: () -> Double
    /// The clock for the length of connections and waits.
    package var clock: () -> Int64

    package init(
      connectTimeout: Int64 = 10_000_000, silenceTimeout: Int64? = nil,
      speedTimeout: Int64 = 3_000_000, resolver: String = "getent",
      backoff: Backoff = Backoff(),
      random: @escaping () -> Double = { Double.random(in: 0..<1) },
      clock: @escaping () -> Int64 = { SystemClock.bootTime.microseconds }
    ) {
      self.connectTimeout = connectTimeout
      self.silenceTimeout = silenceTimeout
      self.speedTimeout = speedTimeout
      self.resolver = resolver
      self.backoff = backoff
      self.random = random
      self.clock = clock
    }
  }
}

extension Feed.State: CustomStringConvertible {
  /// One word, and a reason where there is one.
  package var description: String {
    switch self {
    case .closed: "closed"
    case .connecting: "connecting"
    case .open: "open"
    case .waiting: "waiting"
    case .ended: "ended"
    case .failed(let reason): "failed: \(reason)"
    }
  }
}
