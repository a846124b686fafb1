package import CivilTime
package import Geodesy
package import Geofencing
import JSONText

/// A position to suppose instead of the device's: as if it had come to rest there.
package struct Standpoint: Equatable, Sendable {
  package let position: Coordinate
  /// The radius that holds the device with 95 %, metres.
  package let error: Double

  /// Error of a good receiver.
  package static let usualError = 10.0

  /// Fails for an error that is negative or above 100 km.
  package init?(_ position: Coordinate, error: Double?) {
    let error = error ?? Self.usualError
    guard (0...100_000).contains(error) else { return nil }
    (self.position, self.error) = (position, error)
  }

  var estimate: FenceMonitor.Estimate { .init(position: position, error: error) }

  func words(_ units: LengthUnits) -> String {
    "position supposed, good to \(Length.formatted(metres: error, in: units))"
  }

  var gate: Explanation.Gate {
    .init(
      "here", true, "As if you were at \(position.latitude), \(position.longitude)",
      figures: [
        "lat": .double(position.latitude), "lon": .double(position.longitude),
        "eph_m": .double(error),
      ])
  }
}

/// A fence as a map shows it.
package struct FenceView: Sendable {
  package let reminder: Reminder
  package let standing: Standing
  package let presence: Presence
  /// Metres from the believed or supposed place to the edge, negative inside; nil without one.
  package let edge: Double?
  /// Metres beyond the edge at which one has left.
  package let margin: Double?
  /// The radius that holds the device with 95 %, metres.
  package let error: Double?
  /// The names of shut gates of `why`, without the gates of the position.
  package let shut: [String]
}

extension Engine {
  /// Gates that the presence and the figures of a fence stand for.
  private static let positionGates: Set<String> = ["fix", "accuracy", "place", "presence", "dwell"]

  /// The anchor watches near a place, then the fences nearest to it, by distance to their edge: at
  /// most `limit`, none farther than `metres`. Each is explained by `why`.
  package func fences(
    near middle: Coordinate, within metres: Double, limit: Int, from here: Standpoint?,
    at now: Instant
  ) -> [FenceView] {
    let watched = anchors.keys.sorted().compactMap { index -> FenceView? in
      guard let slot = slots.slot(index), let place = slot.reminder.place,
        middle.distance(to: place.position) - place.radius <= metres
      else { return nil }
      let position = here?.position ?? reception.sample?.position
      let edge = position.map { $0.distance(to: place.position) - place.radius }
      let supposed = edge.map { $0 <= 0 ? Presence.inside : .outside } ?? .unknown
      return view(
        slot, presence: here == nil ? slot.history.stay.presence : supposed, edge: edge, margin: 0,
        from: here, at: now)
    }
    let nearest = monitor.fences.nearest(to: middle, limit: limit, within: metres)
    let views = nearest.compactMap { entry -> FenceView? in
      guard let slot = slots.slot(entry.id) else { return nil }
      let seen = monitor.assessment(
        of: entry.id, in: monitor.fences, at: here?.estimate ?? monitor.estimate)
      let supposed = seen.map { $0.hasArrived ? Presence.inside : .outside } ?? .unknown
      return view(
        slot, presence: here == nil ? monitor.fences.presence(of: entry.id) : supposed,
        edge: seen?.beyond, margin: seen?.exitMargin, from: here, at: now)
    }
    return Array((watched + views).prefix(limit))
  }

  private func view(
    _ slot: Slot, presence: Presence, edge: Double?, margin: Double?, from here: Standpoint?,
    at now: Instant
  ) -> FenceView {
    let gates = why(slot.reminder.id, at: now, from: here)?.gates ?? []
    return FenceView(
      reminder: slot.reminder, standing: slots.standing(slot.index), presence: presence,
      edge: edge, margin: margin, error: (here?.estimate ?? monitor.estimate)?.error,
      shut: gates.filter { !$0.isOpen && !Self.positionGates.contains($0.name) }.map(\.name))
  }
}
