import CivilTime
import Glibc
import LinuxRuntime
import Logging
import Positioning
import Reminders

/// The daemon's timekeeping beside its timers: clock trust, time zone and wake-up for a date.
final class TimeKeeper {
  private unowned let daemon: Daemon
  private(set) var trust: ClockTrust
  private let query: SynchronisationQuery
  private var trustTimer: TimerSource?
  private var zoneTimer: TimerSource?
  private var watches: [PathWatch] = []
  private var synchronisation: PathWatch?
  private var alarm: TimerSource?
  private var isWakingRefused = false

  /// The interval of checks while the clock is not trusted, in microseconds.
  private static let checkInterval: Int64 = 10_000_000
  /// A zone is changed in several steps, of which the last one counts.
  private static let zoneDelay: Int64 = 200_000

  init(daemon: Daemon, trust: ClockTrust) throws {
    self.daemon = daemon
    self.trust = trust
    query = SynchronisationQuery(loop: daemon.loop)
    trustTimer = try daemon.loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      check()
    }
    zoneTimer = try daemon.loop.addTimer(.monotonic, accuracy: 50_000) { [unowned self] _ in
      readZone()
    }
    watchZone()
    useWaking()
  }

  /// Called before reminders are loaded, so that none fires by a wrong clock.
  func begin() {
    guard let now = daemon.clock.now else { return }
    if trust.evaluate(at: now) {
      reportTrust(isNews: false)
      return
    }
    daemon.host.handle(.clockTrust(false), at: now)
    daemon.announcer.write(
      "The clock is not trusted yet, it says \(now.rfc3339(zone: daemon.host.engine.zone)): "
        + "dates wait until it is synchronized or three fixes in a row agree with it "
        + "(Trust= in [Clock])",
      .warning, .clockNotTrusted)
    synchronisation = PathWatch(
      ClockSynchronisation.timesyncFile, for: .replacement, loop: daemon.loop
    ) { [unowned self] in check() }
    check()
  }

  /// The configuration was read again.
  func reload() {
    trust.demand = daemon.settings.clockTrust
    if !daemon.host.engine.isClockTrusted { check() }
    useWaking()
    watchZone()
  }

  // MARK: - Trust

  /// Checks whether the clock is trusted; if not, checks again later.
  func check() {
    guard !daemon.host.engine.isClockTrusted, let now = daemon.clock.now else { return }
    if trust.evaluate(at: now) { return reportTrust(isNews: true) }
    trustTimer?.arm(in: Self.checkInterval)
    query.ask { [unowned self] isSynchronized in
      if trust.hear(isSynchronized: isSynchronized) { reportTrust(isNews: true) }
    }
  }

  func take(_ fix: Fix, at arrival: Instant) {
    guard trust.ground == nil else { return }
    if trust.take(fix, at: arrival) { reportTrust(isNews: true) }
  }

  private func reportTrust(isNews: Bool) {
    guard let ground = trust.ground, let now = daemon.clock.now else { return }
    guard isNews else { return daemon.log.info("The clock is trusted: \(ground.words)") }
    trustTimer?.disarm()
    synchronisation = nil
    daemon.announcer.write(
      "The clock is trusted now: \(ground.words); it is "
        + "\(now.rfc3339(zone: daemon.host.engine.zone))",
      .notice, .clockTrusted)
    daemon.host.handle(.clockTrust(true), at: now)
  }

  // MARK: - Zone

  /// Watches the file that says the zone, the link as well as what it leads to.
  private func watchZone() {
    let path = daemon.settings.zonePath
    let target = PathWatch.target(of: path)
    watches = Set([path, target].compactMap { $0 }).sorted().map { path in
      PathWatch(path, for: .replacement, loop: daemon.loop) { [unowned self] in
        zoneTimer?.arm(in: Self.zoneDelay)
      }
    }
  }

  private func readZone() {
    watchZone()
    guard let now = daemon.clock.now else { return }
    let zone: TimeZoneRules
    do {
      zone = try daemon.settings.readZone()
    } catch {
      daemon.log.warning("The time zone stays \(daemon.host.engine.zone.name): \(error)")
      return
    }
    let old = daemon.host.engine.zone
    guard zone != old else { return }
    let words = zone.name == old.name ? "has new rules" : "was \(old.name)"
    daemon.announcer.write(
      "The time zone is \(zone.name) now, it \(words); times without a zone follow it",
      .notice, .zoneChanged)
    daemon.host.handle(.zone(zone), at: now)
  }

  // MARK: - Waking

  private func useWaking() {
    guard daemon.settings.wakesFromSuspend else {
      alarm?.close()
      alarm = nil
      return
    }
    guard alarm == nil, !isWakingRefused else { return }
    do {
      alarm = try daemon.loop.addTimer(.realTimeAlarm) { [unowned daemon] _ in
        if let now = daemon.clock.now { daemon.host.advance(to: now) }
      }
    } catch {
      isWakingRefused = true
      daemon.log.info(
        """
        Dates do not wake the machine from suspend: \(error); see wake-alarm.conf in \
        /usr/share/doc/georemind/examples
        """)
    }
  }

  /// Sets the alarm to the next date. Other deadlines do not wake the machine.
  func armAlarm() {
    guard let alarm else { return }
    if let next = daemon.nextDue, daemon.host.engine.isClockTrusted {
      alarm.arm(at: max(0, next.microseconds))
    } else {
      alarm.disarm()
    }
  }

  var wakes: Bool { alarm != nil }
}

extension DaemonSettings {
  /// The file that says which zone the system is in.
  var zonePath: String {
    guard var name = timeZoneName else { return "/etc/localtime" }
    if name.hasPrefix(":") { name.removeFirst() }
    return name.hasPrefix("/") ? name : "\(TimeZoneRules.defaultDirectory)/\(name)"
  }

  func readZone() throws(TimeZoneError) -> TimeZoneRules {
    try TimeZoneRules.system(tz: timeZoneName)
  }
}
