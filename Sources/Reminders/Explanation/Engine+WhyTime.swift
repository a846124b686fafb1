import CivilTime
import Departure
import Geodesy
import JSONText
import Positioning

/// Explanations of reminders that fire by time.
extension Engine {
  func dueGate(_ evaluation: Evaluation) -> [Explanation.Gate] {
    let (slot, plan, now) = (evaluation.slot, evaluation.plan, evaluation.now)
    guard slot.state == .armed else { return [] }
    guard let lead = plan.lead, let opens = plan.rings else { return [Self.noDueTime] }
    let (due, schedule) = (lead.occurrence.due, evaluation.schedule)
    let span =
      lead.number < schedule.leads.count ? schedule.leads[lead.number] : CalendarSpan.zero
    let words =
      if opens > lead.moment {
        "the first moment that its conditions allow after \(text(lead.moment))"
      } else {
        span == .zero ? "when due" : "\(span) before it is due at \(text(due))"
      }
    return [
      .init(
        "due", opens <= now,
        opens <= now
          ? "Its moment was \(text(opens))"
          : "It fires at \(text(opens)), \(words), in \(coarse(opens - now))",
        remedy: "it is \(text(opens))",
        figures: [
          "due": .string(due.json), "lead_s": .double(span.length.seconds),
          "opens": .string(opens.json),
          "leads_fired": .int(schedule.leadsUsed(of: lead.occurrence, slot.history)),
        ])
    ]
  }

  private static let noDueTime = Explanation.Gate(
    "due", false, "No due time is left that its conditions allow",
    remedy: "it gets another due time, other days or a later 'until'")

  func leavingGates(_ evaluation: Evaluation) -> [Explanation.Gate] {
    let (slot, plan, now) = (evaluation.slot, evaluation.plan, evaluation.now)
    guard slot.state == .armed || slot.state == .fired, slot.reminder.place != nil else {
      return []
    }
    let name = slot.reminder.placeName ?? "the place"
    var gates: [Explanation.Gate] = []
    if let way = way(of: slot, at: now) {
      let age = lastFixArrival.map { now - $0 }
      var figures = JSONObject([
        "travel_s": .double(way.time.seconds.rounded()),
        "estimate": .string(way.basis.name),
        "distance_m": .double(way.distance.map { Decimal.rounded($0, digits: 1) }),
        "age_s": .double(age.map { Decimal.rounded($0.seconds, digits: 1) }),
      ])
      if case .routed(let age, _) = way.basis {
        figures["routed_age_s"] = .double(Decimal.rounded(age.seconds, digits: 1))
      }
      if way.basis != .there, way.basis != .fixed {
        figures["punctuality"] = .double(settings.punctuality)
        figures["trips"] = .int(way.basis.trips)
      }
      let isSilent = evaluation.surroundings.silentUntil != nil
      let isThere = way.basis == .there
      gates.append(
        .init(
          "travel", !isSilent,
          isSilent
            ? "You are \(silenceWords(plan.lead, evaluation)), so it stays silent"
            : "\(name) is \(wayWords(way, slot.reminder.transport)) away",
          remedy: isThere
            ? "you leave \(name)" : "you turn away from \(name), or rest for \(TripLog.restTime)",
          figures: figures))
    } else {
      gates.append(
        .init("travel", true, "No position is known, so no travel time is counted"))
    }
    guard slot.state == .armed else { return gates }
    guard let lead = plan.lead, let opens = plan.rings else { return gates + [Self.noDueTime] }
    let span = evaluation.schedule.leads[lead.number]
    let due = lead.occurrence.due
    let isOver = evaluation.surroundings.silentUntil != nil && lead.moment <= now
    let (moment, slack) = isOver ? (lead.moment, .zero) : (opens, opens - now)
    let nextCheck = departures.nextCheck(slot.index)
    let early = span != .zero ? ", \(span) early" : ""
    gates.append(
      .init(
        "leave", slack <= .zero,
        slack <= .zero
          ? "It was time to leave at \(text(moment))"
          : "To be there by \(text(due))\(early) you leave at "
            + "\(text(opens)), in \(coarse(slack))",
        remedy: "it is \(text(opens)), or earlier if you move away from \(name)",
        figures: [
          "due": .string(due.json), "lead_s": .double(span.length.seconds),
          "slack_s": .double(Decimal.rounded(slack.seconds, digits: 1)),
          "opens": .string(opens.json),
          "looked_at_again": nextCheck.map { .string($0.json) },
        ]))
    return gates
  }
}
