package import CivilTime

/// The way of one destination through the ledger, as a state machine: events in, effects out.
///
/// Firings come in the order of their numbers, one at a time: the next one only after the last was
/// delivered or given up. The daemon stores the number reached, so this value may be lost at any
/// time; then at most the firing that was under way is delivered twice.
package struct Delivery: Sendable {
  package enum Outcome: Equatable, Sendable {
    case delivered
    /// The destination never takes this firing, and why.
    case refused(String)
    /// To be tried again.
    case failed(String)
  }

  package enum Event: Sendable {
    case connected
    case disconnected
    /// A firing was added to the ledger.
    case news
    /// The daemon's answer to `open`; without a row, for a destination without a name.
    case opened(ConsumerRow?, ledger: String, head: Int)
    /// The daemon's answer to `read`; nil at the head of the ledger.
    case read(FiringNotice?)
    /// The outcome of `run`.
    case ended(Outcome)
    /// The daemon's answer to `store`: the row in force.
    case stored(ConsumerRow, ledger: String)
    /// The daemon has no such row.
    case forgotten
    /// The daemon refused a call.
    case refused
    /// The destination can be reached again: a firing that waits for its next try is due now.
    case reachable
    /// The time of `wake` has come.
    case tick
  }

  package enum Effect: Equatable, Sendable {
    /// Ask the daemon for the row, which it adds if it has none.
    case open
    case read(after: Int)
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

  private enum Phase: Sendable {
    case idle
    /// The daemon's answer is due.
    case asking
    case running
  }

  private struct Current: Sendable {
    let firing: FiringNotice
    let begun: Int64
    /// Steady times: of the next try, and at which the row is read again in between.
    var due: Int64
    var nextCheck: Int64
    /// Whether the row was read since the last try.
    var isChecked = true
  }

  private let name: String?
  private let backlog: Int
  private let beginsAtHead: Bool
  package var giveUpAfter: TimeSpan
  private var phase = Phase.idle
  private var isConnected = false
  /// No row was read on this connection yet.
  private var isFresh = true
  private var row: ConsumerRow?
  private var ledger = ""
  private var isUnstored = false
  private var current: Current?
  private var isAtHead = false
  private var hasNews = false
  private var missedUpto = 0
  private var pausedUntil = Int64.min
  /// Steady time at which the present run of failures began.
  private var failingSince: Int64?

  /// While a firing waits, its row is read this often: somebody may skip it. Microseconds.
  private static let checkInterval: Int64 = 30_000_000
  /// After a refusal of the daemon, microseconds.
  private static let pause: Int64 = 5_000_000
  private static let longestWait: Int64 = 900_000_000

  /// - Parameters:
  ///   - name: of the row, which begins at the head; nil remembers nothing and begins `backlog`
  ///     firings before the head.
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
    case .disconnected:
      isConnected = false
      if phase == .asking { phase = .idle }
    case .news: hasNews = true
    case .reachable: current?.due = now.steady
    case .tick: break
    case .opened(let row, let ledger, let head):
      phase = .idle
      adopt(row ?? begin(ledger, head), ledger)
      if isFresh { catchUp(with: head, &effects) }
      current?.isChecked = true
      current?.nextCheck = now.steady + Self.checkInterval
    case .read(let firing):
      phase = .idle
      isAtHead = firing == nil
      current = firing.map {
        Current(
          firing: $0, begun: now.steady, due: now.steady,
          nextCheck: now.steady + Self.checkInterval)
      }
    case .ended(let outcome):
      phase = .idle
      take(outcome, now, random, &effects)
    case .stored(let row, let ledger):
      phase = .idle
      isUnstored = false
      adopt(row, ledger)
    case .forgotten:
      phase = .idle
      isUnstored = false
      (row, current) = (nil, nil)
    case .refused:
      phase = .idle
      pausedUntil = now.steady + Self.pause
    }
    if let next = proceed(now.steady) { effects.append(next) }
    return effects
  }

  // MARK: - Steps

  /// The next step, if one can be taken.
  private mutating func proceed(_ now: Int64) -> Effect? {
    guard phase == .idle, isConnected else { return nil }
    guard now >= pausedUntil else { return .wake(in: pausedUntil - now) }
    guard let row, !isFresh || isUnstored else { return ask(.open) }
    if isUnstored { return ask(.store(row, ledger: ledger)) }
    guard let waiting = current else {
      guard !isAtHead || hasNews else { return nil }
      (isAtHead, hasNews) = (false, false)
      return ask(.read(after: row.upto))
    }
    if !waiting.isChecked, now >= min(waiting.due, waiting.nextCheck) { return ask(.open) }
    current?.isChecked = false
    guard now >= waiting.due else { return .wake(in: min(waiting.due, waiting.nextCheck) - now) }
    phase = .running
    return .run(waiting.firing, isMissed: waiting.firing.seq <= missedUpto)
  }

  private mutating func ask(_ question: Effect) -> Effect {
    phase = .asking
    return question
  }

  /// Where a destination without a row begins, or goes on in the same ledger.
  private func begin(_ ledger: String, _ head: Int) -> ConsumerRow {
    if let row, self.ledger == ledger, row.upto <= head { return row }
    return ConsumerRow(name: "", upto: beginsAtHead ? head : max(0, head - backlog))
  }

  private mutating func adopt(_ new: ConsumerRow, _ newLedger: String) {
    if new.upto != row?.upto || newLedger != ledger { (current, isAtHead) = (nil, false) }
    (row, ledger) = (new, newLedger)
  }

  /// After a new connection: firings up to `head` were missed.
  private mutating func catchUp(with head: Int, _ effects: inout [Effect]) {
    isFresh = false
    isAtHead = false
    missedUpto = head
    guard let behind = row.map({ head - $0.upto }), behind > backlog else { return }
    effects.append(.report(.passedOver(behind - backlog)))
    row?.upto = head - backlog
    row?.tries = 0
    current = nil
    isUnstored = name != nil
  }

  // MARK: - Outcomes

  private mutating func take(
    _ outcome: Outcome, _ now: ClockReadings, _ random: Double, _ effects: inout [Effect]
  ) {
    // Nothing is under way after the row was forgotten or belongs to another ledger.
    guard let firing = current?.firing, var row else { return }
    isUnstored = name != nil
    switch outcome {
    case .delivered:
      finish(firing, &row)
      (row.failingSince, row.text, failingSince) = (nil, nil, nil)
    case .refused(let reason):
      finish(firing, &row)
      (row.failingSince, row.text, failingSince) = (nil, "given up: \(reason)", nil)
      effects.append(.report(.gaveUp(firing, reason)))
    case .failed(let reason):
      let isFirst = row.failingSince == nil
      row.failingSince = row.failingSince ?? now.real.json
      failingSince = failingSince ?? now.steady
      if isOver(firing, now) {
        finish(firing, &row)
        row.text = "given up: \(reason)"
        effects.append(.report(.gaveUp(firing, "\(reason), for longer than \(giveUpAfter)")))
      } else {
        row.tries += 1
        let delay = Self.delay(tries: row.tries, random: random)
        row.nextTry = (now.real + TimeSpan(microseconds: delay)).json
        row.text = reason
        current?.due = now.steady + delay
        current?.nextCheck = now.steady + Self.checkInterval
        if isFirst { effects.append(.report(.failing(firing, reason, retryIn: delay))) }
      }
    }
    self.row = row
  }

  private mutating func finish(_ firing: FiringNotice, _ row: inout ConsumerRow) {
    row.upto = firing.seq
    (row.tries, row.nextTry) = (0, nil)
    (current, isAtHead) = (nil, false)
  }

  /// Whether a firing was tried long enough. Where all have failed for that long, each old firing
  /// is tried once, so that a backlog ends. Ages by the clock count only then, since it may step.
  private func isOver(_ firing: FiringNotice, _ now: ClockReadings) -> Bool {
    func isLong(_ begun: Int64?) -> Bool {
      begun.map { now.steady - $0 >= giveUpAfter.microseconds } ?? false
    }
    guard !isLong(current?.begun) else { return true }
    guard isLong(failingSince), let time = try? Instant(rfc3339: firing.time) else { return false }
    return now.real - time >= giveUpAfter
  }

  /// 1, 2, 4 … s up to 15 min, ± 20 %; microseconds.
  package static func delay(tries: Int, random: Double) -> Int64 {
    let step = min(longestWait, 1_000_000 << Int64(max(0, min(tries - 1, 10))))
    return Int64(Double(step) * (0.8 + 0.4 * random))
  }
}
