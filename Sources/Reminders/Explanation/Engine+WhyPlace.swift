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
    let words = age < .seconds(1) ? "of this second" : "\(coarse(age)) old"
    var gates = [
      Explanation.Gate(
        "fix", !lacksPosition(at: now), "The last fix is \(words)",
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
      let error = fix.eph.map { "It is good to ±\(length($0)) (95 %)" }
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
      "The newest position is good to ±\(length(error)) only; one worse than "
        + "\(length(limit)) decides nothing about a smaller place",
      remedy: "a receiver gives a position good to \(length(limit))",
      figures: [
        "eph_m": .double(Decimal.rounded(error, digits: 2)), "limit_m": .double(limit),
      ])
  }

  func placeGates(
    _ slot: Slot, _ index: Int32, _ placeName: (Int64) -> String?, at now: Instant,
    from here: Standpoint?
  ) -> [Explanation.Gate] {
    guard let position = here?.position ?? lastFix?.position, listens(slot) else { return [] }
    if let category = slot.reminder.nearCategory {
      let watch = watch(of: index)
      if let watch, !watch.isFilled || watch.isFilling {
        return [
          .init(
            "place", false,
            "The places of category \(category) are being read, \(watch.count) so far",
            remedy: "they have been read")
        ]
      }
      guard let watch, let nearest = watch.nearest(to: position) else {
        return [
          .init(
            "place", false, "No place of category \(category) is known",
            remedy: "a place of category \(category) is added")
        ]
      }
      let name =
        placeName(nearest.number).map { "\($0), the nearest of category \(category)" }
        ?? "the nearest place of category \(category)"
      return placeGates(slot, watch.fences, nearest.fence, name, at: now, from: here)
    }
    return placeGates(
      slot, monitor.fences, index, slot.reminder.placeName ?? "the place", at: now, from: here)
  }

  private func placeGates(
    _ slot: Slot, _ fences: FenceSet, _ fence: FenceID, _ name: String, at now: Instant,
    from here: Standpoint?
  ) -> [Explanation.Gate] {
    guard let estimate = here?.estimate ?? monitor.estimate,
      let seen = monitor.assessment(of: fence, in: fences, at: estimate)
    else { return [] }
    let isInside =
      here == nil
      ? fences.presence(of: fence) == .inside
      : slot.reminder.trigger == .depart ? !seen.hasDeparted : seen.hasArrived
    let away = length(abs(seen.beyond))
    let reach = length(seen.exitMargin)
    let percent = Decimal.rounded(100 * seen.probability, digits: 1)
    let quality =
      here.map { $0.words(settings.units) }
      ?? lastFix.map { goodness($0, estimate, monitor.scale.scale, at: now) }
    let text =
      "\(isInside ? "Inside" : "Outside") \(name), where you are with \(percent) %: "
      + "\(away) \(seen.beyond <= 0 ? "within" : "beyond") the edge"
      + (quality.map { "; \($0)" } ?? "")
    let figures = JSONObject([
      "edge_m": .double(Decimal.rounded(seen.beyond, digits: 1)),
      "margin_m": .double(Decimal.rounded(seen.exitMargin, digits: 1)),
      "probability": .double(Decimal.rounded(seen.probability, digits: 4)),
      "error_m": .double(Decimal.rounded(estimate.error, digits: 1)),
      "error_scale": .double(Decimal.rounded(monitor.scale.scale, digits: 2)),
    ])
    let remedy =
      switch slot.reminder.trigger {
      case .arrive, .dwell, .silent, .absent:
        isInside || seen.beyond <= 0
          ? "a more accurate position, or the next one, agrees"
          : "you come \(away) nearer to \(name)"
      case .depart: "you are \(reach) beyond the edge of \(name)"
      }
    let isOpen = (slot.reminder.trigger == .depart) != isInside
    return [.init("place", isOpen, text, remedy: remedy, figures: figures)]
  }

  /// How good the believed position is, and why.
  private func goodness(
    _ fix: Fix, _ estimate: FenceMonitor.Estimate, _ scale: Double, at now: Instant
  ) -> String {
    let claim =
      fix.eph.map { "claim \(length($0)) × \(Decimal.rounded(scale, digits: 1))" }
      ?? "no claim"
    let rest =
      if let since = estimate.restSince, let time = fix.time {
        "; at rest for \(coarse(max(.zero, time - since)))"
      } else {
        "; not at rest"
      }
    return "position good to \(length(estimate.error)) (\(claim))\(rest)"
  }
}
