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
    anchors[index] = AnchorWatch(since: now)
    slots.set(.fence, true, index)
    fenceCount += 1
  }

  /// Follows the device with all anchor watches.
  mutating func watchAnchors(_ sample: PositionSample, at now: Instant) {
    for index in anchors.keys.sorted() {
      guard let slot = slots.slot(index), let place = slot.reminder.place else { continue }
      let distance = sample.position.distance(to: place.position)
      let hold = slot.reminder.hold
      anchors[index]?.follow(sample, distance, radius: place.radius, hold: hold, at: now)
      let isOutside = anchors[index]?.isOutside(radius: place.radius, hold: hold)
      if let kind = transition(of: slot, distance <= place.radius, isOutside) {
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
    of slot: Slot, _ isWithin: Bool, _ isOutside: Bool?
  ) -> Transition.Kind? {
    switch (slot.history.stay, isOutside) {
    case (.unknown, true), (.inside, true): .depart
    case (.unknown, _): isWithin ? .found : nil
    case (.outside, false): .arrive
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
    anchors[index]?.isLost = true
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

  // MARK: - Words

  /// The news of a watch, for three in the morning; nil for another reminder.
  /// - Parameter isRepeated: whether an alarm goes on.
  func anchorWords(_ slot: Slot, isRepeated: Bool, at now: Instant) -> String? {
    guard let watch = anchors[slot.index], let place = slot.reminder.place else { return nil }
    let since = isRepeated ? slot.history.lastRung : nil
    let still = since == nil ? "" : "still "
    var words = Sentence()
    if watch.isLost {
      let silence = now - watch.lastFix
      words.add("The position is \(still)lost: ")
      if let frozen = watch.frozenSince, silence < settings.positionLostAfter {
        words.add("the receiver repeats the same one for \(coarse(now - frozen)), ")
      } else {
        words.add("no fix for \(coarse(silence)), the last one ")
      }
    } else if watch.distance.map({ $0 > place.radius }) ?? false {
      words.add(since == nil ? "Dragging: " : "Still dragging: ")
    } else {
      words.add("Back in the circle, ")
    }
    if let distance = watch.distance { words.add(metres: distance) } else { words.add("unknown") }
    words.add(" from the anchor (circle ")
    words.add(metres: place.radius)
    words.add(")")
    if !watch.isLost, let drift = watch.drift { words.add(", \(Self.words(drift))") }
    if let since { words.add("; reported since \(clock(since, at: now))") }
    return words.text
  }

  private static func words(_ drift: (metres: Double, course: Double)) -> String {
    "\(Length.formatted(metres: drift.metres)) in the last 5 min, "
      + "bearing \(Int(drift.course.rounded()) % 360)°"
  }

  /// The gate of `why` for the place.
  func anchorGates(_ slot: Slot, _ position: Coordinate) -> [Explanation.Gate] {
    guard let place = slot.reminder.place, let watch = anchors[slot.index] else { return [] }
    let distance = watch.distance ?? position.distance(to: place.position)
    let beyond = distance - place.radius
    let away = Length.formatted(metres: abs(beyond))
    let drift = watch.drift.map { "; \(Self.words($0))" } ?? ""
    let swing = Length.formatted(metres: watch.largestSwing)
    return [
      .init(
        "place", beyond > 0,
        "The boat is \(Length.formatted(metres: distance)) from the anchor, "
          + "\(away) \(beyond > 0 ? "outside" : "inside") its circle\(drift); "
          + "the largest swing was \(swing)",
        remedy: "four fifths of the fixes of \(slot.reminder.hold) are outside the circle",
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

  /// Whether a visit that is on when it begins to wait fires it.
  var firesIfInside: Bool { ifInside == .fire && trigger != .depart }

  /// Priority of its firings: an anchor watch is urgent.
  var firingPriority: Int {
    watchesAnchor && !Firing.urgentPriorities.contains(priority) ? 1 : priority
  }
}
