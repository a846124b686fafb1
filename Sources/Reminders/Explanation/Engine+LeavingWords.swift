import CivilTime
import Departure
import Geodesy
import Geofencing
import Positioning

/// Wording of "leave": the basis of the estimate and, when late, faster modes of transport.
extension Engine {
  func leaveFiring(_ evaluation: Evaluation, _ lead: Lead, late: TimeSpan?) -> Firing {
    let (slot, now, due) = (evaluation.slot, evaluation.now, lead.occurrence.due)
    let estimate = estimate(of: slot, at: now)
    let early = evaluation.schedule.leads[lead.number]
    var why = Sentence()
    why.add(late == nil ? "Time to leave for " : "Should have left for ")
    why.add(slot.reminder.placeName ?? "the place")
    if let late {
      why.add(" ")
      why.add(coarse: late)
      why.add(" ago")
    }
    why.add(" to be there ")
    if early != .zero { why.add("\(early) before ") } else { why.add("at ") }
    why.add(due, in: zone, at: now)
    why.add(" (")
    if let estimate {
      add(estimate, slot.reminder.transport, distance: distance(of: slot), to: &why)
      if let arrival = lastFixArrival, now - arrival >= settings.positionLostAfter {
        why.add(", last position ")
        why.add(coarse: now - arrival)
        why.add(" old")
      }
    } else {
      why.add("no position is known, so no travel time was counted")
    }
    why.add(")")
    if let words = tooLateWords(slot, due, estimate?.time, at: now) {
      why.add("; ")
      why.add(words)
    }
    var firing = baseFiring(
      slot, late == nil ? .leave : .late, due: due, at: now, believedSample ?? lastSample,
      distance: distance(of: slot), why: why.text)
    firing.travel = estimate?.time
    firing.late = late
    return firing
  }

  /// "about 12min of cycling, estimated from 2.1 km of straight line".
  func estimateWords(
    _ estimate: TravelEstimate, _ transport: Reminder.Transport, distance: Double?
  ) -> String {
    var words = Sentence()
    add(estimate, transport, distance: distance, to: &words)
    return words.text
  }

  private func add(
    _ estimate: TravelEstimate, _ transport: Reminder.Transport, distance: Double?,
    to words: inout Sentence
  ) {
    if estimate.basis == .there { return words.add("you are at the place") }
    if estimate.basis != .fixed { words.add("about ") }
    words.add(coarse: estimate.time)
    words.add(" of ")
    words.add(transport == .boat ? "sailing" : transport.rawValue)
    switch estimate.basis {
    case .there: break
    case .fixed: words.add(", as you said")
    case .routed(let age):
      words.add(", by the routing engine")
      if age >= .minutes(1) {
        words.add(" ")
        words.add(coarse: age)
        words.add(" ago")
      }
    case .learnt(let trips):
      words.add(", from ")
      add(straightLine: distance, to: &words)
      words.add(" and ")
      words.add(trips)
      words.add(" trips of yours")
    case .measured:
      words.add(", from ")
      add(straightLine: distance, to: &words)
      words.add(" and the pace of this trip")
    case .formula:
      words.add(", estimated from ")
      add(straightLine: distance, to: &words)
    }
  }

  private func add(straightLine distance: Double?, to words: inout Sentence) {
    guard let distance else { return words.add("the way") }
    words.add(metres: distance)
    words.add(" of straight line")
  }

  /// A remark for a place that cannot be reached in time: "12min too late on foot, still in time by
  /// bicycle (8min)". nil for a delay of at most `leaveLateAfter`, or without an estimate.
  private func tooLateWords(
    _ slot: Slot, _ due: Instant, _ travel: TimeSpan?, at now: Instant
  ) -> String? {
    guard let distance = distance(of: slot), let travel, travel > .zero else { return nil }
    let left = due - now
    let missing = (now + travel) - due
    guard missing > settings.leaveLateAfter else { return nil }
    let words = "\(coarse(missing)) too late \(Self.means(slot.reminder.transport))"
    let others = [Reminder.Transport.walking, .cycling, .driving].compactMap {
      other -> (Reminder.Transport, TimeSpan)? in
      guard other != slot.reminder.transport else { return nil }
      let seconds = departures.pace(of: other).seconds(distance)
      return TimeSpan(seconds: seconds) <= left ? (other, TimeSpan(seconds: seconds)) : nil
    }
    guard let (other, time) = others.first else { return words }
    return "\(words), still in time \(Self.means(other)) (\(coarse(time)))"
  }

  private static func means(_ transport: Reminder.Transport) -> String {
    switch transport {
    case .walking: "on foot"
    case .cycling: "by bicycle"
    case .driving: "by car"
    case .boat: "by boat"
    }
  }
}
