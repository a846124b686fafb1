import CivilTime
import Containers
import Departure
import Geofencing
import Positioning

extension Engine {
  mutating func take(_ fix: Fix, from origin: FixOrigin, at now: Instant) {
    hear(at: now)
    guard settings.accept(fix.source) else { return }
    let isGuessed = fix.time == nil
    let time = fix.time ?? guessedTime(at: now)
    switch settings.monitor.quality(of: fix.eph) {
    case .good: break
    case .coarse: return takeCoarse(fix, time, from: origin, at: now)
    case .excluded:
      reception.coarse = (fix, now)
      return
    }
    guard isInOrder(time, isGuessed: isGuessed, at: now) else { return }
    var fix = fix
    fix.time = time
    reception.isTimeGuessed = isGuessed
    if isPositionLost, let silentSince = reception.silentSince {
      reception.isLost = false
      outcome.notices.append(.positionBack(after: now - silentSince))
    }
    reception.fix = fix
    reception.arrival = now
    reception.silentSince = now

    let sample = PositionSample(
      time: time, position: fix.position, eph: fix.eph, speed: fix.speed)
    reception.sample = sample
    if origin != reception.origin { followReceiver(origin) }
    motion.follow(sample, course: fix.track)
    let (former, jumps) = (monitor.lastSample?.position, monitor.jumpCount)
    process(sample, at: now)
    // The way to a position that no other fix bears out is no speed.
    if monitor.isInDoubt { motion = Motion() }
    if !anchors.isEmpty { watchAnchors(sample, at: now) }
    if !waiting.isEmpty, !monitor.isInDoubt {
      for index in waiting.sorted() { evaluate(at: index, now: now) }
    }
    // A jump that no other fix bears out starts no one on their way.
    guard !monitor.isInDoubt, let here = monitor.lastSample?.position else { return }
    endOldExcursion(at: now)
    if let former, monitor.jumpCount != jumps { jump(from: former, to: here, at: now) }
    travel(to: here, at: now)
  }

