import CivilTime
import LinuxRuntime
import Logging
import Positioning
import Reminders
import Storage

/// The daemon's timers.
extension Daemon {
  func addTimers() throws {
    deadlineTimer = try loop.addTimer(.realTime, accuracy: 1_000) { [unowned self] _ in
      if let now = clock.live { host.advance(to: now) }
    }
    retryTimer = try loop.addTimer(.monotonic, accuracy: 250_000) { [unowned self] _ in
      retry()
      updateStatusSoon()
    }
    markTimer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      outbox.writeMarks()
    }
    quietTimer = try loop.addTimer(.bootTime, accuracy: 1_000_000) { [unowned self] _ in
      quietChanged()
    }
    statusTimer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      services.status(
        statusLine, of: statusLine(withFix: false), at: SystemClock.monotonic.microseconds)
    }
    clockSteps = try ClockStepSource(loop: loop) { [unowned self] in clockStepped() }
    if let interval = services.watchdogInterval { try addWatchdog(every: interval) }
    dailyTimer = try loop.addTimer(.bootTime, accuracy: 600_000_000) { [unowned self] _ in
      workDaily()
    }
    pruneTimer = try loop.addTimer(.monotonic, accuracy: 1_000) { [unowned self] _ in prune() }
    pruneTimer?.setPriority(.background)
    checkTimer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      checkNextTable()
    }
    checkTimer?.setPriority(.background)
    dailyTimer?.arm(in: Self.clockProbation)
  }

  /// How long the clock must go on without a step, in microseconds, before the age of firings
  /// counts: a clock that is years ahead for some minutes must not empty the ledger.
  static let clockProbation: Int64 = 3_600_000_000

  func workDaily() {
    shortenLedger()
    beginCheck()
  }

  // MARK: - The weekly check of the store

  /// Begins the check if the last one is a week old: a table every few seconds.
  func beginCheck() {
    guard let now = clock.live, host.engine.isClockTrusted,
      (try? IntegrityCheck(store).isDue(at: now)) == true
    else { return }
    uncheckedTables = IntegrityCheck.tables
    checkTimer?.arm(in: 0)
  }

  func checkNextTable() {
    guard let table = uncheckedTables.popLast() else { return }
    do {
      if let fault = try IntegrityCheck(store).check(table) {
        announcer.write(
          fault.isRepaired
            ? "An index of the store did not match its table, and was rebuilt: \(fault.text)"
            : "The store is damaged: \(fault.text). A restart recovers what can be read", .error,
          .storeFailure)
      }
      if !uncheckedTables.isEmpty {
        checkTimer?.arm(in: 5_000_000)
      } else if let now = clock.live {
        try IntegrityCheck(store).note(at: now)
      }
    } catch {
      log.error("Cannot check the store: \(error)")
    }
  }

  /// Delivers once the journal has room, or in a second; a wait for room goes on without another.
  func waitForJournal(_ room: Descriptor?) {
    retryTimer?.arm(in: 1_000_000)
    guard let room else { return }
    endWaitForJournal()
    guard
      let source = try? loop.addIO(
        room.raw, .writable, priority: .background,
        handler: { [unowned self] _ in
          endWaitForJournal()
          outbox.deliver()
        })
    else { return }
    journalRoom = (source, room)
  }

  private func endWaitForJournal() {
    // Before its descriptor: the journal's own socket is the same open file, so epoll keeps it.
    journalRoom?.source.close()
    journalRoom = nil
  }

  /// Tries again what the store or the journal refused.
  func retry() {
    host.retry()
    if isLoadRefused, let now = clock.now { loadReminders(at: now) }
    outbox.deliver()
  }

  /// The time of the loop is system time only where no recording is played.
  func armDeadline() {
    guard clock.isLive else { return }
    // The work that an earlier turn left shares the turns with clients.
    deadlineTimer?.setPriority(host.isBehind ? .background : .normal)
    if let deadline = host.nextDeadline {
      deadlineTimer?.arm(at: max(0, deadline.microseconds))
    } else {
      deadlineTimer?.disarm()
    }
    time?.armAlarm()
  }

  private func clockStepped() {
    guard let now = clock.live else { return }
    defer { time?.check() }
    for tracker in host.all { tracker.selection.clockStepped(to: now) }
    let offset = ClockOffset.current
    guard offset.differs(from: clockOffset) else { return host.handle(.resumed, at: now) }
    clockOffset = offset
    announcer.write(
      "The system's clock was set; it is now \(now.rfc3339()), and every timer follows it",
      .notice, .clockStepped)
    dailyTimer?.arm(in: Self.clockProbation)
    host.handle(.clockSet, at: now)
    quietChanged()
    if isLoaded { host.keep(clockOffset) }
  }

  /// Feeds systemd's watchdog twice as often as asked, and only while the parts are seen to work.
  private func addWatchdog(every interval: Int64) throws {
    var timer: TimerSource?
    timer = try loop.addTimer(.monotonic, accuracy: interval / 8) { [unowned self] _ in
      timer?.arm(in: interval / 2)
      if let fault = selfCheck.fault(of: self) {
        log.critical("Self-check failed: \(fault)")
        services.triggerWatchdog()
      } else {
        services.watchdog()
      }
    }
    timer?.arm(in: interval / 2)
    if let timer { sources.append(timer) }
    services.watchdog()
  }
}
