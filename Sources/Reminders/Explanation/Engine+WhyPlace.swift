import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning

/// The gates of position: the last fix, its accuracy, the place, and what must last.
extension Engine {
  func positionGates(_ slot: Slot, at now: Instant) -> [Explanation.Gate] {
    guard let fix = lastFix, let arrival = lastFixArrival else {
      return [.init("fix", false, "There is no fix yet", remedy: "a receiver gives a fix")]
        + (coarseFix.map { [accuracyGate($0.fix)] } ?? [])
    }
    let age = now - arrival
    let isFresh = !isPositionLost && age < settings.positionLostAfter
    let words = age < .seconds(1) ? "of this second" : "\(coarse(age)) old"
    var gates = [
      Explanation.Gate(
        "fix", isFresh, "The last fix is \(words)",
        remedy: "a receiver gives a new fix",
        figures: [
          "age_s": .double(Decimal.rounded(age.seconds, digits: 1)),
          "lost_after_s": .double(settings.positionLostAfter.seconds),
          "fix_time": fix.time.map { .string($0.json) },
        ])
    ]
    if let coarse = coarseFix, coarse.arrival > arrival {
      gates.append(accuracyGate(coarse.fix))
    } else {
      let error = fix.eph.map { "It is good to ±\(Length.formatted(metres: $0)) (95 %)" }
      gates.append(
        .init(
          "accuracy", true, (error ?? "Its error is not known") + Self.sourceWords(fix),
          figures: [
            "eph_m": .double(fix.eph.map { Decimal.rounded($0, digits: 2) }),
            "source": fix.solution.map { .string($0.rawValue) },
          ]))
    }
    return gates
  }

  /// The kind of a solution that no satellites have made.
  private static func sourceWords(_ fix: Fix) -> String {
    switch fix.solution {
    case .deadReckoning: "; it is dead reckoning"
    case .manual: "; it was entered by hand"
    case .simulated: "; it is simulated"
    case .network: "; it is by Wi-Fi or mobile networks"
    case .gnss, .dgnss, .rtk, nil: ""
    }
  }

  /// The gate of a position that is too inaccurate.
  private func accuracyGate(_ fix: Fix) -> Explanation.Gate {
    let limit = settings.monitor.largestError
    let error = fix.eph ?? .infinity
    return .init(
      "accuracy", false,
      "The newest position is good to ±\(Length.formatted(metres: error)) only; one worse than "
        + "\(Length.formatted(metres: limit)) decides nothing about a smaller place",
      remedy: "a receiver gives a position good to \(Length.formatted(metres: limit))",
      figures: [
        "eph_m": .double(Decimal.rounded(error, digits: 2)), "limit_m": .double(limit),
      ])
  }

  func placeGates(
    _ slot: Slot, _ index: Int32, _ placeName: (Int64) -> String?, at now: Instant
  ) -> [Explanation.Gate] {
    guard let fix = lastFix, listens(slot) else { return [] }
    if anchors[index] != nil { return anchorGates(slot, fix.position) }
    if let category = slot.reminder.nearCategory {
      guard let watch = watches.first(where: { $0.listeners.contains(index) }),
        let nearest = watch.nearest(to: fix.position)
      else {
        return [
          .init(
            "place", false, "No place of category \(category) is known",
            remedy: "a place of category \(category) is added")
        ]
      }
      let name =
        placeName(nearest.number).map { "\($0), the nearest of category \(category)" }
        ?? "the nearest place of category \(category)"
      return placeGates(slot, watch.monitor, nearest.fence, name, at: now)
    }
    return placeGates(slot, monitor, index, slot.reminder.placeName ?? "the place", at: now)
  }

  private func placeGates(
    _ slot: Slot, _ monitor: FenceMonitor, _ fence: FenceID, _ name: String, at now: Instant
  ) -> [Explanation.Gate] {
    guard let fix = lastFix else { return [] }
    let beyond = monitor.distance(to: fence, from: fix.position)
    let margin = monitor.exitMargin(of: fence)
    let isInside = beyond <= 0
    let away = Length.formatted(metres: abs(beyond))
    let edgeText =
      "The last fix is \(away) \(isInside ? "inside" : "outside") the edge of \(name)"
    let figures = JSONObject([
      "edge_m": .double(Decimal.rounded(beyond, digits: 1)),
      "margin_m": .double(Decimal.rounded(margin, digits: 1)),
    ])
    var gates: [Explanation.Gate] = []
    switch slot.reminder.trigger {
    case .arrive, .dwell:
      gates.append(
        .init(
          "place", isInside, edgeText, remedy: "you come \(away) nearer to \(name)",
          figures: figures))
    case .depart:
      let isBeyond = beyond > margin
      let reach = Length.formatted(metres: margin)
      gates.append(
        .init(
          "place", isBeyond, edgeText + "; left is \(reach) beyond it",
          remedy: "you are \(reach) beyond the edge of \(name)", figures: figures))
    }
    if let hold = monitor.hold(of: fence) {
      gates.append(confirmationGate(hold, away: away, monitor, at: now))
    } else if monitor.isHalfDecided(fence) {
      gates.append(unconfirmed)
    }
    return gates
  }

  private var unconfirmed: Explanation.Gate {
    .init(
      "confirmation", false, "The last fix alone says so",
      remedy: "the next fix agrees with the last one")
  }

  /// The gate of an arrival or a departure that has not lasted long enough.
  private func confirmationGate(
    _ hold: FenceMonitor.Hold, away: String, _ monitor: FenceMonitor, at now: Instant
  ) -> Explanation.Gate {
    guard let end = hold.end, let time = fixClock(at: now) else { return unconfirmed }
    let (scale, minutes) = monitor.scale
    let scatter =
      "the receiver \(minutes == 0 ? "is taken to scatter" : "scatters") "
      + "\(Decimal.rounded(scale, digits: 1)) times as much as it claims"
    let moment = now + (end - time)
    return .init(
      "confirmation", false,
      "\(hold.isArrival ? "Inside" : "Outside") by \(away); at rest that must last "
        + "\(coarse(end - hold.since)) (\(coarse(max(.zero, time - hold.since))) so far); "
        + scatter,
      remedy: "you stay \(hold.isArrival ? "inside" : "outside") until \(text(moment))",
      figures: ["opens": .string(moment.json), "error_scale": .double(scale)])
  }
}
