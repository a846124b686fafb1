import Companion
import LinuxRuntime

/// Hooks of `Events=` that are no firings.
extension HookRunner {
  /// Follows the daemon's status, if an event is wanted that shows in it.
  func watchAlarms() {
    guard settings.events != [.firing] else { return session.watchStatus(nil) }
    session.watchStatus { [unowned self] status in
      for notice in watch.take(status, at: realTime) {
        for destination in destinations {
          let call = HookCall(
            program: destination.program, destination: destination.name, firing: notice)
          let evicted = alarms.add(notice, to: destination, unit: call.unit, at: now)
          if let evicted { drop(evicted) }
        }
      }
      runAlarms()
    }
  }

  func runAlarms() {
    for (unit, alarm) in alarms.next(at: now) {
      run(alarm.destination, alarm.notice, isAlarm: true) { [unowned self] outcome in
        let reason = alarms.ended(
          unit, outcome, at: now, giveUpAfter: settings.giveUpAfter, random: .random(in: 0..<1))
        if let reason {
          log(
            .error,
            "Hook \(alarm.destination.program) is given up for '\(alarm.notice.title)': \(reason)")
        }
        runAlarms()
      }
    }
    if let due = alarms.nextDue { alarmTimer?.arm(at: due) } else { alarmTimer?.disarm() }
  }
}
