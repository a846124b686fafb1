import Glibc
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
    /// Lost permanently.
    case failed(reason: String)
  }

  /// Callbacks of a feed. All are called from the loop, never from within `start` or `stop`.
  package struct Handlers {
    package var onOpen: () -> Void
    /// Bytes of a stream as they came, cut anywhere; valid only during the call.
    package var onBytes: (UnsafeRawBufferPointer) -> Void = { _ in }
    /// One datagram, and where it came from; valid only during the call.
    package var onDatagram: (UnsafeRawBufferPointer, DatagramOrigin) -> Void = { _, _ in }
    /// The connection is lost, or could not be made: why, in a few words.
    package var onClose: (_ reason: String, _ willRetry: Bool) -> Void = { _, _ in }
    /// Called with the reason when a connected feed is silent for too long.
    package var onSilence: (_ reason: String) -> Void = { _ in }
    /// A file, a FIFO or standard input has ended.
    package var onEnd: () -> Void = {}
  }

  /// Times are in microseconds.
  package struct Options {
    /// Limit for each address to answer, and for the look-up before.
    package var connectTimeout: Int64
    /// Silence after which TCP is dead and other live feeds are reported; 0 is never, nil 30 s.
    package var silenceTimeout: Int64?
    /// Limit for unintelligible bytes on a serial line before another speed is tried.
    package var speedTimeout: Int64 = 3_000_000
    package var backoff = Backoff()
    /// The program that looks up the names of hosts: getent(1), or one with its output.
    package var resolver = "getent"
    /// Whether the feed is read in a service of systemd, and whether a host is out of its bounds.
    var isService = Sandbox.isHere
    var isRefused: (SocketAddress) -> Bool = Sandbox.refuses
    /// The D-Bus address of the system's bus.
    package var systemBus = Bus.systemAddress { getenv($0).map { String(cString: $0) } }
    /// A number in 0..<1 for the jitter.
    package var random: () -> Double = { Double.random(in: 0..<1) }
    /// The clock for the length of connections and waits.
    package var clock: () -> Int64 = { SystemClock.bootTime.microseconds }
  }
}

extension Feed.Handlers {
  package init() { self.init(onOpen: {}) }
}

extension Feed.Options {
  package init() { self.init(connectTimeout: 10_000_000) }
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
