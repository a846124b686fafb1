import CivilTime
import Geofencing
import Positioning

/// Positions on their way to the monitors, holds that end by the clock, and the loss of position.
extension Engine {
  /// Gives a sample to all monitors.
  mutating func process(_ sample: PositionSample, at now: Instant) {
    decideHolds(until: sample.time, at: now)
    transitions.removeAll(keepingCapacity: true)
    monitor.process(sample, into: &transitions)
    // Passes on the way here come before arrivals and departures here.
    for transition in transitions where transition.kind == .pass {
      follow(transition, of: transition.fence, place: nil, at: now)
    }
    for transition in transitions where transition.kind != .pass {
      follow(transition, of: transition.fence, place: nil, at: now)
    }
    if !undetermined.isEmpty { determinePresence(at: now) }
    for number in watches.indices {
      decide(watch: number, at: now) { $0.process(sample, into: &$1) }
    }
  }

  /// A fix that is no part of the track. It shows that the feed lives, and the position stays lost.
  mutating func takeCoarse(_ fix: Fix, _ time: Instant, at now: Instant) {
    if let last = lastFix?.time, time <= last { return }
    reception.coarse = (fix, now)
    process(
      PositionSample(time: time, position: fix.position, eph: fix.eph, speed: fix.speed), at: now)
  }

  /// Restarts the monitors and the motion without the track so far; presences stay.
  /// - Complexity: O(fences).
  mutating func rebuildMonitor() {
    monitor = monitor.restarted(policy: settings.monitor)
    motion = Motion()
    for number in watches.indices {
      watches[number].monitor = watches[number].monitor.restarted(policy: settings.monitor)
    }
  }

  mutating func followReceiver(_ origin: FixOrigin) {
    reception.origin = origin
    // The distance between two receivers is no speed either.
    motion = Motion()
    let id = ReceiverID(origin)
    monitor.follow(id)
    for number in watches.indices { watches[number].monitor.follow(id) }
  }

  // MARK: - Holds

  /// The time of the receiver that belongs to a time of the events; nil before the first fix.
  func fixClock(at now: Instant) -> Instant? {
    guard let time = lastFix?.time, let arrival = lastFixArrival else { return nil }
    return time + (now - arrival)
  }

  /// The time of the receiver at which a transition is applied: of the last fix, but of `now` where
  /// a hold has ended after that.
  func receiverTime(applying transition: Transition, at now: Instant) -> Instant {
    guard let last = lastFix?.time else { return transition.time }
    return transition.time > last ? fixClock(at: now) ?? last : last
  }

  /// When the next hold of a fence ends, by the clock of the events; nil without one.
  var holdDeadline: Instant? {
    guard let time = lastFix?.time, let arrival = lastFixArrival else { return nil }
    var soonest = monitor.nextDeadline
    for number in watches.indices {
      soonest = sooner(soonest, watches[number].monitor.nextDeadline)
    }
    return soonest.map { arrival + ($0 - time) }
  }

  /// Decides arrivals and departures whose hold has ended without a further fix.
  mutating func decideHolds(at now: Instant) {
    guard let deadline = holdDeadline, deadline <= now, let time = fixClock(at: now) else { return }
    decideHolds(until: time, at: now)
  }

  /// - Parameter time: by the clock of the receiver.
  private mutating func decideHolds(until time: Instant, at now: Instant) {
    if let deadline = monitor.nextDeadline, deadline <= time {
      transitions.removeAll(keepingCapacity: true)
      monitor.advance(to: time, into: &transitions)
      for transition in transitions {
        follow(transition, of: transition.fence, place: nil, at: now)
      }
    }
    for number in watches.indices {
      guard let deadline = watches[number].monitor.nextDeadline, deadline <= time else { continue }
      decide(watch: number, at: now) { $0.advance(to: time, into: &$1) }
    }
  }

  // MARK: - Loss of position

  /// Whether a reminder needs a position to fire, or to fire well.
  var dependsOnPosition: Bool { fenceCount > 0 || !watches.isEmpty || slots.preemptiveCount > 0 }

  /// The time at which the position counts as lost; nil for never.
  var positionDeadline: Instant? {
    guard !isPositionLost, dependsOnPosition, let silentSince = reception.silentSince else {
      return nil
    }
    let deadline = silentSince + settings.positionLostAfter
    return deadline.microseconds == .max ? nil : deadline
  }

  mutating func restartSilence(at now: Instant) {
    reception.silentSince = now
    if lastFixArrival != nil { reception.arrival = now }
    restartAnchorSilence(at: now)
  }

  mutating func checkPosition(at now: Instant) {
    guard let deadline = positionDeadline, deadline <= now, let silentSince = reception.silentSince
    else { return }
    reception.isLost = true
    outcome.notices.append(.positionLost(after: now - silentSince))
  }
}
