package import CivilTime

/// Holds: what lasts long enough is decided by the clock, not by the next sample.
extension FenceMonitor {
  /// When a hold ends, by the clock of the samples; nil without one.
  /// - Complexity: O(1).
  package var nextDeadline: Instant? { deadline.microseconds == .max ? nil : deadline }

  /// Decides what holds until `time`, by the clock of the samples, in order of time.
  ///
  /// A transition has the time at which its hold ended, and the place of the last sample.
  /// - Complexity: O(fences being entered and left).
  package mutating func advance(to time: Instant, into transitions: inout [Transition]) {
    guard deadline <= time, let last = lastSample else { return }
    let start = transitions.count
    deadline = Instant(microseconds: .max)
    let (wereLingering, wereEntering) = (lingering, entering)
    lingering.removeAll(keepingCapacity: true)
    entering.removeAll(keepingCapacity: true)
    for leaving in wereLingering {
      let end = leaving.end(policy)
      if let end, end <= time {
        depart(leaving.fence, Transition(.depart, leaving.fence, last, at: end), into: &transitions)
      } else {
        lingering.append(leaving)
        deadline = min(deadline, end ?? deadline)
      }
    }
    if transitions.count > start { inside.removeAll { !states[Int($0)].isInside } }
    for entry in wereEntering {
      let end = entry.end(isResting: isResting, policy)
      if let end, end <= time {
        arrive(
          .arrive, entry.fence, Transition(.arrive, entry.fence, last, at: end),
          into: &transitions)
      } else {
        entering.append(entry)
        deadline = min(deadline, end ?? deadline)
      }
    }
    transitions[start...].sort {
      $0.time != $1.time ? $0.time < $1.time : Transition.precedes($0, $1)
    }
  }

  /// A hold of a fence that has begun and not ended.
  package struct Hold: Equatable, Sendable {
    /// Whether the device is about to arrive; otherwise to depart.
    package let isArrival: Bool
    /// Since when the samples contradict the presence.
    package let since: Instant
    /// When it will be decided; nil as long as no two samples agree.
    package let end: Instant?
  }

  /// The hold of a fence; nil without one.
  package func hold(of id: FenceID) -> Hold? {
    if let entering = entering.first(where: { $0.fence == id }), !entering.inside.isEmpty {
      return Hold(
        isArrival: true, since: entering.inside.since,
        end: entering.end(isResting: isResting, policy))
    }
    guard let leaving = lingering.first(where: { $0.fence == id }), !leaving.outside.isEmpty else {
      return nil
    }
    guard let end = leaving.end(policy) else {
      return Hold(isArrival: false, since: leaving.outside.since, end: nil)
    }
    let isFar = leaving.far.end(of: policy.farHold, policy.agreement) == end
    return Hold(
      isArrival: false, since: isFar ? leaving.far.since : leaving.outside.since, end: end)
  }
}
