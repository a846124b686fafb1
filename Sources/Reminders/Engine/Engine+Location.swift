import CivilTime
import Departure
import Geofencing
import Positioning

extension Engine {
  mutating func take(_ fix: Fix, at now: Instant) {
    guard settings.accept(fix.source) else { return }
    let isGuessed = fix.time == nil
    let time = fix.time ?? guessedTime(at: now)
    guard isInOrder(time, isGuessed: isGuessed) else { return }
    var fix = fix
    fix.time = time
    isLastTimeGuessed = isGuessed
    if isPositionLost, let silentSince {
      isPositionLost = false
      notices.append(.positionBack(after: now - silentSince))
    }
    lastFix = fix
    lastFixArrival = now
    silentSince = now

    let sample = PositionSample(
      time: time, position: fix.position, eph: fix.eph, speed: fix.speed)
    lastSample = sample
    transitions.removeAll(keepingCapacity: true)
    monitor.process(sample, into: &transitions)
    for transition in transitions {
      follow(transition, of: transition.fence, place: nil, at: now)
    }
    if !undetermined.isEmpty { determinePresence() }
    for number in watches.indices { take(sample, watch: number, at: now) }
    if !waiting.isEmpty {
      for index in waiting.sorted() { evaluateWhileInside(index, at: now) }
    }
    travel(to: fix.position, at: now)
  }

  /// A fix not newer than the last is ignored, unless so many in a row are older, and in order
  /// among themselves, that the receiver's clock must have been set back.
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

  /// Notes what the monitor has found out. That is kept row by row, so a million reminders that met
  /// their first fix together are noted over some minutes: for those that come late an interruption
  /// means that they are found out about anew.
  private mutating func determinePresence() {
    var later: [Int32] = []
    var noted = 0
    for index in undetermined {
      // Those whose fence is gone meanwhile are passed over.
      guard slots.marks(index).contains(.undetermined) else { continue }
      let presence = monitor.presence(of: index)
      guard presence != .unknown, noted < Self.maximumNotedAtOnce else {
        later.append(index)
        continue
      }
      noted += 1
      slots.set(.undetermined, false, index)
      change(index) { $0.progress.presence = presence }
    }
    undetermined = later
  }

  private static let maximumNotedAtOnce = 1_000

  /// What a decision of a monitor means to a reminder.
  /// - Parameter place: the place that was met, where the reminder is of a category.
  mutating func follow(
    _ transition: Transition, of index: Int32, place: PlaceMet?, at now: Instant
  ) {
    guard let slot = slots.slot(index), listens(slot) else { return }
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
      if trigger == .depart, !isPutAside {
        fireOrWait(slot, transition, .depart, place: place, at: now)
      }
    case .pass:
      if trigger != .dwell { fireOrWait(slot, transition, .pass, place: place, at: now) }
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
      if trigger == .arrive { fireOrWait(slot, transition, .arrive, place: place, at: now) }
    }
    schedule(index, at: now)
  }

  /// Fires if every condition holds now; an arrival that is held back waits while inside.
  private mutating func fireOrWait(
    _ slot: Slot, _ transition: Transition, _ event: Firing.Event, place: PlaceMet?,
    at now: Instant
  ) {
    // After a sleep a fix may come before the timer that ends the reminder.
    guard !hasExpired(slot, at: now) else { return }
    let index = slot.index
    if cooldown(of: slot, at: now) != .holds {
      change(index) { $0.progress.visitSettled = true }
      return
    }
    switch condition(of: slot, at: now) {
    case .holds:
      fire(
        slot,
        placeFiring(
          slot, event, at: now, position: transition.position, fixTime: transition.time,
          distance: place?.distance ?? slot.reminder.distance(from: transition.position),
          eph: transition.eph, placeNumber: place?.number),
        at: now)
    case .failsUntil:
      guard event == .arrive else { return }
      waiting.insert(index)
      change(index) { $0.isWaiting = true }
    }
  }

  /// For a reminder whose region holds the device: has a condition come to hold, or the dwell time
  /// gone by?
  mutating func evaluateWhileInside(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index), listens(slot), slot.progress.presence == .inside,
      !slot.progress.visitSettled, slot.reminder.trigger != .depart, !hasExpired(slot, at: now)
    else { return }
    var event = Firing.Event.arrive
    if slot.reminder.trigger == .dwell {
      guard let since = slot.progress.insideSince, since + slot.reminder.dwell <= now else {
        return
      }
      if cooldown(of: slot, at: now) != .holds {
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
      let met = slot.reminder.nearCategory == nil ? nil : placeMet(index, from: lastSample)
      let firing = placeFiring(
        slot, event, at: now, position: position, fixTime: lastFix?.time,
        distance: met?.distance ?? position.flatMap { slot.reminder.distance(from: $0) },
        eph: lastFix?.eph, placeNumber: met?.number)
      fire(slot, firing, at: now)
    case .failsUntil:
      waiting.insert(index)
      change(index) { $0.isWaiting = true }
    }
  }

  // MARK: - Loss of position

  /// Something that can only fire, or can only fire well, with a position.
  var dependsOnPosition: Bool { fenceCount > 0 || !watches.isEmpty || slots.preemptiveCount > 0 }

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

  mutating func checkPosition(at now: Instant) {
    guard let deadline = positionDeadline, deadline <= now, let silentSince else { return }
    isPositionLost = true
    notices.append(.positionLost(after: now - silentSince))
  }
}
