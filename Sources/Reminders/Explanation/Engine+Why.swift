package import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning

/// Explanations, computed from the same state and rules as firings.
extension Engine {
  /// Explains why a reminder has not fired; nil for an unknown id.
  /// - Parameters:
  ///   - here: a position to suppose instead of the device's. Gates that depend on the way there,
  ///     such as a stay, are then left out.
  ///   - placeName: the name of a place by its number, for reminders of a category.
  package func why(
    _ id: String, at now: Instant, from here: Standpoint? = nil,
    placeName: (Int64) -> String? = { _ in nil }
  ) -> Explanation? {
    guard let index = slots.index(of: id), let slot = slots.slot(index) else { return nil }
    let evaluation = evaluation(of: slot, at: now)
    let plan = evaluation.plan
    var answer = Explanation(
      id: id, title: slot.reminder.title, kind: slot.reminder.kind, state: plan.state, time: now)
    answer.lastFired = slot.history.lastFired
    answer.repeats = plan.repeats.map { text($0) }
    answer.gates = [stateGate(slot, at: now)] + untilGate(slot, at: now)
    if let name = slot.reminder.recipient {
      answer.gates.append(.init("for", true, "Its firings go to \(name) alone"))
    }
    if let who = slot.reminder.who { answer.gates.append(.init("who", true, "It follows \(who)")) }
    if !isClockTrusted, slot.reminder.kind != .location {
      answer.gates.append(
        .init("clock", false, "The clock is not trusted yet", remedy: clockRemedy))
    }
    switch slot.reminder.kind {
    case .location:
      if let gates = somebodyGates(evaluation) {
        answer.gates += gates
      } else if let watch = anchors[index] {
        answer.gates += anchorGates(slot, watch, at: now, from: here)
      } else {
        answer.gates += here.map { [$0.gate] } ?? positionGates(slot, at: now)
        answer.gates += placeGates(slot, index, placeName, at: now, from: here)
        if here == nil { answer.gates += visitGates(evaluation) }
      }
      let situation = evaluation.schedule.situation(
        plan.occurrence, evaluation.surroundings, at: now)
      let opening = situation.window.opening(from: max(now, situation.start ?? now))
      // When an absence is decided stands with it.
      let isAbsence = slot.reminder.trigger == .absent
      for condition in ReminderField.allConditions where !isAbsence || condition.name != "due" {
        answer.gates += gate(condition, slot.reminder, situation, opening: opening)
      }
    case .date: answer.gates += dueGate(evaluation)
    case .preemptive: answer.gates += leavingGates(evaluation)
    }
    answer.gates += cooldownGate(evaluation)
    if let zone = slot.reminder.unknownZone {
      answer.gates.append(
        .init(
          "zone", true,
          "This system does not know the zone \(zone): its last known offset counts until the "
            + "package tzdata has it"))
    }
    for conflict in slot.reminder.ignored {
      answer.gates.append(.init(conflict.field, true, "It is ignored: it \(conflict.reason)"))
    }
    return answer
  }

  private var clockRemedy: String { "the clock is synchronized, or three fixes agree with it" }

  // MARK: - State

  private func stateGate(_ slot: Slot, at now: Instant) -> Explanation.Gate {
    let fired = slot.history.lastRung.map { " at \(text($0))" } ?? ""
    switch slot.state {
    case .armed: return .init("state", true, "It is armed")
    case .snoozed:
      guard case .until(let until) = slot.history.silence else {
        guard slot.history.silence == .nextVisit else {
          return .init("state", true, "It is put off until its place is left")
        }
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
    case .done: return .init("state", false, "It is done", remedy: "it is reopened or added anew")
    case .expired:
      guard slot.reminder.until.map({ resolve($0) < now }) ?? false else {
        return .init(
          "state", false, "No due time is left at which it may fire",
          remedy: "it gets another due time, other days or a later 'until'")
      }
      return .init("state", false, "It has expired", remedy: "it gets a later 'until'")
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

  private func visitGates(_ evaluation: Evaluation) -> [Explanation.Gate] {
    let (slot, schedule, now) = (evaluation.slot, evaluation.schedule, evaluation.now)
    guard listens(slot) else { return [] }
    if let end = schedule.departureEnd(slot.history) {
      return [
        .init(
          "dwell", end <= now,
          "Outside for \(coarse(now - (end - slot.reminder.hold))) of "
            + "\(slot.reminder.hold)",
          remedy: "you stay away until \(text(end))", figures: ["opens": .string(end.json)])
      ]
    }
    let presence = "\(slot.history.stay.presence)"
    let visit: Stay.Visit? = if case .inside(let visit) = slot.history.stay { visit } else { nil }
    let figures = JSONObject([
      "presence": .string(presence),
      "inside_since": visit.map { .string($0.since.json) },
    ])
    let isDeparture = slot.reminder.trigger == .depart
    guard !isDeparture, let visit else {
      return [
        .init(
          "presence", visit != nil, "The device counts as \(presence)",
          remedy: isDeparture ? "you have been there first" : "an arrival is decided",
          figures: figures)
      ]
    }
    let isSettled =
      evaluation.plan.occurrence.map {
        schedule.openStay(slot.history, $0, evaluation.surroundings) == nil
      } ?? true
    var gates = [
      Explanation.Gate(
        "if_inside", !isSettled,
        isSettled
          ? "This visit does not count: it fired already, or began before the reminder did"
          : "This visit has not fired yet",
        remedy: slot.history.silence == .untilLeave ? "you leave" : "you leave and come again",
        figures: figures)
    ]
    if slot.reminder.trigger == .dwell {
      let end = visit.since + slot.reminder.hold
      // A visit that does not count has no end that does.
      gates.append(
        .init(
          "dwell", end <= now && !isSettled,
          "Inside for \(coarse(now - visit.since)) of \(slot.reminder.hold)",
          remedy: isSettled ? "you stay \(slot.reminder.hold)" : "you stay until \(text(end))",
          figures: isSettled ? JSONObject() : ["opens": .string(end.json)]))
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

  private func cooldownGate(_ evaluation: Evaluation) -> [Explanation.Gate] {
    let (slot, now) = (evaluation.slot, evaluation.now)
    guard slot.reminder.cooldown > .zero else { return [] }
    guard case .failsUntil(let end?) = evaluation.cooldown else {
      return [.init("cooldown", true, "\(slot.reminder.cooldown) must lie between two firings")]
    }
    // A time that comes later is not held back.
    let isLater =
      slot.reminder.kind != .location && (evaluation.plan.rings.map { end <= $0 } ?? true)
    let again = slot.reminder.kind == .location ? "another visit begins" : "it is due again"
    return [
      .init(
        "cooldown", isLater,
        "\(slot.reminder.cooldown) must lie between two firings; it fired "
          + "\(coarse(now - (slot.history.lastRung ?? now))) ago",
        remedy: "it is \(text(end)) and \(again)",
        figures: ["opens": .string(end.json)])
    ]
  }

  func text(_ instant: Instant) -> String { instant.rfc3339(zone: zone) }
}
