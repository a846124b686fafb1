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
    let now = Instant(microseconds: SystemClock.now())
    options.referenceTime = url.recording?.date ?? now
    options.correctsWeekRollover = url.recording == nil
    let number = nextFeedNumber
    nextFeedNumber += 1
    let runner = try FeedRunner(
      number: number, url: url, options: settings.feedOptions, loop: loop, announcer: announcer,
      log: log, decoderOptions: options)
    runner.onStateChange = { [unowned self] in updateStatusSoon() }
    feeds.append(runner)
    if let recording = url.recording {
      let player = try Player(feed: runner, rate: recording.rate, host: host, loop: loop)
      player.onBegin = { [unowned self] start in begin(recordingAt: start) }
      player.onFix = { [unowned self] fix in
        take(fix, from: FixOrigin(feed: number, device: fix.device))
      }
      player.onEnd = { [unowned self] in recordingEnded(url) }
      self.player = player
    } else {
      runner.onFixes = { [unowned self] fixes, sender in
        for fix in fixes {
          take(fix, from: FixOrigin(feed: number, sender: sender, device: fix.device))
        }
      }
      runner.onRemoved = { [unowned self] in arbiter.forget($0) }
      runner.onEnd = { [unowned self] in
        announcer.write("Feed ended: \(url)", .notice, .feedEnded)
        updateStatusSoon()
      }
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
    arbiter.forget(feed: runner.number)
    receivers.forget(feed: runner.number)
    feeds.removeAll { $0 === runner }
  }

  private func take(_ fix: Fix, from origin: FixOrigin) {
    let arrival = clock.isLive ? clock.now : fix.time
    receivers.count(origin, at: SystemClock.bootTime.microseconds)
    guard host.engine.accepts(fix.source), let arrival,
      arbiter.accepts(fix, from: origin, at: arrival)
    else { return }
    time?.take(fix, at: arrival)
    host.take(fix, from: origin)
    updateStatusSoon()
  }

  /// The feed whose receiver is followed.
  var followedFeed: FeedURL? {
    arbiter.followed.flatMap { origin in feeds.first { $0.number == origin.feed }?.url }
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
    guard stat(path, &status) == 0 else { return nil }
    return Instant(seconds: Double(status.st_mtim.tv_sec))
  }
}
