import CivilTime
import LinuxRuntime
import Logging
import Positioning

/// One feed from its transport to fixes: bytes into the decoder, the quiet of a live feed into the
/// end of an epoch, and the feed's health for `status` and the journal.
final class FeedRunner {
  /// Silence after which the sentences of a live epoch are complete, in microseconds. The timer runs
  /// only until the decoder has learnt how the receiver's bursts end: it costs a wake-up for each.
  private static let quietTime: Int64 = 200_000

  let number: Int
  let url: FeedURL
  let feed: Feed
  private(set) var decoder: FixDecoder
  private(set) var lastError: String?
  /// The loss was told, and what comes next that can be understood is to be told, too.
  private(set) var isLost = false
  /// When something was understood last, in microseconds of CLOCK_BOOTTIME; nil before.
  private(set) var lastUnderstood: Int64?
  private var hasSaidWeekRollover = false
  private let announcer: Announcer
  private let quietTimer: TimerSource
  private var fixes: [Fix] = []

  /// Fixes in the order of the feed.
  var onFixes: ([Fix]) -> Void = { _ in }
  /// Devices of the gpsd behind this feed from which nothing more is to come.
  var onDevicesGone: ([UInt64]) -> Void = { _ in }
  /// A recording has come to its end.
  var onEnd: () -> Void = {}
  var onStateChange: () -> Void = {}

  init(
    number: Int, url: FeedURL, options: Feed.Options, loop: EventLoop, announcer: Announcer,
    decoderOptions: FixDecoder.Options
  ) throws {
    self.number = number
    self.url = url
    self.announcer = announcer
    var decoderOptions = decoderOptions
    decoderOptions.learnsCycleEnd = !url.isFile
    decoder = FixDecoder(options: decoderOptions)
    let relay = Relay()
    quietTimer = try loop.addTimer(.monotonic, accuracy: 20_000) { _ in
      relay.runner?.decode { $0.quiet(into: &$1) }
    }
    feed = try Feed(
      url, loop: loop, options: options,
      handlers: Feed.Handlers(
        onOpen: { relay.runner?.opened() },
        onBytes: { relay.runner?.took($0) },
        onDatagramEnd: { relay.runner?.endedDatagram() },
        onClose: { relay.runner?.closed($0, willRetry: $1) },
        onSilence: { relay.runner?.fellSilent($0) },
        onEnd: { relay.runner?.ended() }))
    relay.runner = self
  }

  /// The handlers are made before there is a runner to call.
  private final class Relay { weak var runner: FeedRunner? }

  func start() { feed.start() }

  func stop() {
    quietTimer.close()
    feed.stop()
  }

  /// Where a live log has no date of its own it gets the day of this time.
  func setReferenceTime(_ time: Instant) { decoder.options.referenceTime = time }

  private var isLive: Bool { !url.isFile }

  private func took(_ bytes: UnsafeRawBufferPointer) {
    if isLive { setReferenceTime(Instant(microseconds: SystemClock.now())) }
    let buffer = bytes.bindMemory(to: UInt8.self)
    let heard = heard
    decode { $0.consume(buffer.span, into: &$1) }
    if self.heard != heard { understood() }
    waitForQuiet()
  }

  /// Sentences and reports that were whole.
  private var heard: Int { decoder.statistics.sentences &+ decoder.statistics.jsonLines }

  private func understood() {
    lastUnderstood = feed.lastArrival
    feed.confirmSpeed()
    guard isLost else { return }
    isLost = false
    lastError = nil
    announcer.write("Feed back: \(url)", .notice, .feedBack, fields: ["GEOREMIND_FEED": "\(url)"])
    onStateChange()
  }

  private func endedDatagram() {
    let wasOpen = decoder.hasOpenEpoch
    decode { $0.endOfDatagram(into: &$1) }
    // Only a line without an end changes anything here.
    if decoder.hasOpenEpoch != wasOpen { waitForQuiet() }
  }

  private func waitForQuiet() {
    guard isLive else { return }
    if decoder.hasOpenEpoch {
      quietTimer.arm(in: Self.quietTime)
    } else {
      quietTimer.disarm()
    }
  }

  private func decode(_ body: (inout FixDecoder, inout [Fix]) -> Void) {
    fixes.removeAll(keepingCapacity: true)
    body(&decoder, &fixes)
    if !fixes.isEmpty { onFixes(fixes) }
    sayWeekRollover()
    let gone = decoder.takeGoneDevices()
    if !gone.isEmpty { onDevicesGone(gone) }
  }

  /// Once for each feed: the receiver will say it with every sentence.
  private func sayWeekRollover() {
    guard !hasSaidWeekRollover, decoder.statistics.weekRollovers > 0 else { return }
    hasSaidWeekRollover = true
    announcer.write(
      "The receiver at \(url) is off by 1024 weeks or a multiple of it (GPS week rollover); its dates "
        + "are corrected by the system's clock", .notice, .weekRollover,
      fields: ["GEOREMIND_FEED": "\(url)"])
  }

  private func opened() { onStateChange() }

  private func closed(_ reason: String, willRetry: Bool) {
    quietTimer.disarm()
    decode { $0.disconnected(into: &$1) }
    lost("\(reason)\(willRetry ? "; trying again" : "")", reason)
  }

  private func fellSilent(_ reason: String) { lost(reason, reason) }

  /// A feed is lost once, until something comes from it that can be understood: one that connects
  /// and hangs up again has not come back.
  private func lost(_ words: String, _ reason: String) {
    lastError = reason
    if !isLost {
      isLost = true
      announcer.write(
        "Feed lost: \(url): \(words)", .warning, .feedLost, fields: ["GEOREMIND_FEED": "\(url)"])
    }
    onStateChange()
  }

  private func ended() {
    decode { $0.finish(into: &$1) }
    onStateChange()
    onEnd()
  }
}
