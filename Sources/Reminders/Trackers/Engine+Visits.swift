package import CivilTime

extension Engine {
  /// The named places of reminders that contain the device, and since when, by name.
  /// - Complexity: O(n log n).
  package var visits: [(place: String, since: Instant)] {
    var visits: [String: Instant] = [:]
    for index in slots.indices {
      guard case .inside(let visit) = slots.stay(index), let slot = slots.slot(index),
        let place = slot.reminder.place?.name
      else { continue }
      visits[place] = min(visits[place] ?? visit.since, visit.since)
    }
    return visits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
