import CivilTime
import Feeds
import LinuxRuntime
import Logging
import Positioning

/// One feed from transport to fixes, with its health for `status` and the journal.
final class FeedRunner {
  let number: Int
  let url: FeedURL
  let feed: Feed
  /// The fixes that are not of the present.
  var age = FixAge()
  private(set) var lastError: String?
  /// The loss was reported; the next sentence that is understood is reported as well.
  private(set) var isLost = false
  /// When something was understood last, in microseconds of CLOCK_BOOTTIME; nil before.
  private(set) var lastUnderstood: Int64?
  /// Bytes since something was understood, and when the first of them came.
  private var senseless: (bytes: Int, since: Int64) = (0, 0)

  /// Fixes of one source in their order, and its sender's number, 0 where there is one only.
  var onFixes: ([Fix], _ sender: UInt64) -> Void = { _, _ in }
  /// A sender, or a device of the gpsd behind this feed, from which nothing more is to come.
  var onRemoved: (FixOrigin) -> Void = { _ in }
  /// A recording has come to its end.
  var onEnd: () -> Void = {}
  var onStateChange: () -> Void = {}
  /// Called with the open descriptor to hand over to the next run, or nil.
  var onDescriptor: (Int32?) -> Void = { _ in }

  private let loop: EventLoop
  private let announcer: Announcer
  private let log: Logger
  private let decoderOptions: FixDecoder.Options
  private let now: () -> Instant
  /// The source of a stream; nil for datagrams.
  private var stream: FeedSource?
  private var senders = SenderTable<FeedSource>()
  private var senderCount: UInt64 = 0
  /// Statistics of senders that were removed.
  private var retired = DecoderStatistics()
  private var hasReportedBuffer = false
  private var hasReportedWeekRollover = false

  init(
    number: Int, url: FeedURL, options: Feed.Options, loop: EventLoop, announcer: Announcer,
    log: Logger, decoderOptions: FixDecoder.Options, now: @escaping () -> Instant
  ) throws {
    self.number = number
    self.url = url
    self.loop = loop
    self.announcer = announcer
    self.log = log
    self.decoderOptions = decoderOptions
    self.now = now
    let owner = WeakReference<FeedRunner>()
    var handlers = Feed.Handlers()
    handlers.onOpen = { owner.target?.opened() }
    handlers.onBytes = { owner.target?.took($0) }
    handlers.onDatagram = { owner.target?.tookDatagram($0, from: $1) }
    handlers.onClose = { owner.target?.closed($0, willRetry: $1) }
    handlers.onSilence = { owner.target?.lost($0) }
    handlers.onEnd = { owner.target?.ended() }
    feed = try Feed(url, loop: loop, options: options, handlers: handlers)
    owner.target = self
    if !url.hasDatagrams { stream = try makeSource(nil, sender: 0) }
  }

  /// - Parameter descriptor: what an earlier run had open.
  func start(adopting descriptor: Int32? = nil) { feed.start(adopting: descriptor) }

  func stop() {
    feed.stop()
    for source in sources { source.close() }
  }

  // MARK: - Sources

  /// The source of the stream, or of each known sender.
  var sources: [FeedSource] { stream.map { [$0] } ?? senders.sources }

  /// Sum over all decoders of the feed.
  var statistics: DecoderStatistics {
    var sum = retired
    for source in sources { sum.add(source.decoder.statistics) }
    return sum
  }

  private func makeSource(_ origin: DatagramOrigin?, sender: UInt64) throws -> FeedSource {
    let source = try FeedSource(
      sender: sender, origin: origin, options: decoderOptions,
      isPaced: url.recording?.path == nil, loop: loop, now: url.recording == nil ? now : nil)
    source.onFixes = { [unowned self, unowned source] fixes in
      onFixes(fixes, sender)
      if source.hasCorrectedDates { reportWeekRollover() }
    }
    source.onDevicesRemoved = { [unowned self] devices in
      for device in devices {
        onRemoved(FixOrigin(feed: number, sender: sender, device: device))
      }
    }
    return source
  }

