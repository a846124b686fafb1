import CivilTime
import Companion
import Configuration
import Departure
import Feeds
import Glibc
import LinuxRuntime
import Logging
import Positioning
import Reminders
import Storage

/// The assembly: parts are made, handed to each other, and run on one loop.
final class Daemon {
  let loop: EventLoop
  let services: ServiceManager
  let announcer: Announcer
  let refusals: RefusalJournal
  let store: Store
  let host: EngineHost
  let placeImports: PlaceImportQueue
  let track: TrackKeeper
  let clock: Clock
  var settings: DaemonSettings
  private(set) var log: Logger
  /// Lines of the configuration that are wrong, as of the start or the last reload.
  private(set) var wrongLines: [ConfigurationError]
  /// Why the last reload has failed as a whole.
  private(set) var reloadFailure: String?
  let outbox: Outbox
  private let reload: () throws -> DaemonSettings
  private let restoredFirings: Restoration.Journal?
  /// Distinguishes the numbers of this ledger from another's.
  var ledgerID = ""
  // Changed by Daemon+Feeds alone, as far as `handedOver`.
  var feeds: [FeedRunner] = []
  var nextFeedNumber = 0
  var receivers = ReceiverTable()
  var player: Player?
  /// Descriptors of feeds that the last run had open, by name, until they are used.
  var handedOver: [String: Int32] = [:]
  var routes: RouteClient?
  private(set) var control: ControlServer?
  var destinationTests = DestinationTests()
  var quietChoice: Quiet.Choice?
  var mutes = Mutes()
  /// Where the machine lies still; nil while nobody asks.
  var stay: UnwatchedStay?
  var quietTimer: TimerSource?
  /// Parts of `[Reminders] File=` that cannot be read, as sentences.
  var reminderFileProblems: [String] = []
  var calendars: [CalendarFolder] = [] { didSet { knownCalendarDigest = nil } }
  /// Nil after a change of the files, until it is asked for.
  var knownCalendarDigest: String?
  var sources: [AnyObject] = []
  var deadlineTimer: TimerSource?
  var retryTimer: TimerSource?
  /// Waits for room in the journal.
  var journalRoom: (source: IOSource, descriptor: Descriptor)?
  var markTimer: TimerSource?
  var statusTimer: TimerSource?
  var dailyTimer: TimerSource?
  var pruneTimer: TimerSource?
  var pruning: Pruning?
  var checkTimer: TimerSource?
  /// Tables that the weekly check has yet to read.
  var uncheckedTables: [String] = []
  var clockSteps: ClockStepSource?
  var clockOffset = ClockOffset.current
  private(set) var time: TimeKeeper?
  /// Decides whether the clock is trusted; used at the start.
  var clockTrust: ClockTrust
  /// Whether the engine has the reminders; false before the first fix of a recording.
  var isLoaded = false
  /// The store did not give its reminders, and has to be asked again.
  var isLoadRefused = false
  var selfCheck = SelfCheck()
  /// The rows that the last loading left out.
  var unreadable: [RowProblem] = []
  /// Whose destinations are of the system's services; as of the start or the last reload.
  var serviceUsers = ServiceUsers()
  /// Limit of all reminders in bytes: a million of the usual size.
  var maximumReminderBytes = 256 << 20
  /// Limit of the database for adding places, in bytes: some ten million of the usual size.
  var maximumDatabaseBytes: Int64 = 4 << 30

  /// - Parameters:
  ///   - systemClock: microseconds since 1970.
  ///   - lookUp: finds which of the last run's firings the journal has; without it, none.
  ///   - restoredFirings: the journal's firings since a time, for a store restored from a backup.
  ///   - reload: reads the configuration anew, for SIGHUP.
  init(
    settings: DaemonSettings, sink: any JournalSink, services: ServiceManager, log: Logger,
    lookUp: Outbox.LookUp? = nil, restoredFirings: Restoration.Journal? = nil,
    systemClock: @escaping () -> Int64 = SystemClock.now,
    reload: @escaping () throws -> DaemonSettings
  ) throws {
    self.settings = settings
    wrongLines = settings.errors
    self.services = services
    self.log = log
    self.reload = reload
    self.restoredFirings = restoredFirings
    announcer = Announcer(sink: sink)
    loop = try EventLoop()
    refusals = try RefusalJournal(loop: loop, announcer: announcer)
    clock = Clock(
      isLive: settings.feeds.allSatisfy { $0.recording == nil }, system: systemClock)
    clockTrust = ClockTrust(
      demand: settings.clockTrust, lastSeen: Self.lastWrite(settings.storePath))
    store = try Store(path: settings.storePath, now: clock.ofSystem)
    if store.report.isWarning {
      announcer.write(store.report.sentences.joined(separator: ". "), .error, .storeFailure)
    } else {
      for sentence in store.report.sentences { log.info("\(sentence)") }
    }
    let clock = clock
    outbox = Outbox(store: store, sink: sink, log: log, lookUp: lookUp) {
      clock.nowOrSystem
    }
    let zone = settings.systemZone(log: log)
    var engine = settings.engine
    engine.correctsAtStart = engine.correctsAtStart && clock.isLive
    if clock.isLive, !settings.feeds.isEmpty { engine.firstFixWait = .minutes(2) }
    host = EngineHost(
      engine: Engine(settings: engine, zone: zone), clock: clock, store: store,
      outbox: outbox, journal: announcer, log: log)
    placeImports = try PlaceImportQueue(host: host, loop: loop, log: log)
    track = TrackKeeper(log: log)
  }

