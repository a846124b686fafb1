import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning

/// The anchor watch: a departure with a decision of its own, and an alarm when the position is
/// lost.
///
/// The user sets the circle for the swing of the boat, so no margin lies beyond it, and nothing is
/// learnt from the scatter of the fixes. `AnchorWatch` decides, by the fixes of the last hold.
extension Engine {
  /// The state of an anchor watch; nil for other reminders, and while it is not armed.
  package func anchorWatch(_ id: String) -> AnchorWatch? {
    slots.index(of: id).flatMap { anchors[$0] }
  }

  /// Begins, or goes on after a restart.
  mutating func startAnchorWatch(_ index: Int32, at now: Instant) {
    var watch = AnchorWatch(since: now)
    if let sample = reception.sample, !lacksPosition(at: now), let place = slots.place(index) {
      watch.begin(at: sample.position.distance(to: place.position))
    }
    anchors[index] = watch
    slots.set(.fence, true, index)
    fenceCount += 1
  }

  /// A watch with another circle goes on, around the same anchor.
  /// - Parameter old: the reminder before the change.
  mutating func keep(
    _ watch: AnchorWatch?, of old: Reminder, for reminder: Reminder, at now: Instant
  ) {
    guard let watch, let index = slots.index(of: reminder.id), anchors[index] != nil,
      old.place?.position == reminder.place?.position
    else { return }
    anchors[index] = watch
    replan(index, at: now)
  }

  /// Follows the device with all anchor watches.
  mutating func watchAnchors(_ sample: PositionSample, at now: Instant) {
    for index in anchors.keys.sorted() {
      guard let slot = slots.slot(index), let place = slot.reminder.place else { continue }
      let distance = sample.position.distance(to: place.position)
      let hold = slot.reminder.hold
      anchors[index]?.follow(sample, distance, radius: place.radius, hold: hold, at: now)
      let verdict = anchors[index]?.verdict(radius: place.radius, hold: hold) ?? .undecided
      if let kind = transition(of: slot, distance <= place.radius, verdict) {
        if kind == .depart { anchors[index]?.leave(at: now) }
        // The hold is over when it is decided.
        follow(
          Transition(
            fence: index, kind: kind, time: sample.time, position: sample.position,
            eph: sample.eph),
          of: index, place: nil, since: kind == .depart ? now - hold : now, at: now)
      }
      replan(index, at: now)
    }
  }

  private func transition(
    of slot: Slot, _ isWithin: Bool, _ verdict: AnchorWatch.Verdict
  ) -> Transition.Kind? {
    switch (slot.history.stay, verdict) {
    case (.unknown, .outside), (.inside, .outside): .depart
    case (.unknown, _): isWithin ? .found : nil
    case (.outside, .back): .arrive
    default: nil
    }
  }

  /// When the position of an anchor watch counts as lost; nil for another reminder, and where that
  /// was reported.
  func anchorDeadline(_ slot: Slot) -> Instant? {
    guard let watch = anchors[slot.index], !watch.isLost else { return nil }
    guard settings.positionLostAfter.microseconds < .max else { return nil }
    let deadline =
      watch.frozenSince == nil ? watch.lastFix + settings.positionLostAfter : watch.lastFix
    return watch.silentUntil.map { max(deadline, $0) } ?? deadline
  }

  /// Fires if the position is lost.
  mutating func evaluateAnchor(_ index: Int32, at now: Instant) {
    guard let slot = slots.slot(index), let watch = anchors[index],
      let deadline = anchorDeadline(slot), deadline <= now, slot.state == .armed
    else { return }
    var evaluation = evaluation(of: slot, at: now)
    if case .failsUntil(let opening) = evaluation.condition {
      // A clock that is not trusted yet is asked again.
      anchors[index]?.silentUntil = opening ?? now + settings.positionLostAfter
      return
    }
    anchors[index]?.lose()
    firePlace(
      baseFiring(
        slot, .lost, due: evaluation.plan.due, at: now, lastSample, distance: watch.distance,
        why: anchorWords(slot, isRepeated: false, at: now) ?? ""),
      &evaluation)
  }

  /// The clock was set: the time since the last fix is measured anew.
  mutating func restartAnchorSilence(at now: Instant) {
    for index in anchors.keys.sorted() {
      anchors[index]?.lastFix = now
      replan(index, at: now)
    }
  }
}

extension Reminder {
  /// Whether it is an anchor watch that can be kept: a circle that the device leaves.
  package var watchesAnchor: Bool {
    isAnchorWatch && kind == .location && trigger == .depart && place != nil
  }

  /// Whether a visit that is on when it begins to wait fires it.
  var firesIfInside: Bool { ifInside == .fire && trigger != .depart }

  /// Priority of its firings: an anchor watch is urgent.
  var firingPriority: Int {
    watchesAnchor && !Firing.urgentPriorities.contains(priority) ? 1 : priority
  }
}
