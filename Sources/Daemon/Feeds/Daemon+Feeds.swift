import CivilTime
import Feeds
import Glibc
import LinuxRuntime
import Logging
import Positioning
import Reminders

/// The feeds of the settings, and the way of their fixes to the engine.
extension Daemon {
  /// Removes feeds that are not in the settings, adds new ones and leaves the others alone.
  func useFeeds(of settings: DaemonSettings) throws {
    for feed in feeds where !settings.feeds.contains(feed.url) { remove(feed) }
    for feed in feeds { feed.feed.setSilenceTimeout(settings.feedOptions.silenceTimeout) }
    for url in settings.feeds where !feeds.contains(where: { $0.url == url }) {
      if url.recording != nil {
        log.warning("\(url): a recording is only played when given at the start; restart for it")
      } else if !clock.isLive {
        log.warning("\(url): the time is the recording's; restart the daemon to follow this feed")
      } else {
        try addFeed(url)
      }
    }
  }

  func addFeed(_ url: FeedURL) throws {
    var options = FixDecoder.Options()
    options.referenceTime = url.recording?.date ?? clock.ofSystem
    options.correctsWeekRollover = url.recording == nil
    options.acceptsMissingChecksum = url.acceptsMissingChecksum
    let number = nextFeedNumber
    nextFeedNumber += 1
    let runner = try FeedRunner(
      number: number, url: url, options: settings.feedOptions, loop: loop, announcer: announcer,
      log: log, decoderOptions: options, now: { [clock] in clock.ofSystem })
    runner.onStateChange = { [unowned self] in updateStatusSoon() }
    feeds.append(runner)
    if let recording = url.recording {
      let player = try Player(feed: runner, rate: recording.rate, host: host, loop: loop)
      player.onBegin = { [unowned self] start in begin(recordingAt: start) }
      player.onFix = { [unowned self, unowned runner] in take($0, of: runner, sender: $1) }
      player.onEnd = { [unowned self] in recordingEnded(url) }
      self.player = player
    } else {
      runner.onFixes = { [unowned self, unowned runner] fixes, sender in
        for fix in fixes { take(fix, of: runner, sender: sender) }
      }
      runner.onEnd = { [unowned self] in
        announcer.write("Feed ended: \(url)", .notice, .feedEnded)
        updateStatusSoon()
      }
    }
    runner.onRemoved = { [unowned self] origin in
      for tracker in host.all { tracker.selection.forget(origin) }
    }
    if let name = url.storeName {
      runner.onDescriptor = { [unowned self] in services.keep($0, as: name) }
      runner.start(adopting: handedOver.removeValue(forKey: name))
    } else {
      runner.start()
    }
  }

  /// Takes over wanted feeds from the last run, and frees the lines of the others.
  func takeOver(_ passed: [ServiceManager.PassedSocket]) {
    let wanted = Set(settings.feeds.compactMap(\.storeName))
    for socket in passed {
      if wanted.contains(socket.name), handedOver[socket.name] == nil {
        handedOver[socket.name] = socket.descriptor
      } else {
        close(socket.descriptor)
        services.keep(nil, as: socket.name)
      }
    }
  }

  private func remove(_ runner: FeedRunner) {
    runner.stop()
    if let name = runner.url.storeName { services.keep(nil, as: name) }
    if runner.url.recording != nil {
      // Fixes that wait for their time are dropped.
      player?.stop()
      player = nil
    }
    for tracker in host.all { tracker.selection.forget(feed: runner.number) }
    receivers.forget(feed: runner.number)
    feeds.removeAll { $0 === runner }
  }

  private func take(_ fix: Fix, of feed: FeedRunner, sender: UInt64) {
    let origin = FixOrigin(feed: feed.number, sender: sender, device: fix.device)
    guard let arrival = clock.isLive ? clock.now : fix.time else { return }
    let tracker = tracker(of: fix, on: feed)
    guard isCurrent(fix, of: feed) else { return host.hear(tracker) }
    receivers.count(
      origin, of: fix.carrier, isAccepted: host.engine.settings.accept(fix.source),
      at: SystemClock.bootTime.microseconds)
    guard tracker.selection.accepts(fix, from: origin, at: arrival, host.engine.settings) else {
      return
    }
    time?.take(fix, at: arrival)
    if tracker === host.own { followStay(fix, at: arrival) }
    host.take(fix, from: origin, of: tracker)
    updateStatusSoon()
  }

  /// Whether a fix is of the present, or of the present of a recording.
  ///
  /// A clock that nobody has checked proves nothing about a fix. A clock chip drifts by minutes a
  /// year.
  private func isCurrent(_ fix: Fix, of feed: FeedRunner) -> Bool {
    guard let time = fix.time, let now = clock.now,
      !clock.isLive || host.engine.isClockTrusted
    else { return true }
    var behind = feed.url.maximumFixAge ?? settings.maximumFixAge
    // A feed that comes late explains no fix of the future: all right ones after it would be old.
    var ahead = min(behind, settings.maximumFixAge)
    if self.time?.trust.ground == .clockChip {
      (behind, ahead) = (max(behind, Self.drift), max(ahead, Self.drift))
    }
    // A recording may leap ahead.
    guard now - time > behind || clock.isLive && time - now > ahead else { return true }
    if feed.age.drop(by: now - time, at: SystemClock.bootTime.microseconds) {
      announcer.announceDroppedFixes(by: now - time, of: feed.url)
    }
    return false
  }

  /// How far a clock that only its chip has set may be off.
  private static let drift = TimeSpan.minutes(10)

  /// The feed whose receiver is followed.
  var followedFeed: FeedURL? {
    host.own.selection.followed.flatMap { origin in feeds.first { $0.number == origin.feed }?.url }
  }

  private func begin(recordingAt start: Instant) {
    clock.advance(to: start)
    readCalendars()
    loadReminders(at: start)
  }

  private func recordingEnded(_ url: FeedURL) {
    announcer.write("Feed ended: \(url)", .notice, .feedEnded)
    services.status(statusLine)
  }
}

extension FeedURL.Recording {
  /// The day of a recording that does not say it: when the file was last written.
  fileprivate var date: Instant? {
    var status = stat()
    guard let path, stat(path, &status) == 0 else { return nil }
    return Instant(seconds: Double(status.st_mtim.tv_sec))
  }
}
