import CivilTime

/// The steps of a destination: what it asks the daemon, runs, and stores.
extension Delivery {
  // MARK: - Steps

  /// The next step, if one can be taken.
  mutating func proceed(_ now: Int64) -> Effect? {
    guard !isAsking, isConnected else { return nil }
    guard now >= pausedUntil else { return .wake(in: pausedUntil - now) }
    guard let row, !isFresh || isUnstored else { return ask(.open) }
    if isUnstored {
      stored = row
      return ask(.store(row, ledger: ledger))
    }
    for queue in queues {
      guard let known = progress[queue] else { continue }
      if let waiting = known.current {
        // The later queues wait as well.
        return waiting.isRunning ? nil : proceed(waiting, queue, now)
      }
      guard !known.isAtHead || known.hasNews else { continue }
      progress[queue] = Progress()
      return ask(.read(after: row[queue], queue))
    }
    return nil
  }

  private mutating func proceed(
    _ waiting: Current, _ queue: ConsumerRow.Queue, _ now: Int64
  ) -> Effect? {
    if !waiting.isChecked, now >= min(waiting.due, waiting.nextCheck) { return ask(.open) }
    progress[queue]?.current?.isChecked = false
    guard now >= waiting.due else { return .wake(in: min(waiting.due, waiting.nextCheck) - now) }
    progress[queue]?.current?.isRunning = true
    return .run(waiting.firing, isMissed: waiting.firing.seq <= missedUpto)
  }

  private mutating func ask(_ question: Effect) -> Effect {
    isAsking = true
    return question
  }

  /// Where a destination without a row begins, or goes on in the same ledger.
  func begin(_ ledger: String, _ head: Int) -> ConsumerRow {
    if let row, self.ledger == ledger, row.upto <= head { return row }
    return ConsumerRow(name: "", upto: beginsAtHead ? head : max(0, head - backlog))
  }

  mutating func adopt(_ new: ConsumerRow, _ newLedger: String) {
    for queue in queues {
      let isPast = progress[queue]?.current.map { !$0.isRunning && $0.firing.seq <= new[queue] }
      if newLedger != ledger || isPast == true { progress[queue]?.current = nil }
      let isBack = new[queue] < row?[queue] ?? .max
      if newLedger != ledger || isBack { progress[queue]?.isAtHead = false }
    }
    (row, ledger) = (new, newLedger)
  }

  /// After a new connection: firings up to `head` were missed.
  mutating func catchUp(with head: Int, _ effects: inout [Effect]) {
    isFresh = false
    missedUpto = head
    for queue in queues { progress[queue]?.isAtHead = false }
    guard let first = queues.compactMap({ row?[$0] }).min(), head - first > backlog else { return }
    effects.append(.report(.passedOver(head - first - backlog)))
    for queue in queues {
      if let upto = row?[queue], upto < head - backlog { row?[queue] = head - backlog }
      progress[queue]?.current = nil
    }
    row?.tries = 0
    isUnstored = name != nil
  }

  /// The destination works: what waits for its next try is due.
  mutating func endWaits(_ now: Int64) {
    for queue in queues { progress[queue]?.current?.due = now }
  }

  /// Stores a failure of the destination that is none of a firing, and its end.
  mutating func applyCondition(_ now: ClockReadings) {
    guard name != nil, let condition, let row, row.tries == 0 else { return }
    if condition == nil, row.failingSince == nil { return }
    if condition != nil, row.failingSince != nil, row.text == condition { return }
    self.row?.failingSince = condition == nil ? nil : row.failingSince ?? now.real.json
    self.row?.text = condition
    isUnstored = true
  }

  // MARK: - Outcomes

  mutating func take(
    _ outcome: Outcome, of seq: Int, _ now: ClockReadings, _ random: Double,
    _ effects: inout [Effect]
  ) {
    // Nothing is under way after the row was forgotten or belongs to another ledger.
    let running = queues.first {
      progress[$0]?.current.map { $0.isRunning && $0.firing.seq == seq } ?? false
    }
    guard let queue = running, var current = progress[queue]?.current, var row else { return }
    isUnstored = name != nil
    current.isRunning = false
    var giveUp: String?
    switch outcome {
    case .delivered:
      let failure = condition ?? nil
      row.failingSince = failure == nil ? nil : row.failingSince ?? now.real.json
      (row.text, failingSince) = (failure, nil)
      endWaits(now.steady)
    case .passed: row.text = "it is for other destinations"
    case .refused(let reason):
      (row.failingSince, row.text, failingSince) = (nil, "given up: \(reason)", nil)
      giveUp = reason
    case .failed(let reason):
      let isFirst = row.failingSince == nil
      row.failingSince = row.failingSince ?? now.real.json
      failingSince = failingSince ?? now.steady
      if isOver(current, now) {
        row.text = "given up: \(reason)"
        giveUp = "\(reason), for longer than \(giveUpAfter)"
        break
      }
      current.tries += 1
      let delay = Self.delay(
        tries: current.tries, random: random, isUrgent: current.firing.isUrgent)
      (row.tries, row.text) = (current.tries, reason)
      row.nextTry = (now.real + TimeSpan(microseconds: delay)).json
      current.due = now.steady + delay
      current.nextCheck = now.steady + Self.checkInterval
      progress[queue]?.current = current
      self.row = row
      if isFirst { effects.append(.report(.failing(current.firing, reason, retryIn: delay))) }
      return
    }
    if let giveUp { effects.append(.report(.gaveUp(current.firing, giveUp))) }
    row[queue] = max(row[queue], seq)
    (row.tries, row.nextTry) = (0, nil)
    self.row = row
    progress[queue]?.current = nil
    progress[queue]?.isAtHead = false
  }

  /// Whether a firing was tried long enough. Where all have failed for that long, each old firing
  /// is tried once, so that a backlog ends. Ages by the clock count only then, since it may step.
  private func isOver(_ current: Current, _ now: ClockReadings) -> Bool {
    func isLong(_ begun: Int64?) -> Bool {
      begun.map { now.steady - $0 >= giveUpAfter.microseconds } ?? false
    }
    guard !isLong(current.begun) else { return true }
    guard isLong(failingSince), let time = try? Instant(rfc3339: current.firing.time) else {
      return false
    }
    return now.real - time >= giveUpAfter
  }

  /// 1, 2, 4 … s up to 15 min, ± 20 %; of an urgent firing 1.5 s a thousand times, then at most a
  /// minute. Microseconds.
  package static func delay(tries: Int, random: Double, isUrgent: Bool = false) -> Int64 {
    let doubled: Int64 = 1_000_000 << Int64(max(0, min(tries - 1, 10)))
    let step: Int64 =
      isUrgent ? (tries <= 1_000 ? 1_500_000 : 60_000_000) : min(doubled, 900_000_000)
    return Int64(Double(step) * (0.8 + 0.4 * random))
  }
}