  /// Whether a fix of this time counts: it is newer than the last one, or shows that the receiver's
  /// clock was set back.
  private mutating func isInOrder(_ time: Instant, isGuessed: Bool, at now: Instant) -> Bool {
    guard let last = lastFix?.time, time <= last else {
      reception.setBackClock.reset()
      return true
    }
    if reception.isTimeGuessed, !isGuessed {
      // The receiver has a time again: earlier guesses do not count against it.
      rebuildMonitor()
      return true
    }
    guard reception.setBackClock.take(time, at: now) else { return false }
    outcome.notices.append(.fixTimeSteppedBack(last - time))
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
  mutating func determinePresence(at now: Instant) {
    var later: [Int32] = []
    var noted = 0
    for index in undetermined {
      // The fence was removed meanwhile.
      guard slots.marks(index).contains(.undetermined) else { continue }
      let presence = monitor.fences.presence(of: index)
      guard presence != .unknown, noted < Self.maximumNotedAtOnce else {
        later.append(index)
        continue
      }
      noted += 1
      slots.set(.undetermined, false, index)
      guard slots.stay(index) == .unknown else { continue }
      if presence == .inside { notePresence(index, since: now) }
      change(index) {
        $0.stay = presence == .inside ? .inside(Stay.Visit(since: now)) : .outside(since: nil)
      }
    }
    undetermined = later
  }

  private static let maximumNotedAtOnce = 1_000

  /// Applies a transition of a monitor to a reminder.
  /// - Parameters:
  ///   - place: the place met, for a reminder of a category.
  ///   - since: when it was; nil for the time of the transition. The receiver's clock may differ
  ///     from ours: only differences of its times count.
  mutating func follow(
    _ transition: Transition, of index: Int32, place: PlaceMet?, since: Instant? = nil,
    at now: Instant
  ) {
    let since =
      since ?? now - max(.zero, (lastFix?.time ?? transition.time) - transition.time)
    if transition.kind == .pass, since <= slots.watchedSince(index) { return }
    notePresence(index, since: min(since, reception.isTimeGuessed ? since : transition.time))
    // A pass of the same fix may have been its last firing.
    guard let slot = slots.slot(index), slot.hasFence else { return }
    if transition.kind == .depart, slot.history.silence == .untilLeave {
      return ringLeaving(index, transition, place: place, at: now)
    }
    let comes = transition.kind == .arrive || transition.kind == .pass
    // A snooze until the next visit ends when that begins.
    if comes, slot.history.silence == .nextVisit {
      apply(to: index) { $0.visited(&$1) }
    }
    let isSilent = slot.history.silence != nil && !(comes && slot.history.silence == .nextVisit)
    let isHeld = slot.reminder.trigger == .depart && slot.reminder.hold > .zero
    var evaluation = evaluation(of: slots.slot(index) ?? slot, at: now)
    let isArmed = evaluation.plan.state == .armed && !isSilent
    var event: Firing.Event?
    switch transition.kind {
    case .depart:
      let counts = slot.reminder.trigger == .depart && isArmed
      // A drift during a snooze is reported when that ends.
      let waits = counts && isHeld || slot.reminder.watchesAnchor
      change(index) { $0.stay = .outside(since: waits ? since : nil) }
      if counts, !isHeld { event = .depart }
    case .pass where isHeld:
      if isArmed { change(index) { $0.stay = .outside(since: since) } }
    case .pass:
      if [.arrive, .depart].contains(slot.reminder.trigger), isArmed { event = .pass }
    case .arrive, .found:
      let counts =
        transition.kind == .arrive || isArmed && slot.reminder.ifInside == .fire
      let settled = counts ? nil : evaluation.schedule.begun(at: now)
      let places = slot.history.places
      change(index) {
        $0.stay = .inside(Stay.Visit(since: since, settledUpTo: settled, places: places))
      }
      if slot.reminder.trigger == .arrive, isArmed, settled == nil { event = .arrive }
    }
    if let event, let slot = slots.slot(index) {
      evaluation.slot = slot
      fireOrWait(&evaluation, transition, event, place: place)
    }
    turn.work += evaluation.schedule.work
    replan(index, at: now)
  }

  /// Fires if all conditions hold; otherwise an arrival waits while the device is inside.
  private mutating func fireOrWait(
    _ evaluation: inout Evaluation, _ transition: Transition, _ event: Firing.Event,
    place: PlaceMet?
  ) {
    let slot = evaluation.slot
    guard evaluation.holds else { return }
    // The visit stays open, and a later turn fires it.
    if turn.isFull, event == .arrive { return putOff(slot.index, at: evaluation.now) }
    let sample = PositionSample(
      time: transition.time, position: transition.position, eph: transition.eph)
    firePlace(placeFiring(evaluation, event, sample, place: place), &evaluation)
  }

  /// A snooze until the place is left is over: it rings, whatever the reminder waits for.
  private mutating func ringLeaving(
    _ index: Int32, _ transition: Transition, place: PlaceMet?, at now: Instant
  ) {
    change(index) { $0.stay = .outside(since: nil) }
    guard let slot = slots.slot(index) else { return }
    var evaluation = evaluation(of: slot, at: now)
    let sample = PositionSample(
      time: transition.time, position: transition.position, eph: transition.eph)
    fire(evaluation, placeFiring(evaluation, .depart, sample, place: place), nil)
    change(index) { evaluation.schedule.woken(&$0, travel: .zero, at: now) }
    turn.work += evaluation.schedule.work
    replan(index, at: now)
  }

  /// A firing at a place, and what that uses.
  mutating func firePlace(_ firing: consuming Firing, _ evaluation: inout Evaluation) {
    let now = evaluation.now
    let lead = evaluation.plan.occurrence.map { Lead(occurrence: $0, number: 0, moment: now) }
    fire(evaluation, firing, lead)
    change(evaluation.slot.index) {
      evaluation.schedule.usePlace(&$0, at: now)
      evaluation.schedule.ring(&$0, at: now)
    }
  }

  /// A stay is long enough, and all conditions hold.
  mutating func ringStay(_ evaluation: inout Evaluation) {
    let slot = evaluation.slot
    if slot.reminder.trigger == .absent, let occurrence = evaluation.plan.occurrence,
      evaluation.schedule.wasThere(slot.history, for: occurrence, at: evaluation.now)
        || !evaluation.hasCooledDown
    {
      change(slot.index) { evaluation.schedule.use(upTo: occurrence.name, &$0) }
    } else if evaluation.hasCooledDown {
      fireHere(Firing.Event(stay: slot.reminder.trigger), &evaluation)
    } else if let name = evaluation.plan.occurrence?.name {
      change(slot.index) { evaluation.schedule.settleVisit(upTo: name, &$0) }
    }
  }

  /// A departure has been held for long enough.
  mutating func ringDeparture(_ evaluation: inout Evaluation) {
    change(evaluation.slot.index) { $0.stay = .outside(since: nil) }
    if evaluation.holds { fireHere(.depart, &evaluation) }
  }

  /// Fires at the last fix, which is the machine's own: for several trackers it says nothing.
  private mutating func fireHere(_ event: Firing.Event, _ evaluation: inout Evaluation) {
    if event == .absent || event == .silent {
      return firePlace(absenceFiring(evaluation, event), &evaluation)
    }
    let isOfSeveral = evaluation.slot.reminder.isAboutSeveral
    let met = isOfSeveral ? nil : placeMet(evaluation.slot.index, from: reception.sample)
    let sample = isOfSeveral ? nil : lastSample
    firePlace(placeFiring(evaluation, event, sample, place: met), &evaluation)
  }
}
