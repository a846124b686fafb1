package import CivilTime

/// Loading of stored reminders at startup.
extension Engine {
  /// Reserves space for `count` reminders. `load` follows for each of them, then `finishLoading`.
  package mutating func beginLoading(count: Int) { slots.reserveCapacity(count) }

  /// Loads a reminder. Of two with one id the later one counts.
  package mutating func load(_ reminder: Reminder, _ progress: Progress) {
    if let index = slots.index(of: reminder.id) { slots.remove(index) }
    _ = slots.insert(reminder, progress)
  }

  /// Starts all loaded reminders and reports missed firings. The engine must have been empty before
  /// `beginLoading`. Complexity: O(n log n).
  package mutating func finishLoading(at now: Instant, into effects: inout [Effect]) {
    begin(at: now)
    isCatchingUp = true
    for index in slots.indices where !slots.isVacant(index) {
      let right = slots.slot(index).flatMap { corrected($0, after: nil, at: now) }
      begin(index, right ?? slots.progress(index), at: now)
      if right != nil { markDirty(index) }
    }
    end(at: now, into: &effects)
  }

  /// Drops all reminders loaded since `beginLoading`.
  package mutating func abandonLoading() { slots = ReminderTable() }
}
