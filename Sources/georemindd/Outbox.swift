import CivilTime
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Brings firings from the ledger to the journal, in order, each once.
///
/// A firing is marked delivered after the journal has taken it. What is found unmarked at start may
/// or may not have reached the journal before a crash, so it is looked up there by its id first. The
/// look-up must see all that was sent before: journald works off its socket in order, so a marker
/// entry is sent, and once that can be read, all before it can be read as well.
final class Outbox {
  private let store: Store
  private let sink: any JournalSink
  private let log: Logger
  private let lookUp: LookUp?
  private let clock: () -> Instant
  private var isJournalAway = false
  private var hasComplained = false
  /// The ledger may hold some that were not sent yet.
  private var isBehind = true
  /// What the journal has but the store could not note.
  private var taken: Set<String> = []
  /// Asks for `deliver` to be called after a while.
  var onJournalAway: () -> Void = {}
  /// Asks for `EngineHost.settle` to be called soon, but not before whoever reads the journal's socket had a turn.
  var onDelivered: () -> Void = {}

  /// Which of these ids the journal has.
  typealias LookUp = (_ firings: [String]) throws -> [String]

  init(
    store: Store, sink: any JournalSink, log: Logger, lookUp: LookUp?,
    clock: @escaping () -> Instant
  ) {
    self.store = store
    self.sink = sink
    self.log = log
    self.lookUp = lookUp
    self.clock = clock
  }

  /// Sends what waits in the ledger, if anything does.
  func deliver() {
    if isBehind { deliverAll(lastFix: nil) }
  }

  /// Sends what has just been decided, behind what waits where something does.
  /// - Parameter lastFix: kept with the mark of delivery, for nothing needs it earlier.
  func deliver(_ decided: [Firing], lastFix: KeptFix?) {
    guard !isBehind else { return deliverAll(lastFix: lastFix) }
    attempt {
      let sent = send(decided)
      store.note(delivered: sent, at: clock(), lastFix: lastFix)
      taken.subtract(sent)
    }
    onDelivered()
  }

  private func deliverAll(lastFix: KeptFix?) {
    attempt {
      store.note(delivered: [], at: clock(), lastFix: lastFix)
      let sent = send(try store.untold())
      store.note(delivered: sent, at: clock(), lastFix: nil)
      taken.subtract(sent)
    }
    onDelivered()
  }

  private func attempt(_ work: () throws -> Void) {
    do {
      try work()
      hasComplained = false
    } catch {
      if !hasComplained { log.error("Cannot work off the outbox: \(error)") }
      hasComplained = true
      isBehind = true
    }
    if isBehind { onJournalAway() }
  }

  /// Answers the ids of those that the journal has, from the first on.
  private func send(_ waiting: [Firing]) -> [String] {
    var sent: [String] = []
    for firing in waiting {
      guard taken.contains(firing.id) || send(firing) else { break }
      taken.insert(firing.id)
      sent.append(firing.id)
    }
    isBehind = sent.count < waiting.count
    return sent
  }

  private func mark(_ ids: [String]) throws {
    try store.ledger.markDelivered(ids, at: clock())
    taken.subtract(ids)
  }

  private func send(_ firing: Firing) -> Bool {
    do {
      try sink.write(Announcer.entry(for: firing))
      isJournalAway = false
      return true
    } catch {
      if !isJournalAway {
        isJournalAway = true
        log.error("The journal takes no entries, firings wait: \(error)")
      }
      return false
    }
  }

  // MARK: - After a crash

  /// Settles what an earlier run left between the ledger and the journal. Blocks until journald has
  /// caught up, so it is for the start, and does nothing after an orderly end.
  func recover() {
    do {
      let left = try store.ledger.undelivered().values
      guard !left.isEmpty else {
        isBehind = false
        return
      }
      let known = try lookUp?(left.map(\.id)) ?? []
      if !known.isEmpty {
        taken.formUnion(known)
        try mark(known)
        log.notice("\(known.count) of the last run's firings were already in the journal")
      }
    } catch {
      log.error("Cannot look up the last run's firings, so they are told again: \(error)")
    }
    deliver()
  }
}
