import CivilTime
import Containers
import Departure
import Geofencing
import Positioning

extension Engine {
  mutating func take(_ fix: Fix, from origin: FixOrigin, at now: Instant) {
    guard settings.accept(fix.source) else { return }
    let isGuessed = fix.time == nil
    let time = fix.time ?? guessedTime(at: now)
    guard settings.monitor.quality(of: fix.eph) == .good else {
      return takeCoarse(fix, time, at: now)
    }
    guard isInOrder(time, isGuessed: isGuessed, at: now) else { return }
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
    if origin != receiver { followReceiver(origin) }
    motion.follow(sample, course: fix.track)
    let (former, jumps) = (monitor.lastSample?.position, monitor.jumpCount)
    process(sample, at: now)
    // The way to a position that no other fix bears out is no speed.
    if monitor.isInDoubt { motion = Motion() }
    if !anchors.isEmpty { watchAnchors(sample, at: now) }
    if !waiting.isEmpty, !monitor.isInDoubt {
      for index in waiting.sorted() {
        evaluateAtPlace(index, at: now)
        schedule(index, at: now)
      }
    }
    // A jump that no other fix bears out starts no one on their way.
    guard !monitor.isInDoubt, let here = monitor.lastSample?.position else { return }
    if let former, monitor.jumpCount != jumps { jump(from: former, to: here, at: now) }
    travel(to: here, at: now)
  }

  /// Whether a fix of this time counts: it is newer than the last one, or shows that the receiver's
  /// clock was set back.
  private mutating func isInOrder(_ time: Instant, isGuessed: Bool, at now: Instant) -> Bool {
    guard let last = lastFix?.time, time <= last else {
      setBackClock.reset()
      return true
    }
    if isLastTimeGuessed, !isGuessed {
      // The receiver has a time again: earlier guesses do not count against it.
      rebuildMonitor()
      return true
    }
    guard setBackClock.take(time, at: now) else { return false }
    notices.append(.fixTimeSteppedBack(last - time))
    rebuildMonitor()
    return true
  }

  /// The time of a fix without one: the last fix's time plus the difference of arrivals, or `now`.
  /// gpsd's first reports have a position but no time.
  private func guessedTime(at now: Instant) -> Instant {
    guard let last = lastFix?.time, let arrival = lastFixArrival, now > arrival else { return now }
    return last + (now - arrival)
  }

  /// Stores newly determined presences, at most `maximumNotedAtOnce` per fix: each is a row to
  /// write. After a restart in between, the rest are determined again.
  mutating func determinePresence() {
    var later: [Int32] = []
    var noted = 0
    for index in undetermined {
      // The fence was removed meanwhile.
      guard slots.marks(index).contains(.undetermined) else { continue }
      let presence = monitor.presence(of: index)
      guard presence != .unknown, noted < Self.maximumNotedAtOnce else {
        later.append(index)
        continue
      }
      noted += 1
      slots.set(.undetermined, false, index)
      change(index) { $0.presence = presence }
    }
    undetermined = later
  }

  private static let maximumNotedAtOnce = 1_000

  /// Applies a transition of a monitor to a reminder.
  /// - Parameter place: the place met, for a reminder of a category.
  mutating func follow(
    _ transition: Transition, of index: Int32, place: PlaceMet?, at now: Instant
  ) {
    // The receiver's clock may differ from ours: only differences of its times count.
    let since = now - max(.zero, receiverTime(applying: transition, at: now) - transition.time)
    if transition.kind == .pass, since <= slots.watchedSince(index) { return }
    rollOver(index, at: now)
    if transition.kind == .arrive || transition.kind == .pass { endPutOff(index) }
    guard let slot = slots.slot(index), hasPresence(slot) else { return }
    let isArmed = slot.progress.state == .armed
    let trigger = slot.reminder.trigger
    let isHeld = trigger == .depart && slot.reminder.hold > .zero
    switch transition.kind {
    case .depart:
      let counts = trigger == .depart && isArmed
      change(index) {
        $0.presence = .outside
        $0.presenceSince = counts && isHeld ? since : nil
        $0.visitSettled = false
      }
      if counts, !isHeld { fireOrWait(slot, transition, .depart, place: place, at: now) }
    case .pass where isHeld:
      if isArmed { change(index) { $0.presenceSince = since } }
    case .pass:
      if trigger != .dwell, isArmed {
        fireOrWait(slot, transition, .pass, place: place, at: now)
      }
    case .arrive, .found:
      let starts =
        transition.kind == .arrive
        || (isArmed && (slot.reminder.ifInside == .fire || waitsForDue(slot, at: now)))
      change(index) {
        $0.presence = .inside
        $0.presenceSince = since
        $0.visitSettled = !starts
      }
      guard starts, isArmed else { break }
      if trigger == .arrive { fireOrWait(slot, transition, .arrive, place: place, at: now) }
    }
    schedule(index, at: now)
  }

