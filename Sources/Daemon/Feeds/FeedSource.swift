import CivilTime
import Feeds
import LinuxRuntime
import Positioning

/// One stream of sentences, with its own decoder and the silence that ends a live epoch.
///
/// A feed has one; a datagram feed has one per sender, so that epochs of two receivers never mix.
final class FeedSource {
  /// Silence, in microseconds, that ends a live epoch. The timer costs a wake-up each, so it runs
  /// only until the decoder has learnt how the receiver's bursts end.
  private static let quietTime: Int64 = 200_000
  /// Of a receiver that sends its burst with pauses.
  private static let longestQuietTime: Int64 = 800_000

  /// The sender's number within the feed, 0 where there is one only.
  let sender: UInt64
  /// The sender, for a feed with several.
  let origin: DatagramOrigin?
  private(set) var decoder: FixDecoder
  /// The receiver's dates were off by whole periods of 1024 weeks.
  var hasCorrectedDates: Bool { decoder.hasCorrectedDates }
  /// Fixes in the order of the stream.
  var onFixes: ([Fix]) -> Void = { _ in }
  /// Devices of a gpsd from which nothing more is to come.
  var onDevicesRemoved: ([UInt64]) -> Void = { _ in }

  /// The time that dates live data without a date; nil for a recording.
  private let now: (() -> Instant)?
  /// Whether a silence ends an epoch: not so in a file.
  private let isPaced: Bool
  private let quietTimer: TimerSource
  private var fixes: [Fix] = []
  private var quietTime = FeedSource.quietTime

  init(
    sender: UInt64, origin: DatagramOrigin? = nil, options: FixDecoder.Options, isPaced: Bool,
    loop: EventLoop, now: (() -> Instant)?
  ) throws {
    self.sender = sender
    self.origin = origin
    self.isPaced = isPaced
    self.now = now
    var options = options
    options.learnsCycleEnd = now != nil
    decoder = FixDecoder(options: options)
    let owner = WeakReference<FeedSource>()
    quietTimer = try loop.addTimer(.monotonic, accuracy: 20_000) { _ in
      owner.target?.decode { $0.quiet(into: &$1) }
    }
    owner.target = self
  }

  func close() { quietTimer.close() }

  /// Takes stream bytes or one datagram; returns whether a sentence or report was completed.
  @discardableResult
  func take(_ bytes: UnsafeRawBufferPointer, isDatagram: Bool = false) -> Bool {
    let buffer = bytes.bindMemory(to: UInt8.self)
    let now = now?()
    let late = decoder.lateSentences
    let reception = decode {
      $0.receive(buffer.span, isDatagram: isDatagram, at: now, into: &$1)
    }
    // The silence was none: what came behind it belongs to the epoch, such as that it is no fix.
    if isPaced {
      if decoder.lateSentences != late { quietTime = min(quietTime * 2, Self.longestQuietTime) }
      waitForQuiet(reception.hasOpenEpoch)
    }
    return reception.isUnderstood
  }

  /// The connection is lost: a cut sentence is dropped, and whole ones give their fix.
  func disconnect() {
    quietTimer.disarm()
    decode { $0.disconnected(into: &$1) }
  }

  /// The end of a recording.
  func finish() { decode { $0.finish(into: &$1) } }

  private func waitForQuiet(_ isOpen: Bool) {
    if isOpen {
      quietTimer.arm(in: quietTime)
    } else {
      quietTimer.disarm()
    }
  }

  private func decode<Answer>(_ body: (inout FixDecoder, inout [Fix]) -> Answer) -> Answer {
    fixes.removeAll(keepingCapacity: true)
    let answer = body(&decoder, &fixes)
    if !fixes.isEmpty { onFixes(fixes) }
    let removed = decoder.takeLostDevices()
    if !removed.isEmpty { onDevicesRemoved(removed) }
    return answer
  }
}
