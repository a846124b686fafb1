import CivilTime
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Brings firings from the ledger to the journal, in order, each once.
///
/// A firing is marked delivered after the journal has taken it: with the next commit, or by
/// `writeMarks`. After a crash, an unmarked firing may be in the journal, so `JournalLookUp`
/// searches for its id first.
final class Outbox {
  private let store: Store
  private let sink: any JournalSink
  private let log: Logger
  private let lookUp: LookUp?
  private let clock: () -> Instant
  private var isJournalAway = false
  private var hasComplained = false
  /// The last run's firings have yet to be looked up: the journal took no entry, or the store
  /// could not be read.
  private var isLookUpDue = false
  /// Ids of the last run's firings that the journal has.
  private var found: Set<String> = []
  /// The number of the latest firing that the journal has taken in this run.
  private var sent: Int64 = 0
  /// Numbers of firings that the journal has and the ledger does not mark yet.
  private var unmarked: [Int64] = []
  /// The latest firing that the journal had taken when its room was last waited for.
  private var waitedAfter: Int64?
  /// Firings that are read from the ledger at a time.
  private static let pageLength = 500

  /// Asks for `deliver` to be called after a while, or as soon as the descriptor is writable.
  var onJournalAway: (Descriptor?) -> Void = { _ in }
  /// Asks for `writeMarks` to be called after a while.
  var onDelivered: () -> Void = {}

  /// Returns the ids of these firings that the journal has.
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

  /// Sends what waits in the ledger.
  func deliver() {
    if isLookUpDue { return recover() }
    do {
      var isWhole = false
      repeat {
        let page = try store.ledger.undelivered(after: sent, limit: Self.pageLength)
        isWhole = page.values.count + page.problems.count < Self.pageLength
        guard send(page.values) else { return waitForJournal() }
        // A row that is no firing stays.
        if page.values.isEmpty, let last = page.problems.last { sent = last.row }
      } while !isWhole
      hasComplained = false
    } catch {
      complain(error)
    }
  }

  /// A journal that has room and takes nothing all the same is asked again after a while.
  private func waitForJournal() {
    let hasMoved = waitedAfter != sent
    waitedAfter = sent
    onJournalAway(hasMoved ? sink.roomDescriptor() : nil)
  }

  private func complain(_ error: any Error) {
    if !hasComplained { log.error("Cannot work off the outbox: \(error)") }
    hasComplained = true
    onJournalAway(nil)
  }

  /// Answers false where the journal takes no more.
  private func send(_ entries: [LedgerEntry]) -> Bool {
    for entry in entries {
      do throws(JournalError) {
        if found.remove(entry.firing.id) == nil {
          try sink.write(Announcer.entry(for: entry.firing))
        }
      } catch {
        if !isJournalAway { log.error("The journal takes no entries, firings wait: \(error)") }
        isJournalAway = true
        return false
      }
      isJournalAway = false
      sent = entry.seq
      unmarked.append(entry.seq)
      onDelivered()
    }
    return true
  }

  // MARK: - Marks

  /// Firings to mark as delivered with the next commit, and the time of delivery.
  var marks: (seqs: [Int64], time: Instant) { (unmarked, clock()) }

  /// These are marked in the ledger.
  func marked(_ seqs: [Int64]) { unmarked.removeFirst(seqs.count) }

  /// Marks what no commit has marked yet.
  func writeMarks() {
    do {
      let (seqs, time) = marks
      try store.ledger.markDelivered(seqs, at: time)
      marked(seqs)
    } catch {
      // The next commit tries again, and the next start asks the journal.
      log.debug("Deliveries are not marked yet: \(error)")
    }
  }

  // MARK: - After a crash

  /// Sends an earlier run's undelivered firings. Blocks for journald, so it is for the start.
  func recover() {
    isLookUpDue = true
    let left: [String]
    do { left = try store.ledger.undeliveredIDs() } catch { return complain(error) }
    isLookUpDue = false
    guard !left.isEmpty else { return }
    do {
      found = Set(try lookUp?(left) ?? [])
      if !found.isEmpty {
        log.notice("\(found.count) of the last run's firings were already in the journal")
      }
    } catch let error as JournalError where error.isRefusal {
      // Nor does the journal take firings now.
      isLookUpDue = true
      return onJournalAway(nil)
    } catch {
      log.error("Cannot look up the last run's firings, so they are reported again: \(error)")
    }
    deliver()
  }
}
