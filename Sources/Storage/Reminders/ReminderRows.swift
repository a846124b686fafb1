import Reminders

/// The rows of the reminders that changes save, the rest of their histories, and the removed ids.
/// The last change of a reminder counts.
struct ReminderRows {
  struct Saved {
    let id: String
    let title: String
    /// Of `ReminderRow.reminderColumns`.
    let values: [SQLValue]
    let history: History
    let standing: Standing
  }

  let saved: [Saved]
  /// Of other reminders, in order.
  let histories: [Changes.Step]
  private let savedIndices: [String: Int]
  private let steps: [String: Changes.Step]
  private let forgotten: Set<String>

  /// Throws `invalid` for a reminder that could not be read back.
  init(of changes: Changes) throws(StoreError) {
    var steps: [String: Changes.Step] = [:]
    if !changes.saved.isEmpty || changes.command != nil {
      for step in changes.histories { steps[step.id] = step }
    }
    var saved: [Saved] = []
    saved.reserveCapacity(changes.saved.count)
    var indices: [String: Int] = [:]
    for (reminder, history, standing) in changes.saved {
      try ReminderStore.check(reminder)
      let step = steps[reminder.id]
      indices[reminder.id] = saved.count
      saved.append(
        Saved(
          id: reminder.id, title: reminder.title, values: ReminderRow.values(reminder),
          history: step?.history ?? history, standing: step?.standing ?? standing))
    }
    self.saved = saved
    savedIndices = indices
    histories =
      indices.isEmpty ? changes.histories : changes.histories.filter { indices[$0.id] == nil }
    self.steps = steps
    forgotten = Set(changes.forgotten)
  }

  /// A reminder as it is saved; nil for another one.
  subscript(id: String) -> Saved? { savedIndices[id].map { saved[$0] } }

  /// The mark of a reminder after the changes; nil if there is no such reminder then.
  func mark(of id: String, was before: ReminderStore.Entry?) -> String? {
    guard !forgotten.contains(id) else { return nil }
    if let saved = self[id] { return UndoMark.of(saved.values, saved.history) }
    return before.map {
      UndoMark.of(ReminderRow.values($0.reminder), steps[id]?.history ?? $0.history)
    }
  }
}
