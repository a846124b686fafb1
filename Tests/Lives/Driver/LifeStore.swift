import CivilTime
import Reminders
import Storage
import TestSupport

/// A database of the daemon, through which the reminders of a life go at each restart. It serves
/// one life after another, since to make one takes as long as a hundred commits.
package final class LifeStore {
  private var folder: TemporaryFolder?
  private var store: Store?
  private var kept: [String] = []

  package init() {}

  deinit { store?.close() }

  /// What it gives back of reminders with the last changes of their histories.
  ///
  /// - Precondition: the file system takes it, and all of it is readable.
  func restored(
    _ reminders: [String: Reminder], _ steps: [String: Changes.Step], at now: Instant
  ) -> [(Reminder, History)] {
    do {
      let store = try opened(at: now)
      var old = Changes()
      old.forgotten = kept
      try store.commit(old)
      var changes = Changes()
      for (id, reminder) in reminders.sorted(by: { $0.key < $1.key }) {
        changes.saved.append((reminder, History(), Standing(state: .armed)))
        if let step = steps[id] { changes.histories.append(step) }
      }
      try store.commit(changes)
      kept = Array(reminders.keys)
      var found: [(Reminder, History)] = []
      let problems = try store.reminders.forEach { found.append(($0.reminder, $0.history)) }
      guard problems.isEmpty, found.count == reminders.count else {
        fatalError("\(found.count) of \(reminders.count) read: \(problems)")
      }
      return found
    } catch {
      fatalError("\(error)")
    }
  }

  private func opened(at now: Instant) throws -> Store {
    if let store { return store }
    let folder = try TemporaryFolder()
    let store = try Store(path: "\(folder.path)/lives.db", now: now)
    (self.folder, self.store) = (folder, store)
    return store
  }
}
