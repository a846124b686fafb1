import Control
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Imports under way; the places of finished ones on their way to the engine, and the removal of
/// abandoned ones, both in turns.
final class PlaceImportQueue {
  /// More are not begun at a time, and not by one user.
  private static let maximumCount = 8
  private static let maximumOfUser = 2
  /// Microseconds of silence after which an import counts as given up.
  private static let longestSilence: Int64 = 600_000_000
  /// Places that are removed at a time.
  private static let purgedAtOnce = 2000
  /// Places that the engine receives at a time.
  private static let handedOnAtOnce = 1000

  private let host: EngineHost
  private let log: Logger
  private var batches: [Int64: (batch: PlaceImport, user: UInt32, lastUse: Int64)] = [:]
  private let purgeTimer: TimerSource?
  private let settleTimer: TimerSource?
  private let handOnTimer: TimerSource?
  /// Finished imports, and the number from which the engine has yet to receive their places.
  private var finished: [(batch: PlaceImport, next: Int64)] = []
  /// Places came that have left much of the heap free.
  private var hasGrown = false

  private var store: Store { host.store }

  init(host: EngineHost, loop: EventLoop, log: Logger) throws {
    self.host = host
    self.log = log
    let owner = WeakReference<PlaceImportQueue>()
    purgeTimer = try loop.addTimer(.monotonic, accuracy: 10_000) { _ in owner.target?.purge() }
    settleTimer = try loop.addTimer(.monotonic, accuracy: 100_000) { _ in owner.target?.settle() }
    handOnTimer = try loop.addTimer(.monotonic, accuracy: 1_000) { _ in owner.target?.handOn() }
    handOnTimer?.setPriority(.background)
    owner.target = self
    host.onUnfilled = { owner.target?.handOnTimer?.arm(in: 1_000) }
    if try host.store.imports.abandonAll() { purgeTimer?.arm(in: 1_000_000) }
  }

  func stop() {
    purgeTimer?.close()
    settleTimer?.close()
    handOnTimer?.close()
  }

  /// - Parameter caller: who may go on with the import, and owns what it adds.
  func begin(by caller: Caller) throws -> Int64 {
    let now = SystemClock.monotonic.microseconds
    for (id, entry) in batches where now - entry.lastUse > Self.longestSilence { try abandon(id) }
    guard batches.count < Self.maximumCount else {
      throw GeoremindError.refusedByPolicy(
        reason: "\(Self.maximumCount) imports are under way already; try again later")
    }
    let ofUser = batches.values.count { $0.user == caller.user }
    guard caller.isMaster || ofUser < Self.maximumOfUser else {
      throw GeoremindError.refusedByPolicy(
        reason: "\(ofUser) imports of user \(caller.user) are under way already; try again later")
    }
    let batch = try store.imports.begin(for: caller.owner)
    batches[batch.id] = (batch, caller.user, now)
    return batch.id
  }

  func batch(_ id: Int64) throws -> PlaceImport {
    guard let batch = batches[id]?.batch else {
      throw GeoremindError.notFound(id: "import \(id)")
    }
    batches[id]?.lastUse = SystemClock.monotonic.microseconds
    settleTimer?.arm(in: 1_000_000)
    return batch
  }

  /// nil for an unknown import.
  func user(of id: Int64) -> UInt32? { batches[id]?.user }

  func finish(_ id: Int64) throws -> PlaceImport {
    let batch = try batch(id)
    try store.imports.finish(batch)
    batches[id] = nil
    if !host.watchedCategories.isEmpty { finished.append((batch, batch.first)) }
    handOn()
    return batch
  }

  /// Gives the engine places, as many as one turn of the loop admits.
  private func handOn() {
    let turn = LoopTurn()
    host.fillPlaces()
    do {
      while let (batch, next) = finished.first {
        guard !turn.isOver else { return handOnTimer?.arm(in: 1_000) ?? () }
        let rows = try store.places.added(by: batch, from: next, limit: Self.handedOnAtOnce)
        for problem in rows.problems { log.error("\(problem)") }
        let byCategory = Dictionary(grouping: rows.values, by: \.category)
        for (category, places) in byCategory.sorted(by: { $0.key < $1.key }) {
          host.add(places.map(\.place), to: category)
        }
        if rows.values.count == Self.handedOnAtOnce { hasGrown = true }
        if let last = rows.values.last?.place.number {
          finished[0].next = last + 1
        } else {
          finished.removeFirst()
        }
      }
    } catch {
      log.error("Cannot read what an import brought: \(error)")
      return handOnTimer?.arm(in: 60_000_000) ?? ()
    }
    guard hasGrown else { return }
    guard !turn.isOver else { return handOnTimer?.arm(in: 1_000) ?? () }
    hasGrown = false
    ResidentMemory.releaseHeap()
  }

  func abandon(_ id: Int64) throws {
    guard batches.removeValue(forKey: id) != nil else { return }
    try store.imports.abandon(id: id)
    purgeTimer?.arm(in: 100_000)
  }

  private func settle() {
    do {
      try store.imports.settle()
    } catch {
      log.error("Cannot keep what an import brought: \(error)")
    }
  }

  private func purge() {
    do {
      if try store.imports.purge(limit: Self.purgedAtOnce) { purgeTimer?.arm(in: 20_000) }
    } catch {
      log.error("Cannot remove what an import has left: \(error)")
      purgeTimer?.arm(in: 60_000_000)
    }
  }
}
