import CivilTime
import Geodesy
import Geofencing
import JSONText

/// The words of an anchor watch: in an alarm, in its status and in `why`.
extension Engine {
  /// An alarm that goes on, with the event that it has: a loss stays one when the position is back.
  /// nil for a reminder that is no anchor watch.
  func anchorAlarm(_ slot: Slot, due: Instant?, at now: Instant) -> Firing? {
    guard let watch = anchors[slot.index],
      let why = anchorWords(slot, isRepeated: true, at: now)
    else { return nil }
    return baseFiring(
      slot, watch.isLost || isAboutLoss(slot, watch) ? .lost : .depart, due: due, at: now,
      lastSample, distance: watch.distance, why: why)
  }

  /// Whether an alarm is about a loss that has ended.
  private func isAboutLoss(_ slot: Slot, _ watch: AnchorWatch) -> Bool {
    watch.returned != nil && slot.history.stay.presence != .outside
  }

  /// The news of a watch, for three in the morning; nil for another reminder.
  /// - Parameter isRepeated: whether an alarm goes on.
  func anchorWords(_ slot: Slot, isRepeated: Bool, at now: Instant) -> String? {
    guard let watch = anchors[slot.index], let place = slot.reminder.place else { return nil }
    let since = isRepeated ? slot.history.lastRung : nil
    let still = since == nil ? "" : "still "
    var words = Sentence(settings.units)
    if let loss = loss(watch, at: now) {
      words.add("The position is \(still)lost: ")
      switch loss.cause {
      case .frozen: words.add("the receiver repeats the same one for \(coarse(now - loss.since)), ")
      case .silence: words.add("no fix for \(coarse(now - watch.lastFix)), the last one ")
      }
    } else if isRepeated, isAboutLoss(slot, watch) {
      words.add("The position is back, ")
    } else if watch.distance.map({ $0 > place.radius }) ?? false {
      words.add(since == nil ? "Dragging: " : "Still dragging: ")
    } else {
      words.add("Back in the circle, ")
    }
    if let distance = watch.distance { words.add(metres: distance) } else { words.add("unknown") }
    words.add(" from the anchor (circle ")
    words.add(metres: place.radius)
    words.add(")")
    if !watch.isLost, let drift = watch.drift { words.add(", \(self.words(drift))") }
    if let since { words.add("; reported since \(clock(since, at: now))") }
    return words.text
  }

  private func words(_ drift: (metres: Double, course: Double)) -> String {
    "\(length(drift.metres)) in the last 5 min, "
      + "bearing \(Int(drift.course.rounded()) % 360)°"
  }

  // MARK: - The status

  /// An alarm, a silence or a decision that waits, in one sentence; nil while all is well.
  func anchorSays(_ slot: Slot, _ watch: AnchorWatch, at now: Instant) -> String? {
    let history = slot.history
    if let loss = loss(watch, at: now) {
      let since = "since \(clock(loss.since, at: now)): \(loss.cause.words)"
      guard !history.isUnacknowledged else { return "ALARM: no position \(since)" }
      return "No position \(since); "
        + (history.silence == nil
          ? "acknowledged, and silent until it is back"
          : "the alarm waits for the end of the silence")
    }
    let began = (watch.left ?? history.lastRung).map { " since \(clock($0, at: now))" } ?? ""
    switch history.stay {
    case .outside where history.isUnacknowledged: return "ALARM: dragging\(began)"
    case .outside(since: nil) where history.silence == nil:
      return "Dragging\(began); acknowledged, and silent until the boat is back in the circle"
    case .outside: return "Dragging\(began); the alarm waits for the end of the silence"
    case .inside, .unknown: break
    }
    guard history.isUnacknowledged else { return anchorDelay(slot, watch) }
    let rung = history.lastRung.map { " at \(clock($0, at: now))" } ?? ""
    if let returned = watch.returned {
      return "ALARM\(rung): the position was lost, and is back since \(clock(returned, at: now))"
    }
    let isWithin = watch.distance.map { $0 <= slot.reminder.place?.radius ?? 0 } ?? false
    return "ALARM\(rung)\(isWithin ? ": the boat is back in the circle" : "")"
  }

  /// Why a boat that is outside gives no alarm yet; nil where none is.
  private func anchorDelay(_ slot: Slot, _ watch: AnchorWatch) -> String? {
    guard let radius = slot.reminder.place?.radius else { return nil }
    switch watch.verdict(radius: radius, hold: slot.reminder.hold) {
    case .waits(let rest, hasJumped: false):
      return "Outside: an alarm in \(coarse(rest)), if the boat stays outside"
    case .waits(let rest, hasJumped: true):
      return "Outside after a jump of the receiver: an alarm in \(coarse(rest)), if it lasts"
    case .disputed(let outside, let count):
      return "Outside, as \(outside) of the last \(count) fixes: an alarm with four fifths of them"
    case .outside, .back, .undecided: return nil
    }
  }

  // MARK: - Why

  /// The gates of `why`: the position, the circle, and what keeps an alarm from coming.
  func anchorGates(
    _ slot: Slot, _ watch: AnchorWatch, at now: Instant, from here: Standpoint?
  ) -> [Explanation.Gate] {
    var gates: [Explanation.Gate]
    if let here {
      gates = [here.gate]
    } else if let loss = loss(watch, at: now) {
      gates = [
        .init(
          "fix", false, "There is no position since \(text(loss.since)): \(loss.cause.words)",
          remedy: "the position is back", figures: ["lost_since": .string(loss.since.json)])
      ]
    } else {
      gates = positionGates(slot, at: now)
    }
    guard let place = slot.reminder.place,
      let distance = here?.position.distance(to: place.position) ?? watch.distance
    else { return gates }
    gates.append(circleGate(slot, watch, place, distance))
    guard here == nil, !slot.history.isUnacknowledged else { return gates }
    // The end of a snooze reports both.
    let isSnoozed = slot.history.silence != nil
    if slot.history.stay == .outside(since: nil) {
      guard !isSnoozed else { return gates }
      gates.append(
        .init(
          "acknowledged", false, "This drift is acknowledged",
          remedy: "the boat is back in its circle and leaves it again"))
    } else if !watch.isLost, let delay = anchorDelay(slot, watch) {
      gates.append(.init("dwell", false, delay, remedy: "the fixes of that time are outside"))
    }
    if watch.isLost, !isSnoozed {
      gates.append(
        .init(
          "acknowledged", false, "This loss of the position is acknowledged",
          remedy: "the position is back"))
    }
    return gates
  }

  private func circleGate(
    _ slot: Slot, _ watch: AnchorWatch, _ place: Reminder.Place, _ distance: Double
  ) -> Explanation.Gate {
    let beyond = distance - place.radius
    let drift = watch.isLost ? nil : watch.drift.map { "; \(words($0))" }
    return .init(
      "place", beyond > 0,
      "The boat is \(length(distance)) from the anchor, "
        + "\(length(abs(beyond))) \(beyond > 0 ? "outside" : "inside") its circle"
        + "\(drift ?? ""); the largest swing was \(length(watch.largestSwing))",
      remedy: "four fifths of the fixes of \(slot.reminder.hold) are outside the circle",
      figures: [
        "edge_m": .double(Decimal.rounded(beyond, digits: 1)),
        "margin_m": .double(AnchorWatch.margin(radius: place.radius)),
      ])
  }
}
