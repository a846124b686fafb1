package import CivilTime

/// The way of one destination through the ledger, as a state machine: events in, effects out.
///
/// Urgent firings and the others are two queues. Each goes in the order of the numbers, one firing
/// at a time: the next one only after the last was delivered or given up. An urgent firing starts
/// beside another firing under way, and no other starts before it is delivered. The daemon
/// stores the number reached in each queue, so this value may be lost at any time; then at most the
/// firings that were under way are delivered twice.
package struct Delivery: Sendable {
  package enum Outcome: Equatable, Sendable {
    case delivered
    /// It is for others.
    case passed
    /// The destination never takes this firing, and why.
    case refused(String)
    /// To be tried again.
    case failed(String)

    /// The reason, unless it was delivered.
    package var failure: String? {
      switch self {
      case .delivered, .passed: nil
      case .refused(let reason), .failed(let reason): reason
      }
    }
  }

  package enum Event: Sendable {
    case connected
    case disconnected
    /// A firing was added to the ledger.
    case news
    /// The daemon's answer to `open`; without a row, for a destination without a name.
    case opened(ConsumerRow?, ledger: String, head: Int)
    /// The daemon's answer to `read`; nil at the head of the ledger.
    case read(FiringNotice?, ConsumerRow.Queue)
    /// The outcome of `run` for the firing with this number.
    case ended(Int, Outcome)
    /// The daemon's answer to `store`: the row in force.
    case stored(ConsumerRow, ledger: String)
    /// The daemon has no such row.
    case forgotten
    /// The daemon refused a call.
    case refused
    /// The destination can be reached again: firings that wait for their next try are due now.
    case reachable
    /// A failure of the destination that is none of a firing, or nil if it works.
    case condition(String?)
    /// The time of `wake` has come.
    case tick
  }

  package enum Effect: Equatable, Sendable {
    /// Ask the daemon for the row, which it adds if it has none.
    case open
    case read(after: Int, ConsumerRow.Queue)
    /// Deliver it. Whether it fired while nobody was connected.
    case run(FiringNotice, isMissed: Bool)
    case store(ConsumerRow, ledger: String)
    /// In microseconds from now.
    case wake(in: Int64)
    case report(Report)
  }

  /// A message for the log.
  package enum Report: Equatable, Sendable {
    /// So many firings were missed and are left out.
    case passedOver(Int)
    /// The first failure after a success; microseconds to the next try.
    case failing(FiringNotice, String, retryIn: Int64)
    /// A firing that was not delivered is not tried again.
    case gaveUp(FiringNotice, String)
  }

  struct Current: Sendable {
    let firing: FiringNotice
    let begun: Int64
    /// Failed tries.
    var tries: Int
    /// Steady times: of the next try, and at which the row is read again in between.
    var due: Int64
    var nextCheck: Int64
    /// Whether the row was read since the last try.
    var isChecked = true
    var isRunning = false
  }

  struct Progress: Sendable {
    var current: Current?
    var isAtHead = false
    var hasNews = false
  }

  let name: String?
  let backlog: Int
  let beginsAtHead: Bool
  package var giveUpAfter: TimeSpan
  /// The queues, the first one first, and how far each is worked off.
  let queues: [ConsumerRow.Queue]
  var progress: [ConsumerRow.Queue: Progress] = [:]
  /// The daemon's answer is due.
  var isAsking = false
  var isConnected = false
  /// No row was read on this connection yet.
  var isFresh = true
  var row: ConsumerRow?
  var ledger = ""
  var isUnstored = false
  /// The row of the last store, or of the store under way.
  var stored: ConsumerRow?
  var missedUpto = 0
  var pausedUntil = Int64.min
  /// Steady time at which the present run of failures began.
  var failingSince: Int64?
  /// The last `condition`; nil before the first.
  var condition: String??

  /// While a firing waits, its row is read this often: somebody may skip it. Microseconds.
  static let checkInterval: Int64 = 30_000_000
  /// After a refusal of the daemon, microseconds.
  static let pause: Int64 = 5_000_000

  /// - Parameters:
  ///   - name: of the row, which begins at the head; nil remembers nothing, has one queue, and
  ///     begins `backlog` firings before the head.
  ///   - backlog: at most so many missed firings are delivered, the latest.
  ///   - beginsAtHead: without a name, only what fires from now on is delivered.
  ///   - giveUpAfter: how long a firing is tried.
  package init(
    name: String?, backlog: Int = .max, beginsAtHead: Bool = false,
    giveUpAfter: TimeSpan = .hours(24)
  ) {
    self.name = name
    self.backlog = backlog
    self.beginsAtHead = beginsAtHead
    self.giveUpAfter = giveUpAfter
    queues = name == nil ? [.all] : [.urgent, .others]
    for queue in queues { progress[queue] = Progress() }
  }

  /// - Parameter random: 0..<1.
  package mutating func handle(
    _ event: Event, at now: ClockReadings, random: Double = 0.5
  ) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .connected:
      isConnected = true
      isFresh = true
    case .disconnected: (isConnected, isAsking) = (false, false)
    case .news: for queue in queues { progress[queue]?.hasNews = true }
    case .reachable: endWaits(now.steady)
    case .tick: break
    case .condition(let failure):
      condition = .some(failure)
      applyCondition(now)
    case .opened(let row, let ledger, let head):
      isAsking = false
      adopt(row ?? begin(ledger, head), ledger)
      applyCondition(now)
      if isFresh { catchUp(with: head, &effects) }
      for queue in queues {
        progress[queue]?.current?.isChecked = true
        progress[queue]?.current?.nextCheck = now.steady + Self.checkInterval
      }
    case .read(let firing, let queue):
      isAsking = false
      progress[queue]?.isAtHead = firing == nil
      progress[queue]?.current = firing.map {
        Current(
          firing: $0, begun: now.steady, tries: row?.tries ?? 0, due: now.steady,
          nextCheck: now.steady + Self.checkInterval)
      }
    case .ended(let seq, let outcome): take(outcome, of: seq, now, random, &effects)
    case .stored(let row, let ledger):
      isAsking = false
      // A firing has ended meanwhile: its row is stored next.
      guard self.row == stored || ledger != self.ledger else { break }
      isUnstored = false
      adopt(row, ledger)
    case .forgotten:
      (isAsking, isUnstored, row) = (false, false, nil)
      for queue in queues { progress[queue]?.current = nil }
    case .refused:
      isAsking = false
      pausedUntil = now.steady + Self.pause
    }
    if let next = proceed(now.steady) { effects.append(next) }
    return effects
  }
}
