import CivilTime
package import Companion
package import LinuxRuntime

/// Starts the hooks of each firing as units of systemd.
///
/// systemd gives each its own limits, sandbox, log and time-out, and ends its remaining processes.
package final class HookRunner {
  private static let manager = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"
  private static let interface = "org.freedesktop.systemd1.Manager"

  private let bus: Bus
  private let follower: FiringFollower
  private let isSystem: Bool
  private let log: (ServiceLog.Level, String) -> Void
  private var settings: HookSettings
  private var queue: HookQueue
  private var timer: TimerSource?

  /// Beyond the time that a hook may take, for systemd to end it and to say so; microseconds.
  private static let grace: Int64 = 120_000_000

  /// - Parameter isSystem: the hooks are the machine's and not one user's.
  package init(
    loop: EventLoop, bus: Bus, follower: FiringFollower, settings: HookSettings, isSystem: Bool,
    log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.bus = bus
    self.follower = follower
    self.settings = settings
    self.isSystem = isSystem
    self.log = log
    queue = HookQueue(maximumParallel: settings.maximumParallel)
    timer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      perform(queue.giveUp(at: now, after: longestRun))
    }
  }

  private var now: Int64 { SystemClock.monotonic.microseconds }

  /// The longest that a hook's place is held, microseconds.
  private var longestRun: Int64 { settings.timeout.microseconds + Self.grace }

  package func start() throws(SystemError) {
    follower.onFiring = { [unowned self] firing, _ in
      perform(queue.add(firing, programs: usablePrograms(), at: now))
    }
    follower.onPassedOver = { [unowned self] count in
      log(.warning, "\(count) firings were missed long ago: no hook is started for them")
    }
    follower.onConnection = { [unowned self] in log(.info, "Connected to the daemon") }
    follower.onLoss = { [unowned self] reason in
      log(.warning, "No connection to the daemon, trying again: \(reason)")
    }
    // The caller of StartTransientUnit receives JobRemoved without Subscribe.
    try bus.match(
      "type='signal',path='\(Self.path)',interface='\(Self.interface)',member='JobRemoved'"
    ) { [unowned self] signal in
      guard signal.arguments.count == 4, let unit = signal.arguments[2].string,
        let result = signal.arguments[3].string, let begin = queue.begin(of: unit)
      else { return }
      // For a timeout systemd reports `failed`, and the unit with the reason is removed.
      let isOverdue = now - begin >= self.settings.timeout.microseconds
      perform(
        queue.ended(
          unit, result: result == "failed" && isOverdue ? "timeout" : result, at: now))
    }
    sayWhatIsSet()
    follower.start()
  }

  /// New settings, for the firings to come.
  package func change(to settings: HookSettings) {
    self.settings = settings
    queue.maximumParallel = settings.maximumParallel
    sayWhatIsSet()
  }

  private func sayWhatIsSet() {
    for error in settings.errors { log(.error, "Left out: \(error)") }
    if settings.programs.isEmpty {
      log(.notice, "No hook is set; name one with Exec= in section [Hook] of georemind.conf")
    }
    _ = usablePrograms()
  }

  /// Checked each time: a file's owner may change.
  private func usablePrograms() -> [String] {
    settings.programs.filter { program in
      guard let objection = HookSettings.objection(to: program, needsRoot: isSystem) else {
        return true
      }
      log(.error, "A hook is not started: \(objection)")
      return false
    }
  }

  private func perform(_ answer: (starts: [HookQueue.Start], words: [HookQueue.Word])) {
    for word in answer.words { say(word) }
    for start in answer.starts { self.start(start) }
    if let end = queue.giveUp(after: longestRun) { timer?.arm(at: end) } else { timer?.disarm() }
  }

  private func start(_ start: HookQueue.Start) {
    let arguments: [BusValue] = [
      .string(start.unit), .string("fail"),
      .array(of: "(sv)", start.call.properties(settings, isSystem: isSystem)),
      .array(of: "(sa(sv))", []),
    ]
    func failed(_ reason: String) {
      perform(queue.ended(start.unit, result: reason, at: now))
    }
    do throws(SystemError) {
      try bus.call(Self.manager, Self.path, Self.interface, "StartTransientUnit", arguments) {
        if case .failure(let error) = $0 { failed("\(error)") }
      }
    } catch {
      failed("\(error)")
    }
  }

  private func say(_ word: HookQueue.Word) {
    switch word {
    case .dropped(let title):
      log(
        .error,
        "Too many hooks wait: none is started for '\(title)'; raise MaximumParallel= or "
          + "lower TimeoutSec= in section [Hook]")
    case .failed(let call, let unit, let result):
      let how =
        switch result {
        case "failed": "failed"
        case "timeout": "took longer than \(settings.timeout) and was ended"
        case HookQueue.lost: "has an unknown result: systemd did not report its end"
        default: "could not be started: \(result)"
        }
      log(
        .error,
        "Hook \(call.program) \(how) for '\(call.firing.title)'; see 'journalctl "
          + "\(isSystem ? "" : "--user ")-u \(unit)'")
    }
  }
}
