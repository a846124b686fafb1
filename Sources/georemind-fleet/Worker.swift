import CivilTime
import Companion
import Fleet
import FleetPostgreSQL
import Glibc
import LinuxRuntime

/// One of the processes that share the partitions: it reads, decides and commits.
///
/// It has nothing that it could lose. After any failure of the database it begins anew from the
/// stored state.
final class Worker {
  struct Options {
    var name: String
    var database: String
    var acceptsGaps = false
    var maximumReminders = 1_000
    var metrics: String?
  }

  /// A partition that this worker owns, and its reader.
  private struct Owned {
    let partition: Partition
    let tail: LogTail
    let since: Int64
    var lastMessage: Int64
    var lastTick: Int64 = 0
  }

  /// Microseconds on the steady clock: between commits of firings and of mere progress, between
  /// signs of life, before the clock asks again, before a log without messages counts as silent.
  private static let (commitGap, progressGap): (Int64, Int64) = (20_000, 1_000_000)
  private static let (beatGap, tickGap, silence): (Int64, Int64, Int64) = (500_000, 200_000, 50_000)

  private let options: Options
  private let log: any LogConnection
  private let report: ServiceLog
  private let inbox = Inbox()
  private var store: FleetStore?
  private var places = PlaceCatalog()
  private var owned: [Int: Owned] = [:]
  private var (lastBeat, lastCommit): (Int64, Int64) = (0, 0)
  private var lastFailure = ""
  private(set) var metrics = Metrics()

  init(_ options: Options, _ log: any LogConnection, report: ServiceLog) {
    self.options = options
    self.log = log
    self.report = report
  }

  private var steady: Int64 { SystemClock.monotonic.microseconds }

  /// Runs until `isEnding` says so, or the worker is drained.
  func run(until isEnding: () -> Bool) {
    while !isEnding() {
      do {
        if try turn() { break }
      } catch {
        // With the session its locks are free. Everything begins anew, from the stored state.
        fail("\(error)")
        close()
        usleep(200_000)
      }
    }
    for number in owned.keys { try? give(number) }
    close()
    metrics.write(to: options.metrics, owned.values.map(\.partition))
  }

  private func close() {
    for entry in owned.values { entry.tail.stop() }
    owned = [:]
    store = nil
    lastBeat = 0
  }

  private func fail(_ text: String) {
    metrics.failures += 1
    if text != lastFailure { report.write(.warning, text) }
    lastFailure = text
  }

  /// Answers whether the worker is drained.
  private func turn() throws -> Bool {
    let store = try open()
    if steady - lastBeat > Self.beatGap, try beat(store) { return true }
    let items = inbox.take(within: Self.commitGap)
    for (number, entry) in owned {
      if let item = items[entry.tail.number] { try take(item, number, store) }
    }
    try commit(store)
    for number in owned.keys { tick(number) }
    return false
  }

  private func open() throws -> FleetStore {
    if let store { return store }
    let store = try FleetStore(options.database, worker: options.name)
    places = try store.places()
    self.store = store
    lastFailure = ""
    report.write(.info, "Connected to the database.")
    return store
  }

  // MARK: - Messages

  private func take(_ item: Inbox.Item, _ number: Int, _ store: FleetStore) throws {
    guard var entry = owned[number] else { return }
    switch item {
    case .gap(let reason, let span):
      report.write(.warning, "Partition \(number): \(reason). It is accepted.")
      try store.acceptGap(number, span)
      return try restore(number, store)
    case .messages(let messages):
      let isReplaying = entry.partition.isReplaying
      for message in messages { entry.partition.take(message) }
      metrics.messages += messages.count
      entry.lastMessage = steady
      if isReplaying, !entry.partition.isReplaying {
        metrics.takeoverTime += entry.lastMessage - entry.since
      }
    case .failed(let error): fail("Partition \(number): \(error)")
    }
    owned[number] = entry
  }

  /// Asks for a message of the clock where a deadline has come and the log is silent, and where it
  /// does not show the end of a replay.
  private func tick(_ number: Int) {
    guard var entry = owned[number], steady - entry.lastMessage > Self.silence,
      steady - entry.lastTick > Self.tickGap
    else { return }
    let isDue = entry.partition.deadline.map { $0.microseconds <= SystemClock.now() } ?? false
    guard isDue || entry.partition.isReplaying else { return }
    entry.lastTick = steady
    owned[number] = entry
    log.tick(number)
  }

  private func commit(_ store: FleetStore, all: Bool = false) throws {
    let now = steady
    let hasChanges = owned.values.contains { $0.partition.hasChanges && !$0.partition.isReplaying }
    guard all || now - lastCommit > (hasChanges ? Self.commitGap : Self.progressGap) else { return }
    let partitions = owned.values.map(\.partition).filter {
      !$0.isReplaying && ($0.hasChanges || $0.isAhead)
    }
    guard !partitions.isEmpty else { return }
    metrics.firings += partitions.reduce(0) { $0 + $1.firingCount }
    try store.commit(partitions)
    lastCommit = steady
    metrics.commits += 1
    metrics.commitTime += lastCommit - now
  }

  // MARK: - Ownership

  private func beat(_ store: FleetStore) throws -> Bool {
    lastBeat = steady
    let partitions = owned.values.map(\.partition)
    metrics.write(to: options.metrics, partitions)
    let (share, isDrained) = try store.beat(metrics.json(partitions))
    while owned.count > share, let number = owned.keys.max() { try give(number) }
    if isDrained { return true }
    // A few at a time, and the messages of the others in between.
    let taken = try store.acquire(atMost: min(4, share - owned.count))
    for number in taken { try restore(number, store) }
    if taken.count == 4 { lastBeat = 0 }
    return false
  }

  private func give(_ number: Int) throws {
    guard let store, let entry = owned[number] else { return }
    try commit(store, all: true)
    entry.tail.stop()
    owned[number] = nil
    try store.release(number)
  }

  private func restore(_ number: Int, _ store: FleetStore) throws {
    let start = steady
    let (partition, failures) = try store.restore(number, places: places)
    for failure in failures { report.write(.error, "Left out: \(failure)") }
    partition.maximumReminders = options.maximumReminders
    owned[number] = Owned(
      partition: partition,
      tail: LogTail(log, partition, acceptsGap: options.acceptsGaps, to: inbox),
      since: start, lastMessage: steady)
    metrics.takeovers += 1
    metrics.restoreTime += steady - start
    report.write(
      .info,
      "Partition \(number) with \(partition.deviceCount) devices, \((steady - start) / 1_000) ms.")
  }
}
