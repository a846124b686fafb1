import CivilTime
import Geodesy
import Geofencing
import Positioning

/// Positions on their way to the monitors, and the loss of position.
extension Engine {
  /// Gives a sample to all monitors.
  mutating func process(_ sample: PositionSample, at now: Instant) {
    transitions.removeAll(keepingCapacity: true)
    let counts = monitor.process(sample, into: &transitions)
    // Passes on the way here come before arrivals and departures here.
    for transition in transitions where transition.kind == .pass {
      follow(transition, of: transition.fence, place: nil, at: now)
    }
    for transition in transitions where transition.kind != .pass {
      follow(transition, of: transition.fence, place: nil, at: now)
    }
    if !undetermined.isEmpty { determinePresence(at: now) }
    guard counts, !watches.isEmpty else { return }
    let track = monitor.track
    for number in watches.indices {
      transitions.removeAll(keepingCapacity: true)
      if watches[number].follow(track, into: &transitions) { apply(watch: number, at: now) }
    }
  }

  /// An inaccurate fix. It counts for what it is worth, and a lost position stays lost.
  mutating func takeCoarse(
    _ fix: Fix, _ time: Instant, from origin: FixOrigin, at now: Instant
  ) {
    if let last = lastFix?.time, time <= last { return }
    monitor.follow(ReceiverID(origin))
    defer { monitor.follow(ReceiverID(reception.origin)) }
    reception.coarse = (fix, now)
    let sample = PositionSample(
      time: time, position: fix.position, eph: fix.eph, speed: fix.speed)
    process(sample, at: now)
    if !anchors.isEmpty { watchAnchors(sample, at: now) }
  }

  /// Restarts the monitors and the motion without the track so far; presences stay.
  /// - Complexity: O(fences).
  mutating func rebuildMonitor() {
    monitor = monitor.restarted(policy: settings.monitor)
    motion = Motion()
    for number in watches.indices { watches[number].restart(policy: settings.monitor) }
  }

  mutating func followReceiver(_ origin: FixOrigin) {
    reception.origin = origin
    // The distance between two receivers is no speed either.
    motion = Motion()
    monitor.follow(ReceiverID(origin))
  }

  /// Degrees from true north from the last fix to the middle of the place or region, or to the
  /// nearest place of the category.
  func bearing(to slot: Slot) -> Double? {
    guard let position = reception.sample?.position else { return nil }
    let nearest = watch(of: slot.index).flatMap { watch in
      watch.nearest(to: position).flatMap { watch.fences.center(of: $0.fence) }
    }
    let middle = nearest ?? slot.reminder.area?.middle ?? slot.reminder.place?.position
    return middle.map { position.initialBearing(to: $0) }
  }

  // MARK: - Loss of position

  /// Whether a reminder needs a position to fire, or to fire well.
  var dependsOnPosition: Bool { fenceCount > 0 || !watches.isEmpty || slots.preemptiveCount > 0 }

  /// Whether the last fix is too old to show where the device is.
  func lacksPosition(at now: Instant) -> Bool {
    isPositionLost || lastFixArrival.map { now - $0 >= settings.positionLostAfter } ?? true
  }

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
    if reception.heard != nil { reception.heard = now }
    restartAnchorSilence(at: now)
  }

  mutating func checkPosition(at now: Instant) {
    guard let deadline = positionDeadline, deadline <= now, let silentSince = reception.silentSince
    else { return }
    reception.isLost = true
    outcome.notices.append(.positionLost(after: now - silentSince))
  }
}
