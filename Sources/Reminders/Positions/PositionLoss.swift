package import CivilTime
package import JSONText

/// A lost position: since when, and why.
package struct PositionLoss: Equatable, Sendable {
  package enum Cause: String, CaseIterable, Sendable {
    /// No usable fix has come for `positionLostAfter`.
    case silence
    /// The receiver repeats one position, though others varied; found by an anchor watch.
    case frozen

    /// For a sentence, without a full stop.
    package var words: String {
      switch self {
      case .silence: "no usable fix comes"
      case .frozen: "the receiver repeats the same position"
      }
    }
  }

  /// The arrival of the last fix that was a new one, or the beginning of the wait for the first.
  package let since: Instant
  package let cause: Cause

  package var json: JSONObject {
    ["since": .string(since.json), "cause": .string(cause.rawValue), "says": .string(cause.words)]
  }
}

extension Engine {
  /// The loss of the position that was reported, by a warning or an anchor watch; nil without one.
  /// - Complexity: O(n) in the anchor watches.
  package func positionLoss(at now: Instant) -> PositionLoss? {
    if isPositionLost, let since = reception.silentSince {
      return PositionLoss(since: since, cause: .silence)
    }
    for (_, watch) in anchors.sorted(by: { $0.key < $1.key }) {
      if let loss = loss(watch, at: now) { return loss }
    }
    return nil
  }

  /// Whether a loss of the position was reported, by a warning or an anchor watch.
  package var hasLostPosition: Bool { isPositionLost || anchors.values.contains { $0.isLost } }

  /// The loss that an anchor watch has reported; nil without one.
  func loss(_ watch: AnchorWatch, at now: Instant) -> PositionLoss? {
    guard watch.isLost else { return nil }
    let isHeard = now - watch.lastFix < settings.positionLostAfter
    return PositionLoss(
      since: watch.frozenSince ?? watch.lastFix,
      cause: watch.frozenSince != nil && isHeard ? .frozen : .silence)
  }
}
