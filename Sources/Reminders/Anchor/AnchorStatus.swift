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
  package let silencedUntil: Instant?
  /// Metres.
  package let radius: Double
  /// Metres from the anchor, and degrees from true north to it; nil without a fix.
  package let distance: Double?
  package let bearing: Double?

  package var json: JSONObject {
    JSONObject([
      "id": .string(id), "place": .string(place.rawValue), "alarm": .bool(isAlarm),
      "silenced_until": silencedUntil.map { .string($0.json) }, "radius_m": .double(radius),
      "distance_m": .double(distance.map { Decimal.rounded($0, digits: 1) }),
      "bearing_deg": .double(bearing.map { Decimal.rounded($0, digits: 0) }),
    ])
  }
}

extension Engine {
  /// The anchor watch that was set first; nil without one.
  /// - Complexity: O(n) in the anchor watches.
  package var anchorStatus: AnchorStatus? {
    guard let index = anchors.keys.min(), let watch = anchors[index],
      let slot = slots.slot(index), let place = slot.reminder.place
    else { return nil }
    var end: Instant?
    if case .until(let time) = slot.history.silence { end = time }
    return AnchorStatus(
      id: slot.reminder.id,
      place: watch.isLost
        ? .lost : watch.distance.map { $0 > place.radius ? .outside : .inside } ?? .unknown,
      isAlarm: slot.history.isUnacknowledged, silencedUntil: end, radius: place.radius,
      distance: watch.distance,
      bearing: watch.distance == nil
        ? nil : reception.sample.map { $0.position.initialBearing(to: place.position) })
  }
}