  /// Runs until a signal ends it; answers the exit code.
  func run() throws -> Int32 {
    try addSignals()
    try start()
    let code = try loop.run()
    stop()
    return code
  }

  /// Everything up to the first turn of the loop.
  func start() throws {
    for error in wrongLines { log.error("Left out: \(error)") }
    try addTimers()
    if clock.isLive { time = try TimeKeeper(daemon: self, trust: clockTrust) }
    host.onDeadlineChange = { [unowned self] in
      armDeadline()
      updateStatusSoon()
      noteTrack()
      self.control?.positionMayHaveChanged()
    }
    host.onStoreFailure = { [unowned self] in
      retryTimer?.arm(in: 5_000_000)
      updateStatusSoon()
    }
    outbox.onJournalAway = { [unowned self] in waitForJournal($0) }
    outbox.onDelivered = { [unowned self] in
      if markTimer?.isEnabled == false { markTimer?.arm(in: 1_000_000) }
    }
    let passed = try services.passedSockets()
    let control = try ControlServer(daemon: self, loop: loop, passed: passed)
    self.control = control
    host.onFiring = { [unowned control] in control.announce($0) }
    host.onStored = { [unowned control] in control.note($0) }
    host.membersOf = { [unowned self] in members(of: $0) }
    host.isQuiet = { [unowned self] in quietNow != nil }
    try useRoutes()
    try openLedger(restoredFirings)
    quietChoice = try store.state.quietChoice().flatMap { Quiet.Choice($0) }
    mutes = try store.state.mutes().map { Mutes($0) } ?? Mutes()
    outbox.recover()
    loadReminderFiles()
    time?.begin()
    useCalendars()
    useTrack()
    if let now = clock.now { loadReminders(at: now) }
    takeOver(passed.filter { $0.name != "control" })
    for url in settings.feeds { try addFeed(url) }
    announceStart()
    services.ready(status: statusLine)
  }

  /// When the store was last written, by the clock of that time.
  private static func lastWrite(_ path: String) -> Instant? {
    var latest: Instant?
    for file in [path, "\(path)-wal"] {
      var status = stat()
      guard stat(file, &status) == 0 else { continue }
      let time = Instant(seconds: Double(status.st_mtim.tv_sec))
      latest = max(latest ?? time, time)
    }
    return latest
  }

  private func announceStart() {
    let feeds = settings.feeds.map { "\($0)" }.joined(separator: ", ")
    let count = isLoaded ? host.count : (try? store.reminders.count()) ?? 0
    announcer.write(
      "georemindd \(DaemonCommand.version) started: \(count) reminders, "
        + (feeds.isEmpty ? "no feed (set Feed= or --feed)" : "feed \(feeds)"),
      .informational, .started)
  }

  /// Sends what waits, keeps what must survive, and closes everything.
  func stop() {
    services.stopping()
    for feed in feeds { feed.stop() }
    player?.stop()
    // Stores decisions that are pending after a store failure.
    host.retry()
    control?.stop()
    refusals.stop()
    for folder in calendars { folder.close() }
    placeImports.stop()
    routes?.stop()
    outbox.deliver()
    outbox.writeMarks()
    track.close()
    for tracker in host.all {
      if let fix = host.keptFix(of: tracker) { try? store.state.keep(fix, of: tracker.name) }
    }
    store.close()
    log.info("Stopped")
  }

  // MARK: - Signals and settings

  private func addSignals() throws {
    for signal in [SIGTERM, SIGINT] {
      sources.append(try loop.addSignal(signal) { [unowned self] _ in loop.exit(0) })
    }
    sources.append(try loop.addSignal(SIGHUP) { [unowned self] _ in reloadSettings() })
  }

  /// SIGHUP: reads configuration, reminder files and time zone anew. A wrong line changes nothing;
  /// a part that cannot follow the new settings leaves the others alone.
  func reloadSettings() {
    services.reloading()
    defer { services.ready(status: statusLine) }
    let fresh: DaemonSettings
    do {
      fresh = try reload()
      reloadFailure = nil
    } catch {
      reloadFailure = "\(error)"
      return log.error("Reload failed, the old configuration stays in force: \(error)")
    }
    wrongLines = fresh.errors
    for error in wrongLines { log.error("\(error)") }
    if !wrongLines.isEmpty {
      return log.error("Reload failed, the old configuration stays in force")
    }
    settings = fresh
    serviceUsers = ServiceUsers()
    log.logLevel = fresh.logLevel
    host.use(fresh.engine)
    var isWhole = true
    func attempt(_ part: String, _ change: () throws -> Void) {
      do {
        try change()
      } catch {
        isWhole = false
        log.error("The configuration is reloaded, except for its \(part): \(error)")
      }
    }
    attempt("routing engine") { try useRoutes() }
    attempt("feeds") { try useFeeds(of: fresh) }
    if let now = clock.now {
      host.handle(.zone(settings.systemZone(log: log)), at: now)
    }
    time?.reload()
    if let now = clock.now { host.followMembers(at: now) }
    loadReminderFiles()
    useCalendars()
    useTrack()
    quietChanged()
    if isWhole { announcer.write("Configuration reloaded", .informational, .reloaded) }
  }

  // MARK: - Status

  /// Sends the status line at once if systemd waits for it, else within a few seconds.
  func updateStatusSoon() {
    guard services.isSupervised, let statusTimer, !statusTimer.isEnabled else { return }
    statusTimer.arm(in: 5_000_000)
  }
}
