import CivilTime
import Control
import Reminders
import Storage

/// What people and files ask of the daemon. Everything goes to the store first and then, once its
/// time is known, to the engine.
extension Daemon {
  func add(_ reminder: Reminder) throws { try addAll([reminder]) }

  func addAll(_ reminders: [Reminder]) throws { try save(new: reminders, changed: []) }

  func replace(_ reminder: Reminder, keeping progress: Progress) throws {
    try save(new: [], changed: [(reminder, progress)])
  }

  /// All or nothing, in one transaction; a second one keeps what the engine makes of them.
  /// - Parameter changed: with what each has gone through so far.
  func save(new: [Reminder], changed: [ReminderStore.Entry]) throws {
    try checkRoom(for: new + changed.map(\.reminder))
    var changes = Changes()
    changes.saved = new.map { ($0, Progress(state: $0.state)) } + changed
    try store.commit(changes)
    guard isRunning, let now = clock.now else { return }
    host.handle(new.map { .add($0, nil) } + changed.map { .replace($0.reminder) }, at: now)
  }

  /// All reminders are kept in memory, and whoever may add some must not fill it: a daemon that is
  /// killed for it would be killed again at the next start.
  func checkRoom(for reminders: [Reminder]) throws(GeoremindError) {
    // No message of a client has more. Sizes are worked out near the limit alone.
    let most = reminders.count << 21
    guard host.engine.reminderBytes + most > mostReminderBytes else { return }
    let growth = reminders.reduce(0) { $0 + host.engine.growth(by: $1) }
    guard growth <= 0 || host.engine.reminderBytes + growth <= mostReminderBytes else {
      throw .refusedByPolicy(
        reason: "all reminders together would take more than \(mostReminderBytes >> 20) MiB; "
          + "remove some with 'georemind rm', those that are done first")
    }
  }

  /// Places lie on disk, which must keep room for what fires.
  func checkRoomForPlaces() throws {
    guard try store.database.byteCount() < mostDatabaseBytes else {
      throw GeoremindError.refusedByPolicy(
        reason: "the database has \(mostDatabaseBytes >> 20) MiB and takes no more places; "
          + "remove some with 'georemind place rm'")
    }
  }

  /// A reminder as it is by now: what the store shows is behind what was decided while it fails.
  func current(_ entry: ReminderStore.Entry) -> ReminderStore.Entry {
    guard host.storeTrouble != nil || store.isUnsettled,
      let progress = host.engine.progress(entry.reminder.id)
    else { return entry }
    return (entry.reminder, progress)
  }

  func remove(id: String) throws {
    try store.settle()
    try store.reminders.remove(id: id)
    if let now = clock.now { host.handle(.remove(id: id), at: now) }
  }

  /// Completes the current occurrence; for `pop` the one that comes next.
  func complete(_ entry: ReminderStore.Entry, isPop: Bool = false) throws {
    if isRunning, let now = clock.now {
      let id = entry.reminder.id
      host.handle(isPop ? .pop(id: id) : .done(id: id), at: now)
      calendarsFollow(doneIn: entry)
    } else {
      var progress = entry.progress
      progress.state = .done
      try store.settle()
      try store.reminders.update(entry.reminder.id, progress)
    }
  }

  func snooze(_ reminder: Reminder, until text: String) throws {
    guard isRunning, let now = clock.now else {
      throw GeoremindError.refusedByPolicy(reason: "the recording has not begun yet")
    }
    if text == "next-visit" {
      guard reminder.kind == .location else {
        throw GeoremindError.invalidReminder(
          field: "until", reason: "next-visit is for location reminders")
      }
      host.handle(.snooze(id: reminder.id, .nextVisit), at: now)
      return
    }
    let until: Instant
    if let span = try? TimeSpan(parsing: text) {
      until = now + span
    } else {
      do {
        until = try instant(typed: text)
      } catch {
        throw GeoremindError.invalidReminder(
          field: "until", reason: "give a span (20min), a time (18:00) or next-visit: \(error)")
      }
    }
    guard until > now else {
      throw GeoremindError.invalidReminder(field: "until", reason: "that is in the past")
    }
    host.handle(.snooze(id: reminder.id, .until(until)), at: now)
    calendarsFollow(snoozeOf: reminder, until: until)
  }

  /// A time as people type it, in the daemon's zone.
  func instant(typed text: String) throws -> Instant {
    let zone = host.engine.zone
    let stamp = try TimeStamp(typed: text, now: clock.now ?? Instant(microseconds: 0), zone: zone)
    return stamp.instant(in: zone)
  }
}
