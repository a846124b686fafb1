import CivilTime
import JSONText
import LinuxRuntime
import Logging
import Reminders
import Storage

/// The ledger's identity, its destinations, and its old firings.
extension Daemon {
  /// Prepares the ledger for this run: its identity, firings that only the journal has, and
  /// destinations whose firings a recovered database has lost.
  func openLedger(_ restoredFirings: Restoration.Journal?) throws {
    let ledger = store.ledger
    if let machine = settings.machine, try ledger.claim(machine: machine) {
      log.notice("The ledger was another machine's; its firings are numbered under a new UUID")
    }
    try Restoration(store: store, log: log, zone: host.engine.zone, journal: restoredFirings).run()
    for name in try store.consumers.restartAhead() {
      log.warning(
        "Destination \(name) has received more firings than the ledger has; it goes on at its head")
    }
    ledgerID = try ledger.uuid()
  }

  /// A firing of the ledger, with its number.
  func json(of entry: LedgerEntry) -> JSONObject {
    var object = entry.firing.json
    object["seq"] = .int(Int(entry.seq))
    object["ledger"] = .string(ledgerID)
    return object
  }

  /// Stores what a destination has come to, and reports when its failures begin and end.
  func set(_ consumer: Consumer, was known: Consumer) throws(StoreError) {
    let (name, text, now) = (consumer.name, consumer.text, consumerClock)
    try store.database.relaxedTransaction { () throws(StoreError) in
      try store.consumers.set(consumer)
      if consumer.upto > known.upto {
        try store.ledger.receive(consumer.upto, after: known.upto, by: name, at: now, text: text)
      }
      if consumer.urgentUpto > known.urgentUpto {
        try store.ledger.receive(consumer.urgentUpto, by: name, at: now, text: text)
      }
    }
    guard (known.failingSince == nil) != (consumer.failingSince == nil),
      refusals.permitsNews(of: consumer.owner)
    else { return }
    if let since = known.failingSince {
      announcer.announceDelivery(to: consumer.name, backAfter: consumerClock - since)
    } else {
      announcer.announceDelivery(to: consumer.name, failing: consumer.text ?? "unknown reason")
    }
  }

  /// Destinations that have failed for an hour or longer, for the status.
  var failingDeliveries: JSONValue? {
    let hourAgo = consumerClock - .hours(1)
    guard let failing = try? store.consumers.failing(since: hourAgo), !failing.isEmpty else {
      return nil
    }
    return .array(
      failing.map {
        .object(
          JSONObject([
            "name": .string($0.name),
            "waiting": (try? store.consumers.waiting(for: $0)).map { .int($0) },
            "failing_since": $0.failingSince.map { .string($0.json) },
            "text": $0.text.map { .string($0) },
          ]))
      })
  }

  /// Helpers use the system's clock, also beside a recording.
  private var consumerClock: Instant { Instant(microseconds: SystemClock.now()) }

  /// Removes old firings once a day; a recording's ledger follows its own time.
  func shortenLedger() {
    dailyTimer?.arm(in: 86_400_000_000)
    guard let now = clock.live, host.engine.isClockTrusted, let days = settings.ledgerKeepDays
    else { return }
    pruning = Pruning(before: now - .hours(24 * Double(days)), days: days)
    prune()
  }

  /// Old firings that are being removed, in turns of the loop.
  struct Pruning {
    let before: Instant
    let days: Int
    var next: Instant?
    var removed = 0
    var givenUp = 0
  }

  func prune() {
    guard var work = pruning else { return }
    let turn = LoopTurn()
    do {
      repeat {
        let piece = try store.ledger.prune(
          olderThan: work.before,
          heldUntil: work.before - .hours(24 * Double(settings.ledgerHoldDays)), from: work.next)
        work.next = piece.next
        work.removed += piece.removed
        work.givenUp += piece.givenUp
      } while work.next != nil && !turn.isOver
    } catch {
      pruning = nil
      return log.error("Cannot shorten the ledger: \(error)")
    }
    guard work.next == nil else {
      pruning = work
      pruneTimer?.arm(in: 1_000)
      return
    }
    pruning = nil
    if work.removed > 0 {
      log.info("Removed \(work.removed) firings older than \(work.days) days from the ledger")
    }
    if work.givenUp > 0 {
      log.warning(
        """
        \(work.givenUp) of the removed firings did not reach every destination: \
        'georemind delivery'
        """)
    }
  }
}
