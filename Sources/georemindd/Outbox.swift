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
  private let clock: () -> Instant
  private var isJournalAway = false
  /// Asks for `deliver` to be called after a while.
  var onJournalAway: () -> Void = {}

  init(store: Store, sink: any JournalSink, log: Logger, clock: @escaping () -> Instant) {
    self.store = store
    self.sink = sink
    self.log = log
    self.clock = clock
  }

  /// Sends what waits.
  func deliver() {
    do {
      let waiting = try store.ledger.undelivered().values
      var sent: [String] = []
      for firing in waiting {
        guard send(firing) else { break }
        sent.append(firing.id)
      }
      if !sent.isEmpty { try store.ledger.markDelivered(sent, at: clock()) }
      if sent.count < waiting.count { onJournalAway() }
    } catch {
      log.error("Cannot work off the outbox: \(error)")
      onJournalAway()
    }
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

  /// How long journald may take to show what was sent to it, in microseconds.
  private static let patience: Int64 = 5_000_000

  /// Settles what an earlier run left between the ledger and the journal. Blocks until journald has
  /// caught up, so it is for the start, and does nothing after an orderly end.
  func recover() {
    do {
      let left = try store.ledger.undelivered().values
      guard !left.isEmpty else { return }
      let known = try sink is SystemJournal ? inJournal(left) : []
      if !known.isEmpty {
        try store.ledger.markDelivered(known, at: clock())
        log.notice("\(known.count) of the last run's firings were already in the journal")
      }
    } catch {
      log.error("Cannot look up the last run's firings, so they are told again: \(error)")
    }
    deliver()
  }

  private func inJournal(_ firings: [Firing]) throws -> [String] {
    var generator = SystemRandomNumberGenerator()
    let marker = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
    var entry = JournalEntry(
      "Looking up the last run's firings in the journal", priority: .informational)
    entry["GEOREMIND_MARKER"] = marker
    let sent = SystemClock.now()
    try sink.write(entry)
    guard
      try JournalReader.contains(
        field: "GEOREMIND_MARKER", value: marker, sinceRealtime: sent - 60_000_000,
        patience: Self.patience)
    else {
      log.warning("The journal cannot be read back, so the last run's firings are told again")
      return []
    }
    return try firings.map(\.id).filter {
      try JournalReader.contains(field: "GEOREMIND_FIRING_ID", value: $0, sinceRealtime: 0)
    }
  }
}