  private func makeSender(_ origin: DatagramOrigin) throws -> FeedSource {
    senderCount += 1
    return try makeSource(origin, sender: senderCount)
  }

  private func retire(_ source: FeedSource) {
    source.close()
    retired.add(source.decoder.statistics)
    onRemoved(FixOrigin(feed: number, sender: source.sender))
  }

  // MARK: - Callbacks of the feed

  private func took(_ bytes: UnsafeRawBufferPointer) {
    guard let stream else { return }
    take(bytes, into: stream, isDatagram: false)
  }

  private func tookDatagram(_ bytes: UnsafeRawBufferPointer, from origin: DatagramOrigin) {
    do {
      let source = try senders.source(
        for: origin, isUseful: { $0.decoder.statistics.fixes > 0 }, make: makeSender,
        drop: retire)
      take(bytes, into: source, isDatagram: true)
    } catch {
      log.error("\(url): what came from \(origin) cannot be read: \(error)")
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, into source: FeedSource, isDatagram: Bool) {
    if source.take(bytes, isDatagram: isDatagram) {
      understood()
    } else {
      notUnderstood(bytes.count)
    }
  }

  private func understood() {
    lastUnderstood = feed.lastArrival
    senseless.bytes = 0
    feed.confirmSpeed()
    guard isLost else { return }
    isLost = false
    lastError = nil
    announcer.write("Feed back: \(url)", .notice, .feedBack, fields: ["GEOREMIND_FEED": "\(url)"])
    onStateChange()
  }

  /// Reports unintelligible data once, after 256 KiB or half a minute: each serial speed was tried.
  private func notUnderstood(_ count: Int) {
    guard url.recording == nil, !isLost else { return }
    let now = feed.lastArrival ?? 0
    if senseless.bytes == 0 { senseless.since = now }
    senseless.bytes += count
    guard senseless.bytes >= 1 << 18 || now - senseless.since >= 30_000_000 else { return }
    lost(
      "\(senseless.bytes) bytes came without a whole sentence or report",
      statistics.missingChecksums > 0
        ? "; where the receiver writes no checksums, add ?checksum=optional"
        : "; see whether speed, port and protocol are right")
  }

  /// Once for each feed: the receiver will say it with every sentence.
  private func reportWeekRollover() {
    guard !hasReportedWeekRollover else { return }
    hasReportedWeekRollover = true
    announcer.write(
      "The receiver at \(url) is off by 1024 weeks or a multiple of it (GPS week rollover); "
        + "its dates "
        + "are corrected by the system's clock", .notice, .weekRollover,
      fields: ["GEOREMIND_FEED": "\(url)"])
  }

  private func opened() {
    onDescriptor(feed.descriptor)
    onStateChange()
    let wanted = Feed.wantedReceiveBuffer
    guard !hasReportedBuffer, let granted = feed.receiveBuffer, granted < wanted else { return }
    hasReportedBuffer = true
    log.info(
      """
      \(url): the system grants a receive buffer of \(granted >> 10) KiB, not \(wanted >> 10); \
      where many senders share the port, raise net.core.rmem_max
      """)
  }

  private func closed(_ reason: String, willRetry: Bool) {
    onDescriptor(nil)
    for source in sources { source.disconnect() }
    lost(reason, willRetry ? "; trying again" : "")
  }

  /// Reports a lost feed once, until valid data comes: a connection alone does not count.
  private func lost(_ reason: String, _ outlook: String = "") {
    lastError = reason
    if !isLost {
      isLost = true
      announcer.write(
        "Feed lost: \(url): \(reason)\(outlook)", .warning, .feedLost,
        fields: ["GEOREMIND_FEED": "\(url)"])
    }
    onStateChange()
  }

  private func ended() {
    for source in sources { source.finish() }
    onStateChange()
    onEnd()
  }
}
