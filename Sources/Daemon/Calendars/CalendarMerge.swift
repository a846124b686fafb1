import CivilTime
import Control
import Interchange
import Reminders
import Storage

/// Changes from the files of a calendar folder, stored in one transaction.
struct CalendarMerge {
  let daemon: Daemon
  let now: Instant
  /// The ids in each file that was read.
  private(set) var idsByFile: [String: Set<String>] = [:]
  private(set) var counts = (added: 0, changed: 0, removed: 0)
  /// Files that are read anew, for they have what another one has no more.
  private(set) var heirs: Set<String> = []
  /// Files that are removed.
  var removed: Set<String> = []
  /// Sentences about reminders that were left out.
  private(set) var refusals: [String] = []
  /// The item that a command has changed in a file, for `undo`.
  var before: CalendarItemBefore?
  /// The call that has made the change, for `undo`; nil for a change by a file.
  var origin: UserCommand?
  private var saved: [ReminderStore.Entry] = []
  private var forgotten: [String] = []
  private var events: [Event] = []
  private var failure: (any Error)?
  private var budget = RepeatBudget()
  /// The other files that have a reminder, in all folders: made when one of them loses it.
  private var holders: [String: [String]]?

  init(daemon: Daemon, now: Instant) {
    self.daemon = daemon
    self.now = now
    do throws(StoreError) {
      try daemon.host.commitWaiting()
    } catch {
      failure = error
    }
  }

  /// Takes a file's reminders.
  /// - Parameter before: the ids that the file had before.
  mutating func take(_ reading: CalendarReading, from file: String, before: Set<String>) {
    var kept: Set<String> = []
    for found in reading.reminders where take(found, from: file) {
      kept.insert(found.reminder.id)
    }
    // A reminder that may be in an unreadable part of the file stays.
    let held = before.subtracting(kept).filter(reading.mayHold)
    forget(before.subtracting(kept).subtracting(held), of: file)
    idsByFile[file] = kept.union(held)
  }

  /// Answers whether there is such a reminder now.
  private mutating func take(_ found: CalendarReminder, from file: String) -> Bool {
    var reminder = found.reminder
    reminder.source = Reminder.Source(file: file, standing: found.standing)
    guard (try? reminder.checkCompleteness()) != nil else { return false }
    do throws(GeoremindError) {
      try budget.charge(reminder, of: daemon)
    } catch {
      refusals.append("\(file): left out: \(reminder.title): \(error)")
      return false
    }
    do {
      guard let known = try daemon.store.reminders.reminder(id: reminder.id) else {
        // A task that was done before its first import makes no reminder.
        if reminder.state == .done { return false }
        let settled = found.settled(at: now, zone: daemon.host.engine.zone)
        reminder.state = settled.reminder.state
        let history = settled.history(at: now, in: daemon.host.engine.zone)
        saved.append((reminder, history, Standing(state: reminder.state)))
        events.append(.add(reminder, history))
        counts.added += 1
        return true
      }
      merge(reminder, found, into: known)
    } catch {
      failure = error
    }
    return true
  }

  private mutating func merge(
    _ reminder: Reminder, _ found: CalendarReminder, into known: ReminderStore.Entry
  ) {
    var history = known.history
    // One of the user's own with the same id, from an import, is the folder's from now on.
    let standing = known.reminder.source?.standing
    if standing != found.standing {
      // Opened again there.
      if standing == Reminder.State.done.rawValue { history.isDone = false }
      history.follow(found, in: daemon.host.engine.zone)
    }
    var old = known.reminder
    old.state = reminder.state
    let isSame = old.isSameTask(as: reminder)
    guard !isSame || history != known.history || old.source != reminder.source else { return }
    if !isSame || history != known.history { counts.changed += 1 }
    saved.append((reminder, history, known.standing))
    if !isSame { events.append(.replace(reminder)) }
    if history != known.history {
      events.append(.add(reminder, isSame ? history : nil))
    } else if isSame {
      events.append(.replace(reminder))
    }
  }

  /// Reminders that a file has no more, unless another file has them by now.
  mutating func forget(_ ids: Set<String>, of file: String) {
    idsByFile[file] = []
    let moved = Set(saved.map(\.reminder.id))
    for id in ids.sorted() where !moved.contains(id) {
      guard let known = try? daemon.store.reminders.reminder(id: id),
        known.reminder.source?.file == file
      else { continue }
      if let heir = heir(of: id, besides: file) {
        var reminder = known.reminder
        reminder.source?.file = heir
        heirs.insert(heir)
        saved.append((reminder, known.history, known.standing))
        events.append(.replace(reminder))
        continue
      }
      forgotten.append(id)
      events.append(.remove(id: id))
      counts.removed += 1
    }
  }

  /// Another file with this reminder: two files may have one task, such as a copy that a sync tool
  /// has made.
  private mutating func heir(of id: String, besides file: String) -> String? {
    if holders == nil {
      var found: [String: [String]] = [:]
      for folder in daemon.calendars {
        for (file, ids) in folder.ids where !removed.contains(file) {
          for id in idsByFile[file] ?? ids { found[id, default: []].append(file) }
        }
      }
      holders = found
    }
    return holders?[id]?.filter { $0 != file }.min()
  }

  func commit() throws {
    if let failure { throw failure }
    try daemon.checkRoom(for: saved.map(\.reminder))
    guard !saved.isEmpty || !forgotten.isEmpty || before != nil else { return }
    try daemon.perform(
      Command(
        events: events, saved: saved, forgotten: forgotten, origin: origin, calendar: before))
  }
}

extension History {
  /// Follows the calendar.
  fileprivate mutating func follow(_ found: CalendarReminder, in zone: TimeZoneRules) {
    let fresh = found.history(at: nil, in: zone)
    switch found.reminder.state {
    case .snoozed:
      // Unchanged: a calendar stores a snooze in whole seconds.
      if case .until(let old) = silence, case .until(let new) = fresh.silence,
        abs((old - new).seconds) < 1
      {
        return
      }
      silence = fresh.silence
    case .armed:
      silence = nil
      if let through = found.acknowledgedThrough {
        var schedule = Schedule(found.reminder, in: zone)
        schedule.acknowledged(&self, through: through)
      } else {
        isDone = false
        leadsUsed = fresh.leadsUsed
      }
    case .fired:
      silence = nil
      // An event that was done here is acknowledged there, which is less.
      if isDone { return }
      if !found.reminder.repeats { usedUpTo = .forever }
    case .done, .expired:
      silence = nil
      isDone = found.reminder.state == .done
    }
    isUnacknowledged = false
  }
}

extension Reminder {
  /// Whether all is the same but how far it has come and where it comes from.
  fileprivate func isSameTask(as other: Reminder) -> Bool {
    var a = self
    var b = other
    (a.state, b.state) = (.armed, .armed)
    (a.source, b.source) = (nil, nil)
    return a == b
  }
}
