package import CivilTime

extension Engine {
  /// The named places of reminders that contain the device by the smallest radius of a reminder,
  /// in metres, and since when, by name.
  /// - Complexity: O(n log n).
  package var visits: [(place: String, radius: Double, since: Instant)] {
    var visits: [String: (radius: Double, since: Instant)] = [:]
    for index in slots.indices {
      guard case .inside(let visit) = slots.stay(index), let slot = slots.slot(index),
        let place = slot.reminder.place, let name = place.name
      else { continue }
      let known = visits[name] ?? (place.radius, visit.since)
      visits[name] = (min(known.radius, place.radius), min(known.since, visit.since))
    }
    return visits.sorted { $0.key < $1.key }.map { ($0.key, $0.value.radius, $0.value.since) }
  }
}
