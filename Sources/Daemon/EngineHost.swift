import CivilTime
import Departure
import LinuxRuntime
import Logging
import Positioning
import Reminders
import Storage

/// Passes events to the engines of the trackers and carries out their effects: first the store, in
/// one transaction per event, then the journal and the watchers.
final class EngineHost {
  /// The machine's own.
  let own: TrackerEngine
  /// All engines, the machine's own first; an engine stays at its place.
  private(set) var all: [TrackerEngine]
  /// The engines of reminders that are not about the machine's own position, by id.
  var homes: [String: TrackerEngine] = [:]
  let clock: Clock
  let store: Store
  let outbox: Outbox
  let journal: Announcer
  let log: Logger
  var effects: [Effect] = []
  /// The decisions of the engines in the present event.
  var outcome = Outcome()
  private(set) var isLoading = false
  /// Changes to store, oldest first; empty after an event unless the store fails.
  var pending = Changes()
  /// Reminders that a refused command has changed in the engine, until it has them back.
  var refused: Set<String> = []
  /// Why the store failed the last time; nil while it works.
  var storeFailure: StoreError?
  var isStoreSlow = false
  /// The late firings of this run, and the seconds by which they were late together.
  var late = (firings: 0, seconds: 0.0)
  /// Reminders that were read or changed while this system did not know their zone.
  var withUnknownZone: Set<String> = []

  /// Called after every event: the next deadline may be another one.
  var onDeadlineChange: () -> Void = {}
  /// Called when the store has failed: `retry` is due after a while.
  var onStoreFailure: () -> Void = {}
  /// Called for each firing once it is in the ledger.
  var onFiring: (LedgerEntry) -> Void = { _ in }
  /// Called with each commit.
  var onStored: (Changes) -> Void = { _ in }
  /// Whether destinations receive firings without urgency later.
  var isQuiet: () -> Bool = { false }
  /// The trackers that a reminder about several is about; nil among them is the machine itself.
  var membersOf: (Reminder) -> [Who?] = { _ in [] }
  /// Called when the engine waits for further places: `fillPlaces` is due in another turn.
  var onUnfilled: () -> Void = {}
  /// Called for each request to the routing engine; `Event.routed` brings the answer.
  var onRoute: (RouteRequest) -> Void = { _ in }

  init(
    engine: consuming Engine, clock: Clock, store: Store, outbox: Outbox, journal: Announcer,
    log: Logger
  ) {
    own = TrackerEngine(nil, number: 0, engine: engine)
    all = [own]
    self.clock = clock
    self.store = store
    self.outbox = outbox
    self.journal = journal
    self.log = log
  }

  /// The machine's own engine.
  var engine: Engine { _read { yield own.engine } }

  // MARK: - Events

  /// Brings everything up to `now`, one deadline after the other, each at its own time.
  func advance(to now: Instant) {
    for tracker in all {
      if !clock.isLive {
        tracker.engine.advance(to: now, into: &effects)
      } else if let deadline = tracker.engine.nextDeadline, deadline <= now {
        tracker.engine.handle(.tick, at: now, into: &effects)
      }
      takeEffects(of: tracker)
    }
    if !clock.isLive { clock.advance(to: now) }
    carryOut()
  }

  /// An event that is no command: it happened, whether the store works or not.
  func handle(_ event: Event, at now: Instant) {
    pass([event], at: now)
    carryOut()
  }

  /// One fix, at the clock's time; a recording's clock is first brought up to the fix.
  /// - Parameter tracker: nil is the machine itself.
  func take(
    _ fix: Fix, from origin: FixOrigin = FixOrigin(feed: 0), of tracker: TrackerEngine? = nil
  ) {
    if !clock.isLive, let time = fix.time {
      advance(to: time)
      clock.advance(to: time)
    }
    guard let now = clock.now else { return }
    let tracker = tracker ?? own
    let isFirst = tracker.latest == nil
    tracker.latest = (fix, origin)
    tracker.engine.handle(.fix(fix, from: origin), at: now, into: &effects)
    takeEffects(of: tracker)
    if isFirst { followMembers(at: now) }
    pass(.fix(fix, from: origin), toMembersOf: tracker, at: now)
    carryOut()
  }

  /// Something came from a tracker that is no position of the present.
  func hear(_ tracker: TrackerEngine) {
    guard let now = clock.now else { return }
    pass([.heard], to: tracker, at: now)
    carryOut()
  }

  /// Erases the position and the trips of a tracker; its reminders and firings stay.
  func forgetPosition(of tracker: TrackerEngine, at now: Instant) {
    tracker.latest = nil
    pass([.forgetPosition], to: tracker, at: now)
    pass(.forgetPosition, toMembersOf: tracker, at: now)
    carryOut()
  }

