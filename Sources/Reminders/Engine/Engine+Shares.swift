import CivilTime
import Containers

/// The share of each user: what the clock brings of one user's reminders is limited, so that it
/// does not delay the firings of others, nor fill the journal. The rest waits its turn; nothing is
/// dropped. Reminders without an owner, which root and the service's own user add, have no limit.
///
/// Only time brings floods: a firing by place needs a fix, and does not wait.
extension Engine {
  /// The firings of one user by time: a virtual schedule (the generic cell rate algorithm of ITU-T
  /// I.371), and the slots that wait for it.
  struct Share: Sendable {
    /// Firings at once after a rest.
    static let burst = 30
    /// Between two firings thereafter.
    static let interval = TimeSpan.seconds(1)

    /// When the next firing would be due if each took an interval.
    private var schedule = Instant(microseconds: .min)
    /// Slots that wait, by the time at which they should have fired.
    var waiting = TimerHeap()

    /// From then on another one may fire.
    var free: Instant { schedule - .seconds(Double(Self.burst - 1)) }

    /// Whether a firing for `at` may come now: no earlier one waits, and there is room.
    func admits(_ at: Instant, at now: Instant) -> Bool {
      free <= now && waiting.peek().map { at.microseconds <= $0.deadline } ?? true
    }

    mutating func take(at now: Instant) { schedule = max(schedule, now) + Self.interval }

    /// The clock was set: the schedule says nothing about the new time.
    mutating func restart() { schedule = Instant(microseconds: .min) }
  }

  /// Whether a plan that the clock has brought waits for the share of its owner; else it counts.
  mutating func awaitsShare(_ evaluation: Evaluation, since at: Instant) -> Bool {
    let (slot, now) = (evaluation.slot, evaluation.now)
    guard let owner = slot.reminder.owner, !slot.reminder.watchesAnchor else { return false }
    switch evaluation.plan.action {
    case .ring, .wake, .repeatFiring: break
    case .leave, .move, .stay, .depart, .endRepetition, .end, nil: return false
    }
    if shares[owner, default: Share()].admits(at, at: now) {
      shares[owner, default: Share()].take(at: now)
      return false
    }
    shares[owner]?.waiting.push(slot: slot.index, at: at.microseconds)
    timers.cancel(slot: slot.index)
    return true
  }

  /// Evaluates the slots whose turn has come, the earliest of each owner first.
  mutating func evaluateShares(at now: Instant) {
    guard shareDeadline.map({ $0 <= now }) ?? false else { return }
    for owner in shares.keys.sorted() {
      while !turn.isFull, shares[owner].map({ $0.free <= now }) ?? false,
        let next = shares[owner]?.waiting.pop()
      {
        evaluate(at: next.slot, now: now)
      }
    }
  }

  /// When the turn of a waiting slot comes; nil where none waits. Complexity: O(owners).
  var shareDeadline: Instant? {
    shares.values.lazy.filter { !$0.waiting.isEmpty }.map(\.free).min()
  }

  mutating func restartShares() {
    for owner in shares.keys.sorted() { shares[owner]?.restart() }
  }
}
