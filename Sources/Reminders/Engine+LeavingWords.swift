import CivilTime
import Geodesy
import Positioning

/// How a "leave" is worded: with what it reckons by, and what still is in time where it comes too late.
extension Engine {
  func leaveFiring(
    _ slot: Slot, _ departure: Departure, at now: Instant, late: TimeSpan?
  )
    -> Firing
  {
    let name = slot.reminder.placeName ?? "the place"
    let due = clock(departure.occurrence, at: now)
    let transport = slot.reminder.transport
    let distance = lastFix.flatMap { fix in
      slot.reminder.place.map { fix.position.distance(to: $0.position) }
    }
    var basis = "no position is known, so no travel time was counted"
    if let estimate = departure.estimate {
      basis = estimateWords(estimate, transport, distance: distance)
      if let arrival = lastFixArrival, now - arrival >= settings.positionLostAfter {
        basis += ", last position \(coarse(now - arrival)) old"
      }
    }
    let moment =
      late.map { "Should have left for \(name) \(coarse($0)) ago" } ?? "Time to leave for \(name)"
    var why = "\(moment) to be there at \(due) (\(basis))"
    if let words = tooLateWords(slot, departure, at: now) { why += "; \(words)" }
    var firing = baseFiring(slot, late == nil ? .leave : .late, at: now, why: why)
    firing.position = lastFix?.position
    firing.fixTime = lastFix?.time
    firing.eph = lastFix?.eph
    firing.distance = distance
    firing.travel = departure.travel
    firing.late = late
    return firing
  }

  /// "about 12min of cycling, estimated from 2.1 km of straight line".
  func estimateWords(
    _ estimate: TravelEstimate, _ transport: Reminder.Transport, distance: Double?
  ) -> String {
    let line = distance.map { "\(Length.formatted(metres: $0)) of straight line" } ?? "the way"
    let way = "\(coarse(estimate.time)) of \(transport.rawValue)"
    switch estimate.basis {
    case .there: return "you are there"
    case .fixed: return "\(way), as you said"
    case .routed(let age):
      let words = age < .minutes(1) ? "" : " \(coarse(age)) ago"
      return "about \(way), by the routing engine\(words)"
    case .learnt(let trips): return "about \(way), from \(line) and \(trips) trips of yours"
    case .measured: return "about \(way), from \(line) and the pace of this trip"
    case .formula: return "about \(way), estimated from \(line)"
    }
  }

  /// What there is to say where the place cannot be reached in time any more: "12min too late on foot,
  /// still in time by bicycle (8min)". nil where it can, or where no other mode changes that and a
  /// minute or less is missing.
  private func tooLateWords(_ slot: Slot, _ departure: Departure, at now: Instant) -> String? {
    guard let place = slot.reminder.place, let position = lastFix?.position,
      let travel = departure.travel, travel > .zero
    else { return nil }
    let left = departure.occurrence - now
    let missing = (now + travel) - departure.occurrence
    guard missing > settings.leaveLateAfter else { return nil }
    let words = "\(coarse(missing)) too late \(Self.means(slot.reminder.transport))"
    let others = [Reminder.Transport.walking, .cycling, .driving].compactMap {
      other -> (Reminder.Transport, TimeSpan)? in
      guard other != slot.reminder.transport else { return nil }
      let seconds = leaves.pace(of: other).seconds(position.distance(to: place.position))
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
    }
  }
}
