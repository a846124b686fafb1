import Companion
import LinuxRuntime

/// Events of `Events=` that are no firings.
extension HookRunner {
  /// Follows the daemon's status, if an event is wanted that shows in it.
  func watchAlarms() {
    guard hook.settings.events != [.firing] else { return session.watchStatus(nil) }
    session.watchStatus { [unowned self] status in
      for notice in watch.take(status, at: realTime) { alarms.add(notice, at: now) }
      runAlarms()
    }
  }

  func runAlarms() {
    for notice in alarms.next(at: now) {
      run(notice) { [unowned self] outcome in
        let reason = alarms.ended(
          notice.id, outcome, at: now, giveUpAfter: hook.settings.giveUpAfter,
          random: .random(in: 0..<1))
        if let reason {
          log(.error, "Hook \(hook.program) is given up for '\(notice.title)': \(reason)")
        }
        alarmTimer?.arm(in: 0)
      }
    }
    if let due = alarms.nextDue { alarmTimer?.arm(at: due) } else { alarmTimer?.disarm() }
  }
}