  /// Passes events to the engines that they concern.
  private func pass(_ events: [Event], at now: Instant) {
    for reminder in events.compactMap(\.reminder) { followMembers(of: reminder, at: now) }
    for (tracker, events) in shares(of: events) { pass(events, to: tracker, at: now) }
    guard all.count > 1 else { return }
    for event in events {
      if case .remove(let id) = event {
        for tracker in all { tracker.members?.remove(id, at: now) }
      } else if event.changedReminder == nil {
        for tracker in all { pass(event, toMembersOf: tracker, at: now) }
      }
    }
  }

  func pass(_ events: [Event], to tracker: TrackerEngine, at now: Instant) {
    tracker.engine.handle(events, at: now, into: &effects)
    takeEffects(of: tracker)
  }

  /// Adds the engine of a tracker that has none.
  func add(_ who: Who, _ engine: consuming Engine) -> TrackerEngine {
    let tracker = TrackerEngine(who, number: all.count, engine: engine)
    if isLoading { tracker.engine.beginLoading(count: 0) }
    all.append(tracker)
    return tracker
  }

  /// Loads all reminders with their histories, or none; returns the unreadable rows. Stores only
  /// what loading changes, a commit a turn.
  /// - Parameter isAlive: called after each row that is read, and each turn of at most 50 rows.
  func load(at now: Instant, isAlive: () -> Void) throws(StoreError) -> [RowProblem] {
    let problems: [RowProblem]
    do throws(StoreError) {
      let count = try store.reminders.count()
      for tracker in all { tracker.engine.beginLoading(count: tracker === own ? count : 0) }
      isLoading = true
      problems = try store.reminders.forEach {
        home(of: $0.reminder).engine.load($0.reminder, $0.history, $0.standing)
        note($0.reminder)
        isAlive()
      }
    } catch {
      isLoading = false
      for tracker in all { tracker.engine.abandonLoading() }
      homes = [:]
      throw error
    }
    followMembers(at: now)
    isLoading = false
    for tracker in all {
      while !tracker.engine.startLoaded(atMost: 50, at: now, into: &effects)
        || tracker.engine.isBehind
      {
        takeEffects(of: tracker)
        carryOut()
        isAlive()
      }
      takeEffects(of: tracker)
    }
    carryOut(isRetry: true)
    return problems
  }

  /// Changes the machine's own engine.
  func changeEngine(_ body: (inout Engine) -> Void) { body(&own.engine) }

  /// Tries again what the store refused.
  func retry() {
    if storeFailureText != nil { carryOut(isRetry: true) }
  }

  /// - Parameter isRetry: retries pending changes without effects; slow on a locked store.
  func carryOut(isRetry: Bool = false) {
    defer { onDeadlineChange() }
    guard !outcome.isEmpty || isRetry else { return }
    restoreRefused()
    answerPlaces()
    let outcome = takeOutcome()
    pending.append(outcome.changes)
    commitPending()
    announce(outcome)
  }

  // MARK: - Commands

  /// Carries out a command in one commit.
  ///
  /// If the store refuses it, the engine takes back the stored reminders and nothing is announced.
  /// Other effects of the moment, such as another reminder's firing, wait for the store.
  /// - Parameter body: further changes of the same transaction.
  func perform(
    _ command: Command, at now: Instant,
    and body: () throws(StoreError) -> Void = { () throws(StoreError) in }
  ) throws(StoreError) {
    defer { onDeadlineChange() }
    pass(command.events, at: now)
    var outcome = takeOutcome()
    var changes = pending
    changes.append(outcome.changes)
    changes.save(command)
    do throws(StoreError) {
      let recorded = try store(changes, and: body)
      pending = Changes()
      for entry in command.saved { note(entry.reminder) }
      succeed(with: recorded)
      announce(outcome)
    } catch {
      let ids = command.reminders
      outcome.drop(ids)
      pending.append(outcome.changes)
      refused.formUnion(ids)
      pass(command.undo, at: now)
      carryOut(isRetry: true)
      announce(outcome)
      throw error
    }
  }

  /// Stores what waits, before a command reads what it is about to change.
  func commitWaiting() throws(StoreError) {
    guard !pending.isEmpty || !refused.isEmpty else { return }
    carryOut(isRetry: true)
    if let storeFailure { throw storeFailure }
  }

  /// Restores reminders of refused commands in the engine: the stored row with the latest history.
  private func restoreRefused() {
    guard !refused.isEmpty, let now = clock.now else { return }
    do throws(StoreError) {
      for id in refused.sorted() {
        if let entry = try store.reminders.reminder(id: id) {
          let history = pending.histories.last { $0.id == id }?.history ?? entry.history
          pass([.add(entry.reminder, history)], at: now)
        } else {
          pass([.remove(id: id)], at: now)
        }
        refused.remove(id)
      }
    } catch {
      report(error)
    }
  }
}
