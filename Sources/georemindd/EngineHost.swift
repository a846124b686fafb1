import CivilTime
import LinuxRuntime
import Logging
import Positioning
import Reminders
import Storage

/// Puts events into the engine and carries out what it answers: first the store, in one transaction,
/// then the journal and whoever watches.
final class EngineHost {
  private(set) var engine: Engine
  let clock: Clock
  private let store: Store
  private let outbox: Outbox
  private let journal: Announcer
  private let log: Logger
  private var effects: [Effect] = []
  /// What could not be stored yet, oldest first.
  private var unsaved = Changes()
  private(set) var storeTrouble: String?
  /// A commit that took longer is told, once, until one is quicker again; in microseconds.
  private static let slowCommit: Int64 = 1_000_000
  private var isStoreSlow = false
  /// Categories whose places the engine is still to be told.
  private var unanswered: [String] = []

  /// Called after every event: the next deadline may be another one.
  var onDeadlineChange: () -> Void = {}
  /// Called when the store has failed and `retry` should be called after a while.
  var onStoreTrouble: () -> Void = {}
  /// Called for each firing once it is in the ledger.
  var onFiring: (Firing) -> Void = { _ in }
  /// Called for each request to the routing engine; the answer comes back as `Event.routed`, later.
  var onRoute: (RouteRequest) -> Void = { _ in }

  init(
    engine: consuming Engine, clock: Clock, store: Store, outbox: Outbox, journal: Announcer,
    log: Logger
  ) {
    self.engine = engine
    self.clock = clock
    self.store = store
    self.outbox = outbox
    self.journal = journal
    self.log = log
  }

  /// Brings everything up to `now`, one deadline after the other, each at its own time.
  func advance(to now: Instant) {
    if clock.mode == .recording {
      engine.advance(to: now, into: &effects)
      clock.advance(to: now)
    } else if let deadline = engine.nextDeadline, deadline <= now {
      engine.handle(.tick, at: now, into: &effects)
    }
    carryOut()
  }

  func handle(_ event: Event, at now: Instant) { handle([event], at: now) }

  /// Several events of one moment, kept by one transaction.
  func handle(_ events: [Event], at now: Instant) {
    for case .zone(let zone) in events where zone != engine.zone {
      unsaved.zoneFingerprint = zone.fingerprint
    }
    for event in events { engine.handle(event, at: now, into: &effects) }
    carryOut()
  }

  /// One fix, at the clock's time; a recording's clock is first brought up to the fix.
  func take(_ fix: Fix) {
    if clock.mode == .recording, let time = fix.time {
      advance(to: time)
      clock.advance(to: time)
    }
    guard let now = clock.now else { return }
    engine.handle(.fix(fix), at: now, into: &effects)
    carryOut()
  }

  /// The reminders of the store, with what they have gone through; answers the rows that are none.
  /// Nothing is written but what changes by it. All of them are taken in, or none.
  func load(at now: Instant) throws(StoreError) -> [RowProblem] {
    do throws(StoreError) {
      engine.beginLoading(count: try store.reminders.count())
      let problems = try store.reminders.forEach { engine.load($0, $1) }
      engine.finishLoading(at: now, into: &effects)
      carryOut()
      return problems
    } catch {
      engine.abandonLoading()
      throw error
    }
  }

  /// Tries again what the store refused.
  func retry() {
    guard storeTrouble != nil else { return }
    commit(unsaved)
    tellPlaces()
    onDeadlineChange()
  }

  func changeEngine(_ body: (inout Engine) -> Void) { body(&engine) }

  private func carryOut() {
    defer { onDeadlineChange() }
    guard !effects.isEmpty || unsaved.zoneFingerprint != nil else { return }
    var notices: [Notice] = []
    var routes: [RouteRequest] = []
    var (fires, progresses) = (false, false)
    var changes = Changes()
    swap(&changes, &unsaved)
    var due: [Effect] = []
    swap(&due, &effects)
    if changes.progress.isEmpty { changes.progress.reserveCapacity(due.count) }
    for i in due.indices {
      // Taken out: to copy a firing and let go of it again costs as much as to put it on disk.
      var effect = Effect.forget(id: "")
      swap(&effect, &due[i])
      switch consume effect {
      case .persist(let id, let progress):
        changes.progress.append(Decision.Step(id: id, progress: progress))
        progresses = true
      case .forget(let id): changes.forgotten.append(id)
      case .watch(let category): unanswered.append(category)
      case .fire(var firing):
        name(&firing)
        changes.firings.append(firing)
        fires = true
      case .say(let notice): notices.append(notice)
      case .route(let request): routes.append(request)
      case .keep(let experience):
        // What a recording teaches is not how this device travels.
        if clock.mode == .system { changes.experience = experience }
      }
    }
    // Their room serves the next event.
    due.removeAll(keepingCapacity: true)
    assert(effects.isEmpty, "none of this brings about an event")
    swap(&due, &effects)
    // The journal waits for what is kept with a firing, and nothing of that needs the last fix.
    if !fires, progresses { changes.lastFix = keptFix }
    commit(changes)
    for notice in notices { journal.announce(notice) }
    for request in routes { onRoute(request) }
    tellPlaces()
  }