  /// A snooze until the next visit ends when that begins.
  private mutating func endPutOff(_ index: Int32) {
    guard let slot = slots.slot(index), slot.progress.state == .snoozed, listens(slot) else {
      return
    }
    change(index) { $0.state = .armed }
  }

  /// Fires if all conditions hold; otherwise an arrival waits while the device is inside.
  private mutating func fireOrWait(
    _ slot: Slot, _ transition: Transition, _ event: Firing.Event, place: PlaceMet?,
    at now: Instant
  ) {
    // After a sleep a fix may precede the timer that expires the reminder.
    guard !hasExpired(slot, at: now), condition(of: slot, at: now) == .holds,
      cooldown(of: slot, at: now) == .holds
    else { return }
    // The visit stays open, and a later turn fires it.
    if turn.isFull, event == .arrive { return putOff(slot.index, at: now) }
    fire(
      slot,
      placeFiring(
        slot, event, at: now, position: transition.position, fixTime: transition.time,
        distance: place?.distance ?? slot.reminder.distance(from: transition.position),
        eph: transition.eph, place: place),
      at: now)
  }

  /// Fires if time or a condition allows it: while the device is inside, or after a departure.
  mutating func evaluateAtPlace(_ index: Int32, at now: Instant) {
    if timers.deadline(slot: index).map({ $0 <= now.microseconds }) ?? true {
      rollOver(index, at: now)
    }
    evaluateWhileInside(index, at: now)
    evaluateWhileAway(index, at: now)
    evaluateAnchor(index, at: now)
  }

  /// Fires a departure that was held, once the device has been outside for that long.
  private mutating func evaluateWhileAway(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index), let end = departureEnd(slot), end <= now, listens(slot),
      !hasExpired(slot, at: now)
    else { return }
    change(index) { $0.presenceSince = nil }
    guard condition(of: slot, at: now) == .holds, cooldown(of: slot, at: now) == .holds else {
      return
    }
    fireHere(slot, .depart, at: now)
  }

  /// When a departure has been held for long enough; nil where none is.
  func departureEnd(_ slot: Slot) -> Instant? {
    guard slot.reminder.kind == .location, slot.reminder.trigger == .depart,
      slot.progress.presence == .outside, let since = slot.progress.presenceSince
    else { return nil }
    return since + slot.reminder.hold
  }

  /// Fires at the last fix.
  private mutating func fireHere(_ slot: Slot, _ event: Firing.Event, at now: Instant) {
    let position = lastFix?.position
    let met = slot.reminder.nearCategory == nil ? nil : placeMet(slot.index, from: lastSample)
    let firing = placeFiring(
      slot, event, at: now, position: position, fixTime: lastFix?.time,
      distance: met?.distance ?? position.flatMap { slot.reminder.distance(from: $0) },
      eph: lastFix?.eph, place: met)
    fire(slot, firing, at: now)
  }

  /// Fires, while the device is inside, once the stay is long enough and all conditions hold.
  private mutating func evaluateWhileInside(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index), let start = openStay(slot), start <= now,
      !hasExpired(slot, at: now), condition(of: slot, at: now) == .holds
    else { return }
    guard cooldown(of: slot, at: now) == .holds else {
      return change(index) { $0.visitSettled = true }
    }
    fireHere(slot, slot.reminder.trigger == .dwell ? .dwell : .arrive, at: now)
  }

  /// From when on a stay that has not fired yet is long enough; nil where there is none.
  func openStay(_ slot: Slot) -> Instant? {
    let progress = slot.progress
    guard slot.reminder.kind == .location, progress.state == .armed, progress.presence == .inside,
      !progress.visitSettled
    else { return nil }
    let start = progress.presenceSince
    switch slot.reminder.trigger {
    case .arrive: return start ?? Instant(microseconds: .min)
    case .dwell: return start.map { $0 + slot.reminder.hold }
    case .depart: return nil
    }
  }
}
