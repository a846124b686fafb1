import CivilTime
import Geofencing
package import Positioning

extension Engine {
  /// Whether the settings let this fix count.
  package func counts(_ fix: Fix) -> Bool {
    switch fix.source {
    case .deadReckoning, .gnssDeadReckoning: settings.acceptsDeadReckoning
    case .manual: settings.acceptsManual
    case .simulated: settings.acceptsSimulated
    case .unknown, .gnss, .differential, .rtkFixed, .rtkFloat, .surveyed, .precise: true
    }
  }

  mutating func take(_ fix: Fix, at now: Instant) {
    guard counts(fix) else { return }
    let isGuessed = fix.time == nil
    let time = fix.time ?? guessedTime(at: now)
    guard isInOrder(time, isGuessed: isGuessed) else { return }
    var fix = fix
    fix.time = time
    isLastTimeGuessed = isGuessed
    let isFirst = lastFix == nil
    if isPositionLost, let silentSince {
      isPositionLost = false
      notices.append(.positionBack(after: now - silentSince))
    }
    lastFix = fix
    lastFixArrival = now
    silentSince = now

    transitions.removeAll(keepingCapacity: true)
    monitor.process(
      PositionSample(time: time, position: fix.position, eph: fix.eph, speed: fix.speed),
      into: &transitions)
    for transition in transitions { follow(transition, at: now) }
    if !undetermined.isEmpty { determinePresence() }
    if !waiting.isEmpty {
      for index in waiting.sorted() { lookWhileInside(index, at: now) }
    }
    if isFirst { for index in preemptive.sorted() { schedule(index, at: now) } }
  }

  /// A fix not newer than the last is ignored, unless so many in a row are older, and in order among
  /// themselves, that the receiver's clock must have been set back.
  private mutating func isInOrder(_ time: Instant, isGuessed: Bool) -> Bool {
    guard let last = lastFix?.time, time <= last else {
      olderFixes = 0
      newestOlderTime = nil
      return true
    }
    if isLastTimeGuessed, !isGuessed {
      // The receiver has begun to tell the time; what was guessed before does not count against it.
      rebuildMonitor()
      return true
    }
    if let newest = newestOlderTime, time > newest {
      olderFixes += 1
    } else {
      olderFixes = 1
    }
    newestOlderTime = time
    guard olderFixes >= settings.fixesToAcceptStepBack else { return false }
    olderFixes = 0
    newestOlderTime = nil
    notices.append(.fixTimeSteppedBack(last - time))
    rebuildMonitor()
    return true
  }

  /// The time of a fix that has none: as long after the last one as it came after it, else the
  /// clock's. gpsd's first reports have a position but no time.
  private func guessedTime(at now: Instant) -> Instant {
    guard let last = lastFix?.time, let arrival = lastFixArrival, now > arrival else { return now }
    return last + (now - arrival)
  }

  private mutating func determinePresence() {
    for index in undetermined.sorted() {
      let presence = monitor.presence(of: index)
      guard presence != .unknown else { continue }
      undetermined.remove(index)
      change(index) { $0.progress.presence = presence }
    }
  }

  private mutating func follow(_ transition: Transition, at now: Instant) {
    let index = transition.fence
    guard let slot = slots[Int(index)], listens(slot) else { return }
    let trigger = slot.reminder.trigger
    switch transition.kind {
    case .depart:
      waiting.remove(index)
      let wasSettled = slot.progress.visitSettled
      change(index) {
        $0.progress.presence = .outside
        $0.progress.insideSince = nil
        $0.progress.visitSettled = false
        $0.isWaiting = false
      }
      // A visit that a snooze put aside is not told when it ends; the next one is.
      let isPutAside = wasSettled && slot.progress.state == .snoozed
      if trigger == .depart, !isPutAside { tell(transition, .depart, at: now) }
    case .pass:
      if trigger != .dwell { tell(transition, .pass, at: now) }
    case .arrive, .found:
      let starts = transition.kind == .arrive || slot.reminder.ifInside == .fire
      // The receiver's clock may be another one than ours: its times only count as differences.
      let since = now - max(.zero, (lastFix?.time ?? transition.time) - transition.time)
      change(index) {
        $0.progress.presence = .inside
        $0.progress.insideSince = since
        $0.progress.visitSettled = !starts
      }
      guard starts else { break }
      if trigger == .arrive { tell(transition, .arrive, at: now) }
    }
    schedule(index, at: now)
  }

  /// Fires if every condition holds now; an arrival that is held back waits while inside.
  private mutating func tell(_ transition: Transition, _ event: Firing.Event, at now: Instant) {
    let index = transition.fence
    // After a sleep a fix may come before the timer that ends the reminder.
    guard let slot = slots[Int(index)], !hasExpired(slot, at: now) else { return }
    if isCoolingDown(slot, at: now) {
      change(index) { $0.progress.visitSettled = true }
      return
    }
    switch condition(of: slot, at: now) {
    case .holds:
      let firing = placeFiring(
        slot, event, at: now, position: transition.position, fixTime: transition.time,
        distance: slot.reminder.distance(from: transition.position), eph: transition.eph)
      fire(index, firing, at: now)
    case .failsUntil:
      guard event == .arrive else { return }
      waiting.insert(index)
      change(index) { $0.isWaiting = true }
    }
  }

  /// For a reminder whose region holds the device: has a condition come to hold, or the dwell time
  /// gone by?
  mutating func lookWhileInside(_ index: Int32, at now: Instant) {
    guard let slot = slots[Int(index)], listens(slot), slot.progress.presence == .inside,
      !slot.progress.visitSettled, slot.reminder.trigger != .depart, !hasExpired(slot, at: now)
    else { return }
    var event = Firing.Event.arrive
    if slot.reminder.trigger == .dwell {
      guard let since = slot.progress.insideSince, since + slot.reminder.dwell <= now else {
        return
      }
      if isCoolingDown(slot, at: now) {
        change(index) { $0.progress.visitSettled = true }
        return
      }
      event = .dwell
    } else if !slot.isWaiting {
      return
    }
    switch condition(of: slot, at: now) {
    case .holds:
      let position = lastFix?.position
      let firing = placeFiring(
        slot, event, at: now, position: position, fixTime: lastFix?.time,
        distance: position.flatMap { slot.reminder.distance(from: $0) }, eph: lastFix?.eph)
      fire(index, firing, at: now)
    case .failsUntil:
      waiting.insert(index)
      change(index) { $0.isWaiting = true }
    }
  }

  private func isCoolingDown(_ slot: Slot, at now: Instant) -> Bool {
    guard let last = slot.progress.lastFired, last <= now else { return false }
    return now < last + slot.reminder.cooldown
  }

  // MARK: - Loss of position

  /// Something that can only fire, or can only fire well, with a position.
  var dependsOnPosition: Bool { fenceCount > 0 || !preemptive.isEmpty }

  /// When the silence of the receiver has lasted too long.
  var positionDeadline: Instant? {
    guard !isPositionLost, dependsOnPosition, let silentSince else { return nil }
    let deadline = silentSince + settings.positionLostAfter
    return deadline.microseconds == .max ? nil : deadline
  }

  mutating func restartSilence(at now: Instant) {
    silentSince = now
    if lastFixArrival != nil { lastFixArrival = now }
  }

  mutating func lookForPosition(at now: Instant) {
    guard let deadline = positionDeadline, deadline <= now, let silentSince else { return }
    isPositionLost = true
    notices.append(.positionLost(after: now - silentSince))
  }
}
