import CivilTime
import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage

/// Taking back what the caller has changed, and arming reminders again.
extension ControlService {
  /// The caller's command, for `undo`; nil for users who share an id.
  func origin(_ method: GeoremindMethod) -> UserCommand? {
    guard caller.user != Caller.unmapped else { return nil }
    return UserCommand(
      user: caller.user, method: method.rawValue,
      time: daemon.clock.now ?? Instant(microseconds: SystemClock.now()),
      acknowledges: [.done, .pop, .snooze].contains(method))
  }

  func listUndo() throws -> JSONObject {
    ["changes": .array(try daemon.store.undo.commands(of: caller.user).map(json))]
  }

  private func json(_ command: UndoLog.Entry) -> JSONValue {
    [
      "method": .string(command.method), "time": .string(command.time.json),
      "count": .int(command.count), "id": .string(command.reminder),
      "title": .string(command.title),
    ]
  }

  /// Takes back one of the caller's commands, in one commit.
  /// - Parameter number: 1 is the last one.
  func undo(_ number: Int) throws -> JSONObject {
    let store = daemon.store
    let commands = try store.undo.commands(of: caller.user)
    guard commands.indices.contains(number - 1) else { return JSONObject() }
    let entry = commands[number - 1]
    let steps = try store.undo.steps(of: entry.seq)
    for step in steps { try check(step, of: entry) }
    try daemon.checkLimits(of: steps.compactMap(\.before?.reminder))
    var command = Command()
    let added = try steps.filter { $0.before == nil && $0.calendar != nil }.compactMap {
      try store.reminders.reminder(id: $0.reminder)?.reminder
    }
    for step in steps {
      if let before = step.before {
        command.events.append(.restore(before.reminder, before.history))
        command.saved.append(before)
      } else {
        command.events.append(.remove(id: step.reminder))
        command.forgotten.append(step.reminder)
      }
    }
    let answer = json(entry)
    try daemon.perform(command) { () throws(StoreError) in
      try store.undo.takeBack(entry.seq)
      try store.ledger.withdrawAcknowledgements(by: caller.user, at: entry.time)
    }
    for reminder in added { daemon.calendarsFollow(removing: reminder) }
    for step in steps {
      if let before = step.before?.reminder {
        daemon.calendarsFollow(restoring: before, item: step.calendar?.item)
      }
    }
    return ["change": answer]
  }

  /// Checks that the caller may take back this step, and that nothing has happened since.
  private func check(_ step: UndoLog.Step, of command: UndoLog.Entry) throws {
    let present = try daemon.store.reminders.reminder(id: step.reminder)
    for reminder in [step.before?.reminder, present?.reminder] {
      if let reminder { try mayChange(reminder, by: GeoremindMethod.undo.rawValue) }
    }
    let hasSameFile =
      (step.before ?? present).map { entry in
        step.calendar.map { daemon.calendarHas($0.file, for: entry.reminder) } ?? true
      } ?? true
    guard !step.isUntouched || !hasSameFile else { return }
    let hasFired = present?.history.lastRung.map { $0 > command.time } ?? false
    throw GeoremindError.changedSince(
      id: step.reminder, title: (step.before ?? present)?.reminder.title ?? command.title,
      how: present == nil
        ? "was removed"
        : hasFired ? "has fired" : hasSameFile ? "was changed" : "was changed in its calendar")
  }

  /// Arms a reminder anew, with the first occurrence that counts now.
  func reopen(_ entry: ReminderStore.Entry) throws -> JSONObject {
    try mayChange(entry.reminder, by: GeoremindMethod.reopen.rawValue)
    guard [.done, .fired].contains(entry.standing.state) else {
      throw GeoremindError.wrongState(
        id: entry.reminder.id, state: entry.standing.state.rawValue)
    }
    var reminder = entry.reminder
    reminder.state = .armed
    try daemon.perform(
      Command(
        events: [.reopen(reminder)], saved: [(reminder, .unread, Standing(state: .armed))],
        origin: origin(.reopen)))
    daemon.calendarsFollow(reopening: reminder)
    return shown(try stored(id: reminder.id))
  }
}
