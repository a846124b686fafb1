import CivilTime
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Storing the engine's decisions.
extension EngineHost {
  /// A commit that took longer is reported, once, until one is quicker again; in microseconds.
  static let slowCommit: Int64 = 1_000_000

  var storeFailureText: String? { storeFailure.map { "\($0)" } }

  /// The name of a place; nil for an unknown place or a failing store.
  func placeName(_ number: Int64) -> String? {
    try? store.places.name(of: number)
  }

  /// Commits pending changes. Changes that fail stay first, to keep the order of firings.
  func commitPending() {
    do throws(StoreError) {
      if pending.isEmpty { try store.database.checkFiles() }
      let recorded = pending.isEmpty ? [] : try store(pending)
      pending = Changes()
      succeed(with: recorded)
    } catch {
      pending.dropOutdatedHistories()
      report(error)
    }
  }

  /// Stores the offset for which all reminders are corrected, not before their corrections. If the
  /// process dies before, the next start corrects them again, which changes nothing more.
  func keep(_ offset: ClockOffset) {
    pending.clockOffset = offset.text
    commitPending()
  }

  func store(
    _ changes: Changes, and body: () throws(StoreError) -> Void = { () throws(StoreError) in }
  ) throws(StoreError) -> [LedgerEntry] {
    var changes = changes
    (changes.delivered, changes.deliveryTime) = outbox.marks
    changes.isQuiet = !changes.firings.isEmpty && isQuiet()
    let start = SystemClock.monotonic.microseconds
    let recorded = try store.commit(changes, and: body)
    outbox.marked(changes.delivered)
    onStored(changes)
    watchPace(of: SystemClock.monotonic.microseconds - start)
    return recorded
  }

  /// A commit is on disk: now others may know.
  func succeed(with recorded: [LedgerEntry]) {
    if storeFailureText != nil, all.allSatisfy(\.unfilled.isEmpty), refused.isEmpty {
      storeFailure = nil
      log.notice("The store works again; nothing was lost")
    }
    guard !recorded.isEmpty else { return }
    outbox.deliver()
    for firing in recorded {
      if let span = firing.late { late = (late.firings + 1, late.seconds + span.seconds) }
      onFiring(firing)
    }
  }

  func report(_ failure: StoreError) {
    if storeFailureText == nil {
      journal.announceStoreFailure("\(failure)")
      if case .moved = failure { rescue() }
    }
    storeFailure = failure
    onStoreFailure()
  }

  /// Another file is at the database's path, or none: the state of memory goes into a new one.
  private func rescue() {
    var changes = pending
    changes.saved = all.flatMap { $0.engine.entries }
    do throws(StoreError) {
      journal.announceRescue(
        to: try store.rescue(changes, at: clock.nowOrSystem), of: store.database.path)
    } catch {
      journal.announceStoreFailure("the state of memory is not saved elsewhere: \(error)")
    }
  }

  /// Reports when commits become slow, and when they are quick again.
  /// - Parameter commit: microseconds that one took.
  func watchPace(of commit: Int64) {
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
