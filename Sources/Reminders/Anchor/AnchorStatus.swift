package import CivilTime
import Geodesy
import Geofencing
package import JSONText

/// How the boat lies to its anchor, for the status, a broker and a map. It has no position.
package struct AnchorStatus: Equatable, Sendable {
  package enum Place: String, Sendable {
    case inside
    case outside
    /// The position is lost, as an alarm has said.
    case lost
    /// No fix has come yet.
    case unknown
  }

  /// The id of the reminder.
  package let id: String
  package let place: Place
  /// Whether an alarm goes on that nobody has acknowledged.
  package let isAlarm: Bool
  /// An alarm, a silence or a decision that waits, as a sentence without a full stop; nil while all
  /// is well.
  package let says: String?
  /// The next repetition of the alarm.
  package let repeats: Instant?
  /// nil while the position is known, and before an alarm has said that it is lost.
  package let loss: PositionLoss?
  package let silencedUntil: Instant?
  /// Metres.
  package let radius: Double
  /// Metres from the anchor, and degrees from true north to it; nil without a fix.
  package let distance: Double?
  package let bearing: Double?

  package var json: JSONObject {
    JSONObject([
      "id": .string(id), "place": .string(place.rawValue), "alarm": .bool(isAlarm),
      "says": says.map { .string($0) }, "repeats": repeats.map { .string($0.json) },
      "lost": loss.map { .object($0.json) },
      "silenced_until": silencedUntil.map { .string($0.json) }, "radius_m": .double(radius),
      "distance_m": .double(distance.map { Decimal.rounded($0, digits: 1) }),
      "bearing_deg": .double(bearing.map { Decimal.rounded($0, digits: 0) }),
    ])
  }
}

extension Engine {
  /// The anchor watch that was set first; nil without one.
  /// - Complexity: O(n) in the anchor watches.
  package func anchorStatus(at now: Instant) -> AnchorStatus? {
    anchors.keys.min().flatMap { anchorStatus($0, at: now) }
  }

  /// nil for a reminder that is no anchor watch, or not armed.
  package func anchorStatus(_ id: String, at now: Instant) -> AnchorStatus? {
    slots.index(of: id).flatMap { anchorStatus($0, at: now) }
  }

  private func anchorStatus(_ index: Int32, at now: Instant) -> AnchorStatus? {
    guard let watch = anchors[index], let slot = slots.slot(index),
      let place = slot.reminder.place
    else { return nil }
    var end: Instant?
    if case .until(let time) = slot.history.silence { end = time }
    return AnchorStatus(
      id: slot.reminder.id,
      place: watch.isLost
        ? .lost : watch.distance.map { $0 > place.radius ? .outside : .inside } ?? .unknown,
      isAlarm: slot.history.isUnacknowledged, says: anchorSays(slot, watch, at: now),
      repeats: plan(of: slot, at: now).repeats, loss: loss(watch, at: now), silencedUntil: end,
      radius: place.radius,
      distance: watch.distance,
      bearing: watch.distance == nil
        ? nil : reception.sample.map { $0.position.initialBearing(to: place.position) })
  }
}