  // MARK: - Places

  /// Puts the name of the place in, where the engine knows its number alone.
  private func name(_ firing: inout Firing) {
    if let number = firing.unnamed?.number, let name = placeName(number) { firing.name(name) }
  }

  /// nil where there is no such place, or the store does not answer.
  func placeName(_ number: Int64) -> String? {
    try? store.places.name(of: number)
  }

  /// Places of these categories have come, gone or changed.
  func placesChanged() {
    unanswered += engine.watchedCategories
    tellPlaces()
  }

  /// Tells the engine which places there are of the categories it asked for.
  private func tellPlaces() {
    guard !unanswered.isEmpty, let now = clock.now else { return }
    let asked = unanswered
    unanswered = []
    for category in Set(asked).sorted() {
      do throws(StoreError) {
        let places = try store.places.numbered(inCategory: category)
        for problem in places.problems { log.error("\(problem)") }
        engine.handle(.places(category: category, places.values), at: now, into: &effects)
      } catch {
        unanswered.append(category)
        note(trouble: "\(error)")
      }
    }
    carryOut()
  }

  private func note(trouble: String) {
    if storeTrouble == nil { journal.announceStoreTrouble(trouble) }
    storeTrouble = trouble
    onStoreTrouble()
  }

  /// The last fix as the store keeps it; that of a recording says nothing of where the device is.
  var keptFix: KeptFix? {
    guard clock.mode == .system, let fix = engine.lastFix, let arrival = engine.lastFixArrival
    else { return nil }
    return KeptFix(fix: fix, arrival: arrival)
  }

  /// One transaction for one event. What the disk refuses is kept and goes first next time, so the
  /// order of firings stays.
  private func commit(_ changes: Changes) {
    guard !changes.isEmpty || storeTrouble != nil else { return }
    unsaved = Changes()
    let recorded: [Firing]
    let start = SystemClock.monotonic.microseconds
    do {
      recorded = try changes.firings.isEmpty ? store.commit(changes) : store.decide(changes)
    } catch {
      unsaved = changes
      unsaved.forgetOutdatedProgress()
      note(trouble: "\(error)")
      return
    }
    watchPace(of: SystemClock.monotonic.microseconds - start)
    storeWorks()
    guard !changes.firings.isEmpty else { return }
    outbox.deliver(recorded, lastFix: keptFix)
    for firing in changes.firings { onFiring(firing) }
  }

  private func storeWorks() {
    guard storeTrouble != nil, unsaved.isEmpty, unanswered.isEmpty, !store.isUnsettled
    else { return }
    storeTrouble = nil
    log.notice("The store works again; nothing was lost")
  }

  /// Brings what was decided to where it is looked up, some time after it was told. The system may well
  /// have put the reader of the journal's socket behind us on our processor: what is done at once keeps the
  /// entry from being read.
  func settle() {
    do throws(StoreError) {
      try store.settle()
      storeWorks()
    } catch {
      note(trouble: "\(error)")
    }
  }

  private func watchPace(of commit: Int64) {
    let isSlow = commit > Self.slowCommit
    guard isSlow != isStoreSlow else { return }
    isStoreSlow = isSlow
    if isSlow {
      journal.announceSlowStore(TimeSpan(microseconds: commit))
    } else {
      log.notice("The store is quick again")
    }
  }
}

extension EngineHost {
  /// New numbers from the configuration, for what happens from now on.
  func use(_ settings: EngineSettings) { changeEngine { $0.settings = settings } }

  /// The last fix that an earlier run saw: as old as it says, but better than none.
  func remember(_ kept: KeptFix) { changeEngine { $0.remember(kept.fix, from: kept.arrival) } }

  /// What own trips have taught in earlier runs.
  func remember(_ experience: TravelExperience, at now: Instant) {
    changeEngine { $0.remember(experience, at: now) }
  }
}
