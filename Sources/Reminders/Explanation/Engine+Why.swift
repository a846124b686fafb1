package import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning

/// Explanations, computed from the same state and rules as firings.
extension Engine {
  /// Explains why a reminder has not fired; nil for an unknown id.
  /// - Parameter placeName: the name of a place by its number, for reminders of a category.
  package func why(
    _ id: String, at now: Instant, placeName: (Int64) -> String? = { _ in nil }
  ) -> Explanation? {
    guard let index = slots.index(of: id), let slot = slots.slot(index) else { return nil }
    var answer = Explanation(
      id: id, title: slot.reminder.title, kind: slot.reminder.kind, state: slot.progress.state,
      time: now)
    answer.lastFired = slot.progress.lastFired
    answer.gates = [stateGate(slot, at: now)] + untilGate(slot, at: now)
    if !isClockTrusted, slot.reminder.kind != .location {
      answer.gates.append(
        .init("clock", false, "The clock is not trusted yet", remedy: clockRemedy))
    }
    switch slot.reminder.kind {
    case .location:
      answer.gates += positionGates(slot, at: now)
      answer.gates += placeGates(slot, index, placeName, at: now)
      answer.gates += visitGates(slot, at: now)
      let situation = situation(of: slot, at: now)
      let opening = situation.window.opening(from: max(now, situation.start ?? now))
      for condition in ReminderField.allConditions {
        answer.gates += gate(condition, slot.reminder, situation, opening: opening)
      }
      answer.gates += cooldownGate(slot, at: now)
    case .date: answer.gates += dueGate(slot, at: now) + cooldownGate(slot, at: now)
    case .preemptive:
      answer.gates += leavingGates(slot, index, at: now) + cooldownGate(slot, at: now)
    }
    for conflict in slot.reminder.ignored {
      answer.gates.append(.init(conflict.field, true, "It is ignored: it \(conflict.reason)"))
    }
    return answer
  }

  private var clockRemedy: String { "the clock is synchronized, or three fixes agree with it" }

  // MARK: - State

  private func stateGate(_ slot: Slot, at now: Instant) -> Explanation.Gate {
    let fired = slot.progress.lastFired.map { " at \(text($0))" } ?? ""
    switch slot.progress.state {
    case .armed: return .init("state", true, "It is armed")
    case .snoozed:
      guard let until = slot.progress.snoozedUntil else {
        return .init("state", true, "It is put off until the next visit")
      }
      return .init(
        "state", false, "It is snoozed until \(text(until))",
        remedy: "the snooze ends at \(text(until))", figures: ["opens": .string(until.json)])
    case .fired:
      let isPlace = slot.reminder.kind == .location
      return .init(
        "state", false, "It has fired\(fired)\(isPlace ? " and is not for every visit" : "")",
        remedy: isPlace
          ? "it is snoozed, or edited to fire on every visit or at another place"
          : "it is snoozed, or gets another due time")
    case .done: return .init("state", false, "It is done", remedy: "it is added anew")
    case .expired:
      let end = slot.reminder.until == nil ? "due time" : "'until'"
      return .init("state", false, "It has expired", remedy: "it gets a later \(end)")
    }
  }

  private func untilGate(_ slot: Slot, at now: Instant) -> [Explanation.Gate] {
    guard let until = slot.reminder.until.map({ resolve($0) }) else { return [] }
    let isOver = until < now
    return [
      .init(
        "until", !isOver,
        isOver ? "Its time ended at \(text(until))" : "It may fire until \(text(until))",
        remedy: "it gets a later 'until'", figures: ["until": .string(until.json)])
    ]
  }

  // MARK: - The visit

  private func visitGates(_ slot: Slot, at now: Instant) -> [Explanation.Gate] {
    guard listens(slot) else { return [] }
    let progress = slot.progress
    if let end = departureEnd(slot) {
      return [
        .init(
          "dwell", end <= now,
          "Outside for \(coarse(now - (end - slot.reminder.hold))) of "
            + "\(slot.reminder.hold)",
          remedy: "you stay away until \(text(end))", figures: ["opens": .string(end.json)])
      ]
    }
    let presence =
      switch progress.presence {
      case .unknown: "unknown"
      case .outside: "outside"
      case .inside: "inside"
      }
    let figures = JSONObject([
      "presence": .string(presence),
      "inside_since": progress.presenceSince.map { .string($0.json) },
    ])
    if slot.reminder.trigger == .depart {
      let isInside = progress.presence == .inside
      return [
        .init(
          "presence", isInside, "The device counts as \(presence)",
          remedy: "you have been there first", figures: figures)
      ]
    }
    guard progress.presence == .inside else {
      return [
        .init(
          "presence", false, "The device counts as \(presence)",
          remedy: "an arrival is decided", figures: figures)
      ]
    }
    var gates = [
      Explanation.Gate(
        "if_inside", !progress.visitSettled,
        progress.visitSettled
          ? "This visit does not count: it fired already, or began before the reminder did"
          : "This visit has not fired yet",
        remedy: "you leave and come again", figures: figures)
    ]
    if slot.reminder.trigger == .dwell, let since = progress.presenceSince {
      let end = since + slot.reminder.hold
      gates.append(
        .init(
          "dwell", end <= now, "Inside for \(coarse(now - since)) of \(slot.reminder.hold)",
          remedy: "you stay until \(text(end))",
          figures: ["opens": .string(end.json)]))
    }
    return gates
  }

  private func gate(
    _ condition: FieldCondition<Reminder>, _ reminder: Reminder, _ situation: Situation,
    opening: Instant?
  ) -> [Explanation.Gate] {
    guard let name = condition.name, let words = condition.words?(reminder, situation) else {
      return []
    }
    switch condition.check(reminder, situation) {
    case .holds: return [.init(name, true, words)]
    case .failsUntil(let own?):
      // All conditions of time open together.
      return [
        .init(
          name, false, words, remedy: opening.map { "it is \(text($0))" },
          figures: ["opens": .string(own.json)])
      ]
    case .failsUntil(nil):
      return [.init(name, false, words, remedy: condition.remedy ?? clockRemedy)]
    }
  }

  private func cooldownGate(_ slot: Slot, at now: Instant) -> [Explanation.Gate] {
    guard slot.reminder.cooldown > .zero else { return [] }
    guard case .failsUntil(let end?) = cooldown(of: slot, at: now) else {
      return [.init("cooldown", true, "\(slot.reminder.cooldown) must lie between two firings")]
    }
    // A time that comes later is not held back.
    let next =
      slot.reminder.kind == .preemptive ? nextMoment(ofLeaving: slot, at: now) : nextLead(slot)
    let isLater = slot.reminder.kind != .location && (next.map { end <= $0 } ?? true)
    let again = slot.reminder.kind == .location ? "another visit begins" : "it is due again"
    return [
      .init(
        "cooldown", isLater,
        "\(slot.reminder.cooldown) must lie between two firings; it fired "
          + "\(coarse(now - (slot.progress.lastFired ?? now))) ago",
        remedy: "it is \(text(end)) and \(again)",
        figures: ["opens": .string(end.json)])
    ]
  }

  func text(_ instant: Instant) -> String { instant.rfc3339(zone: zone) }
}
