import CivilTime
import JSONText
import Reminders
import Storage

/// Reminders as answers show them: the document, what has happened, and the plan.
extension ControlService {
  func json(_ entry: ReminderStore.Entry) -> JSONValue {
    var reminder = entry.reminder
    reminder.state = entry.standing.state
    var object = reminder.json
    if case .until(let end) = entry.history.silence { object["snoozed_until"] = .string(end.json) }
    if entry.history.silence == .untilLeave { object["snoozed_until_leave"] = true }
    if let now = daemon.clock.now, daemon.mayKnowProgress(of: reminder, caller),
      let plan = daemon.host.plan(reminder.id, at: now)
    {
      plan.add(to: &object, of: reminder)
    } else if let due = entry.standing.due, reminder.repeats {
      object["next_due"] = .string(due.json)
    }
    if let fired = entry.history.lastFired { object["last_fired"] = .string(fired.json) }
    if entry.history.isUnacknowledged { object["unacknowledged"] = true }
    let holder = daemon.host.holder(of: reminder.id)
    if let now = daemon.clock.now, let status = holder.engine.anchorStatus(reminder.id, at: now) {
      object["anchor"] = .object(status.json)
    }
    if let watch = holder.engine.anchorWatch(reminder.id) {
      object["swing"] = [
        "largest_m": .double(Decimal.rounded(watch.largestSwing, digits: 1)),
        "since": .string(watch.since.json),
      ]
    }
    let ignored = entry.reminder.ignoredFields
    if !ignored.isEmpty { object["ignored"] = .array(ignored.map { .string($0) }) }
    return .object(object)
  }

  func shown(_ entry: ReminderStore.Entry) -> JSONObject { ["reminder": json(entry)] }

  func shown(_ entries: [ReminderStore.Entry]) -> JSONObject {
    let also = entries.dropFirst().map(json)
    return ["reminder": entries.first.map(json), "also": also.isEmpty ? nil : .array(also)]
  }
}
