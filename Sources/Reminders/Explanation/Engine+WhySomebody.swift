import CivilTime
import JSONText

/// The gates of reminders about a silence, an absence, and several trackers.
extension Engine {
  /// nil for a reminder about one tracker at a place.
  func somebodyGates(_ evaluation: Evaluation) -> [Explanation.Gate]? {
    let (slot, now) = (evaluation.slot, evaluation.now)
    if slot.reminder.trigger == .silent { return listens(slot) ? [silenceGate(evaluation)] : [] }
    let members = slot.reminder.isAboutSeveral ? [membersGate(slot)] : []
    guard slot.reminder.trigger == .absent, let occurrence = evaluation.plan.occurrence else {
      return members.isEmpty ? nil : members
    }
    let wasThere = evaluation.schedule.wasThere(slot.history, for: occurrence)
    let opening = evaluation.schedule.opening(of: occurrence)
    return members + [
      .init(
        "absent", !wasThere,
        wasThere ? "The place was reached on that day" : "The place was not reached on that day",
        remedy: "nobody comes before the next due time"),
      .init(
        "due", opening <= now, "It is decided at \(text(opening))",
        remedy: "the place is empty at \(text(opening))",
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

  private func membersGate(_ slot: Slot) -> Explanation.Gate {
    let members = slot.history.members.sorted { $0.key < $1.key }
    var figures = JSONObject()
    for (name, isInside) in members { figures[name] = .bool(isInside) }
    let words = members.map { "\($0.key) is \($0.value ? "inside" : "outside")" }
    return .init(
      "members", !members.isEmpty,
      members.isEmpty ? "No tracker's position is known yet" : words.joined(separator: ", "),
      remedy: "a tracker gives a position",
      figures: figures)
  }
}
