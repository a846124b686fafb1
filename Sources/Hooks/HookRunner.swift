import CivilTime
package import Companion
package import LinuxRuntime

/// Follows the ledger for one hook, and starts its program for one firing after the other.
///
/// The program runs inside the unit of this process: systemd gives it its user, sandbox and limits.
package final class HookRunner {
  private let programs: ChildPrograms
  let session: DaemonSession
  /// Command that shows the output of the program.
  private let journal: String
  let log: (ServiceLog.Level, String) -> Void
  private(set) var hook: Hook
  private let loop: EventLoop
  private let destination: String
  /// Nil while `Events=` wants no firings.
  private var follower: FiringFollower?
  var watch: AlarmWatch
  var alarms = AlarmQueue()
  private(set) var alarmTimer: TimerSource?

  /// One test at a time: everybody may ask for them, and none may take room from a firing.
  private var isTesting = false

  /// - Parameters:
  ///   - destination: name of the row in the daemon.
  ///   - journal: command that shows the output of the program.
  package init(
    _ hook: Hook, destination: String, programs: ChildPrograms, loop: EventLoop,
    session: DaemonSession, journal: String, log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.hook = hook
    self.destination = destination
    self.loop = loop
    self.session = session
    self.journal = journal
    self.log = log
    self.programs = programs
    watch = AlarmWatch(events: hook.settings.events)
    alarmTimer = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in
      runAlarms()
    }
  }

  var now: Int64 { SystemClock.monotonic.microseconds }

  var realTime: Instant { Instant(microseconds: SystemClock.now()) }

  package func stop() {
    follower?.stop()
    session.stop()
    programs.stop()
  }

  package func start() throws(SystemError) {
    session.report(to: log)
    try follow()
    session.start()
  }

  /// New settings, for the firings to come.
  package func change(to new: Hook) throws(SystemError) {
    if new.settings.events != hook.settings.events {
      watch = AlarmWatch(events: new.settings.events)
    }
    hook = new
    try follow()
  }

  private func follow() throws(SystemError) {
    for error in hook.settings.errors { log(.error, "Left out: \(error)") }
    if !hook.settings.events.contains(.firing) {
      follower?.stop()
      follower = nil
    } else if follower == nil {
      follower = try makeFollower()
      follower?.start()
    }
    follower?.giveUpAfter = hook.settings.giveUpAfter
    follower?.addressee = .own(
      hook.name, isExclusive: hook.settings.addressed.contains(hook.name))
    watchAlarms()
  }

  private func makeFollower() throws(SystemError) -> FiringFollower {
    let follower = try FiringFollower(session: session, loop: loop, name: destination)
    follower.readsTogether = true
    follower.onFiring = { [unowned self] in run($0, done: $2) }
    follower.onReport = { [unowned self] in report($0) }
    follower.onRefusal = { [unowned self] in
      log(.error, "The daemon refuses destination \(destination), trying again: \($0)")
    }
    return follower
  }

  /// Starts the program, and calls `done` with its outcome.
  func run(_ firing: FiringNotice, done: @escaping FiringFollower.Done) {
    guard !firing.isTest || !isTesting else { return done(.failed("a test runs already")) }
    if firing.isTest { isTesting = true }
    let call = HookCall(firing)
    do throws(SystemError) {
      try programs.start(
        hook.program, environment: call.environment(of: Environment.all), input: call.input,
        limit: hook.settings.timeout.microseconds
      ) { [unowned self] in
        if firing.isTest { isTesting = false }
        done(Self.outcome(of: $0))
      }
    } catch {
      if firing.isTest { isTesting = false }
      done(.failed("\(error)"))
    }
  }

  static func outcome(of ending: ChildPrograms.Ending) -> Delivery.Outcome {
    switch ending {
    case .ended(.exited(0)): .delivered
    case .ended(.exited(ExitStatus.badData.rawValue)): .refused("it exited with 65")
    case .ended(.exited(let code)): .failed("it exited with \(code)")
    case .ended(.signalled(let signal)): .failed("it was ended by signal \(signal)")
    case .tookTooLong: .failed("it took too long and was ended")
    }
  }

  private func report(_ report: Delivery.Report) {
    switch report {
    case .failing(let firing, let reason, let delay):
      log(
        .error,
        "Hook \(hook.program) failed for '\(firing.title)': \(reason). It is tried again in "
          + "\(TimeSpan(seconds: Double(delay / 100_000) / 10)), and then less often; see "
          + "'georemind delivery' and '\(journal)'")
    case .gaveUp(let firing, let reason):
      log(
        .error,
        "Hook \(hook.program) is given up for '\(firing.title)': \(reason); see '\(journal)'")
    case .passedOver: break
    }
  }
}
