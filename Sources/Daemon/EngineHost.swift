import CivilTime
import Departure
import LinuxRuntime
import Logging
import Positioning
import Reminders
import Storage

/// Passes events to the engine and carries out its effects: first the store, in one transaction per
/// event, then the journal and the watchers.
final class EngineHost {
  private(set) var engine: Engine
  let clock: Clock
  let store: Store
  let outbox: Outbox
  let journal: Announcer
  let log: Logger
  var effects: [Effect] = []
  /// Changes to store, oldest first; empty after an event unless the store fails.
  var pending = Changes()
  /// Reminders that a refused command has changed in the engine, until it has them back.
  var refused: Set<String> = []
  /// Why the store failed the last time; nil while it works.
  var storeFailure: StoreError?
  var isStoreSlow = false
  /// Reminders that were read or changed while this system did not know their zone.
  var withUnknownZone: Set<String> = []
  /// Categories whose places the engine waits for, each with the number of the last place sent; nil
  /// before the first.
  var unfilled: [(category: String, last: Int64?)] = []

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
  /// Called when the engine waits for further places: `fillPlaces` is due in another turn.
  var onUnfilled: () -> Void = {}
  /// Called for each request to the routing engine; `Event.routed` brings the answer.
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

  // MARK: - Events

  /// Brings everything up to `now`, one deadline after the other, each at its own time.
  func advance(to now: Instant) {
    if !clock.isLive {
      engine.advance(to: now, into: &effects)
      clock.advance(to: now)
    } else if let deadline = engine.nextDeadline, deadline <= now {
      engine.handle(.tick, at: now, into: &effects)
    }
    carryOut()
  }

  /// An event that is no command: it happened, whether the store works or not.
  func handle(_ event: Event, at now: Instant) {
    engine.handle(event, at: now, into: &effects)
    carryOut()
  }

  /// One fix, at the clock's time; a recording's clock is first brought up to the fix.
  func take(_ fix: Fix, from origin: FixOrigin = FixOrigin(feed: 0)) {
    if !clock.isLive, let time = fix.time {
      advance(to: time)
      clock.advance(to: time)
    }
    guard let now = clock.now else { return }
    engine.handle(.fix(fix, from: origin), at: now, into: &effects)
    carryOut()
  }

  /// Loads all reminders with their histories, or none; returns the unreadable rows. Stores only
  /// what loading changes, a commit a turn.
  /// - Parameter isAlive: called after each row that is read, and each turn of at most 50 rows.
  func load(at now: Instant, isAlive: () -> Void) throws(StoreError) -> [RowProblem] {
    let problems: [RowProblem]
    do throws(StoreError) {
      engine.beginLoading(count: try store.reminders.count())
      problems = try store.reminders.forEach {
        engine.load($0.reminder, $0.history, $0.standing)
        note($0.reminder)
        isAlive()
      }
    } catch {
      engine.abandonLoading()
      throw error
    }
    while !engine.startLoaded(atMost: 50, at: now, into: &effects) || engine.isBehind {
      carryOut()
      isAlive()
    }
    carryOut(isRetry: true)
    return problems
  }

  func changeEngine(_ body: (inout Engine) -> Void) { body(&engine) }

  /// Tries again what the store refused.
  func retry() {
    if storeFailureText != nil { carryOut(isRetry: true) }
  }

  /// - Parameter isRetry: retries pending changes without effects; slow on a locked store.
  func carryOut(isRetry: Bool = false) {
    defer { onDeadlineChange() }
    guard !effects.isEmpty || isRetry else { return }
    restoreRefused()
    let outcome = takeEffects()
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
    engine.handle(command.events, at: now, into: &effects)
    var outcome = takeEffects()
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
      for event in command.undo { engine.handle(event, at: now, into: &effects) }
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
          engine.handle(.add(entry.reminder, history), at: now, into: &effects)
        } else {
          engine.handle(.remove(id: id), at: now, into: &effects)
        }
        refused.remove(id)
      }
    } catch {
      report(error)
    }
  }

  // MARK: - Effects

  /// The collected effects of an event.
  private struct Outcome {
    var changes = Changes()
    var notices: [Notice] = []
    var routes: [RouteRequest] = []

    /// Removes the effects for these reminders.
    mutating func drop(_ ids: Set<String>) {
      changes.histories.removeAll { ids.contains($0.id) }
      changes.firings.removeAll { ids.contains($0.reminderID) }
      if changes.histories.isEmpty { changes.lastFix = nil }
      notices.removeAll {
        switch $0 {
        case .expired(let id, _), .leaveSilent(let id, _, _): ids.contains(id)
        case .positionLost, .positionBack, .missed, .fixTimeSteppedBack: false
        }
      }
    }
  }

  /// Takes the effects, and answers the engine's questions for places until it has none.
  private func takeEffects() -> Outcome {
    var outcome = Outcome()
    let turn = LoopTurn()
    repeat {
      for effect in effects { take(effect, into: &outcome) }
      effects.removeAll(keepingCapacity: true)
    } while answerPlaces(in: turn)
    if !outcome.changes.histories.isEmpty { outcome.changes.lastFix = keptFix }
    return outcome
  }

  private func take(_ effect: Effect, into outcome: inout Outcome) {
    switch effect {
    case .persist(let id, let history, let standing):
      outcome.changes.histories.append(Changes.Step(id: id, history, standing))
    case .forget: break  // The command that removes a reminder says so itself.
    case .watch(let category):
      unfilled.removeAll { $0.category == category }
      unfilled.append((category, nil))
    case .fire(var firing):
      name(&firing)
      outcome.changes.firings.append(firing)
    case .say(let notice): outcome.notices.append(notice)
    case .route(let request): outcome.routes.append(request)
    case .keep(let experience):
      // A recording does not show this device's travel times.
      if clock.isLive { outcome.changes.experience = experience }
    }
  }

  private func announce(_ outcome: Outcome) {
    for notice in outcome.notices { journal.announce(notice) }
    for request in outcome.routes { onRoute(request) }
  }

  /// The last fix in its stored form; nil for a recording, which is not this device's position, and
  /// for a fix that no other one confirms.
  var keptFix: KeptFix? {
    guard clock.isLive, !engine.isFixInDoubt, let fix = engine.lastFix,
      let arrival = engine.lastFixArrival
    else { return nil }
    return KeptFix(fix: fix, arrival: arrival)
  }
}
