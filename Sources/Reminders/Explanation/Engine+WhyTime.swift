import CivilTime
import Departure
import Geodesy
import JSONText
import Positioning

/// Explanations of reminders that fire by time.
extension Engine {
  func dueGate(_ slot: Slot, at now: Instant) -> [Explanation.Gate] {
    guard slot.progress.state == .armed else { return [] }
    guard let due = slot.progress.occurrence, let lead = nextLead(slot) else {
      return [
        .init(
          "due", false, "No time is left at which it may fire",
          remedy: "it gets another due time, other days or a later 'until'")
      ]
    }
    let window = Window(slot.reminder, in: zone)
    let moment = lead <= now ? window.release(of: now) ?? lead : lead
    let planned = due - slot.reminder.effectiveLeads[slot.progress.leadsFired]
    let early = "\(due - planned) before it is due at \(text(due))"
    let words =
      if moment > planned {
        "the first moment that its conditions allow after \(text(planned))"
      } else {
        due > planned ? early : "when due"
      }
    return [
      .init(
        "due", moment <= now,
        moment <= now
          ? "Its moment was \(text(moment))"
          : "It fires at \(text(moment)), \(words), in \(coarse(moment - now))",
        remedy: "it is \(text(moment))",
        figures: [
          "due": .string(due.json), "lead_s": .double((due - planned).seconds),
          "opens": .string(moment.json), "leads_fired": .int(slot.progress.leadsFired),
        ])
    ]
  }

  private static let noDueTime = Explanation.Gate(
    "due", false, "No due time is left that 'days' and 'until' allow",
    remedy: "it gets another due time, other days or a later 'until'")

  func leavingGates(_ slot: Slot, _ index: Int32, at now: Instant) -> [Explanation.Gate] {
    guard slot.progress.state == .armed || slot.progress.state == .fired,
      slot.reminder.place != nil
    else { return [] }
    guard let departure = leaving(slot, at: now) else {
      return slot.progress.state == .armed ? [Self.noDueTime] : []
    }
    let name = slot.reminder.placeName ?? "the place"
    var gates: [Explanation.Gate] = []
    if let estimate = departure.estimate {
      let distance = departure.distance
      let age = lastFixArrival.map { now - $0 }
      var figures = JSONObject([
        "travel_s": .double(estimate.time.seconds.rounded()),
        "estimate": .string(estimate.basis.name),
        "distance_m": .double(distance.map { Decimal.rounded($0, digits: 1) }),
        "age_s": .double(age.map { Decimal.rounded($0.seconds, digits: 1) }),
      ])
      if case .routed(let age) = estimate.basis {
        figures["routed_age_s"] = .double(Decimal.rounded(age.seconds, digits: 1))
      } else if case .learnt(let trips) = estimate.basis {
        figures["trips"] = .int(trips)
      }
      let factor = departures.pace(of: slot.reminder.transport).factor(departure.distance ?? 0)
      if factor != 1 { figures["factor"] = .double(Decimal.rounded(factor, digits: 3)) }
      let words = estimateWords(estimate, slot.reminder.transport, distance: distance)
      gates.append(
        .init(
          "travel", true,
          estimate.basis == .there ? "You are at \(name)" : "\(name) is \(words) away",
          figures: figures))
    } else {
      gates.append(
        .init("travel", true, "No position is known, so no travel time is counted"))
    }
    guard slot.progress.state == .armed else { return gates }
    guard admits(departure.occurrence, of: slot.reminder) else {
      return gates + [Self.noDueTime]
    }
    let moment = max(departure.moment, slot.reminder.from.map { resolve($0) } ?? departure.moment)
    let slack = moment - now
    let lead = departure.target - departure.moment
    let nextCheck = departures.nextCheck(index)
    let early = lead > .zero ? ", \(lead) early" : ""
    gates.append(
      .init(
        "leave", slack <= .zero,
        slack <= .zero
          ? "It was time to leave at \(text(moment))"
          : "To be there by \(text(departure.occurrence))\(early) you leave at "
            + "\(text(moment)), in \(coarse(slack))",
        remedy: "it is \(text(moment)), or earlier if you move away from \(name)",
        figures: [
          "due": .string(departure.occurrence.json), "lead_s": .double(lead.seconds),
          "slack_s": .double(Decimal.rounded(slack.seconds, digits: 1)),
          "opens": .string(moment.json),
          "looked_at_again": nextCheck.map { .string($0.json) },
        ]))
    return gates
  }
}
