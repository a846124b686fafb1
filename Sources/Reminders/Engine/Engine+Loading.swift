package import CivilTime

/// Loading of stored reminders at startup, in turns.
extension Engine {
  /// Reserves space for `count` reminders. `load` follows for each of them, then `startLoaded`
  /// until it is done, or `finishLoading`. Other events may come in between.
  package mutating func beginLoading(count: Int) {
    slots.reserve(count)
    isLoading = true
    missed.isCatchingUp = true
    loadedSlot = 0
  }

  /// Loads a reminder. Of two with one id the later one counts.
  /// - Parameter standing: as the store has it; where it differs from the plan, it is stored anew.
  package mutating func load(
    _ reminder: Reminder, _ history: History, _ standing: Standing? = nil
  ) {
    if let index = slots.index(of: reminder.id) { slots.remove(index) }
    let index = slots.insert(reminder, history)
    if let standing { _ = slots.set(standing, index) }
  }

  /// Starts at most `count` of the loaded reminders; answers whether that were the last. Missed
  /// firings follow in the turns after that, earliest due time first.
  /// - Complexity: O(count · log n).
  package mutating func startLoaded(
    atMost count: Int, at now: Instant, into effects: inout [Effect]
  ) -> Bool {
    begin(at: now)
    if loadedSlot == 0, settings.firstFixWait > .zero {
      reception.firstFixBy = now + settings.firstFixWait
    }
    let left = Int32(slots.indices.count) - loadedSlot
    let end = loadedSlot + max(0, min(left, Int32(clamping: max(1, count))))
    for index in loadedSlot..<end where !slots.isVacant(index) {
      correct(index, after: nil, at: now)
      start(index, at: now)
    }
    loadedSlot = end
    isLoading = loadedSlot < slots.indices.upperBound
    self.end(at: now, into: &effects)
    return !isLoading
  }

  /// Starts all loaded reminders and reports missed firings. Complexity: O(n log n).
  package mutating func finishLoading(at now: Instant, into effects: inout [Effect]) {
    while !startLoaded(atMost: .max, at: now, into: &effects) {}
    while isBehind { handle(.tick, at: now, into: &effects) }
  }

  /// Adds several reminders at one time and reports missed firings in the usual order. Complexity:
  /// O(n log n).
  package mutating func load(
    _ entries: [(reminder: Reminder, history: History?)], at now: Instant,
    into effects: inout [Effect]
  ) {
    begin(at: now)
    slots.reserve(entries.count)
    for (reminder, history) in entries { add(reminder, history, at: now) }
    end(at: now, into: &effects)
  }

  /// Drops all reminders loaded since `beginLoading`.
  package mutating func abandonLoading() {
    slots = ReminderTable()
    isLoading = false
  }
}
