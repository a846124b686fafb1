import CivilTime
import JSONText

/// The gates of reminders about a silence, an absence, and several trackers.
extension Engine {
  /// nil for a reminder about one tracker at a place.
  func somebodyGates(_ evaluation: Evaluation) -> [Explanation.Gate]? {
    let (slot, now) = (evaluation.slot, evaluation.now)
    if slot.reminder.trigger == .silent { return listens(slot) ? [silenceGate(evaluation)] : [] }
    let members = slot.reminder.isAboutSeveral ? memberGates(evaluation) : []
    guard slot.reminder.trigger == .absent else { return members.isEmpty ? nil : members }
    // The end of a snooze rings, whoever has come.
    guard slot.state == .armed, let occurrence = evaluation.plan.occurrence else { return members }
    let opening = evaluation.schedule.opening(of: occurrence)
    if evaluation.schedule.wasThere(slot.history, for: occurrence, at: now) {
      let next = evaluation.plan.rings.map { text($0) }
      return members + [
        .init(
          "absent", false, "The place was reached on the day on which it is due",
          remedy: next.map { "nobody comes on the day of \($0)" } ?? "it gets another due time")
      ]
    }
    return members + [
      .init("absent", true, "The place was not reached yet on the day on which it is due"),
      .init(
        "due", opening <= now, "It is decided at \(text(opening))",
        remedy: "nobody has been there on that day by \(text(opening))",
        figures: ["opens": .string(opening.json)]),
    ]
  }

  private func silenceGate(_ evaluation: Evaluation) -> Explanation.Gate {
    let (slot, now) = (evaluation.slot, evaluation.now)
    let heard = reception.heard.map { "heard \(coarse(now - $0)) ago" } ?? "not heard in this run"
    let end = evaluation.plan.occurrence.flatMap {
      evaluation.schedule.openStay(slot.history, $0, evaluation.surroundings)
    }
    guard let end else {
      return .init(
        "silent", false, "This silence was reported already", remedy: "something is heard first")
    }
    return .init(
      "silent", end <= now, "The tracker was \(heard); the limit is \(slot.reminder.hold)",
      remedy: "nothing is heard until \(text(end))", figures: ["opens": .string(end.json)])
  }

  private func memberGates(_ evaluation: Evaluation) -> [Explanation.Gate] {
    let (slot, now) = (evaluation.slot, evaluation.now)
    let members = slot.history.members.sorted { $0.key < $1.key }
    var figures = JSONObject()
    for (name, isInside) in members { figures[name] = .bool(isInside) }
    let words = members.map { "\($0.key) is \($0.value ? "inside" : "outside")" }
    let end =
      evaluation.schedule.departureEnd(slot.history)
      ?? evaluation.plan.occurrence.flatMap {
        evaluation.schedule.openStay(slot.history, $0, evaluation.surroundings)
      }
    let gate = Explanation.Gate(
      "members", end != nil && !members.isEmpty,
      members.isEmpty ? "No tracker's position is known yet" : words.joined(separator: ", "),
      remedy: members.isEmpty ? "a tracker gives a position" : moveAwaited(slot.reminder, members),
      figures: figures)
    guard slot.reminder.trigger != .absent, let end, end > now else { return [gate] }
    return [
      gate,
      .init(
        "dwell", false, "It counts when it has lasted until \(text(end))",
        remedy: "that lasts until \(text(end))", figures: ["opens": .string(end.json)]),
    ]
  }

  /// The move of one of several trackers that a reminder waits for.
  private func moveAwaited(
    _ reminder: Reminder, _ members: [(key: String, value: Bool)]
  ) -> String {
    let outside = members.filter { !$0.value }.map(\.key)
    let isEmpty = outside.count == members.count
    switch (reminder.trigger, reminder.who) {
    case (.depart, .all):
      return isEmpty ? "somebody comes, and the last one leaves" : "the last one leaves"
    case (.depart, _): return isEmpty ? "somebody comes, and leaves" : "one of them leaves"
    case (_, .all):
      let names = outside.joined(separator: " and ")
      return outside.isEmpty
        ? "one of them leaves and comes again"
        : "\(names) \(outside.count == 1 ? "comes" : "come")"
    default: return "somebody comes"
    }
  }
}
