import CivilTime
import Departure
import Geodesy
import Geofencing
import Positioning

/// Wording of "leave": the basis of the estimate and, when late, faster modes of transport.
extension Engine {
  func leaveFiring(_ evaluation: Evaluation, _ lead: Lead, late: TimeSpan?) -> Firing {
    let (slot, now, due) = (evaluation.slot, evaluation.now, lead.occurrence.due)
    var way = way(of: slot, at: now)
    // Where somebody else is, and how far from there, is not for the journal.
    let isOwn = slot.reminder.who == nil
    if !isOwn { way?.distance = nil }
    let early = evaluation.schedule.leads[lead.number]
    var why = Sentence(settings.units)
    let name = slot.reminder.placeName ?? "the place"
    let left = due - now - (way?.time ?? .zero)
    if let late, early != .zero, left > .zero {
      // Too late for the lead, and in time for the due time.
      why.add("Leave for \(name) within ")
      why.add(coarse: left)
      why.add(" to be there at ")
      why.add(due, in: zone, at: now)
      why.add("; to be there \(early) before, it was time ")
      why.add(coarse: late)
      why.add(" ago")
    } else {
      why.add(late == nil ? "Time to leave for \(name)" : "Should have left for \(name) ")
      if let late {
        why.add(coarse: late)
        why.add(" ago")
      }
      why.add(" to be there ")
      if early != .zero { why.add("\(early) before ") } else { why.add("at ") }
      why.add(due, in: zone, at: now)
    }
    why.add(" (")
    if let way {
      add(way, slot.reminder.transport, to: &why)
      if let arrival = lastFixArrival, lacksPosition(at: now) {
        why.add(", last position ")
        why.add(coarse: now - arrival)
        why.add(" old")
      }
    } else {
      why.add("no position is known, so no travel time was counted")
    }
    why.add(")")
    if let words = tooLateWords(slot, due, way, at: now) {
      why.add("; ")
      why.add(words)
    }
    var firing = baseFiring(
      slot, late == nil ? .leave : .late, due: due, at: now,
      isOwn ? believedSample ?? lastSample : nil, distance: isOwn ? distance(of: slot) : nil,
      why: why.text)
    firing.travel = way?.time
    firing.late = late
    return firing
  }

  /// "about 12min of cycling in 85 % of trips, estimated from 2.1 km of straight line".
  func wayWords(_ way: Way, _ transport: Reminder.Transport) -> String {
    var words = Sentence(settings.units)
    add(way, transport, to: &words)
    return words.text
  }

  private func add(_ way: Way, _ transport: Reminder.Transport, to words: inout Sentence) {
    if way.basis == .there { return words.add("you are at the place") }
    if way.basis != .fixed { words.add("about ") }
    words.add(coarse: way.time)
    words.add(" of ")
    words.add(transport == .boat ? "sailing" : transport.rawValue)
    if way.basis == .fixed { return words.add(", as you said") }
    words.add(" in \(Int((settings.punctuality * 100).rounded())) % of trips, ")
    if case .routed(let age, _) = way.basis {
      words.add("by the routing engine")
      if age >= .minutes(1) {
        words.add(" ")
        words.add(coarse: age)
        words.add(" ago")
      }
    } else {
      words.add(way.basis == .formula ? "estimated from " : "from ")
      add(straightLine: way.distance, to: &words)
    }
    let trips = way.basis.trips
    if trips > 0 { words.add(" and \(trips) trip\(trips == 1 ? "" : "s") of yours") }
  }

  private func add(straightLine distance: Double?, to words: inout Sentence) {
    guard let distance else { return words.add("the way") }
    words.add(metres: distance)
    words.add(" of straight line")
  }

  /// A remark for a place that cannot be reached in time: "12min too late on foot, still in time by
  /// bicycle (8min)". nil for a delay of at most `leaveLateAfter`, or without an estimate.
  private func tooLateWords(
    _ slot: Slot, _ due: Instant, _ way: Way?, at now: Instant
  ) -> String? {
    guard let position = departures.position, let place = slot.reminder.place,
      let travel = way?.time, travel > .zero
    else { return nil }
    let left = due - now
    let missing = (now + travel) - due
    guard missing > settings.leaveLateAfter else { return nil }
    let words = "\(coarse(missing)) too late \(Self.means(slot.reminder.transport))"
    let others = [Reminder.Transport.walking, .cycling, .driving].compactMap {
      other -> (Reminder.Transport, TimeSpan)? in
      guard other != slot.reminder.transport else { return nil }
      let time = travelTime(from: position, to: place, by: other)
      return time <= left ? (other, time) : nil
    }
    guard let (other, time) = others.first else { return words }
    return "\(words), still in time \(Self.means(other)) (\(coarse(time)))"
  }

  /// Where the device is that stays silent: "at Pier", or "on the way to Pier, 4min early".
  func silenceWords(_ lead: Lead?, _ evaluation: Evaluation) -> String {
    let (slot, now) = (evaluation.slot, evaluation.now)
    let name = slot.reminder.placeName ?? "the place"
    // The time to expect is long enough for half of the trips.
    guard let way = way(of: slot, share: 0.5, at: now), way.basis != .there else {
      return "at \(name)"
    }
    guard let lead else { return "on the way to \(name)" }
    let wanted = evaluation.schedule.moment(of: lead.number, before: lead.occurrence.due)
    let early = wanted - way.time - now
    let words =
      if early >= .minutes(1) {
        "\(coarse(early)) early"
      } else if early <= .minutes(-1) {
        "\(coarse(now - (wanted - way.time))) late"
      } else {
        "in time"
      }
    return "on the way to \(name), \(words)"
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
