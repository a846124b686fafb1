import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning

/// The anchor watch: a departure with a decision of its own, and an alarm when the position is
/// lost.
///
/// The user sets the circle for the swing of the boat, so no margin lies beyond it, and nothing is
/// learnt from the scatter of the fixes. The first fix outside begins the hold, and a fix
/// `AnchorWatch.margin` inside ends it. A drift therefore fires one hold after it has left the
/// circle, however slow it is. A fix whose error exceeds the radius shows nothing.
extension Engine {
  /// The state of an anchor watch; nil for other reminders, and while it is not armed.
  package func anchorWatch(_ id: String) -> AnchorWatch? {
    slots.index(of: id).flatMap { anchors[$0] }
  }

  /// Begins, or goes on after a restart.
  mutating func startAnchorWatch(_ index: Int32, at now: Instant) {
    anchors[index] = AnchorWatch(since: now)
    slots.set(.fence, true, index)
    fenceCount += 1
  }

  /// Follows the device with all anchor watches.
  mutating func watchAnchors(_ sample: PositionSample, at now: Instant) {
    for index in anchors.keys.sorted() {
      guard let slot = slots.slot(index), let place = slot.reminder.place,
        sample.eph.map({ $0 <= place.radius }) ?? true
      else { continue }
      let distance = sample.position.distance(to: place.position)
      anchors[index]?.follow(distance, at: now)
      if let kind = transition(of: slot, distance, place.radius) {
        follow(
          Transition(
            fence: index, kind: kind, time: sample.time, position: sample.position,
            eph: sample.eph), of: index, place: nil, at: now)
      }
      replan(index, at: now)
    }
  }

  /// - Parameter distance: metres from the anchor.
  private func transition(
    of slot: Slot, _ distance: Double, _ radius: Double
  ) -> Transition.Kind? {
    switch slot.history.stay {
    case .unknown: distance > radius ? .depart : .found
    case .inside: distance > radius ? .depart : nil
    case .outside: distance <= radius - AnchorWatch.margin(radius: radius) ? .arrive : nil
    }
  }

  /// When the position of an anchor watch counts as lost; nil for another reminder, and where that
  /// was reported.
  func anchorDeadline(_ slot: Slot) -> Instant? {
    guard let watch = anchors[slot.index], !watch.isLost else { return nil }
    let deadline = watch.lastFix + settings.positionLostAfter
    guard deadline.microseconds < .max else { return nil }
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
    anchors[index]?.isLost = true
    firePlace(
      baseFiring(
        slot, .lost, due: evaluation.plan.due, at: now, lastSample, distance: watch.distance,
        why: "The position is lost: no usable fix for \(coarse(now - watch.lastFix))"),
      &evaluation)
  }

  /// The clock was set: the time since the last fix is measured anew.
  mutating func restartAnchorSilence(at now: Instant) {
    for index in anchors.keys.sorted() {
      anchors[index]?.lastFix = now
      replan(index, at: now)
    }
  }

  /// The gate of `why` for the place.
  func anchorGates(_ slot: Slot, _ position: Coordinate) -> [Explanation.Gate] {
    guard let place = slot.reminder.place else { return [] }
    let beyond = position.distance(to: place.position) - place.radius
    let away = Length.formatted(metres: abs(beyond))
    return [
      .init(
        "place", beyond > 0,
        "The last fix is \(away) \(beyond > 0 ? "outside" : "inside") the circle around the anchor",
        remedy: "the device leaves the circle",
        figures: [
          "edge_m": .double(Decimal.rounded(beyond, digits: 1)),
          "margin_m": .double(AnchorWatch.margin(radius: place.radius)),
        ])
    ]
  }
}

extension Reminder {
  /// Whether it is an anchor watch that can be kept: a circle that the device leaves.
  var watchesAnchor: Bool {
    isAnchorWatch && kind == .location && trigger == .depart && place != nil
  }
}
