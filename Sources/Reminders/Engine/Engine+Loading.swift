package import CivilTime

/// Taking in the reminders of a store at a start.
extension Engine {
  /// Makes room for so many reminders. `load` follows for each of them, then `finishLoading`.
  package mutating func beginLoading(count: Int) { slots.reserveCapacity(count) }

  /// Takes in a reminder. Of two with one id the later one counts.
  package mutating func load(_ reminder: Reminder, _ progress: Progress) {
    if let index = slots.index(of: reminder.id) { slots.remove(index) }
    _ = slots.insert(reminder, progress)
  }

  /// Starts all reminders, and reports what was missed. There must have been no reminders before
  /// `beginLoading`. Complexity: O(n log n).
  package mutating func finishLoading(at now: Instant, into effects: inout [Effect]) {
    begin(at: now)
    isCatchingUp = true
    for index in slots.indices where !slots.isVacant(index) {
      begin(index, slots.progress(index), at: now)
    }
    end(at: now, into: &effects)
  }

  /// Drops what `load` has taken in since `beginLoading`.
  package mutating func abandonLoading() { slots = ReminderTable() }
}
