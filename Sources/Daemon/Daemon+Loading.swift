import CivilTime
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Loading the reminders of the store and of the configuration.
extension Daemon {
  /// Puts the store's reminders into the engine, once the time is known.
  func loadReminders(at now: Instant) {
    guard !isLoaded else { return }
    do {
      try host.remember(host.own, at: now)
      let kept = ClockOffset(of: store)
      let wasClockSet = kept.map { clockOffset.wasSet(since: $0) } ?? false
      host.changeEngine { $0.settings.wasClockSet = wasClockSet }
      var reported = SystemClock.monotonic.microseconds
      let problems = try host.load(at: now) {
        let time = SystemClock.monotonic.microseconds
        guard time - reported > 1_000_000 else { return }
        reported = time
        // A large store on a slow machine: systemd waits as long as it goes on.
        services.extendTimeout(by: 60_000_000)
        services.watchdog()
      }
      report(problems)
      for zone in host.unknownZones { log.warning("The zone \(zone)") }
      isLoaded = true
      if kept?.boot != clockOffset.boot || wasClockSet { host.keep(clockOffset) }
      if isLoadRefused { log.notice("The store works again; its reminders are loaded") }
      isLoadRefused = false
    } catch {
      if !isLoadRefused { announcer.announceStoreFailure("\(error)") }
      isLoadRefused = true
      retryTimer?.arm(in: 5_000_000)
    }
  }

  /// Says once which rows are left out, and where their text is.
  private func report(_ problems: [RowProblem]) {
    unreadable = problems
    guard !problems.isEmpty else { return }
    let isOne = problems.count == 1
    var text =
      "The store has \(problems.count) reminder\(isOne ? "" : "s") that cannot be read; "
      + "\(isOne ? "it does" : "they do") not fire: "
    text += problems.prefix(5).map { "row \($0.row) (\($0.reason))" }.joined(separator: ", ")
    if problems.count > 5 { text += " and others" }
    text += ". \(isOne ? "Its" : "Their") text "
    do {
      try store.salvage(problems)
      text += "is in \(store.salvagePath)"
    } catch {
      text += "cannot be written: \(error)"
    }
    announcer.write(text, .error, .storeFailure)
  }

  /// Reminders that come with the configuration: new ones are added, changed ones changed, by id.
  func loadReminderFiles() {
    reminderFileProblems = []
    for path in settings.reminderFiles {
      do {
        let (count, leftOut) = try ReminderFiles.merge(path, into: self)
        reminderFileProblems += leftOut
        if count > 0 { log.info("\(path): \(count) reminders added or changed") }
      } catch {
        reminderFileProblems.append("\(error)")
        log.error("\(error)")
      }
    }
  }
}
