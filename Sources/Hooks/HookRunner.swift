import CivilTime
package import Companion
package import LinuxRuntime

/// Starts the hooks of each firing as units of systemd, each destination's one after the other.
///
/// systemd gives each its own limits, sandbox, log and time-out, and ends its remaining processes.
package final class HookRunner {
  private let loop: EventLoop
  private let units: HookUnits
  let session: DaemonSession
  private let isSystem: Bool
  private let user: UInt32
  let log: (ServiceLog.Level, String) -> Void
  private(set) var settings: HookSettings
  private var queue: HookQueue
  private(set) var destinations: [HookSettings.Destination] = []
  private var followers: [HookSettings.Destination: FiringFollower] = [:]
  /// To be called with the outcome of the unit of that name.
  private var unfinished: [String: FiringFollower.Done] = [:]
  private var timer: TimerSource?
  var watch: AlarmWatch
  var alarms = AlarmQueue()
  private(set) var alarmTimer: TimerSource?

  /// Beyond the time that a hook may take, for systemd to end it and to say so; microseconds.
  private static let grace: Int64 = 120_000_000

  /// - Parameters:
  ///   - isSystem: the hooks are the machine's and not one user's.
  ///   - user: whose hooks they are; part of the names of destinations.
  package init(
    loop: EventLoop, bus: Bus, session: DaemonSession, settings: HookSettings, isSystem: Bool,
    user: UInt32, log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.session = session
    self.settings = settings
    self.isSystem = isSystem
    self.user = user
    self.log = log
    units = HookUnits(bus: bus)
    queue = HookQueue(maximumParallel: settings.maximumParallel)
    watch = AlarmWatch(events: settings.events)
    alarmTimer = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in
      runAlarms()
    }
    timer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      for call in queue.giveUp(at: now, after: longestRun) {
        finish(call, .failed("systemd does not report its end"))
      }
      startNext()
    }
  }

  var now: Int64 { SystemClock.monotonic.microseconds }

  var realTime: Instant { Instant(microseconds: SystemClock.now()) }

  /// The longest that a hook's place is held, microseconds.
  private var longestRun: Int64 { settings.timeout.microseconds + Self.grace }

  package func start() throws(SystemError) {
    session.report(to: log)
    units.onEnd = { [unowned self] unit, result in ended(unit, result: result) }
    try units.start()
    try follow()
    watchAlarms()
    session.start()
  }

  /// New settings, for the firings to come.
  package func change(to settings: HookSettings) throws(SystemError) {
    if settings.events != self.settings.events { watch = AlarmWatch(events: settings.events) }
    self.settings = settings
    queue.maximumParallel = settings.maximumParallel
    try follow()
    watchAlarms()
    startNext()
  }

  /// A follower for each destination of the settings that takes firings, and for no other.
  private func follow() throws(SystemError) {
    for error in settings.errors { log(.error, "Left out: \(error)") }
    destinations = settings.destinations(ofUser: isSystem ? nil : user)
    let takesFirings = settings.events.contains(.firing)
    for (destination, follower) in followers
    where !takesFirings || !destinations.contains(destination) {
      follower.stop()
      followers[destination] = nil
    }
    for destination in destinations {
      if let objection = objection(to: destination.program) {
        log(.error, "A hook cannot be started: \(objection)")
      }
      followers[destination]?.giveUpAfter = settings.giveUpAfter
      guard takesFirings, followers[destination] == nil else { continue }
      let follower = try FiringFollower(
        session: session, loop: loop, name: destination.name,
        giveUpAfter: settings.giveUpAfter)
      follower.onFiring = { [unowned self] in run(destination, $0, done: $2) }
      follower.onReport = { [unowned self] in report($0, of: destination) }
      follower.onRefusal = { [unowned self] in
        log(.error, "The daemon refuses destination \(destination.name), trying again: \($0)")
      }
      followers[destination] = follower
      follower.start()
    }
    if destinations.isEmpty {
      log(.notice, "No hook is set; name one with Exec= in section [Hook] of georemind.conf")
    }
  }

  private func objection(to program: String) -> String? {
    HookSettings.objection(to: program, needsRoot: isSystem)
  }

  // MARK: - One hook

  /// The program is checked each time: a file's owner may change.
  func run(
    _ destination: HookSettings.Destination, _ firing: FiringNotice, isAlarm: Bool = false,
    done: @escaping FiringFollower.Done
  ) {
    if let objection = objection(to: destination.program) { return done(.failed(objection)) }
    let call = HookCall(
      program: destination.program, destination: destination.name, firing: firing)
    unfinished[call.unit] = done
    queue.add(call, isAlarm: isAlarm)
    startNext()
  }

  /// An alarm gives way to a newer one; if it runs, it runs to its end.
  func drop(_ unit: String) {
    if queue.dropAlarm(unit) { unfinished[unit] = nil }
  }

  private func startNext() {
    for call in queue.next(at: now) { start(call) }
    if let end = queue.giveUp(after: longestRun) { timer?.arm(at: end) } else { timer?.disarm() }
  }

  private func start(_ call: HookCall) {
    units.start(call.unit, call.properties(settings, isSystem: isSystem)) { [unowned self] error in
      switch error {
      case nil: break
      case .exists:
        units.isRunning(call.unit) { [unowned self] isRunning in
          if !isRunning { readOutcome(call.unit) }
        }
      case .other(let reason): end(call.unit, .failed("it could not be started: \(reason)"))
      }
    }
  }

  private func ended(_ unit: String, result: String) {
    guard queue.begin(of: unit) != nil else { return }
    if result == "done" { end(unit, .delivered) } else { readOutcome(unit) }
  }

  private func readOutcome(_ unit: String) {
    units.outcome(of: unit) { [unowned self] in end(unit, $0) }
  }

  private func end(_ unit: String, _ outcome: Delivery.Outcome) {
    guard let call = queue.end(unit) else { return }
    finish(call, outcome)
    startNext()
  }

  private func finish(_ call: HookCall, _ outcome: Delivery.Outcome) {
    unfinished.removeValue(forKey: call.unit)?(outcome)
  }

  // MARK: - The log

  private func report(_ report: Delivery.Report, of destination: HookSettings.Destination) {
    func unit(_ firing: FiringNotice) -> String {
      let call = HookCall(
        program: destination.program, destination: destination.name, firing: firing)
      return "'journalctl \(isSystem ? "" : "--user ")-u \(call.unit)'"
    }
    switch report {
    case .failing(let firing, let reason, let delay):
      log(
        .error,
        "Hook \(destination.program) failed for '\(firing.title)': \(reason). It is tried again in "
          + "\(TimeSpan(seconds: Double(delay / 100_000) / 10)), and then less often; see "
          + "'georemind delivery' and \(unit(firing))")
    case .gaveUp(let firing, let reason):
      log(
        .error,
        "Hook \(destination.program) is given up for '\(firing.title)': \(reason); see "
          + unit(firing))
    case .passedOver: break
    }
  }
}
